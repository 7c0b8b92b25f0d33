"""Agents that stall, go in circles, or stay after their report: what is done about each."""

from __future__ import annotations

from datetime import datetime, timedelta

from mission.domain.runs.decisions import choices
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.options import RunOptions
from mission.domain.runs.steps import StopExecution, Tell
from mission.domain.runs.view import LiveExecution, TaskView

LAST_WORDS = timedelta(seconds=60)
"""How long an agent may live after its report."""
STALLED_REASON = "stopped because it showed no sign of life"
"""An execution that was stopped for this reason counts as an attempt."""
CIRCLES_REASON = "stopped because it went in circles"
REPORTED_REASON = "stopped after its report"
ENDED_REASON = "stopped because its task has ended"
SAME_FAILURES = 3
"""How often the same failure may happen in a row before a person is asked."""


def watch(draft: Draft, task: TaskView, live: LiveExecution, options: RunOptions) -> None:
    """Look at one running agent."""
    if live.is_stopping or live.id in draft.stopped:
        return
    if live.is_sent_back:
        _stop(draft, live, REPORTED_REASON)
    elif live.reported_at is not None:
        _end_later(draft, live, at=live.reported_at + LAST_WORDS)
    elif live.circles is not None:
        question = choices.about_task(
            task.id,
            key=choices.circles_key(task.id),
            subject=f"The agent on '{task.name}' is going in circles",
            body=live.circles,
        )
        draft.ask(question)  # first: what was seen is known only while it runs
        _stop(draft, live, CIRCLES_REASON)
    elif (problem := same_again(task, options)) is not None:
        draft.ask(choices.about_task(task.id, subject=problem, body=task.send_back or ""))
        _stop(draft, live, CIRCLES_REASON)
    elif not live.is_waiting:
        _watch_silence(draft, live, options)


def same_again(task: TaskView, options: RunOptions) -> str | None:
    """Return why a task is not revised again: too often, or always the same failure."""
    if task.same_failure >= SAME_FAILURES:
        return f"'{task.name}' failed {task.same_failure} times in the same way"
    if task.revisions > options.revisions:
        return f"'{task.name}' was sent back {task.revisions} times"
    return None


def _end_later(draft: Draft, live: LiveExecution, *, at: datetime) -> None:
    if at <= draft.view.now:
        _stop(draft, live, REPORTED_REASON)
    else:
        draft.look_at(at)


def _watch_silence(draft: Draft, live: LiveExecution, options: RunOptions) -> None:
    """Nudge a silent agent, then interrupt it and ask for a checkpoint, then end it. What is unknown does not count."""
    if live.active_at is None:
        return
    wait = timedelta(minutes=options.stall_minutes)
    since = live.active_at + wait
    if live.in_tool_since is not None:
        since = max(since, live.in_tool_since + timedelta(minutes=options.tool_minutes))
    if since > draft.view.now:
        draft.look_at(since)
    elif live.nudged_at is None:
        draft.add(Tell(execution_id=live.id, kind="nudge"))
    elif live.interrupted_at is None:
        if _is_due(draft, live.nudged_at + wait):
            draft.add(Tell(execution_id=live.id, kind="checkpoint"), Tell(execution_id=live.id, kind="interrupt"))
    elif _is_due(draft, live.interrupted_at + wait):
        _stop(draft, live, STALLED_REASON)


def _is_due(draft: Draft, moment: datetime) -> bool:
    draft.look_at(moment)
    return moment <= draft.view.now


def _stop(draft: Draft, live: LiveExecution, reason: str) -> None:
    draft.add(StopExecution(execution_id=live.id, reason=reason))
    draft.stopped.add(live.id)
