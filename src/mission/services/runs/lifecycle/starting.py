"""Start a run of a mission, or of a plan that becomes one. Everything is checked before anything is written.

The row comes first, then the branch: after a crash in between, the look before the first launch makes the branch.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os.path import normpath
from pathlib import Path
from typing import Any

from mission.domain import events
from mission.domain.checks.check import Scope
from mission.domain.checks.review import ReviewRule
from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.domain.ids import new_id
from mission.domain.missions.mission import STARTS_TASKS, Mission
from mission.domain.missions.repository import Repository
from mission.domain.plans.plan_file import PlanFile, parse_plan, parse_tables
from mission.domain.plans.plan_problems import ProblemList
from mission.domain.plans.toml_lines import locate_keys
from mission.domain.runs.options import RunOptions
from mission.domain.runs.run import BRANCHES, Run
from mission.domain.tasks.states import OPEN
from mission.domain.tasks.workspace import slug
from mission.git.integration.errors import BranchInTheWay, GitTooOld
from mission.git.integration.integration_branch import create_branch
from mission.git.integration.preflight_facts import PreflightFacts, init_repository, preflight_facts
from mission.git.worktrees.worktree import tip_of
from mission.services.launcher import Launcher
from mission.services.repositories.working_trees import TreeLocation, Trees
from mission.services.runs.lifecycle import plan_missions, run_options, run_view
from mission.services.work import Work
from mission.store.transaction import Tx

JSON_PLAN = "plan"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest:
    """The request of a caller: run a mission, or a plan."""

    mission_id: str | None = None
    plan: Mapping[str, Any] | None = None
    plan_toml: str | None = None
    plan_name: str = "plan.toml"
    folder: str | None = None
    """Where the plan file is; relative paths in it start there."""
    options: Mapping[str, Any] = field(default_factory=dict)
    path: str | None = None
    """The PATH with which the plan's checks run."""
    init: bool = False
    handover: str | None = None
    """Name of a file in MISSION_HOME with a shell's variables for the clients."""

    def check(self) -> None:
        """Raise InvalidInput unless exactly one thing to run is named."""
        if sum(each is not None for each in (self.mission_id, self.plan, self.plan_toml)) != 1:
            raise InvalidInput(
                "mission_id: give exactly one of mission_id, plan and plan_toml",
                hint="Give mission_id of a mission with tasks, or a plan.",
                field="mission_id",
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlace:
    """The place of a run: the repository, the commit it starts from and the branch that it lands on."""

    tree: TreeLocation
    base_commit: str
    target: str | None

    @property
    def top(self) -> Path:
        return self.tree.tree.path


@dataclass(frozen=True, kw_only=True, slots=True)
class _Existing:
    """A mission that is to be run, as it is now."""

    mission: Mission
    repository: Repository
    clients: Collection[str | None]


_Started = tuple[dict[str, Any], RunPlace]


async def start(work: Work, trees: Trees, launcher: Launcher, *, request: RunRequest) -> dict[str, Any]:
    """Start the run and return what its caller needs to know."""
    request.check()
    started = _start_plan if request.mission_id is None else _start_mission
    answer, place = await started(work, trees, launcher, request)
    if request.handover is not None:
        launcher.keep_variables(answer["run_id"], request.handover)
    await _make_branch(trees, answer, place)
    return answer


async def _start_mission(work: Work, trees: Trees, launcher: Launcher, request: RunRequest) -> _Started:
    found = await work.read(_existing, mission_id=request.mission_id)
    options = _options(found.mission, request.options)
    run_options.check_clients(options.agents, clients=launcher.clients(), wanted=found.clients)
    place = await _place(trees, Path(found.repository.path), request=request)
    options = run_options.with_variables(options, launcher, handover=request.handover)
    return await work.finish(_record, mission_id=found.mission.id, options=options, place=place), place


async def _start_plan(work: Work, trees: Trees, launcher: Launcher, request: RunRequest) -> _Started:
    clients = launcher.clients()
    plan = _parsed(request, clients=clients)
    folder = _folder(request, plan)
    given = {**run_options.given_by(plan, folder=folder), **request.options}
    options = run_options.with_given(RunOptions(), given)
    _check_review(str(options.review))
    run_options.check_clients(options.agents, clients=clients, wanted={task.agent for task in plan.tasks})
    wanted = replace(request, options=given)
    place = await _place(trees, Path(normpath(Path(folder) / plan.mission.repository)), request=wanted)
    options = run_options.with_variables(options, launcher, handover=request.handover)
    return await work.finish(_record_plan, plan=plan, request=request, options=options, place=place), place


async def _make_branch(trees: Trees, answer: Mapping[str, Any], place: RunPlace) -> None:
    with suppress(MissionError):  # the look before the first launch tries again, and says why it cannot be made
        await trees.work(place.top, create_branch, place.top, answer["branch"], commit=answer["base_commit"])


def _answer(tx: Tx, run: Run) -> dict[str, Any]:
    """Return what the caller of run_start needs to know."""
    return {
        "run_id": run.id,
        "mission_id": run.mission_id,
        "state": str(run.state),
        "branch": run.branch,
        "base_commit": run.base_commit,
        "questions": [run_view.question(item) for item in run_view.open_items(tx, run)],
    }


def _parsed(request: RunRequest, *, clients: Collection[str]) -> PlanFile:
    if request.plan_toml is not None:
        return parse_plan(request.plan_toml, source=request.plan_name, clients=clients)
    problems = ProblemList(source=JSON_PLAN, lines=locate_keys(""))
    return parse_tables(request.plan or {}, problems=problems, clients=clients)


def _folder(request: RunRequest, plan: PlanFile) -> str:
    """Return where relative paths of the plan start."""
    if request.folder is not None:
        return request.folder
    if not Path(plan.mission.repository).is_absolute():
        raise InvalidInput(
            "folder: the folder of the plan is missing, and its repository is a relative path",
            hint="Give folder, or an absolute repository.",
            field="folder",
        )
    return "/"


def _options(mission: Mission, given: Mapping[str, Any]) -> RunOptions:
    """Return the options of a run: the given ones, then what the mission says, then the defaults."""
    own = RunOptions(review=mission.review or ReviewRule.RISK, setup=(mission.workspace_setup or {}).get("setup"))
    options = run_options.with_given(own, given)
    _check_review(str(options.review))
    return options


def _check_review(rule: str) -> None:
    if rule == ReviewRule.AGENT:
        raise InvalidInput(
            "review: a review by an agent is not available yet", hint="Use person, risk or none.", field="review"
        )


async def _place(trees: Trees, path: Path, *, request: RunRequest) -> RunPlace:
    """Return where the run works; raise an error that says what to do if it cannot work there."""
    if request.init:
        await trees.work(path, init_repository, path)
    tree = await trees.named(str(path))
    assert tree is not None
    facts = await trees.work(tree.tree.path, preflight_facts, tree.tree.path)
    _check_facts(facts, path=tree.tree.path)
    target = request.options.get("target")
    base = await trees.work(tree.tree.path, tip_of, tree.tree.path, target) if target is not None else facts.head
    if base is None:
        raise InvalidInput(
            f"target: there is no branch '{str(target)[:200]}'",
            hint="Give a local branch that exists, or leave it out to use the one that is checked out.",
            field="target",
        )
    return RunPlace(tree=tree, base_commit=base, target=target or facts.branch)


def _check_facts(facts: PreflightFacts, *, path: Path) -> None:
    """Raise an error if no run is possible here at all."""
    if not facts.is_git_new_enough:
        raise GitTooOld(found=facts.git_version, needed=facts.needed_git)
    if not facts.is_repository:
        raise InvalidState(
            f"'{path.name}' is not a git repository, and a run needs one",
            hint="'mission run --init' creates one and commits every file that is not ignored.",
        )
    if facts.head is None:
        raise InvalidState(
            f"the repository '{path.name}' has no commit yet, and a run starts from one",
            hint="Commit something, or use 'mission run --init', which commits every file that is not ignored.",
        )
    if facts.branch_in_the_way is not None:
        raise BranchInTheWay(facts.branch_in_the_way)


def _existing(tx: Tx, *, mission_id: str) -> _Existing:
    mission = tx.missions.get(mission_id)
    _check_mission(tx, mission)
    repository = tx.missions.repository(mission.repository_id) if mission.repository_id is not None else None
    if repository is None:
        raise InvalidState(
            f"mission {mission.id} has no repository, and a run needs one",
            hint="Create the mission with repository_path, or run a plan file.",
        )
    clients = {task.client for task in run_view.tasks_of(tx, mission.id) if task.status in OPEN}
    return _Existing(mission=mission, repository=repository, clients=clients)


def _check_mission(tx: Tx, mission: Mission) -> None:
    """Raise an error that says what to do unless a run of the mission can start."""
    live = tx.runs.live_of_mission(mission.id)
    if live is not None:
        raise InvalidState(
            f"mission {mission.id} already has a run: {live.id} ({live.state})",
            hint=f"Watch it with 'mission show {mission.id}', or end it with 'mission stop {live.id}'.",
            run_id=live.id,
            current=str(live.state),
        )
    if mission.status not in STARTS_TASKS:
        raise InvalidState(
            f"mission {mission.id} is {mission.status} and cannot be run",
            hint="Resume it first, or start a new mission.",
            current=str(mission.status),
            legal=sorted(map(str, STARTS_TASKS)),
        )
    if not any(task.parent_id is None for task in tx.tasks.open_of_mission(mission.id)):
        total, _ = tx.missions.task_totals([mission.id]).get(mission.id, (0, 0))
        what = "has no open task left" if total else "has no tasks"
        raise InvalidState(
            f"mission {mission.id} {what}, so there is nothing to run",
            hint="Add tasks to it first, or run a plan file.",
        )


def _record_plan(
    tx: Tx, *, plan: PlanFile, request: RunRequest, options: RunOptions, place: RunPlace
) -> dict[str, Any]:
    """Create the mission of a plan and its run."""
    mission = plan_missions.create(
        tx, plan=plan, place=place.tree, path=request.path, source=request.plan_name, text=request.plan_toml
    )
    return _record(tx, mission_id=mission.id, options=options, place=place)


def _record(tx: Tx, *, mission_id: str, options: RunOptions, place: RunPlace) -> dict[str, Any]:
    """Store the run; the mission may have changed since it was looked at."""
    mission = tx.missions.get(mission_id)
    _check_mission(tx, mission)
    id = new_id("run")
    run = Run(
        id=id,
        mission_id=mission.id,
        host_id=place.tree.host_id,
        repository=str(place.top),
        branch=f"{BRANCHES}{'-'.join(filter(None, (slug(mission.name), id.removeprefix('run_'))))}",
        base_commit=place.base_commit,
        tip=place.base_commit,
        target=place.target,
        options=options.as_dict(),
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.runs.add(run)
    tx.emit(events.RunCreated(run=run))
    _widen(tx, _with_repository_checks(tx, mission), options)
    return _answer(tx, run)


def _with_repository_checks(tx: Tx, mission: Mission) -> Mission:
    """Return the mission with the checks of its repository, if that has any: they apply to every run."""
    id = mission.repository_id
    if id is None or mission.repository_checks or not tx.checks.of(Scope.REPOSITORY, id):
        return mission
    checked = replace(mission, repository_checks=True, updated_at=tx.now)
    tx.missions.save(checked)
    tx.emit(events.MissionUpdated(mission=checked))
    return checked


def _widen(tx: Tx, mission: Mission, options: RunOptions) -> None:
    """Let as many tasks of the mission be claimed at once as the run has agents."""
    wanted = options.max_parallel or sum(agent.count for agent in options.agents)
    if mission.max_parallel < wanted:
        widened = replace(mission, max_parallel=wanted, updated_at=tx.now)
        tx.missions.save(widened)
        tx.emit(events.MissionUpdated(mission=widened))
