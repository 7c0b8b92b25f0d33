"""The door of services to git, onto a repository in memory: every function of git has its counterpart here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from mission.domain.errors import InvalidState
from mission.domain.tasks.workspace import Workspace
from mission.git.commit_trees import trees_of
from mission.git.integration import landing
from mission.git.integration.branch_refs import move_branch
from mission.git.integration.candidates.candidate_commit import commit_candidate
from mission.git.integration.cleaning import clean
from mission.git.integration.commit_changes import changes_between
from mission.git.integration.conflict_start import start_conflict
from mission.git.integration.integration_branch import advance, contains, create_branch, foreign_commits
from mission.git.integration.merge_commit import merge_commit, squash_commit
from mission.git.integration.merge_worktree import check_out, check_out_fresh, discard
from mission.git.integration.preflight_facts import preflight_facts
from mission.git.integration.regenerated_files import with_files, with_tip_side
from mission.git.integration.trial_merge import trial_merge
from mission.git.snapshot import Snapshot
from mission.git.tree_identity import Examined, TreeDrift, TreeIdentity
from mission.git.working_tree import Tree
from mission.git.worktrees.creation import WorktreeMaker
from mission.git.worktrees.merge_check import unmerged
from mission.git.worktrees.setup import WorktreeSetup, run_setup
from mission.git.worktrees.start_tree import StartTree
from mission.git.worktrees.worktree import tip_of
from mission.services.repositories.working_trees import TreeLocation, Trees
from tests.simulation.exams import inputs_of
from tests.simulation.ports.memory_git import MemoryGit, MemoryRepository, MemoryWorktree

DOUBLED = (
    advance,
    changes_between,
    check_out,
    check_out_fresh,
    clean,
    commit_candidate,
    contains,
    create_branch,
    discard,
    foreign_commits,
    landing.land,
    merge_commit,
    move_branch,
    preflight_facts,
    run_setup,
    squash_commit,
    start_conflict,
    tip_of,
    trees_of,
    trial_merge,
    unmerged,
    with_files,
    with_tip_side,
)
"""The functions of git that a run uses."""
FREE_BYTES = 100 << 30


class MemoryWorkshop(WorktreeMaker):
    """Makes worktrees in memory."""

    def __init__(self, home: Path, git: MemoryGit) -> None:
        super().__init__(home)
        self.make = git.make  # type: ignore[method-assign]


class MemoryTrees(Trees):
    """Trees that are files in memory. Work on them takes no time and no thread."""

    def __init__(self, repository: MemoryRepository, *, host_id: str, clock: Callable[[], datetime]) -> None:
        self.host_id = host_id
        self.repository = repository
        self.git = MemoryGit(repository)
        self.worktree_maker = MemoryWorkshop(Path("/simulated/worktrees"), self.git)
        self._clock = clock
        self._ports = 20_000
        self._doubles: dict[Any, Callable[..., Any]] = {each: getattr(self.git, each.__name__) for each in DOUBLED}
        self._of_services: dict[str, Callable[..., Any]] = {
            "noted_setup": lambda path: repository.worktrees[path].note,
            "note_setup": self._note_setup,
            "setup_digest": self._setup_digest,
            "_check_out_again": self._check_out_again,
            "_existing": lambda _, branches: [each for each in branches if each in repository.branches],
            "_free_bytes": lambda _: FREE_BYTES,
            "_of_run": self._of_run,
            "_remove_folder": lambda *_, **__: None,
        }
        """Functions of services that put several calls of git together."""

    async def close(self) -> None:
        pass

    async def work(self, tree: Path, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
        """Run the counterpart of a function of git; everything else is run as it is."""
        await self.pause()
        done = self._counterpart(function)(*arguments, **options)
        await self.pause()
        return done

    async def pause(self) -> None:
        """Give others a turn; a simulation may end the process here."""

    def _counterpart(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(function, partial):
            return partial(self._counterpart(function.func), *function.args, **function.keywords)
        double = self._doubles.get(function) or self._of_services.get(function.__name__)
        is_git = str(function.__module__).startswith("mission.git")
        assert double is not None or not is_git, f"{function.__qualname__} of {function.__module__} has no double"
        return double or function

    def find_ports(self, taken: Collection[int]) -> int:  # type: ignore[override]
        return max([self._ports, *taken]) + 10

    async def snapshot(self, place: TreeLocation, **_: Any) -> Snapshot:
        return self._snapshot(place.tree.path)

    async def identify(self, place: TreeLocation, **_: Any) -> TreeIdentity:
        snapshot = self._snapshot(place.tree.path)
        return TreeIdentity(id=snapshot.digest, snapshot=snapshot)

    async def examine(self, snapshot: Mapping[str, Any], **_: Any) -> Examined:
        now = self._snapshot(Path(snapshot["tree"]))
        changes = self.git.changes_between(self.repository.top, snapshot["digest"], now.digest)
        return Examined(changes=changes, tree=TreeIdentity(id=now.digest, snapshot=now))

    async def start_tree_id(self, snapshot: Mapping[str, Any], *, overlay: Any = None) -> str:
        return str(snapshot["digest"])

    async def rebuild_start(self, snapshot: Mapping[str, Any], *, name: str, **_: Any) -> StartTree:
        path = self.start_path(name)
        files = dict(self.repository.trees[snapshot["digest"]])
        self.repository.worktrees[path] = MemoryWorktree(files, None, snapshot["head"])
        return StartTree(path=path, id=snapshot["digest"])

    def start_path(self, name: str) -> Path:
        return Path("/simulated/starts") / name

    async def watch(self, identity: Mapping[str, Any], *, left: Any) -> None:
        return None

    async def drift(self, identity: Mapping[str, Any], *, watch: Any = None) -> TreeDrift:
        path = Path(identity["snapshot"]["tree"])
        if path not in self.repository.worktrees:
            raise InvalidState(f"the folder {path} is gone")
        before, now = self.repository.trees[identity["id"]], self.repository.worktrees[path].files
        changed = sorted(name for name in before if now.get(name) != before[name])
        return TreeDrift(modified=changed, left={name: "x" for name in now if name not in before})

    async def forget(self, snapshots: Any) -> None:
        pass

    async def remove_start(self, name: str) -> None:
        pass

    async def clear_starts(self, *, keep: Collection[str]) -> None:
        pass

    async def workspace(self, workspace: Workspace) -> TreeLocation:
        return await self._find(Path(workspace.path))

    async def around(self, directory: str | None) -> None:
        return None

    async def _find(self, path: Path) -> TreeLocation:
        await self.pause()
        tree = Tree(path=path, kind="git", common_dir=self.repository.top / ".git")
        return TreeLocation(tree=tree, host_id=self.host_id)

    def _snapshot(self, path: Path) -> Snapshot:
        place = self.repository.worktrees[path]
        return Snapshot(
            key="memory",
            tree=str(path),
            kind="git",
            base="",
            delta="",
            digest=self.repository.write_tree(place.files),
            head=place.commit,
            reflog=None,
            taken_at=self._clock().isoformat(),
        )

    def _setup_digest(self, path: Path, setup: WorktreeSetup, inputs: Sequence[str]) -> str | None:
        return inputs_of(self.repository.worktrees[path].files) if setup.setup is not None else None

    def _note_setup(self, path: Path, digest: str | None) -> None:
        self.repository.worktrees[path].note = digest

    def _check_out_again(self, path: Path, *, tree: str) -> None:
        place = self.repository.worktrees.get(path)
        if place is not None and self.repository.commits[place.commit].tree == tree:
            self.git.check_out(path, path, commit=place.commit)

    def _of_run(self, top: Path, run_id: str) -> list[Path]:
        known = self.repository.worktrees.items()
        return [path for path, each in known if each.branch is None and run_id in path.parts]
