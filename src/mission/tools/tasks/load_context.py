"""The tool that returns a task's context within a token budget, to resume a task or take it over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from mission.domain.token_budget import CUT, BudgetSection, Packed, Tokenizer, compact, within
from mission.domain.token_count import tokenizer
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.tasks import context
from mission.services.tasks.context import ContextCursor, ContextRequest, TaskContext
from mission.store.transaction import Tx
from mission.tools.shared.evidence import FailedCheckRecord
from mission.tools.shared.fields import TaskId
from mission.tools.shared.records import IF_ASKED, CheckpointRecord, mission_word, task_word
from mission.tools.shared.topics import JOURNAL
from mission.tools.tasks.context_sections import CHECKPOINTS, MAX_SOURCE, Asked, sections_of

SMALLEST_BUDGET = 200
LARGEST_BUDGET = 200_000
ROOMY = 8_000
SMALLEST_CHECKPOINT = 40
"""Minimum tokens of a checkpoint record."""
ITEMISED_FROM = 1_000
"""Budget from which each omitted section is listed with its own call."""


class Include(Arguments):
    workflow_plan: bool = True
    workflow_summary: bool = Field(True, description="The source, shortened")
    prior_task_outcomes: bool = Field(True, description="From earlier sequences")
    prior_task_full: bool = Field(False, description="Include details and files")
    sibling_status: bool = Field(True, description="Tasks of the same sequence")
    dependency_outcomes: bool = True
    all_checkpoints: bool = False
    recent_checkpoints: int = Field(5, ge=0, le=1_000)


class LoadContext(Arguments):
    task_id: TaskId
    include: Include = Include()
    max_tokens: int = Field(
        ROOMY, ge=SMALLEST_BUDGET, le=LARGEST_BUDGET, description="Limit of the result as compact JSON"
    )
    since: str | None = Field(None, description="cursor of an earlier result: only what is new")

    def wanted(self) -> ContextRequest:
        include = self.include
        since = ContextCursor.parse(self.since, field="since") if self.since is not None else None
        every = include.all_checkpoints or since is not None
        return ContextRequest(
            checkpoints=self.max_tokens // SMALLEST_CHECKPOINT if every else include.recent_checkpoints,
            source_characters=MAX_SOURCE + 1 if include.workflow_summary and since is None else 0,
            earlier=include.prior_task_outcomes or include.prior_task_full,
            siblings=include.sibling_status,
            dependencies=include.dependency_outcomes,
            since=since,
        )

    def asked(self) -> Asked:
        include = self.include
        return Asked(
            plan=include.workflow_plan and self.since is None,
            recent=include.recent_checkpoints,
            prior_full=include.prior_task_full,
        )


class LoadedWorkflow(Result):
    id: str
    name: str
    source_type: str
    source_summary: str
    plan_summary: str
    plan: dict[str, Any] | None = IF_ASKED
    status: str
    max_parallel_tasks: int


class LoadedTask(Result):
    """The task, without fields that did not fit or are not new."""

    id: str
    name: str
    status: str
    description: str | None = None
    plan: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    failed_checks: list[FailedCheckRecord] = Field([], description="What failed last; start there")
    checkpoints: list[CheckpointRecord] = []
    assigned_agent_id: str | None = None
    fence: int | None = None

    @model_serializer(mode="wrap")
    def _given(self, render: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def] # a type would be the schema
        return {name: value for name, value in render(self).items() if name in self.model_fields_set}


class PriorTask(Result):
    id: str
    name: str
    outcome: str
    status: str
    author: str | None
    outcome_detail: dict[str, Any] | None = IF_ASKED
    files_changed: dict[str, Any] | None = IF_ASKED


class SiblingTask(Result):
    id: str
    name: str
    status: str
    brief_summary: str | None = IF_ASKED


class DependencyOutcome(Result):
    task_id: str
    task_name: str
    outcome: str
    author: str | None


class Omitted(Result):
    what: str
    tool: str
    arguments: dict[str, Any]


class LoadedContext(Result):
    workflow: LoadedWorkflow | None = IF_ASKED
    current_task: LoadedTask
    prior_tasks: list[PriorTask] | None = IF_ASKED
    sibling_tasks: list[SiblingTask] | None = IF_ASKED
    dependency_outcomes: list[DependencyOutcome] | None = IF_ASKED
    next_step: str
    omitted: list[Omitted]
    cursor: str | None = IF_ASKED
    token_estimate: int
    tokenizer: str


@tool(toolset="tasks", result=LoadedContext, reads=True, stale_on=("task", *JOURNAL), about="task")
async def task_load_context(call: Call, args: LoadContext) -> LoadedContext:
    """Get what you need to resume a task, within a token budget: after a context reset or when taking over.
    `omitted` lists what was left out and the call that returns it."""
    return await call.read(_load, args=args)


def preview_context(tx: Tx, *, task_id: str, max_tokens: int, agent_id: str) -> dict[str, Any]:
    """Return what `task_load_context` returns once the agent has started the task, even before it does."""
    args = LoadContext(task_id=task_id, max_tokens=max_tokens)
    found = context.read(tx, task_id=task_id, wanted=args.wanted())
    return task_load_context.render(_fitted(context.once_started(found, agent_id=agent_id), args))


def _load(tx: Tx, *, args: LoadContext) -> LoadedContext:
    return _fitted(context.read(tx, task_id=args.task_id, wanted=args.wanted()), args)


def _fitted(found: TaskContext, args: LoadContext) -> LoadedContext:
    words = tokenizer()
    sections = list(sections_of(found, args.asked()))
    frame = _Frame(found, args, sections, words)
    own = [section for section in sections if section.name.startswith(("current_task.", *_AT_ANY_BUDGET))]
    vital = [section for section in own if section.name in _AT_ANY_BUDGET]
    most = args.max_tokens
    answer = (
        within(most, sections, words, frame.full, needed=_AT_ANY_BUDGET)
        or within(most, own, words, frame.lean, needed=_AT_ANY_BUDGET)
        or within(most, vital, words, frame.lean)
        or within(most, vital, words, frame.bare)
    )
    return LoadedContext.model_validate(answer)


_AT_ANY_BUDGET = ("current_task.name", "next_step")


class _Frame:
    """The layout of the answer: puts the sections that fit in place."""

    def __init__(
        self, found: TaskContext, args: LoadContext, sections: Sequence[BudgetSection], words: Tokenizer
    ) -> None:
        self._found = found
        self._args = args
        self._sections = {section.name: section for section in sections}
        self._words = words

    def full(self, packed: Packed) -> dict[str, Any]:
        found, kept, include = self._found, packed.kept, self._args.include
        task = self._task(packed)
        empty = ("description", "plan", "context") if found.task_is_new else ()
        lists = {
            "prior_tasks": include.prior_task_outcomes or include.prior_task_full,
            "sibling_tasks": include.sibling_status,
            "dependency_outcomes": include.dependency_outcomes,
        }
        return self._counted(
            {
                "workflow": self._workflow(packed),
                "current_task": dict.fromkeys(empty)
                | {"checkpoints": [], "assigned_agent_id": found.task.owner_id, "fence": found.task.fence}
                | task,
                **{name: kept.get(name) or [] for name, asked in lists.items() if asked},
                "next_step": kept.get("next_step") or CUT,
                "omitted": self._omitted(packed),
                "cursor": str(found.cursor),
            }
        )

    def lean(self, packed: Packed) -> dict[str, Any]:
        """Return only the task itself, without a list of what is missing."""
        arguments = {"task_id": self._found.task.id, "max_tokens": ROOMY}
        return self._counted(
            {
                "current_task": self._task(packed),
                "next_step": packed.kept.get("next_step") or CUT,
                "omitted": [{"what": "everything else", "tool": "task_load_context", "arguments": arguments}],
            }
        )

    def bare(self, packed: Packed) -> dict[str, Any]:
        """Return only what is included at any budget."""
        return self._counted(
            {
                "current_task": self._task(packed),
                "next_step": packed.kept.get("next_step") or CUT,
                "omitted": [{"what": "rest", "tool": "task_get", "arguments": {}}],
            }
        )

    def _task(self, packed: Packed) -> dict[str, Any]:
        """Return the parts of the task itself that fit."""
        task, kept = self._found.task, packed.kept
        checkpoints = [row for name in reversed(CHECKPOINTS) for row in reversed(kept.get(name) or [])]
        parts = {part: kept.get(f"current_task.{part}") for part in ("description", "plan", "context")}
        failed = kept.get("current_task.failed_checks")
        return {
            "id": task.id,
            "name": kept.get("current_task.name") or CUT,
            "status": task_word(task),
            **{name: value for name, value in parts.items() if value is not None},
            **({"failed_checks": failed} if failed else {}),
            **({"checkpoints": checkpoints} if checkpoints else {}),
        }

    def _workflow(self, packed: Packed) -> dict[str, Any]:
        mission, kept = self._found.mission, packed.kept
        plan = {"plan": kept["workflow.plan"]} if kept.get("workflow.plan") else {}
        return {
            "id": mission.id,
            "name": kept.get("workflow.name") or CUT,
            "source_type": mission.source_type,
            "source_summary": kept.get("workflow.source_summary") or "",
            "plan_summary": kept.get("workflow.plan_summary") or "",
            **plan,
            "status": mission_word(mission),
            "max_parallel_tasks": mission.max_parallel,
        }

    def _omitted(self, packed: Packed) -> list[dict[str, Any]]:
        missing = dict(packed.missing)
        shown = sum(len(packed.kept.get(name) or ()) for name in CHECKPOINTS)
        for name in CHECKPOINTS:
            missing.pop(name, None)
        if self._found.checkpoints_total > shown or any("shortened" in packed.missing.get(n, "") for n in CHECKPOINTS):
            missing["current_task.checkpoints"] = f"{shown} of {self._found.checkpoints_total} here"
        if not missing:
            return []
        if self._args.max_tokens < ITEMISED_FROM:
            arguments = {"task_id": self._found.task.id, "max_tokens": ROOMY}
            return [{"what": ", ".join(missing), "tool": "task_load_context", "arguments": arguments}]
        return [
            {"what": f"{name}: {note}", "tool": section.fetch.tool, "arguments": dict(section.fetch.arguments)}
            for name, note in missing.items()
            for section in [self._sections[name]]
        ]

    def _counted(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with its own token count in it."""
        most = self._args.max_tokens * 2
        size = self._args.max_tokens
        for _ in range(3):
            counted = {**answer, "token_estimate": size, "tokenizer": self._words.name}
            rendered = LoadedContext.model_validate(counted).model_dump(mode="json", by_alias=True)
            before, size = size, self._words.count(compact(rendered), limit=most) or most
            if size == before:
                break
        return rendered
