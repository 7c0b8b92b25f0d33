"""The questions of a run as its view shows them: which are open, what was answered, and which tasks they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mission.domain.inbox.item import HOLDING, NO_ANSWER, ItemState
from mission.domain.runs.decisions import choices
from mission.domain.runs.run import Run

OF_TASKS = ("task:", "circles:", "checks:", "secrets:")
"""Keys of questions that hold one task until they are answered."""
OF_RUN = frozenset(
    {
        choices.PREFLIGHT,
        choices.BUDGET,
        choices.TIP_RED,
        choices.FINAL,
        choices.LANDING,
        choices.UNPROVED,
    }
)
"""Keys of questions whose answers are carried out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A person's answer to a question about a task."""

    at: datetime
    key: str
    choice: str
    text: str


@dataclass(kw_only=True, slots=True)
class Questions:
    """The questions that are open or answered."""

    items: dict[str, str] = field(default_factory=dict)
    times: dict[str, datetime] = field(default_factory=dict)
    decided_at: dict[str, datetime] = field(default_factory=dict)
    decisions: dict[str, str] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    """For each task that waits the open item."""
    answers: dict[str, Answer] = field(default_factory=dict)
    """For each task the newest answer about it."""
    asked: dict[str, Any] = field(default_factory=dict)
    """Rows of questions and blockers of agents, by their id."""


def read_questions(run: Run, rows: Iterable[Any]) -> Questions:
    """Return what the rows say about the questions of a run."""
    found = Questions()
    prefix = f"run {run.id} "
    closed: dict[str, Any] = {}
    for row in rows:
        if row.kind in HOLDING and row.entry_id is None:
            found.asked[row.id] = row
        if row.once is not None and row.once.startswith(prefix):
            _take(found, closed, row, key=row.once[len(prefix) :])
        elif row.state == ItemState.OPEN and row.kind in HOLDING and row.task_id and row.entry_id is None:
            found.held[row.task_id] = row.id
    for key, row in closed.items():
        _conclude(found, run, row, key=key)
    return found


def _take(found: Questions, closed: dict[str, Any], row: Any, *, key: str) -> None:
    if row.state != ItemState.OPEN:
        if key not in closed or closed[key].closed_at < row.closed_at:
            closed[key] = row
        return
    found.items[key] = row.id
    found.times[key] = row.created_at
    if row.task_id is not None and key.startswith(OF_TASKS):
        found.held[row.task_id] = row.id


def _conclude(found: Questions, run: Run, row: Any, *, key: str) -> None:
    """Draw the conclusion from the newest answer to a question."""
    found.decided_at[key] = row.closed_at
    if row.state != ItemState.ANSWERED:
        return
    choice, text = _chosen(row)
    is_open = key in found.items or (run.carried_out or {}).get(key) == row.id
    is_carried_out = choice == "stop" or key in OF_RUN or (key.startswith(choices.CLIENT) and choice == "go")
    if not is_open and is_carried_out:
        found.decisions[key] = choice
    if row.task_id is not None and key.startswith(OF_TASKS):
        answer = Answer(at=row.closed_at, key=key, choice=choice, text=text)
        before = found.answers.get(row.task_id)
        if before is None or before.at < answer.at:
            found.answers[row.task_id] = answer


def _chosen(row: Any) -> tuple[str, str]:
    """Return the value of the chosen answer and its text; an answer in words alone is a hint."""
    listed: list[Mapping[str, Any]] = list(row.choices or ())
    chosen = listed[row.choice - 1] if row.choice is not None and 1 <= row.choice <= len(listed) else {}
    value = str(chosen.get("value") or "")
    words = str(row.answer or "")
    if value:
        return value, words.removeprefix(value).removeprefix(": ")
    known = {str(each.get("value")) for each in listed}
    first = words.strip().split(":")[0].strip().lower()
    return (first, words.partition(":")[2].strip()) if first in known else ("retry_hint", words)


def answer_to(found: Questions, asked: Iterable[str]) -> tuple[bool, str | None]:
    """Return whether one of these questions of an agent is open, and otherwise the answer to all of them."""
    rows = [found.asked[id] for id in asked if id in found.asked]
    if any(row.state == ItemState.OPEN for row in rows):
        return True, None
    if not rows:
        return False, None
    if len(rows) == 1:
        return False, str(rows[0].answer) if rows[0].state == ItemState.ANSWERED else NO_ANSWER
    said = (row.answer if row.state == ItemState.ANSWERED else NO_ANSWER for row in rows)
    return False, "\n".join(str(each) for each in said)
