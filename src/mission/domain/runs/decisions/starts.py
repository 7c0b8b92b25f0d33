"""The next start of a task: at once, later, or only after a person has decided; in its old session or a new one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from mission.domain.runs.decisions import budgets, choices, stalls
from mission.domain.runs.options import RunOptions
from mission.domain.runs.steps import Ask
from mission.domain.runs.view import EndedExecution, RunView, TaskView


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskStart:
    """A task that may be started now, and how."""

    task: TaskView
    resumes: str | None = None
    fresh: bool = True
    answer: str | None = None
    client: str | None = None
    """The client that has worked on it, preferred if it can be launched."""
    not_clients: tuple[str, ...] = ()
    """Clients that have tried it often enough."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StartLater:
    """A task that waits after an attempt."""

    at: datetime


NextStart = TaskStart | StartLater | Ask | None


def next_start(view: RunView, task: TaskView, options: RunOptions) -> NextStart:
    """Decide about a task that nobody works on and nothing keeps from being worked on; None while it waits."""
    ended = task.ended
    if task.held_by is not None or (ended is not None and ended.asks):
        return None
    if ended is None:
        return _within_budget(task, TaskStart(task=task), options)
    return _question(task, ended, options) or _within_budget(task, _after(view, task, ended, options), options)


def _within_budget(task: TaskView, start: NextStart, options: RunOptions) -> NextStart:
    if isinstance(start, Ask):
        return start
    limits = options.budget_per_task
    reached = budgets.spent_limit(limits, task.spent) or budgets.launch_limit(limits, task.spent)
    return budgets.task_question(task, reached) if reached is not None else start


def _question(task: TaskView, ended: EndedExecution, options: RunOptions) -> Ask | None:
    """Return what a person must decide before the task is started again."""
    if ended.failed_by_its_word is not None:
        return choices.about_task(
            task.id, subject=f"'{task.name}' failed: {ended.failed_by_its_word}", body="Its agent reported this."
        )
    if ended.stopped_by is not None:
        return choices.about_task(task.id, subject=f"The agent on '{task.name}' was stopped. What should happen next?")
    if (problem := stalls.same_again(task, options)) is not None:
        return choices.about_task(task.id, subject=problem, body=task.send_back or "")
    return None


def _after(view: RunView, task: TaskView, ended: EndedExecution, options: RunOptions) -> NextStart:
    """Return the start after the newest execution has ended."""
    if ended.answer is not None:
        return _again(task, ended, resumes_session=ended.can_resume, answer=ended.answer)
    if ended.refused is not None:
        return _after_refusal(view, task, ended, options)
    if not ended.counts:
        return _again(task, ended, resumes_session=False)
    return _after_attempt(view, task, ended, options)


def _after_attempt(view: RunView, task: TaskView, ended: EndedExecution, options: RunOptions) -> NextStart:
    """Return the start after an execution that ended without a report."""
    tries, limit = task.attempts, options.attempts
    others = _other_clients(view, task, options) if tries == limit else ()
    if tries > limit or (tries == limit and not others):
        return choices.about_task(
            task.id,
            subject=f"'{task.name}': agents ended {tries} times without a report",
            body=f"Tried with: {', '.join(task.clients_tried)}." if task.clients_tried else "",
        )
    due = ended.ended_at + timedelta(seconds=options.retry_delay(tries))
    if due > view.now:
        return StartLater(at=due)
    if others:
        return TaskStart(task=task, not_clients=tuple(task.clients_tried))
    resumes = ended.can_resume and not ended.was_resumed_after_crash and task.send_back is None
    return _again(task, ended, resumes_session=resumes)


def _after_refusal(view: RunView, task: TaskView, ended: EndedExecution, options: RunOptions) -> NextStart:
    """Return the start after a program that never ran: not an attempt, and a refused resume falls back at once."""
    if ended.refusals > options.attempts:
        return choices.about_task(
            task.id, subject=f"'{task.name}' could not be launched: {ended.refused}", body="It was tried several times."
        )
    due = ended.ended_at + timedelta(seconds=options.retry_delay(ended.refusals))
    if due > view.now and not (ended.was_resume and ended.refusals <= 1):
        return StartLater(at=due)
    tried = tuple(task.clients_tried) if task.attempts >= options.attempts else ()
    return TaskStart(task=task, client=None if ended.client in tried else ended.client, not_clients=tried)


def _again(task: TaskView, ended: EndedExecution, *, resumes_session: bool, answer: str | None = None) -> TaskStart:
    return TaskStart(task=task, resumes=ended.id, fresh=not resumes_session, answer=answer, client=ended.client)


def _other_clients(view: RunView, task: TaskView, options: RunOptions) -> list[str]:
    """List the clients of the mix that have not tried the task and can be launched on it."""
    return [
        each.client
        for each in options.agents
        if each.client not in task.clients_tried
        and task.client in (None, each.client)
        and set(task.requires) <= set(each.capabilities)
        and not (each.client in view.clients and view.clients[each.client].problem is not None)
    ]
