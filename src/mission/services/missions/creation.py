"""Use cases of a mission as a whole: start, list, archive, delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.checks.check import Check, Scope
from mission.domain.checks.evidence import ProofState
from mission.domain.errors import InvalidState
from mission.domain.executions.execution import LIVE
from mission.domain.ids import new_id
from mission.domain.missions.mission import ENDED, Family, Mission, Profile
from mission.services.evidence import definitions
from mission.services.launcher import Launcher
from mission.services.repositories.working_trees import TreeLocation, Trees
from mission.services.work import Work
from mission.store.transaction import Tx

NAMED = 20
"""How many things an error names before it only counts them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewMission:
    """The fields that a caller gives for a new mission."""

    name: str
    objective: str
    family: Family
    description: str | None = None
    profile: Profile = Profile.STANDARD
    total_phases: int | None = None
    scope: str | None = None
    constraints: str | None = None
    source_type: str = "prompt"
    source_ref: str | None = None
    source_content: str | None = None
    max_parallel: int = 1
    auto_create_workspaces: bool = False
    workspace_setup: Mapping[str, Any] | None = None
    checks: Sequence[Check] = ()
    final_checks: Sequence[Check] = ()
    repository_checks: bool = False
    review: str | None = None
    agent_id: str | None = None
    """The agent that creates it; a person must approve its commands."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedMission:
    """A mission in a list, with its progress."""

    mission: Mission
    tasks_total: int
    tasks_completed: int
    proof_counts: Mapping[ProofState, int]


async def start(
    work: Work,
    trees: Trees,
    *,
    new: NewMission,
    repository_path: str | None,
    directory: str | None,
) -> Mission:
    """Start a mission in the named repository, or in the caller's."""
    place = await trees.named(repository_path) or await trees.around(directory)
    return await work.finish(create, new=new, place=place)


def create(tx: Tx, *, new: NewMission, place: TreeLocation | None) -> Mission:
    """Create a mission, not yet in progress."""
    mission = Mission(
        id=new_id("mission"),
        name=new.name,
        objective=new.objective,
        family=new.family,
        description=new.description,
        profile=new.profile,
        total_phases=new.total_phases or new.profile.phases,
        scope=new.scope,
        constraints=new.constraints,
        source_type=new.source_type,
        source_ref=new.source_ref,
        max_parallel=new.max_parallel,
        auto_create_workspaces=new.auto_create_workspaces,
        workspace_setup=new.workspace_setup,
        repository_checks=new.repository_checks,
        review=new.review,
        repository_id=place.known_to(tx) if place else None,
        repository_path=str(place.tree.path) if place else None,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.missions.add(mission)
    if new.source_content is not None:
        tx.missions.set_source(mission.id, new.source_content)
    tx.emit(events.MissionCreated(mission=mission))
    for checks, final in ((new.checks, False), (new.final_checks, True)):
        wanted = {mission.id: checks} if checks else {}
        definitions.propose(tx, mission=mission, checks=wanted, agent_id=new.agent_id, scope=Scope.MISSION, final=final)
    return mission


def list_missions(
    tx: Tx,
    *,
    statuses: Sequence[str] | None,
    repository_path: str | None,
    archived: bool,
    limit: int,
    offset: int,
) -> tuple[list[ListedMission], int]:
    """Return missions, most recently active first, and how many there are in all."""
    missions, total = tx.missions.page(
        statuses=statuses, repository_path=repository_path, archived=archived, limit=limit, offset=offset
    )
    ids = [mission.id for mission in missions]
    totals, proofs = tx.missions.task_totals(ids), tx.evidence.proof_counts_of(ids)
    listed = []
    for mission in missions:
        tasks, completed = totals.get(mission.id, (0, 0))
        counts = proofs.get(mission.id, {})
        listed.append(ListedMission(mission=mission, tasks_total=tasks, tasks_completed=completed, proof_counts=counts))
    return listed, total


def archive(tx: Tx, *, mission_id: str, archived: bool) -> Mission:
    """Hide an ended mission from the lists, or show it again; nothing is deleted."""
    mission = tx.missions.get(mission_id)
    _check_ended(mission, "archived")
    mission = replace(mission, archived_at=tx.now if archived else None, updated_at=tx.now)
    tx.missions.save(mission)
    tx.emit(events.MissionUpdated(mission=mission))
    return mission


async def remove(work: Work, launcher: Launcher, *, mission_id: str) -> Mission:
    """Delete a mission, including the output of its launched agents."""
    launched = await work.read(_launched, mission_id=mission_id)
    deleted = await work.finish(delete, mission_id=mission_id)
    await launcher.forget(launched)
    return deleted


def delete(tx: Tx, *, mission_id: str) -> Mission:
    """Delete an ended mission with its tasks and the agents launched for it; the audit has its own retention."""
    mission = tx.missions.get(mission_id)
    _check_ended(mission, "deleted")
    running = tx.executions.ids(mission_id=mission_id, statuses=LIVE)
    if running:
        raise InvalidState(
            f"mission {mission_id} still has running agents: {', '.join(running[:NAMED])}",
            hint="They are being stopped because the mission ended. Try again in a moment, "
            "or run 'mission stop ID' to wait for one.",
        )
    worktrees, _ = tx.workspaces.page(mission_id=mission_id, statuses=None, removed=False, limit=NAMED, offset=0)
    if worktrees:
        raise InvalidState(
            f"mission {mission_id} still has worktrees: {', '.join(workspace.id for workspace in worktrees)}",
            action=Action.REMOVE_WORKSPACES,
        )
    tx.agents.delete_launched(mission_id)
    tx.missions.delete(mission_id)
    tx.emit(events.MissionDeleted(mission=mission))
    return mission


def _launched(tx: Tx, *, mission_id: str) -> list[str]:
    return tx.executions.ids(mission_id=mission_id)


def _check_ended(mission: Mission, wanted: str) -> None:
    if mission.status not in ENDED:
        raise InvalidState(
            f"mission {mission.id} is {mission.status} and cannot be {wanted}",
            action=Action.END_MISSION,
            current=str(mission.status),
        )
