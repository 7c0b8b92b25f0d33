"""One simulated mission: a plan, agents, a person and a daemon that dies, all chosen by a seed."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mission.domain import ids
from mission.domain.executions.execution import Execution
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run, RunState
from mission.services.runs.lifecycle import run_view, starting
from mission.services.runs.lifecycle.starting import RunRequest
from mission.services.work import BackgroundWork
from mission.store.transaction import Tx
from tests.simulation import agents, invariants
from tests.simulation.agents import Agent, Report
from tests.simulation.daemon import HOST, LIVENESS, SimulatedDaemon
from tests.simulation.exams import ADDED, FEW, INSTALL, LOCK, MAKE_LOCK, REPAIR, SHARED, SOUND, Goal
from tests.simulation.fleet import Fleet
from tests.simulation.meddler import Meddler
from tests.simulation.person import Person
from tests.simulation.ports.inline_store import InlineDatabase, MemoryBackend
from tests.simulation.ports.launching import CLIENTS, KnownClients, Launched
from tests.simulation.ports.machine import Machine, Nature, Program
from tests.simulation.ports.memory_git import MemoryRepository
from tests.simulation.ports.memory_trees import MemoryTrees
from tests.simulation.ports.mortality import FREEZES, track_tasks
from tests.simulation.ports.virtual_time import VirtualClock, VirtualLoop
from tests.simulation.rules.budgets import BudgetWatch
from tests.simulation.rules.facts import Violation
from tests.simulation.rules.launches import check_start

TOP = Path("/simulated/repository")
HORIZON = 3600.0
"""So many seconds may pass until a mission has ended, with a person who answers."""
SETTLE = 120.0
"""So long after its end nothing of a run may be left."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """What a mission is like, apart from chance."""

    tasks: int
    kinds: Mapping[str, float]
    """How often each kind of agent works on a task for the first time."""
    nature: Nature = field(default_factory=Nature)
    deaths: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)
    agents: int = 2
    shared: float = 0.0
    """How many of the tasks change the same file."""
    limits: bool = False
    """Whether a check of every task fails on results that are fine alone and too much together."""
    uncovered: float = 0.0
    """How many of the tasks have no check that asks for what they should achieve."""
    has_lock: bool = False
    """Whether each change needs a lock file to be made again."""
    final: tuple[str, ...] = ()
    """The final checks; one that asks for what no task does needs a repair task."""
    meddled: bool = False
    """Whether a person pauses the run, skips and adds tasks, commits and deletes."""
    daemons: int = 1
    """How many daemons share the database."""
    freezes: int = 0
    """How many of them stand still for a while, and continue as if nothing had happened."""


@dataclass(kw_only=True, slots=True)
class Outcome:
    """What became of a mission."""

    state: str
    merged: int
    reports: list[Report]
    candidates: list[Candidate]
    executions: list[Execution]
    tasks: dict[str, str]
    """The names of the tasks by id."""
    wrong: list[str]
    """Tasks that were merged although they were not done."""
    accepted: list[str]
    """Those of them that a person let through."""
    minutes: float
    waited: float
    usd: float
    deaths: int
    answers: int
    spurious: set[str]


class SimulatedMission:
    """Everything that happens in one mission."""

    def __init__(
        self,
        databases: list[InlineDatabase],
        scenario: Scenario,
        *,
        rng: random.Random,
        clock: VirtualClock,
        errors: Sequence[str],
    ) -> None:
        self._errors = errors
        database, self._databases = databases[0], databases[1:] or databases
        self.database, self.scenario, self.rng, self._clock = database, scenario, rng, clock
        self.goals = _goals(scenario, rng)
        repository = MemoryRepository.created(TOP, self._base())
        self.machine = Machine(repository, nature=scenario.nature, rng=rng)
        self.machine.limit = scenario.budget.get("usd")
        self.trees = MemoryTrees(repository, host_id=HOST, clock=clock)
        self.work = BackgroundWork(database)
        self.reports: list[Report] = []
        self.run_id = self.mission_id = ""
        self._fleet = Fleet(
            self._databases,
            self.machine,
            rng=rng,
            clock=clock,
            script=self._script,
            started=self._started,
            deaths=scenario.deaths,
            freezes=scenario.freezes,
        )
        self._violation: Violation | None = None
        self._names: dict[str, str] = {}
        self._tries: dict[str, int] = {}

    def _base(self) -> dict[str, str]:
        """Return the files of the repository before the mission."""
        asked = [*self.goals.values(), Goal(name=REPAIR, path="repair.txt")]
        exams = {goal.exam: f"{goal.path}: {goal.line}\n" for goal in asked}
        lock = {LOCK: ""} if self.scenario.has_lock else {}
        return {"README.md": "hello\n", SHARED: "first line\n", **exams, **lock}

    @property
    def daemon(self) -> SimulatedDaemon | None:
        return self._fleet.daemon

    def clock(self) -> datetime:
        return self._clock()

    async def play(self) -> Outcome:
        """Play the mission to its end and check it; raise a Violation."""
        await self._start()
        person = Person(
            self.database,
            self.trees,
            mission_id=self.mission_id,
            rng=self.rng,
            delay=self.rng.choice((3.0, 30.0)),
            judge=self._is_done,
        )
        meddler = Meddler(self.database, self.machine.repository, self._fleet, run_id=self.run_id, rng=self.rng)
        people = [person.live(), *([meddler.live()] if self.scenario.meddled else [])]
        jobs = [*self._fleet.lives(), *map(asyncio.create_task, people)]
        try:
            await self._until_over(jobs)
        finally:
            for job in jobs:
                job.cancel()
            await self._fleet.bury()
            for program in self.machine.running:
                program.stop("the simulation is over")
            await asyncio.gather(*jobs, return_exceptions=True)
        await self.work.read(invariants.check_all, run_id=self.run_id, machine=self.machine, main=meddler.main)
        return await self.work.read(self._outcome, person=person)

    async def _start(self) -> None:
        launcher: Any = KnownClients()
        request = RunRequest(plan=self._plan(), folder=str(TOP))
        answer = await starting.start(self.work, self.trees, launcher, request=request)
        self.run_id, self.mission_id = answer["run_id"], answer["mission_id"]
        self._names = await self.work.read(_task_names, mission_id=self.mission_id)

    def _plan(self) -> dict[str, Any]:
        scenario = self.scenario
        tasks = []
        for number, goal in enumerate(self.goals.values()):
            before = list(self.goals)[:number]
            needs = [self.rng.choice(before)] if before and self.rng.random() < 0.3 else []
            checks = [goal.check] if goal.is_covered else []
            tasks.append({"name": goal.name, "description": "do it", "depends_on": needs, "checks": checks})
        options = {"retry_minutes": [0.05, 0.2], "stall_minutes": 0.5, "review": "risk", **scenario.options}
        if scenario.has_lock:
            options |= {"regenerate": {LOCK: MAKE_LOCK}}
        if scenario.nature.is_set_up:
            options |= {"setup": INSTALL}
        if scenario.final:
            options |= {"final_checks": list(scenario.final)}
        mission = {
            "name": "Simulated",
            "objective": "Everything is done",
            "repository": ".",
            "checks": [SOUND, *([FEW] if self.scenario.limits else [])],
            **options,
        }
        mix = [{"client": name, "count": scenario.agents} for name in CLIENTS]
        budget = {"budget": dict(scenario.budget)} if scenario.budget else {}
        return {"mission": mission, "agents": mix, "tasks": tasks, **budget}

    async def _until_over(self, jobs: list[asyncio.Task[None]]) -> None:
        loop = asyncio.get_running_loop()
        ended: float | None = None
        budget = BudgetWatch(self.machine)
        while True:
            await asyncio.sleep(5.0)
            for job in jobs:
                if job.done():
                    job.result()
            if (error := self._violation or self.machine.error) is not None:
                raise error
            if self._errors:
                raise Violation(f"nothing_fails_unexpectedly: {self._errors[0]}")
            run, live = await self.work.read(_state, run_id=self.run_id)
            budget.look(run, now=loop.time(), lives=self._fleet.deaths)
            if (state := run.state) in (RunState.FINISHED, RunState.STOPPED):
                ended = ended if ended is not None else loop.time()
                if not live and not self.machine.running:
                    return
                if loop.time() - ended > SETTLE + self.scenario.freezes * max(FREEZES):
                    raise Violation(f"nothing_outlives_its_run: the run is {state}, and {live} executions live")
            if loop.time() > HORIZON * (4 if self.scenario.nature.is_slow or self.scenario.freezes else 1):
                raise Violation(await self.work.read(self._stuck))

    def _stuck(self, tx: Tx) -> str:
        run = tx.runs.get(self.run_id)
        items = [item.subject for item in tx.inbox.open_where(mission_id=self.mission_id)]
        tasks = [(task.name, str(task.status)) for task in run_view.tasks_of(tx, self.mission_id)]
        waiting = [(each.id, str(each.state), each.reason) for each in tx.candidates.open_of_run(run.id)]
        live = [(each.id, str(each.status)) for each in tx.executions.live(host_id=HOST)]
        found = f"{run.state} ({run.reason}); {tasks}; candidates {waiting}; executions {live}; open items {items}"
        return f"every_mission_ends_or_has_an_item_that_frees_it: {found}"

    def _started(self, program: Program, holder: str) -> None:
        """Check a program that is about to start."""
        try:
            facts = {"program": program, "machine": self.machine, "run_id": self.run_id, "holder": holder}
            _run_now(self.work.read(check_start, **facts))
        except Violation as broken:
            self._violation = self._violation or broken

    async def _script(self, launched: Launched) -> int:
        name = self._names.get(launched.execution.task_id)
        if name is None:  # it was added meanwhile
            self._names = await self.work.read(_task_names, mission_id=self.mission_id)
            name = self._names[launched.execution.task_id]
        goal = self.goals.get(name) or Goal(name=REPAIR, path="repair.txt")
        goal = Goal(name=ADDED, path="src/added.txt", is_covered=False) if name == ADDED else goal
        kind = self._kind(goal)
        return await agents.KINDS[kind](Agent(self, launched, goal, kind))

    def _kind(self, goal: Goal) -> str:
        """Choose who works on a task: after several tries it is somebody honest."""
        tries = self._tries[goal.name] = self._tries.get(goal.name, 0) + 1
        if self.rng.random() < (tries - 1) / 4:
            return "honest"
        kinds = self.scenario.kinds
        return self.rng.choices(list(kinds), weights=list(kinds.values()))[0]

    def _is_done(self, task_id: str | None) -> bool:
        """Return whether a task's candidate is really done, as a person who looks at it finds out."""
        goal = self.goals.get(self._names.get(task_id or "", ""))
        found = _run_now(self.work.read(_open_candidate, task_id=task_id or ""))
        if goal is None or found is None or found.merged_tree is None:
            return True
        return goal.is_met(self.machine.repository.trees[found.merged_tree])

    def _outcome(self, tx: Tx, *, person: Person) -> Outcome:
        run = tx.runs.get(self.run_id)
        candidates = tx.candidates.of_run(run.id)
        merged = [each for each in candidates if each.state is CandidateState.MERGED]
        executions = tx.executions.of_mission_since(run.mission_id, since=run.created_at)
        wrong, accepted = [], []
        for each in merged:
            goal = self.goals.get(self._names.get(each.task_id, ""))
            if goal is not None and not goal.is_met(self.machine.repository.trees[each.merged_tree or ""]):
                wrong.append(each.task_id)
                if each.review is not None or (each.proof or {}).get("state") != "proved":
                    accepted.append(each.task_id)
        ended = run.ended_at or tx.now
        return Outcome(
            state=str(run.state),
            merged=len(merged),
            reports=self.reports,
            candidates=candidates,
            executions=executions,
            tasks=self._names,
            wrong=wrong,
            accepted=accepted,
            minutes=(ended - run.created_at).total_seconds() / 60,
            waited=person.waited / 60,
            usd=sum(program.cost for program in self.machine.programs.values()),
            deaths=self._fleet.deaths,
            answers=person.answers,
            spurious=self.machine.spurious,
        )


