"""The report of a run: what was merged and how it was proved, who decided what, what it cost, and what is left.

It is read from the rows each time, so it is also right while the run continues.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mission.domain.inbox.item import InboxItem, ItemState
from mission.domain.runs import report_text, spending
from mission.domain.runs.candidate import SENT_BACK, Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.stage import Stage, TaskStage, stage_of
from mission.domain.runs.view import Spent
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.task import CHANGE_LISTS, Task
from mission.domain.timestamps import format_time
from mission.services.runs.lifecycle import run_view
from mission.services.runs.lifecycle.run_view import RunRows
from mission.services.runs.viewing.final_checks import final_checks
from mission.store.inbox.items import InboxFilter
from mission.store.sql.pages import Filter
from mission.store.transaction import Tx

MAX_LISTED = 1_000
DONE_STAGES = frozenset({Stage.MERGED, Stage.SKIPPED})


def get(tx: Tx, *, run_id: str | None = None, mission_id: str | None = None) -> dict[str, Any]:
    """Return the report of a run as it is now."""
    run = run_view.find_run(tx, run_id=run_id, mission_id=mission_id)
    report = describe(tx, run)
    return {
        "run_id": run.id,
        "mission_id": run.mission_id,
        "state": str(run.state),
        "markdown": report_text.as_markdown(report),
        "report": report,
    }


def describe(tx: Tx, run: Run) -> dict[str, Any]:
    """Return the report as the page shows it."""
    rows = run_view.read_rows(tx, run)
    mission = tx.missions.get(run.mission_id)
    stages = {task.id: stage_of(run_view.stage_facts(rows, task)) for task in rows.tasks}
    tasks = [_task(rows, task, stages[task.id]) for task in rows.tasks]
    spent = run_view.run_spending(rows)
    questions = _questions(tx, run, rows.tasks)
    return {
        "mission": {"id": mission.id, "name": mission.name, "objective": mission.objective},
        "run": {**run.record(), "client_counts": _clients(rows)},
        "counts": _counts(tasks),
        "tasks": tasks,
        "files": _files(rows.tasks),
        "final": _final(tx, run),
        "decisions": _decisions(tx, run, rows.tasks, without=questions),
        "questions": questions,
        "cost": _cost(spent, launched=sum(map(len, rows.executions.values()))),
        "waivers": [dict(each) for each in run.waivers],
        "unproved_allowed": run.unproved_allowed,
        "foreign_commits": [dict(each) for each in run.foreign_commits],
        "notes": list((run.preflight or {}).get("notes") or ()),
        "landing": dict(run.landing) if run.landing is not None else None,
        "left": _left(run, tasks, rows.items),
    }


def _task(rows: RunRows, task: Task, stage: TaskStage) -> dict[str, Any]:
    mine = [each for each in rows.candidates if each.task_id == task.id]
    merged = next((each for each in reversed(mine) if each.state is CandidateState.MERGED), None)
    launched = rows.executions.get(task.id, ())
    return {
        "task_id": task.id,
        "name": task.name,
        "stage": str(stage.stage),
        "reason": stage.reason,
        "proof_state": str(task.proof_state) if task.proof_state is not None else None,
        "commit": merged.merge_commit if merged is not None else None,
        "files": _files([task]),
        "evidence": list((task.proof or {}).get("checks") or ()),
        "review": _review(merged),
        "summary": (task.outcome or {}).get("summary"),
        "clients": list(dict.fromkeys(each.adapter for each in launched)),
        "attempts": len(run_view.attempts_of(rows, task)),
        "revisions": sum(each.state in SENT_BACK for each in mine),
        "sent_back": [each.why_sent_back for each in mine if each.state in SENT_BACK],
        "denied": [dict(each) for each in rows.denied.get(task.id, ())],
        "cost": _cost(spending.spent_by(launched, now=rows.now), launched=len(launched)),
    }


def _review(candidate: Candidate | None) -> dict[str, Any] | None:
    return dict(candidate.review) if candidate is not None and candidate.review is not None else None


def _files(tasks: Iterable[Task]) -> list[str]:
    found = {path for task in tasks if task.changes for kind in CHANGE_LISTS for path in task.changes.get(kind, ())}
    return sorted(found)


def _counts(tasks: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    merged = [task for task in tasks if task["stage"] == Stage.MERGED]
    proofs = [task["proof_state"] for task in merged]
    return {
        "tasks": len(tasks),
        "merged": len(merged),
        "proved": proofs.count("proved"),
        "accepted": proofs.count("accepted"),
        "unproved": len(merged) - proofs.count("proved") - proofs.count("accepted"),
        "skipped": sum(task["stage"] == Stage.SKIPPED for task in tasks),
        "open": sum(task["stage"] not in DONE_STAGES for task in tasks),
    }


def _clients(rows: RunRows) -> dict[str, int]:
    found: dict[str, int] = {}
    for launched in rows.executions.values():
        for each in launched:
            found[each.adapter] = found.get(each.adapter, 0) + 1
    return found


def _cost(spent: Spent, *, launched: int) -> dict[str, Any]:
    return {"usd": spent.usd, "tokens": spent.tokens, "minutes": spent.minutes, "launches": launched}


def _final(tx: Tx, run: Run) -> dict[str, Any] | None:
    """Return the final checks: the commit, the result of each, and the repair tasks."""
    final = final_checks(tx, run)
    if final is None:
        return None
    return {
        "commit": final.get("commit"),
        "state": final["state"],
        "checks": final["checks"],
        "accepted": final.get("accepted"),
        "repairs": list(final.get("repairs") or ()),
    }


def _decisions(
    tx: Tx, run: Run, tasks: Sequence[Task], *, without: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what agents decided, oldest first; a person's answers are in the journal too, but not listed twice."""
    names = {task.id: task.name for task in tasks}
    answers = {f"{each['subject']} → {each['answer']}" for each in without}
    found = tx.journal.page(run.mission_id, EntryKind.DECISION, Filter(), limit=MAX_LISTED, after=None)
    return [
        {
            "task_id": entry.task_id,
            "task": names.get(entry.task_id, entry.task_id),
            "summary": entry.summary,
            "at": format_time(entry.created_at),
        }
        for entry in reversed(found)
        if entry.created_at >= run.created_at and entry.summary not in answers
    ]


