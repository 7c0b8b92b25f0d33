"""Read the audit trail, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.ids import PREFIXES
from mission.services.agents import registration as agents
from mission.services.paging import Page, cursor_of, cut_page, position_of
from mission.store.transaction import Tx

MANUAL = "mcp__system__log_decision"
"""The tool whose entries an agent writes itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedEntry:
    """An entry that an agent wrote to the audit trail."""

    id: str
    at: datetime


def list_entries(
    tx: Tx,
    *,
    agent_id: str | None,
    tool: str | None,
    status: str | None,
    except_transport: str | None,
    except_ok: Sequence[str] = (),
    since: datetime | None,
    limit: int,
    cursor: str | None,
) -> Page[dict[str, Any]]:
    """Return audit entries, newest first, and the next cursor; the agent by id or name, the tool by pattern."""
    if agent_id is not None and not agent_id.startswith(f"{PREFIXES['agent']}_"):
        agent_id = agents.find(tx, reference=agent_id).id
    rows = tx.audit.page(
        agent_id=agent_id,
        tool=tool,
        status=status,
        except_transport=except_transport,
        except_ok=except_ok,
        since=since,
        limit=limit + 1,
        after=position_of(cursor, kind="audit entry"),
    )
    return cut_page(rows, limit=limit, cursor=lambda row: cursor_of(row["at"], row["id"]))


def with_names(tx: Tx, *, entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries with the names of their agents, tasks and missions."""
    kinds = ("agent", "task", "mission")
    names = tx.id_prefixes.names(entry[f"{kind}_id"] for entry in entries for kind in kinds if entry[f"{kind}_id"])
    return [{**entry, **{f"{kind}_name": names.get(entry[f"{kind}_id"]) for kind in kinds}} for entry in entries]


def get(tx: Tx, *, id: str) -> dict[str, Any]:
    """Return one entry, such as the one whose id a failure report has."""
    return tx.audit.get(id)


def lines(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return an entry as lines of a decision log: the call before it ran, and its result. An entry that an agent wrote
    itself is one line in the agent's words."""
    tool, arguments, error = entry["tool"], entry["arguments"], entry["error"]
    if tool == MANUAL and error is None:
        return [_line(entry["at"], arguments["title"], arguments["body"], None)]
    found = [_line(entry["at"], f"Invoked tool: {tool}", "Automatic tool invocation log", arguments)]
    if error is not None:
        context = {"message": error["message"], "code": error["code"], "stack": entry["trace"]}
        found.append(_line(entry["finished_at"], f"Tool error: {tool}", "Automatic tool error log", context))
    elif entry["status"] == "ok":
        found.append(_line(entry["finished_at"], f"Tool result: {tool}", "Automatic tool result log", entry["result"]))
    return found


def _line(at: datetime, decision: str, reasoning: str, context: Any) -> dict[str, Any]:
    return {"at": at, "decision": decision, "reasoning": reasoning, "context": context}


def log(tx: Tx, *, entry_id: str) -> LoggedEntry:
    """Return an entry that consists only of its call: the call's own row is the record."""
    return LoggedEntry(id=entry_id, at=tx.now)