def _goals(scenario: Scenario, rng: random.Random) -> dict[str, Goal]:
    made = {}
    for number in range(scenario.tasks):
        name = f"task-{number}"
        path = SHARED if rng.random() < scenario.shared else f"src/{name}.txt"
        made[name] = Goal(name=name, path=path, is_covered=rng.random() >= scenario.uncovered)
    return made


def _run_now(job: Any) -> Any:
    """Run a coroutine that never waits."""
    try:
        job.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits")


def _state(tx: Tx, *, run_id: str) -> tuple[Run, int]:
    return tx.runs.get(run_id), tx.executions.count_live(host_id=HOST)


def _task_names(tx: Tx, *, mission_id: str) -> dict[str, str]:
    return {task.id: task.name for task in tx.plans.page(mission_id, limit=1_000, offset=0)}


def _open_candidate(tx: Tx, *, task_id: str) -> Candidate | None:
    return tx.candidates.open_of_task(task_id)


class Simulator:
    """Plays one mission after the other, each in an empty store."""

    def __init__(self, backend: Any = None) -> None:
        self._backend = backend or MemoryBackend()

    def play(self, scenario: Scenario, *, seed: str) -> Outcome:
        """Play a mission; the same seed is the same mission."""
        if isinstance(self._backend, MemoryBackend):
            self._backend.clear()
        loop = VirtualLoop()
        track_tasks(loop)
        ids._random.seed(seed)
        clock = VirtualClock(loop)
        number = 1 if scenario.daemons == 1 else scenario.daemons + 1
        databases = [InlineDatabase(self._backend, silence=LIVENESS.silence, clock=clock) for _ in range(number)]
        listeners: list[Callable[[], None]] = []

        async def play(errors: Sequence[str]) -> Outcome:
            for each in databases:
                each.listeners = listeners if number > 1 else None
                each.open()
            try:
                rng = random.Random(seed)
                return await SimulatedMission(databases, scenario, rng=rng, clock=clock, errors=errors).play()
            finally:
                for each in databases:
                    await each.close()

        with _unexpected_errors() as errors:
            try:
                outcome = loop.run_until_complete(play(errors))
            finally:
                loop.close()
                if errors:
                    raise Violation(f"nothing_fails_unexpectedly: {errors[0]}")
        return outcome


class _Errors(logging.Handler):
    """Keeps what the daemon logs as an error: it expects none of these."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(self.format(record)[-2_000:])


@contextmanager
def _unexpected_errors() -> Iterator[list[str]]:
    ours, others = logging.getLogger("mission"), logging.getLogger("asyncio")
    handler = _Errors()
    before = ours.propagate, others.disabled
    ours.addHandler(handler)
    ours.propagate, others.disabled = False, True  # tasks of a dead daemon are not awaited
    try:
        yield handler.found
    finally:
        ours.removeHandler(handler)
        ours.propagate, others.disabled = before
