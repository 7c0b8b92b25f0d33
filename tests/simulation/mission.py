"""One simulated mission: a plan, agents, a person and a daemon that dies, all chosen by a seed."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mission.domain import ids
from mission.domain.executions.execution import Execution
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import RunState
from mission.services.runs.lifecycle import run_view, starting
from mission.services.runs.lifecycle.starting import RunRequest
from mission.services.work import BackgroundWork
from mission.store.database import Database
from mission.store.transaction import Tx
from tests.simulation import agents, invariants
from tests.simulation.agents import Agent, Report
from tests.simulation.daemon import HOST, LIVENESS, SimulatedDaemon
from tests.simulation.exams import FEW, SHARED, SOUND, Goal
from tests.simulation.invariants import Violation
from tests.simulation.person import Person
from tests.simulation.ports.inline_store import InlineDatabase, MemoryBackend
from tests.simulation.ports.launching import CLIENTS, KnownClients, Launched
from tests.simulation.ports.machine import Machine, Nature, Program
from tests.simulation.ports.memory_git import MemoryRepository
from tests.simulation.ports.memory_trees import MemoryTrees
from tests.simulation.ports.mortality import track_tasks
from tests.simulation.ports.virtual_time import VirtualClock, VirtualLoop

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

    def __init__(self, database: Database, scenario: Scenario, *, rng: random.Random, clock: VirtualClock) -> None:
        self.database, self.scenario, self.rng, self._clock = database, scenario, rng, clock
        self.goals = _goals(scenario, rng)
        exams = {goal.exam: f"{goal.path}: {goal.line}\n" for goal in self.goals.values()}
        base = {"README.md": "hello\n", SHARED: "first line\n", **exams}
        repository = MemoryRepository.created(TOP, base)
        self.machine = Machine(repository, nature=scenario.nature, rng=rng)
        self.trees = MemoryTrees(repository, host_id=HOST, clock=clock)
        self.work = BackgroundWork(database)
        self.daemon: SimulatedDaemon | None = None
        self.reports: list[Report] = []
        self.deaths = 0
        self.run_id = self.mission_id = ""
        self.main = repository.branches["main"]
        self._violation: Violation | None = None
        self._names: dict[str, str] = {}
        self._tries: dict[str, int] = {}

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
        jobs = [asyncio.create_task(self._keep_alive()), asyncio.create_task(person.live())]
        try:
            await self._until_over(jobs)
        finally:
            for job in jobs:
                job.cancel()
            if self.daemon is not None:
                await self.daemon.heart.bury()
            for program in self.machine.running:
                program.stop("the simulation is over")
            await asyncio.gather(*jobs, return_exceptions=True)
        await self.work.read(invariants.check_all, run_id=self.run_id, machine=self.machine, main=self.main)
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

    async def _keep_alive(self) -> None:
        """Start a daemon, and another one after each death."""
        while True:
            dies_at = self.rng.randrange(1, 500) if self.deaths < self.scenario.deaths else None
            self.daemon = SimulatedDaemon(
                self.database,
                self.machine,
                clock=self._clock,
                script=self._script,
                started=self._started,
                dies_at=dies_at,
                rng=self.rng,
            )
            await self.daemon.run()
            self.daemon = None
            self.deaths += 1
            await asyncio.sleep(self.rng.choice((0.1, 2.0, 20.0)))

    async def _until_over(self, jobs: list[asyncio.Task[None]]) -> None:
        loop = asyncio.get_running_loop()
        ended: float | None = None
        while True:
            await asyncio.sleep(5.0)
            for job in jobs:
                if job.done():
                    job.result()
            if (error := self._violation or self.machine.error) is not None:
                raise error
            state, live = await self.work.read(_state, run_id=self.run_id)
            if state in (RunState.FINISHED, RunState.STOPPED):
                ended = ended if ended is not None else loop.time()
                if not live and not self.machine.running:
                    return
                if loop.time() - ended > SETTLE:
                    raise Violation(f"nothing_outlives_its_run: the run is {state}, and {live} executions live")
            if loop.time() > HORIZON:
                raise Violation(await self.work.read(self._stuck))

    def _stuck(self, tx: Tx) -> str:
        run = tx.runs.get(self.run_id)
        items = [item.subject for item in tx.inbox.open_where(mission_id=self.mission_id)]
        tasks = [(task.name, str(task.status)) for task in run_view.tasks_of(tx, self.mission_id)]
        waiting = [(each.id, str(each.state), each.reason) for each in tx.candidates.open_of_run(run.id)]
        live = [(each.id, str(each.status)) for each in tx.executions.live(host_id=HOST)]
        found = f"{run.state} ({run.reason}); {tasks}; candidates {waiting}; executions {live}; open items {items}"
        return f"every_mission_ends_or_has_an_item_that_frees_it: {found}"

    def _started(self, program: Program) -> None:
        """Check a program that is about to start."""
        try:
            reading = self.work.read(invariants.check_start, program=program, machine=self.machine)
            _run_now(reading)
        except Violation as broken:
            self._violation = self._violation or broken

    async def _script(self, launched: Launched) -> int:
        name = self._names.get(launched.execution.task_id, "")
        goal = self.goals.get(name) or Goal(name="repair", path="repair.txt")
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
            deaths=self.deaths,
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


def _state(tx: Tx, *, run_id: str) -> tuple[RunState, int]:
    return tx.runs.get(run_id).state, tx.executions.count_live(host_id=HOST)


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
        database = InlineDatabase(self._backend, silence=LIVENESS.silence, clock=clock)

        async def play() -> Outcome:
            database.open()
            try:
                return await SimulatedMission(database, scenario, rng=random.Random(seed), clock=clock).play()
            finally:
                await database.close()

        with _unexpected_errors() as errors:
            try:
                outcome = loop.run_until_complete(play())
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
