"""The controller of runs: one pure function that decides from the rows what is to be done next."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.runs.decisions import budgets, choices, finishing, merging, staffing, stalls
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.decisions.standstill import tell_standstill
from mission.domain.runs.decisions.starts import StartLater, TaskStart, next_start
from mission.domain.runs.options import RunOptions
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import Ask, CarryOut, Decision, Move, SkipTasks, StopExecution
from mission.domain.runs.view import RunView, TaskView
from mission.domain.tasks.states import TaskStatus

WORKED_ON = (TaskStatus.PENDING, TaskStatus.PLANNING, TaskStatus.IN_PROGRESS, TaskStatus.PAUSED, TaskStatus.FAILED)
"""States of a task that an agent can be launched on."""


def next_steps(view: RunView) -> Decision:
    """Decide what is to be done now, and when to look again. The same view always gives the same decision."""
    draft = Draft(view=view)
    if not view.run.is_live:
        _stop_everything(draft)
        return draft.decision()
    _carry_out_answers(draft)
    if view.run.state is RunState.READY:
        finishing.look_before(draft)
    elif view.run.state in (RunState.RUNNING, RunState.PAUSED, RunState.FINISHING):
        _drive(draft)
    return draft.decision()


def _stop_everything(draft: Draft) -> None:
    for task in draft.view.tasks:
        if task.live is not None and not task.live.is_stopping:
            draft.add(StopExecution(execution_id=task.live.id, reason=stalls.ENDED_REASON))


def _carry_out_answers(draft: Draft) -> None:
    """Carry out what a person decided about the run."""
    draft.add(*(CarryOut(key=key, choice=choice) for key, choice in sorted(draft.view.decisions.items())))


def _drive(draft: Draft) -> None:
    view, options = draft.view, draft.view.run.wanted
    _skip(draft)
    live = [task for task in view.tasks if task.live is not None]
    _watch(draft, live, options)
    moves = merging.move_candidates(draft)
    is_open = [task for task in view.tasks if not _is_done(task)]
    if view.run.state is RunState.FINISHING:
        _finish(draft, is_open)
        return
    if view.run.state is RunState.PAUSED:
        draft.withdraw(choices.STUCK, "the run is paused")
        return
    if not is_open and not view.candidates and not view.launching:
        draft.add(Move(state=RunState.FINISHING))
        return
    reached = budgets.run_limit(view, options)
    _ask_about_budget(draft, reached)
    working = [task for task in live if task.live is not None and task.live.reported_at is None]
    waiting = _start_more(draft, is_open, working, options, may_launch=reached is None)
    lives = any(task.live is not None and not task.live.is_waiting for task in live)
    tell_standstill(draft, is_open, moves=moves or waiting or lives)


def _finish(draft: Draft, is_open: Sequence[TaskView]) -> None:
    if is_open or draft.view.candidates:
        draft.add(Move(state=RunState.RUNNING))
    else:
        finishing.finish(draft)


def _skip(draft: Draft) -> None:
    """Skip what a person decided to skip; end what still runs for a skipped task."""
    view = draft.view
    candidates = {each.task_id for each in view.candidates}
    for task in view.tasks:
        if task.decided in choices.SKIPPING and not _is_done(task):
            ids = _with_dependents(view, task) if task.decided == "skip_all" else (task.id,)
            draft.add(SkipTasks(task_ids=ids, item_key=task.decided_key))
        elif task.status is TaskStatus.SKIPPED and task.id in candidates:
            draft.add(SkipTasks(task_ids=(task.id,)))


def _with_dependents(view: RunView, task: TaskView) -> tuple[str, ...]:
    """Return the task and every open task that waits for it, directly or not."""
    chosen = {task.id}
    grew = True
    while grew:
        more = {
            each.id
            for each in view.tasks
            if each.id not in chosen and not _is_done(each) and not chosen.isdisjoint(each.depends_on)
        }
        chosen |= more
        grew = bool(more)
    return tuple(each.id for each in view.tasks if each.id in chosen)


def _watch(draft: Draft, live: Sequence[TaskView], options: RunOptions) -> None:
    """Look after running agents: ended tasks, reports, circles, stalls and budgets."""
    for task in live:
        assert task.live is not None
        if task.status is TaskStatus.SKIPPED and not task.live.is_stopping:
            draft.add(StopExecution(execution_id=task.live.id, reason=stalls.ENDED_REASON))
            draft.stopped.add(task.live.id)
        else:
            stalls.watch(draft, task, task.live, options)
    if budgets.run_limit(draft.view, options) is not None:
        budgets.wind_down(draft, list(live))
        return
    over = [task for task in live if budgets.spent_limit(options.budget_per_task, task.spent) is not None]
    budgets.wind_down(draft, over)


def _ask_about_budget(draft: Draft, reached: str | None) -> None:
    if reached is not None:
        draft.ask(budgets.question(reached))
    elif budgets.more_limit(draft.view, draft.view.run.wanted) is None:
        draft.withdraw(choices.BUDGET, "the budget allows more work again")


def _start_more(
    draft: Draft, is_open: Sequence[TaskView], working: Sequence[TaskView], options: RunOptions, *, may_launch: bool
) -> bool:
    """Launch what is ready, and ask about what needs a person. Return whether something starts without one."""
    view = draft.view
    starts, is_later = _ready(draft, is_open, options)
    _ask_about_clients(draft, options)
    if not may_launch:
        return False
    begun = len(view.launching)
    reached = None if options.finish_only else budgets.more_limit(view, options)
    if reached is not None:
        if starts:
            draft.ask(budgets.question(reached))
        return bool(begun) or is_later
    before = len(draft.steps)
    staffing.launch_next(draft, starts, working, options)
    launched = any(not isinstance(each, Ask) for each in draft.steps[before:])
    return launched or is_later or bool(begun) or _is_staggered(draft) or _waits_for_machine(draft, starts)


def _ready(draft: Draft, is_open: Sequence[TaskView], options: RunOptions) -> tuple[list[TaskStart], bool]:
    """Return the tasks that may be started now, started ones first; and whether others follow at a known time."""
    view = draft.view
    done = {task.id for task in view.tasks if _is_done(task)}
    busy = {each.task_id for each in view.candidates}
    starts: list[TaskStart] = []
    is_later = False
    for task in is_open:
        if task.live is not None or task.owner_is_foreign or task.id in busy or task.id in view.launching:
            is_later = is_later or task.owner_is_foreign
            continue
        if task.status not in WORKED_ON or task.decided is not None or not done.issuperset(task.depends_on):
            continue
        if options.finish_only and not task.has_been_started:
            continue
        found = next_start(view, task, options)
        if isinstance(found, TaskStart):
            starts.append(found)
        elif isinstance(found, Ask):
            draft.ask(found)
        elif isinstance(found, StartLater):
            is_later = True
            draft.look_at(found.at)
    starts.sort(key=lambda each: (not each.task.has_been_started, each.task.position, each.task.id))
    return starts, is_later


def _ask_about_clients(draft: Draft, options: RunOptions) -> None:
    """Ask once about each client of the mix that cannot be launched; the others take over.

    One that was missing before the first launch was part of that question.
    """
    accepted = set((draft.view.run.preflight or {}).get("missing") or ())
    for name in sorted({each.client for each in options.agents}):
        known = draft.view.clients.get(name)
        key = choices.client_key(name)
        if known is None or known.problem is None:
            draft.withdraw(key, f"{name} can be launched again")
            if known is not None and known.paused_until is not None:
                draft.look_at(known.paused_until)
            continue
        if known.lost or name not in accepted:
            draft.ask(choices.about_client(known, run=draft.view.run))
    if draft.view.machine.has_disk:
        draft.withdraw(choices.DISK, "there is enough free space again")


def _is_staggered(draft: Draft) -> bool:
    last = draft.view.machine.last_launch_at
    return last is not None and last + staffing.STAGGER > draft.view.now


def _waits_for_machine(draft: Draft, starts: Sequence[TaskStart]) -> bool:
    """Return whether tasks wait for other runs' agents, which will end."""
    machine = draft.view.machine
    paused = any(
        each.problem is None and each.paused_until is not None and each.paused_until > draft.view.now
        for each in draft.view.clients.values()
    )
    return bool(starts) and ((machine.has_disk and machine.busy >= machine.slots) or paused)


def _is_done(task: TaskView) -> bool:
    return task.status is TaskStatus.COMPLETED or task.status is TaskStatus.SKIPPED
