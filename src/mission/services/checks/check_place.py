"""The place in which a check runs: the agent's tree or a rebuilt start tree, with its environment and slot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from mission.domain.checks.evidence import Evidence, Place, Role
from mission.domain.checks.file_patterns.globs import compile_globs
from mission.domain.checks.junit import TestCounts
from mission.domain.checks.round import CheckRound, Purpose
from mission.domain.checks.slot import TreeSlot
from mission.domain.errors import MissionError
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.task import Task
from mission.git.commit_trees import trees_of
from mission.git.errors import ChangesUnknown, GitKilled
from mission.git.integration.merge_worktree import check_out
from mission.git.tree_identity import TreeDrift, TreeIdentity
from mission.git.tree_watch import TreeWatch
from mission.git.worktrees.start_tree import Overlay
from mission.git.worktrees.worktree import commit_of
from mission.services.checks import progress
from mission.services.checks.check_runner import CheckStart
from mission.services.evidence.left_files import left_in
from mission.services.repositories.working_trees import NO_TREE, Trees
from mission.services.work import Work
from mission.services.workspaces.slots import slot_of
from mission.store.transaction import Tx

Result = TypeVar("Result")

TRIES = 3
"""How often a tree is read or rebuilt if the git command for that is killed."""


class StartTreeMissing(Exception):
    """The start tree cannot be rebuilt."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenTree:
    """The tree of a round at the moment it was taken."""

    tree: str
    identity: Mapping[str, Any]
    changes: Changes | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckPlace:
    """The folder, environment and tree in which one check runs."""

    start: CheckStart
    tree: str | None = None
    """The id of a rebuilt start tree; None for the agent's own."""
    watch: TreeWatch | None = None
    """Shows cheaply whether the agent's tree is unchanged."""


class CheckHost(Protocol):
    """The services of the machine for checks; the runtime implements it."""

    def environment(
        self, *, path: str | None, variables: Mapping[str, str], task_id: str | None, slot: TreeSlot
    ) -> dict[str, str]:
        """Return the complete environment of a check."""

    def count_tests(self, folder: Path, *, glob: str | None, since: float) -> TestCounts | None:
        """Return the number of tests in the reports written since then; None without a report."""


