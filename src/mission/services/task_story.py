"""What a person asks about one task: how it got here, whether it kept to its areas, which lines it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.domain.changes import Changes
from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.events import TaskCreated, TaskUpdated
from mission.domain.task import OPEN, Task
from mission.git.patch import patch_of
from mission.services.trees import Trees
from mission.services.work import Work
from mission.store.events import StoredEvent
from mission.store.transaction import Tx

MOST_EVENTS = 500
MOST_FILES = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """The task came into a state, or into somebody's hands."""

    at: str
    status: str
    agent_id: str | None
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Story:
    task: Task
    mission_name: str
    moves: Sequence[Move]
    agents: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """Where a task's changes can be seen: its tree, from which commit to which."""

    task: Task
    tree: Path | None
    base: str
    end: str | None


def read(tx: Tx, *, task_id: str) -> Story:
    """The task, and its states in order, as far back as events are kept."""
    task = tx.tasks.get(task_id)
    kinds = [TaskCreated.topic, TaskUpdated.topic]
    events = tx.events.about(task.id, mission_id=task.mission_id, types=kinds, limit=MOST_EVENTS)
    moves = _moves([event for event in events if event.data.get("id") == task.id])
    ids = {move.agent_id for move in moves} | {task.owner_id}
    return Story(
        task=task,
        mission_name=tx.missions.get(task.mission_id).name,
        moves=moves,
        agents=tx.overviews.names(sorted(id for id in ids if id is not None)),
    )


async def changed_files(work: Work, trees: Trees, *, task_id: str) -> tuple[Changes | None, bool]:
    """What the task changed, and whether that is final: until it ends, its tree is compared with its start."""
    task = await work.read(_task, task_id=task_id)
    if task.changes is not None or task.status not in OPEN:
        return (Changes.from_dict(task.changes) if task.changes else None), True
    if task.snapshot is None or task.host_id != trees.host_id:
        return None, False
    return await trees.changes(task.snapshot), False


async def patch(work: Work, trees: Trees, *, task_id: str, path: str) -> tuple[str, bool]:
    """The lines that the task changed in one of its files; and whether that is all of them."""
    changes, _ = await changed_files(work, trees, task_id=task_id)
    if changes is None or path not in changes.paths:
        raise InvalidInput(f"path: task {task_id} did not change '{path[:200]}'", field="path")
    ground = await work.read(_ground, task_id=task_id, host_id=trees.host_id)
    if ground.tree is None or not ground.tree.is_dir():
        raise InvalidState(
            "the tree in which the task was done is not there any more",
            hint="The names of the files are kept; their lines are in the branch.",
        )
    return await trees.work(patch_of, ground.tree, path, base=ground.base, end=ground.end)


def _task(tx: Tx, *, task_id: str) -> Task:
    return tx.tasks.get(task_id)


def _ground(tx: Tx, *, task_id: str, host_id: str) -> Ground:
    task = tx.tasks.get(task_id)
    tree = Path(task.tree) if task.tree and task.host_id == host_id else None
    commits: Sequence[Mapping[str, Any]] = (task.changes or {}).get("commits") or []
    if task.changes is None:
        head = (task.snapshot or {}).get("head")
        return Ground(task=task, tree=tree, base=head or "HEAD", end=None)
    if tree is None or not tree.is_dir():
        tree = _repository(tx, task, host_id)
    if not commits:
        return Ground(task=task, tree=tree, base="HEAD", end=None)
    return Ground(task=task, tree=tree, base=f"{commits[0]['id']}^", end=str(commits[-1]["id"]))


def _repository(tx: Tx, task: Task, host_id: str) -> Path | None:
    """The mission's repository: commits of a worktree that is gone are there."""
    mission = tx.missions.get(task.mission_id)
    found = tx.missions.repository(mission.repository_id) if mission.repository_id else None
    return Path(found.path) if found is not None and found.host_id == host_id else None


def _moves(events: Sequence[StoredEvent]) -> list[Move]:
    """One for each event that tells a new state or owner; what lies between changed neither."""
    moves: list[Move] = []
    for event in events:
        data, frame = event.data, event.frame()
        move = Move(at=frame["at"], status=data["status"], agent_id=data["assigned_agent_id"], attempt=data["attempts"])
        last = moves[-1] if moves else None
        if last is None or (last.status, last.agent_id) != (move.status, move.agent_id):
            moves.append(move)
    return moves
