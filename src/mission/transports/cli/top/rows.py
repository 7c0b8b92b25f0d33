"""What `mission top` lists: inbox items, runs and agents, each as a row that can be selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mission.domain.display_status import AGENT_LABELS
from mission.transports.cli.work.executions import execution_state, last_note

Record = Mapping[str, Any]

TITLES = {"inbox": "Waiting for you", "runs": "Runs", "agents": "Agents"}
EMPTY = {
    "inbox": "Nothing is waiting for you.",
    "runs": "No run is under way.",
    "agents": "No agent is at work.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One thing on the screen. The record is what the tool returned for it."""

    section: str
    id: str
    record: Record
    execution_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TopContents:
    """Everything that is shown, as it was at one moment."""

    items: Sequence[Record] = ()
    runs: Sequence[Record] = ()
    agents: Sequence[Record] = ()
    sections: Mapping[str, Sequence[Row]] = field(init=False)

    def __post_init__(self) -> None:
        sections = {
            "inbox": [
                Row(section="inbox", id=item["id"], record=item, execution_id=item["execution_id"])
                for item in self.items
            ],
            "runs": [Row(section="runs", id=run["run_id"], record=run) for run in self.runs],
            "agents": [
                Row(section="agents", id=agent["id"], record=agent, execution_id=agent["execution_id"])
                for agent in self.agents
            ],
        }
        object.__setattr__(self, "sections", sections)

    @property
    def rows(self) -> list[Row]:
        """Return all rows in the order of the screen."""
        return [row for rows in self.sections.values() for row in rows]


def agent_rows(executions: Sequence[Record], fleet: Sequence[Record]) -> list[Record]:
    """Return launched agents, then other agents that are present, each with state, task and last note."""
    launched = [
        {
            "id": each["id"],
            "execution_id": each["id"],
            "name": each["agent_name"],
            "state": execution_state(each),
            "task": each["task_name"],
            "note": last_note(each),
            "since": each["updated_at"],
        }
        for each in executions
    ]
    known = {each["agent_id"] for each in executions}
    others = [
        {
            "id": agent["id"],
            "execution_id": None,
            "name": agent["name"],
            "state": AGENT_LABELS[agent["state"]],
            "task": agent["task_name"] or "",
            "note": "",
            "since": agent["last_seen_at"],
        }
        for agent in fleet
        if agent["id"] not in known and agent["state"] != "offline"
    ]
    return [*launched, *others]