class CheckPlaces:
    """Prepares places for checks and inspects them afterward."""

    def __init__(self, work: Work, trees: Trees, host: CheckHost) -> None:
        self._work = work
        self._trees = trees
        self._host = host

    async def examine(self, round: CheckRound) -> TakenTree:
        """Take the round's tree: its identity, and for a report also what changed since the task's start."""
        task = await self._work.read(_task, task_id=round.task_id)
        left = await left_in(self._work, host_id=round.host_id, path=round.path)
        if task.snapshot is None:
            raise ChangesUnknown(NO_TREE)
        wants_lines = round.purpose is Purpose.GATE
        examined = await _in_spite_of_kills(self._trees.examine, task.snapshot, lines=wants_lines, ignore=left)
        return TakenTree(tree=examined.tree.id, identity=examined.tree.as_dict(), changes=examined.changes)

    async def start_tree(self, round: CheckRound) -> str | None:
        """Return the id of the tree at the start of the task; None if it is no longer known."""
        if round.place is not Place.TASK:
            return None  # it was opened with the tree that it is compared with
        task = await self._work.read(_task, task_id=round.task_id)
        try:
            return await self._trees.start_tree_id(task.snapshot) if task.snapshot is not None else None
        except MissionError:
            return None

    async def prepare(self, round: CheckRound, row: Evidence, *, was_started: bool) -> CheckPlace:
        """Return where the check runs; raise StartTreeMissing if its tree cannot be rebuilt.

        A start tree in which its command was started before is left as it is: the command may still run there. Nor can
        a tree be watched cheaply then: what the command did before is not known.
        """
        folder, tree, watch = Path(round.path), None, None
        if row.role is not Role.RESULT:
            folder, tree = await self._start(round, row, was_built=was_started)
        elif round.identity is not None and not was_started:
            left = await left_in(self._work, host_id=round.host_id, path=round.path)
            watch = await self._watch(round.identity, left)
        slot = await slot_of(self._work, self._trees, path=round.path)
        path = next((each.path for each in round.defined if each.check.name == row.name), None)
        start = CheckStart(
            evidence_id=row.id,
            command=row.check.run or "",
            directory=folder,
            environment=self._host.environment(path=path, variables=row.check.env, task_id=round.task_id, slot=slot),
            seconds=row.check.seconds,
        )
        return CheckPlace(start=start, tree=tree, watch=watch)

    async def _watch(self, identity: Mapping[str, Any], left: Mapping[str, str]) -> TreeWatch | None:
        try:
            return await self._trees.watch(identity, left=left)
        except MissionError:
            return None

    async def _start(self, round: CheckRound, row: Evidence, *, was_built: bool) -> tuple[Path, str]:
        task = await self._work.read(_task, task_id=round.task_id)
        overlay = None
        if row.role is Role.RED and round.identity is not None:
            changes = Changes.from_dict(round.changes) if round.changes is not None else Changes()
            tests = compile_globs(row.check.tests).select(changes.paths)
            overlay = Overlay(tree=TreeIdentity.from_dict(round.identity), paths=tests)
        if task.snapshot is None:
            raise StartTreeMissing(NO_TREE)
        try:
            if was_built:
                id = await _in_spite_of_kills(self._trees.start_tree_id, task.snapshot, overlay=overlay)
                return self._trees.start_path(row.id), id
            rebuilt = await _in_spite_of_kills(self._trees.rebuild_start, task.snapshot, name=row.id, overlay=overlay)
        except (MissionError, OSError) as error:
            reason = error.message if isinstance(error, MissionError) else error.strerror or "it could not be written"
            raise StartTreeMissing(reason) from error
        return rebuilt.path, rebuilt.id

    async def drift(self, round: CheckRound, row: Evidence, place: CheckPlace) -> TreeDrift | str:
        """Return what the check changed in the agent's tree, or why that is unknown."""
        if row.role is not Role.RESULT:
            return TreeDrift()
        if round.identity is None:
            return "the identity of the tree is no longer known"
        try:
            return await _in_spite_of_kills(self._trees.drift, round.identity, watch=place.watch)
        except MissionError as error:
            return error.message

    async def restore(self, round: CheckRound) -> None:
        """Bring a worktree of ours back to its commit after a check changed it: the next check is not to blame."""
        with suppress(MissionError):
            await self._trees.work(Path(round.path), _check_out_again, Path(round.path), tree=round.tree or "")

    async def tests(self, row: Evidence, place: CheckPlace, *, since: float | None) -> TestCounts | None:
        """Return the tests that the check's own reports count."""
        if since is None:
            return None
        folder, glob = place.start.directory, row.check.junit
        return await self._trees.work(folder, self._host.count_tests, folder, glob=glob, since=since)

    async def leave(self, place: CheckPlace) -> None:
        """Remove a rebuilt start tree."""
        if place.tree is not None:
            await self.remove_start(place.start.evidence_id)

    async def remove_start(self, evidence_id: str) -> None:
        """Remove the start tree of one try."""
        await self._trees.remove_start(evidence_id)

    async def clear(self) -> None:
        """Remove the start trees that a killed process left, except those in which a check may still run."""
        keep = await self._work.read(progress.running_ids, host_id=self._trees.host_id)
        await self._trees.clear_starts(keep=keep)

    async def forget(self, round: CheckRound) -> None:
        """Drop the stored manifest of a round's tree."""
        if round.identity is not None:
            await self._trees.forget({round.path: round.identity["snapshot"]})


async def _in_spite_of_kills(look: Callable[..., Awaitable[Result]], /, *arguments: Any, **options: Any) -> Result:
    """Look at a tree, again if git was killed meanwhile: that says nothing about the tree."""
    for _ in range(TRIES - 1):
        with suppress(GitKilled):
            return await look(*arguments, **options)
    return await look(*arguments, **options)


def _check_out_again(path: Path, *, tree: str) -> None:
    """Check out the worktree's commit once more, if it still is the one with this tree."""
    head = commit_of(path, "HEAD")
    if head is not None and trees_of(path, {head}).get(head) == tree:
        check_out(path, path, commit=head)


def _task(tx: Tx, *, task_id: str) -> Task:
    return tx.tasks.get(task_id)