def _questions(tx: Tx, run: Run, tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Return what a person was asked and answered, oldest first."""
    names = {task.id: task.name for task in tasks}
    wanted = InboxFilter(states=[ItemState.ANSWERED], mission_id=run.mission_id)
    found, _ = tx.inbox.page(wanted, limit=MAX_LISTED, offset=0)
    items: list[InboxItem] = sorted((each.item for each in found), key=lambda item: (item.created_at, item.id))
    return [
        {
            "item_id": item.id,
            "kind": str(item.kind),
            "subject": item.subject,
            "task": names.get(item.task_id or ""),
            "answer": item.answer_in_words,
            "by": item.closed_by,
            "at": format_time(item.closed_at),
        }
        for item in items
        if item.created_at >= run.created_at
    ]


def _left(run: Run, tasks: Sequence[Mapping[str, Any]], items: Sequence[InboxItem]) -> list[str]:
    """Return what is not done, in sentences."""
    open_tasks = [f"'{task['name']}': {task['reason']}" for task in tasks if task["stage"] not in DONE_STAGES]
    skipped = [f"'{task['name']}' was skipped." for task in tasks if task["stage"] == Stage.SKIPPED]
    asked = [f"A question is open: {item.subject}" for item in items]
    landing = run.landing or {}
    kept = [f"Kept: {each['name']} ({each['reason']})" for each in landing.get("kept") or ()]
    not_landed = (
        [] if run.is_live or landing.get("state") == "landed" else [f"It has not landed: mission land {run.mission_id}"]
    )
    return [*open_tasks, *skipped, *asked, *not_landed, *kept]
