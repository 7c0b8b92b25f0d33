"""Who works on what: which task is launched next, and with which agent of the mix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from mission.domain.runs.decisions import choices
from mission.domain.runs.decisions.areas import BusyAreas
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.decisions.starts import TaskStart
from mission.domain.runs.options import AgentMix, Overlap, RunOptions
from mission.domain.runs.steps import Launch
from mission.domain.runs.view import RunView, TaskView

STAGGER = timedelta(seconds=0.25)
"""The time between two launches on a host."""
MAX_NOTES = 100


@dataclass(kw_only=True, slots=True)
class Mix:
    """The agents of a run, and how many more of each may work."""

    agents: Sequence[AgentMix]
    free: list[int]
    is_open: list[bool]
    """Which of them can be launched now."""

    @classmethod
    def of(cls, view: RunView, options: RunOptions, working: Sequence[TaskView]) -> Mix:
        """Return the mix: live executions take the places of their client in order."""
        taken = Counter(task.live.client for task in working if task.live is not None)
        taken.update(view.launching.values())
        free = []
        for each in options.agents:
            used = min(each.count, taken[each.client])
            taken[each.client] -= used
            free.append(each.count - used)
        return cls(agents=options.agents, free=free, is_open=[_is_open(view, each.client) for each in options.agents])

    @property
    def has_room(self) -> bool:
        return any(free > 0 and is_open for free, is_open in zip(self.free, self.is_open, strict=True))

    def can_ever(self, task: TaskView) -> bool:
        """Return whether an agent of the mix could do the task if it had room."""
        return any(_suits(each, task) for each in self.agents)

    def choose(self, start: TaskStart) -> int | None:
        """Return the agent for a task: the client that has worked on it, otherwise the one with the most room."""
        fitting = [
            number
            for number, each in enumerate(self.agents)
            if self.free[number] > 0
            and self.is_open[number]
            and each.client not in start.not_clients
            and _suits(each, start.task)
        ]
        same = [number for number in fitting if self.agents[number].client == start.client]
        return max(same or fitting, key=lambda number: (self.free[number], -number), default=None)


def launch_next(draft: Draft, starts: Sequence[TaskStart], working: Sequence[TaskView], options: RunOptions) -> None:
    """Launch one more agent, if there is room. The next look launches the next one."""
    view = draft.view
    mix = Mix.of(view, options, working)
    _ask_about_misfits(draft, mix, starts)
    if not starts or not _has_room(draft, working, options) or not mix.has_room:
        _note(draft, starts, "waits for a free agent")
        return
    due = view.machine.last_launch_at + STAGGER if view.machine.last_launch_at is not None else view.now
    if due > view.now:
        draft.look_at(due)
        return
    chosen = _choose(view, mix, starts, working, options)
    if chosen is None:
        _note(draft, starts, "waits for an agent that can do it")
        return
    start, number = chosen
    same = mix.agents[number].client == start.client
    draft.add(
        Launch(
            task_id=start.task.id,
            agent=number,
            resumes=start.resumes if same else None,
            fresh=start.fresh or not same,
            answer=start.answer,
            send_back=start.task.send_back,
        )
    )


def _choose(
    view: RunView, mix: Mix, starts: Sequence[TaskStart], working: Sequence[TaskView], options: RunOptions
) -> tuple[TaskStart, int] | None:
    """Return the first task that has an agent, in the order of the plan; tasks in busy areas come after all others."""
    busy = BusyAreas() if options.overlap is Overlap.ALLOW else _busy_areas(view, working)
    overlapping: list[TaskStart] = []
    for start in starts:
        if busy.overlap(start.task.areas):
            overlapping.append(start)
        elif (number := mix.choose(start)) is not None:
            return start, number
    for start in overlapping:
        if (number := mix.choose(start)) is not None:
            return start, number
    return None


def _busy_areas(view: RunView, working: Sequence[TaskView]) -> BusyAreas:
    launching = [task.areas for task in view.tasks if task.id in view.launching] if view.launching else []
    others = [task.areas for task in view.tasks if task.owner_is_foreign]
    return BusyAreas([*(task.areas for task in working), *launching, *others, *view.other_areas])


def _has_room(draft: Draft, working: Sequence[TaskView], options: RunOptions) -> bool:
    """Return whether the machine and the run have room for one more agent."""
    view = draft.view
    if not view.machine.has_disk:
        draft.ask(
            choices.about_run(
                choices.DISK,
                subject="There is too little free disk space to launch agents",
                body="The run continues automatically once there is space again.",
                choices=(choices.LOOK_AGAIN, choices.STOP),
            )
        )
        return False
    begun = len(view.launching)
    within = options.max_parallel == 0 or len(working) + begun < options.max_parallel
    return within and view.machine.busy + begun < view.machine.slots


def _ask_about_misfits(draft: Draft, mix: Mix, starts: Sequence[TaskStart]) -> None:
    """Ask about tasks that no agent of the mix could ever do."""
    suiting: dict[tuple[str | None, tuple[str, ...]], bool] = {}
    for start in starts:
        task = start.task
        key = (task.client, tuple(task.requires))
        if key not in suiting:
            suiting[key] = mix.can_ever(task)
        if not suiting[key]:
            wanted = f"the client {task.client}" if task.client is not None else f"{', '.join(task.requires)}"
            draft.ask(
                choices.about_task(
                    task.id,
                    subject=f"No agent of this run can do '{task.name}': it needs {wanted}",
                    body="Add such an agent to the run, then try again; or skip the task.",
                )
            )


def _suits(agent: AgentMix, task: TaskView) -> bool:
    if task.client is not None and task.client != agent.client:
        return False
    return not task.requires or set(task.requires) <= set(agent.capabilities)


def _is_open(view: RunView, client: str) -> bool:
    """Return whether a client can be launched now."""
    known = view.clients.get(client)
    if known is None:
        return True
    paused = known.paused_until is not None and known.paused_until > view.now
    return known.problem is None and not paused


def _note(draft: Draft, starts: Sequence[TaskStart], words: str) -> None:
    for start in starts[:MAX_NOTES]:
        draft.notes[start.task.id] = words
