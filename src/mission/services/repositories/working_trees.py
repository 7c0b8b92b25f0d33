"""The working tree of a call, and slow work on trees, done off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.domain.ids import new_id
from mission.domain.missions.repository import Repository
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.patch import Patch
from mission.domain.tasks.workspace import Workspace
from mission.git.changed_files import find_changes, find_lines
from mission.git.command import end_all
from mission.git.snapshot import Snapshot, Snapshots
from mission.git.snapshots.plain_folder import end_walks
from mission.git.snapshots.snapshot_storage import end_waits
from mission.git.tree_identity import Examined, LeftBehind, TreeDrift, TreeIdentity, drift, examine, identify
from mission.git.tree_watch import TreeWatch, watch_tree
from mission.git.working_tree import Tree, branch_of, find_tree
from mission.git.worktrees.creation import WorktreeMaker
from mission.git.worktrees.ignored_files import end_copies
from mission.git.worktrees.setup import end_setups
from mission.git.worktrees.start_tree import Overlay, StartTree, StartTrees
from mission.git.worktrees.worktree import uncommitted
from mission.services.repositories.tree_threads import TreeThreads
from mission.store.transaction import Tx

Result = TypeVar("Result")
Report = Callable[[str], None]

KEPT = "stored tree data"
MAKERS = 4
"""How many worktrees of a repository are created or removed at once."""
NO_TREE = "no working tree is known, so changed files are not tracked: give repository_path when you start the task"


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeLocation:
    """A tree on this host."""

    tree: Tree
    host_id: str

    def known_to(self, tx: Tx) -> str:
        """Return the id of the repository at this location, registered if it is new."""
        path = str(self.tree.path)
        known = tx.missions.repository_at(host_id=self.host_id, path=path)
        if known is not None:
            return known.id
        repository = Repository(
            id=new_id("repository"),
            host_id=self.host_id,
            path=path,
            common_dir=self.common_dir,
            name=self.tree.path.name or path,
            created_at=tx.now,
        )
        tx.missions.add_repository(repository)
        tx.emit(events.RepositoryCreated(repository=repository))
        return repository.id

    @property
    def common_dir(self) -> str | None:
        return str(self.tree.common_dir) if self.tree.common_dir else None

    def belongs_to(self, repository: Repository) -> bool:
        """Return whether this is a tree of that repository: itself, one of its worktrees, or a folder inside."""
        if repository.host_id != self.host_id:
            return False
        if self.common_dir is not None:
            return self.common_dir == repository.common_dir
        return repository.common_dir is None and self.tree.path.is_relative_to(repository.path)


FindPorts = Callable[[Collection[int]], int]
"""Finds ten free ports that are not among those in use, and returns the first."""


class Trees:
    """Asynchronous access to git and folders for services."""

    def __init__(
        self, snapshots: Snapshots, *, worktree_maker: WorktreeMaker, host_id: str, find_ports: FindPorts
    ) -> None:
        self.host_id = host_id
        self.find_ports = find_ports
        self.worktree_maker = worktree_maker
        self._snapshots = snapshots
        self._start_trees = StartTrees(snapshots)
        self._lookers = TreeThreads("trees")
        # A pool of its own: a setup command may take minutes, and no snapshot should wait for it.
        self._makers = TreeThreads("worktrees", workers=MAKERS)

    async def close(self) -> None:
        """End running and waiting work; it is no longer needed."""
        await asyncio.gather(*(lanes.close(_end_everything) for lanes in (self._lookers, self._makers)))

    async def named(self, path: str | None, *, field: str = "repository_path") -> TreeLocation | None:
        """Return the tree that a caller named; None if it named none."""
        if path is None:
            return None
        if not path.startswith("/"):
            raise InvalidInput(
                f"{field}: '{path[:200]}' is not an absolute path",
                hint="Give the full path, starting with '/'.",
                field=field,
            )
        return await self._find(Path(path))

    async def around(self, directory: str | None) -> TreeLocation | None:
        """Return the tree around the caller's directory, if it is a plausible place to work in."""
        if directory is None or not _is_workplace(Path(directory)):
            return None
        try:
            return await self._find(Path(directory))
        except InvalidInput:
            return None

    async def of_mission(self, repository: Repository | None, *, directory: str | None) -> TreeLocation | None:
        """Return the caller's tree if it belongs to the mission's repository, else the mission's own."""
        place = await self.around(directory)
        if repository is None or (place is not None and place.belongs_to(repository)):
            return place
        if repository.host_id != self.host_id:
            raise InvalidState(
                f"the mission's repository is on host {repository.host_id}, but this is host {self.host_id}",
                hint=f"Start the task on {repository.host_id}, or give a repository_path on this host.",
                host_id=repository.host_id,
            )
        return await self._find(Path(repository.path))

    async def snapshot(
        self, place: TreeLocation, *, ignore: LeftBehind | None = None, report: Report | None = None
    ) -> Snapshot:
        """Take a snapshot of the tree's current content, without files that a check left behind (`ignore`)."""
        return await self._run(place.tree.path, self._snapshots.take, place.tree, ignore=ignore, report=report)

    async def changes(
        self,
        snapshot: Mapping[str, Any],
        *,
        lines: bool = False,
        max_files: int | None = None,
        ignore: LeftBehind | None = None,
        report: Report | None = None,
    ) -> Changes:
        """Return what changed in the snapshot's tree since it was taken, with the lines if requested.

        With more changed files than `max_files` the lines are left out. Files that a check left behind (`ignore`) do
        not count.
        """
        taken = Snapshot.from_dict(snapshot)
        options = {"lines": lines, "max_files": max_files, "ignore": ignore, "report": report}
        return await self._run(taken.path, find_changes, self._snapshots, taken, **options)

    async def lines(self, snapshot: Mapping[str, Any], path: str, *, ignore: LeftBehind | None = None) -> Patch | None:
        """Return the lines of one path that changed since the snapshot was taken; None if it did not change."""
        taken = Snapshot.from_dict(snapshot)
        return await self._run(taken.path, find_lines, self._snapshots, taken, path, ignore=ignore)

    async def identify(
        self, place: TreeLocation, *, ignore: LeftBehind | None = None, report: Report | None = None
    ) -> TreeIdentity:
        """Return the identity of the tree's current content, without files that a check left behind (`ignore`)."""
        return await self._run(place.tree.path, identify, self._snapshots, place.tree, ignore=ignore, report=report)

    async def examine(
        self,
        snapshot: Mapping[str, Any],
        *,
        lines: bool = False,
        ignore: LeftBehind | None = None,
        report: Report | None = None,
    ) -> Examined:
        """Return what changed since the snapshot was taken and the identity of that content, from one scan."""
        taken = Snapshot.from_dict(snapshot)
        return await self._run(taken.path, examine, self._snapshots, taken, lines=lines, ignore=ignore, report=report)

    async def watch(self, identity: Mapping[str, Any], *, left: LeftBehind) -> TreeWatch | None:
        """Return a cheap watch on a tree that was just identified; None if only a scan can tell what changes."""
        known = TreeIdentity.from_dict(identity)
        return await self._run(known.snapshot.path, watch_tree, self._snapshots, known, left=left)

    async def drift(self, identity: Mapping[str, Any], *, watch: TreeWatch | None = None) -> TreeDrift:
        """Return what became different in a tree since it was identified; a watch may know that nothing did."""
        known = TreeIdentity.from_dict(identity)
        if watch is not None and await self._run(known.snapshot.path, watch.is_unchanged):
            return TreeDrift()
        return await self._run(known.snapshot.path, drift, self._snapshots, known)

    async def start_tree_id(self, snapshot: Mapping[str, Any], *, overlay: Overlay | None = None) -> str:
        """Return the id of the tree that a snapshot recorded, with changed paths of a later tree if given."""
        taken = Snapshot.from_dict(snapshot)
        return await self._run(taken.path, self._start_trees.tree_id, taken, overlay=overlay)

    async def rebuild_start(
        self,
        snapshot: Mapping[str, Any],
        *,
        name: str,
        overlay: Overlay | None = None,
        report: Report | None = None,
    ) -> StartTree:
        """Return a folder with the tree that a snapshot recorded; raise StartTreeUnknown if it cannot be rebuilt."""
        taken = Snapshot.from_dict(snapshot)
        return await self.work(taken.path, self._start_trees.rebuild, taken, name=name, overlay=overlay, report=report)

    def start_path(self, name: str) -> Path:
        """Return the folder of a rebuilt tree."""
        return self._start_trees.path(name)

    async def remove_start(self, name: str) -> None:
        """Remove a rebuilt tree."""
        await self.work(Path(KEPT), self._start_trees.remove, name)

    async def clear_starts(self, *, keep: Collection[str]) -> None:
        """Remove the rebuilt trees that are no longer needed, and what a crash left of others."""
        await self.work(Path(KEPT), self._start_trees.clear, keep=keep)

    async def uncommitted(self, snapshot: Mapping[str, Any], *, ignore: LeftBehind | None = None) -> Changes:
        """Return the uncommitted changes in the snapshot's tree, and the commits made since then."""
        changes = await self.changes(snapshot, ignore=ignore)
        if not changes.commits:
            return changes
        path = Snapshot.from_dict(snapshot).path
        return changes.only(await self._run(path, uncommitted, path, copied={}))

    async def branch(self, path: str, *, host_id: str | None) -> str | None:
        """Return the branch that is checked out in a tree of this host, if there is one."""
        if host_id != self.host_id:
            return None
        try:
            return await self._run(path, branch_of, Path(path))
        except (OSError, MissionError):
            return None

    async def forget(self, snapshots: Mapping[str, Mapping[str, Any]] | None) -> None:
        """Drop stored snapshots that are no longer needed; what fails is pruned later."""
        for stored in (snapshots or {}).values():
            try:
                snapshot = Snapshot.from_dict(stored)
                await self._run(snapshot.path, self._snapshots.forget, snapshot)
            except (OSError, MissionError):
                continue

    async def prune(self, in_use: list[Mapping[str, Any]]) -> None:
        await self._run(KEPT, self._snapshots.prune, [Snapshot.from_dict(stored) for stored in in_use])

    async def at(self, path: str, *, host_id: str, what: str) -> TreeLocation:
        """Return the tree at a recorded path, if it is on this host."""
        self.check_host(host_id, what=what)
        return await self._find(Path(path))

    async def workspace(self, workspace: Workspace) -> TreeLocation:
        """Return the tree of a workspace."""
        if workspace.host_id == self.host_id and not Path(workspace.path).is_dir():
            raise InvalidState(
                f"the worktree of workspace {workspace.id} is gone",
                action=Action.REPLACE_WORKSPACE,
                workspace_id=workspace.id,
            )
        return await self.at(workspace.path, host_id=workspace.host_id, what=f"workspace {workspace.id}")

    def check_host(self, host_id: str, *, what: str) -> None:
        """Raise an error that names the right host unless the path is on this host."""
        if host_id != self.host_id:
            raise InvalidState(
                f"{what} is on host {host_id}, but this is host {self.host_id}",
                hint=f"Run this on {host_id}; the path exists only there.",
                host_id=host_id,
            )

    async def work(self, tree: Path, function: Callable[..., Result], /, *arguments: Any, **options: Any) -> Result:
        """Run slow work on worktrees of the repository at `tree`."""
        return await self._makers.run(tree, lambda: function(*arguments, **options))

    async def _find(self, path: Path) -> TreeLocation:
        return TreeLocation(tree=await self._run(path, find_tree, path), host_id=self.host_id)

    async def _run(self, tree: str | Path, function: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
        return await self._lookers.run(tree, lambda: function(*arguments, **options))


def _end_everything() -> None:
    for end in (end_all, end_setups, end_walks, end_waits, end_copies):
        end()


def _is_workplace(directory: Path) -> bool:
    """Return False for the root, a home folder or anything above one: a client started there means no tree."""
    home = Path.home()
    return directory.is_absolute() and directory != home and directory not in home.parents
