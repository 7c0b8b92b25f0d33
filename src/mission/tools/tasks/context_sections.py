"""Sections of a task's context, each with its share of the budget and the call that returns it in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from mission.domain.tasks.task import Task
from mission.domain.token_budget import CUT, BudgetSection, Fetch
from mission.services.tasks.context import TaskContext
from mission.tools.shared.fields import cut
from mission.tools.shared.records import CheckpointRecord, files_changed, outcome_of, task_word
from mission.tools.tasks.next_step import next_step

MAX_SOURCE = 4_000
"""Maximum characters of a source used as its summary."""
CHECKPOINTS = ("current_task.checkpoints", "current_task.older_checkpoints")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The caller's options."""

    plan: bool
    recent: int
    prior_full: bool


def sections_of(found: TaskContext, asked: Asked) -> Iterator[BudgetSection]:
    """Yield the sections of the answer, most valuable first."""
    yield from _own(found)
    yield from _journal(found, asked)
    yield from _dependencies(found)
    yield from _subject(found)
    yield from _mission(found, asked)
    yield from _around(found, asked)


def _own(found: TaskContext) -> Iterator[BudgetSection]:
    task = found.task
    fetch = Fetch("task_get", {"id": task.id})
    yield BudgetSection(name="current_task.name", content=task.name, share=0.4, vital=True, fetch=fetch)
    yield BudgetSection(name="next_step", content=next_step(found), share=1.0, vital=True, fetch=fetch)
    if found.task_is_new and found.failed_checks:
        yield BudgetSection(
            name="current_task.failed_checks",
            content=[asdict(each) for each in found.failed_checks],
            share=0.3,
            vital=True,
            text="output",
            keeps_end=True,
            fetch=Fetch("task_checks", {"task_id": task.id}),
        )
    if found.task_is_new and task.plan is not None:
        yield BudgetSection(name="current_task.plan", content=dict(task.plan), share=0.3, vital=True, fetch=fetch)


def _journal(found: TaskContext, asked: Asked) -> Iterator[BudgetSection]:
    """Yield the last checkpoints as vital and older ones as optional."""
    rows = [CheckpointRecord.model_validate(entry).model_dump(mode="json") for entry in found.checkpoints]
    for name, chosen in zip(CHECKPOINTS, (rows[: asked.recent], rows[asked.recent :]), strict=True):
        yield BudgetSection(
            name=name,
            content=chosen,
            share=0.3,
            vital=name == CHECKPOINTS[0],
            text="summary",
            spare={"detail": {}, "files_changed": []},
            fetch=Fetch("checkpoint_list", {"task_id": found.task.id}),
        )


def _dependencies(found: TaskContext) -> Iterator[BudgetSection]:
    if found.dependencies:
        yield BudgetSection(
            name="dependency_outcomes",
            content=[_dependency(each) for each in found.dependencies],
            share=0.2,
            vital=True,
            text="outcome",
            fetch=Fetch("task_check_dependencies", {"task_id": found.task.id}),
        )


def _subject(found: TaskContext) -> Iterator[BudgetSection]:
    task = found.task
    fetch = Fetch("task_get", {"id": task.id})
    if not found.task_is_new:
        return
    yield BudgetSection(name="current_task.description", content=task.goal, share=0.15, vital=True, fetch=fetch)
    if task.context is not None:
        yield BudgetSection(name="current_task.context", content=dict(task.context), share=0.3, fetch=fetch)


def _mission(found: TaskContext, asked: Asked) -> Iterator[BudgetSection]:
    mission = found.mission
    fetch = Fetch("workflow_get", {"id": mission.id})
    yield BudgetSection(name="workflow.name", content=mission.name, share=0.05, vital=True, fetch=fetch)
    if asked.plan and mission.plan_summary:
        yield BudgetSection(
            name="workflow.plan_summary", content=mission.plan_summary, share=0.1, vital=True, fetch=fetch
        )
    rest = {name: value for name, value in (mission.plan or {}).items() if name != "summary" and value}
    if asked.plan and rest:
        yield BudgetSection(name="workflow.plan", content=rest, share=0.1, vital=True, fetch=fetch)
    if found.source:
        yield BudgetSection(name="workflow.source_summary", content=_summary(found.source), share=0.15, fetch=fetch)


def _around(found: TaskContext, asked: Asked) -> Iterator[BudgetSection]:
    listed = Fetch("workflow_get", {"id": found.mission.id, "include_tasks": True})
    if found.siblings:
        yield BudgetSection(
            name="sibling_tasks",
            content=[_sibling(each) for each in found.siblings],
            share=0.25,
            text="brief_summary",
            total=found.siblings_total,
            fetch=listed,
        )
    if found.earlier:
        yield BudgetSection(
            name="prior_tasks",
            content=[_prior(each, full=asked.prior_full) for each in found.earlier],
            share=0.25,
            text="outcome",
            spare={"outcome_detail": None, "files_changed": None} if asked.prior_full else {},
            total=found.earlier_total,
            fetch=listed,
        )


def _dependency(task: Task) -> dict[str, Any]:
    outcome = outcome_of(task) or task.error or str(task.status)
    return {"task_id": task.id, "task_name": task.name, "outcome": outcome, "author": task.owner_id}


def _sibling(task: Task) -> dict[str, Any]:
    row: dict[str, Any] = {"id": task.id, "name": task.name, "status": task_word(task)}
    summary = outcome_of(task) or task.error or (task.hold.reason if task.hold is not None else None)
    return {**row, "brief_summary": cut(summary, limit=200)} if summary else row


def _prior(task: Task, *, full: bool) -> dict[str, Any]:
    outcome = outcome_of(task) or task.error or str(task.status)
    row: dict[str, Any] = {
        "id": task.id,
        "name": task.name,
        "outcome": outcome if full else cut(outcome),
        "status": task_word(task),
        "author": task.owner_id,
    }
    if not full:
        return row
    detail = {name: value for name, value in (task.outcome or {}).items() if name != "summary" and value}
    changed = files_changed(task.changes)
    return {
        **row,
        **({"outcome_detail": detail} if detail else {}),
        **({"files_changed": changed.model_dump(mode="json", by_alias=True)} if changed else {}),
    }


def _summary(source: str) -> str:
    """Return the source with whitespace collapsed and truncated, as a summary."""
    text = " ".join(source[:MAX_SOURCE].split())
    return f"{text}{CUT}" if len(source) > MAX_SOURCE else text
