"""A standstill: nothing in the run can happen without a person, and one item says so."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.runs.decisions import choices
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.steps import Ask
from mission.domain.runs.view import RunView, TaskView

RUN_KEYS = frozenset({choices.BUDGET, choices.TIP_RED, choices.DISK, choices.UNPROVED})
"""Questions that already say that the run is waiting."""
MAX_LISTED = 20


def tell_standstill(draft: Draft, is_open: Sequence[TaskView], *, moves: bool) -> None:
    """Say that the run waits for a person, or withdraw that once something happens again."""
    view = draft.view
    asked = {each.key for each in draft.steps if isinstance(each, Ask)}
    known = _is_known(view, is_open, {*view.items, *asked})
    decided = bool(view.decisions) or any(task.decided is not None for task in is_open)
    if moves or known or decided or not (is_open or view.candidates):
        if moves:
            draft.withdraw(choices.STUCK, "the run continues")
        return
    draft.ask(
        choices.about_run(
            choices.STUCK,
            subject="The run cannot continue without you",
            body=_body(view, is_open, asked),
            choices=(choices.LOOK_AGAIN, choices.STOP),
        )
    )


def _is_known(view: RunView, is_open: Sequence[TaskView], keys: set[str]) -> bool:
    """Return whether an open question says by itself that the run waits: about the run, or about its only client."""
    waits_for_client = any(key.startswith(choices.CLIENT) for key in keys)
    others = any(task.held_by is not None or choices.task_key(task.id) in keys for task in is_open)
    reviewed = any(each.waits_for_review for each in view.candidates)
    return not keys.isdisjoint(RUN_KEYS) or (waits_for_client and not others and not reviewed)


def _body(view: RunView, is_open: Sequence[TaskView], asked: set[str]) -> str:
    """Name what waits for an answer, and how many tasks each answer would free."""
    waiting = _waiting_for(is_open)
    reviewed = {each.task_id for each in view.candidates if each.waits_for_review}
    held = [
        task
        for task in is_open
        if task.held_by is not None or choices.task_key(task.id) in asked or task.id in reviewed
    ]
    lines = [f"- '{task.name}' waits for an answer, which frees {_count(waiting, task)}." for task in held[:MAX_LISTED]]
    lines += [
        f"- {name} cannot be launched: {each.problem}." for name, each in sorted(view.clients.items()) if each.problem
    ]
    return "\n".join(lines) or "No task can be started, and none is under way."


def _waiting_for(is_open: Sequence[TaskView]) -> dict[str, list[str]]:
    waiting: dict[str, list[str]] = {}
    for task in is_open:
        for each in task.depends_on:
            waiting.setdefault(each, []).append(task.id)
    return waiting


def _count(waiting: dict[str, list[str]], task: TaskView) -> str:
    """Return in words how many tasks a task frees, itself included."""
    seen, todo = {task.id}, [task.id]
    while todo:
        more = [each for each in waiting.get(todo.pop(), ()) if each not in seen]
        seen.update(more)
        todo += more
    return "it" if len(seen) == 1 else f"it and {len(seen) - 1} more"
