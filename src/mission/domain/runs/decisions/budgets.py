"""Budgets: whether what may be spent is spent, and what happens to running agents then."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.runs.decisions import choices
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.options import Limits, RunOptions
from mission.domain.runs.steps import Ask, StopExecution, Tell
from mission.domain.runs.view import RunView, Spent, TaskView

CHECKPOINT_SECONDS = 60.0
"""How long an agent may continue after it was asked for a checkpoint."""
ABOUT = "budget"
TODAY = "today "
SPENT_REASON = "stopped because the budget is spent"


def spent_limit(limits: Limits, spent: Spent) -> str | None:
    """Return which limit on running work is certainly reached, in words."""
    if limits.usd is not None and (usd := spent.at_least("usd")) >= limits.usd:
        return f"{_least(spent.usd)}{usd:.2f} of {limits.usd:.2f} USD"
    if limits.tokens is not None and (tokens := spent.at_least("tokens")) >= limits.tokens:
        return f"{_least(spent.tokens)}{tokens:,.0f} of {limits.tokens:,} tokens"
    if limits.minutes is not None and spent.minutes >= limits.minutes:
        return f"{spent.minutes:.0f} of {limits.minutes:.0f} minutes"
    return None


def _least(whole: float | None) -> str:
    return "at least " if whole is None else ""


def launch_limit(limits: Limits, spent: Spent, *, more: int = 0) -> str | None:
    """Return that no launch is left, in words; agents that run may continue."""
    if limits.launches is not None and spent.launches + more >= limits.launches:
        return f"{spent.launches} of {limits.launches} launches"
    return None


def run_limit(view: RunView, options: RunOptions) -> str | None:
    """Return which limit of the run or of the day is reached; a person may have let what is open be finished."""
    if options.finish_only:
        return None
    of_day = spent_limit(view.daily, view.spent_today)
    return spent_limit(options.budget, view.spent) or (f"{TODAY}{of_day}" if of_day is not None else None)


def more_limit(view: RunView, options: RunOptions) -> str | None:
    """Return that no launch is left for the run or for the day, in words."""
    begun = len(view.launching)
    of_day = launch_limit(view.daily, view.spent_today, more=begun)
    return launch_limit(options.budget, view.spent, more=begun) or (f"{TODAY}{of_day}" if of_day is not None else None)


def wind_down(draft: Draft, tasks: list[TaskView]) -> None:
    """Ask running agents for a checkpoint, and end them a minute later."""
    wait = timedelta(seconds=CHECKPOINT_SECONDS)
    for live in (task.live for task in tasks):
        if live is None or live.is_stopping or live.reported_at is not None or live.id in draft.stopped:
            continue
        if live.checkpointed_at is None:
            draft.add(Tell(execution_id=live.id, kind="checkpoint", about=ABOUT))
        elif live.checkpointed_at + wait <= draft.view.now:
            draft.add(StopExecution(execution_id=live.id, reason=SPENT_REASON))
            draft.stopped.add(live.id)
        else:
            draft.look_at(live.checkpointed_at + wait)


def question(reached: str) -> Ask:
    """Ask what to do now that the budget is spent; a limit of the day is a setting, and another day begins."""
    if reached.startswith(TODAY):
        return choices.about_run(
            choices.BUDGET,
            subject=f"The daily budget is spent: {reached}",
            body="It covers all runs. This one continues tomorrow (UTC), or when the daily limits are raised.",
            choices=(choices.FINISH, choices.STOP),
        )
    return choices.about_run(
        choices.BUDGET,
        subject=f"The budget is spent: {reached}",
        body="Nothing is launched until you decide. Running agents were asked for a checkpoint and will be stopped.",
        choices=(choices.RAISE, choices.FINISH, choices.STOP),
    )


def task_question(task: TaskView, reached: str) -> Ask:
    """Ask about a task that has spent what one task may spend; trying again lets it spend as much again."""
    return choices.about_task(
        task.id,
        subject=f"'{task.name}' has spent its budget: {reached}",
        body="Trying again lets it spend the same amount again.",
    )
