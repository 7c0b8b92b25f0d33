"""The tool that summarizes a workflow as JSON or Markdown, such as for a model's memory file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.task import Task
from mission.domain.token_budget import compact
from mission.domain.token_count import tokenizer
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.missions import summary
from mission.services.missions.summary import LISTED, Summary
from mission.store.transaction import Tx
from mission.tools.shared.evidence import EvidenceCounts
from mission.tools.shared.fields import MissionId
from mission.tools.shared.records import mission_word, outcome_of, task_word
from mission.tools.workflows.progress import tasks_by_status

BRIEF = 200
"""Maximum characters of a quoted text."""
MAX_TOKENS = 100_000


class GetSummary(Arguments):
    id: MissionId
    format: Literal["json", "markdown"] = "json"


class WorkflowInShort(Result):
    summary: str | dict[str, Any]
    token_estimate: int
    tokenizer: str


@tool(toolset="workflow", result=WorkflowInShort, reads=True)
async def workflow_get_summary(call: Call, args: GetSummary) -> WorkflowInShort:
    """Summarize a workflow: progress, current, next, failed, and latest completed tasks and decisions."""
    return await call.read(_summarised, mission_id=args.id, markdown=args.format == "markdown")


def _summarised(tx: Tx, *, mission_id: str, markdown: bool) -> WorkflowInShort:
    found = _document(summary.summarize(tx, mission_id=mission_id, source_characters=BRIEF + 1))
    text: str | dict[str, Any] = "\n".join(_markdown(found)) + "\n" if markdown else found
    counter = tokenizer()
    size = counter.count(text if isinstance(text, str) else compact(text), limit=MAX_TOKENS)
    return WorkflowInShort(summary=text, token_estimate=size or MAX_TOKENS, tokenizer=counter.name)


def _document(found: Summary) -> dict[str, Any]:
    mission, progress = found.mission, found.progress
    counts = {status: tasks for status, tasks in tasks_by_status(progress).items() if tasks}
    return {
        "id": mission.id,
        "name": mission.name,
        "status": mission_word(mission),
        "source_type": mission.source_type,
        "source_summary": _brief(found.source or mission.objective),
        "plan_summary": _brief(mission.plan_summary or ""),
        "total_tasks": progress.total,
        "by_status": counts,
        "evidence": EvidenceCounts.of(found.proof_counts).model_dump(),
        "remaining_tasks": progress.remaining,
        "estimated_remaining": progress.estimate.seconds if progress.estimate else None,
        "estimated_range": list(progress.estimate.range) if progress.estimate else None,
        "in_hand": [_task(task, assigned_agent_id=task.owner_id) for task in found.in_hand],
        "next": [_task(task) for task in found.ready],
        "blocked": [
            {**_task(each.task), "blocked_by": [_brief(name) for name in each.by[:LISTED]]}
            for each in progress.blocked[:LISTED]
        ],
        "failed": [_task(task, error=_brief(task.error or "")) for task in found.failed],
        "completed_last": [
            _task(task, outcome=_brief(outcome_of(task) or ""), proof=task.proof_state) for task in found.completed
        ],
        "decisions_last": [_entry(entry) for entry in found.decisions],
        "open_blockers": [_entry(entry) for entry in found.blockers],
    }


def _task(task: Task, **more: Any) -> dict[str, Any]:
    return {"id": task.id, "name": _brief(task.name), "status": task_word(task), **more}


def _entry(entry: JournalEntry) -> dict[str, Any]:
    """Return the text of an entry with its author."""
    return {"text": _brief(entry.summary), "author": entry.author or entry.agent_name, "task_id": entry.task_id}


def _brief(text: str) -> str:
    """Return a text truncated on one line, so that it cannot start a heading or list."""
    line = " ".join(text[: BRIEF + 1].split())
    return f"{line[:BRIEF]}…" if len(text) > BRIEF else line


def _markdown(document: dict[str, Any]) -> Iterator[str]:
    counts = ", ".join(f"{tasks} {status}" for status, tasks in document["by_status"].items()) or "none yet"
    yield f"# {document['name']}"
    yield ""
    yield f"Workflow `{document['id']}`, {document['status']}. Tasks: {counts}."
    proofs = ", ".join(f"{tasks} {state}" for state, tasks in document["evidence"].items() if tasks)
    if proofs:
        yield f"Evidence: {proofs}."
    if document["estimated_range"] is not None and document["remaining_tasks"]:
        low, high = (max(1, round(seconds / 60)) for seconds in document["estimated_range"])
        yield f"About {low} to {high} min remain." if low < high else f"About {high} min remain."
    for title, name in (("Source", "source_summary"), ("Plan", "plan_summary")):
        if document[name]:
            yield f"{title}: {document[name]}"
    yield from _list("In progress", (_item(task, task["assigned_agent_id"]) for task in document["in_hand"]))
    yield from _list("Next", (_item(task) for task in document["next"]))
    yield from _list("Blocked", (_item(task, ", ".join(task["blocked_by"])) for task in document["blocked"]))
    yield from _list("Failed", (_item(task, task["error"]) for task in document["failed"]))
    yield from _list("Recently completed", (_completed(task) for task in document["completed_last"]))
    for title, name in (("Recent decisions", "decisions_last"), ("Open blockers", "open_blockers")):
        yield from _list(
            title, (f"{row['text']} (`{row['task_id']}`, {row['author'] or 'operator'})" for row in document[name])
        )


def _item(task: dict[str, Any], note: str | None = None) -> str:
    status = "" if task["status"] == "pending" else f" ({task['status']})"
    return f"`{task['id']}` {task['name']}{status}" + (f": {note}" if note else "")


def _completed(task: dict[str, Any]) -> str:
    return _item({**task, "status": task["proof"] or task["status"]}, task["outcome"])


def _list(title: str, items: Iterable[str]) -> Iterator[str]:
    lines = [f"- {item}" for item in items]
    if lines:
        yield from ("", f"## {title}", "", *lines)
