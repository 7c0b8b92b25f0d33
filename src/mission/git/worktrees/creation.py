"""Create worktrees so that a crash at any moment leaves a usable one, or one that the next attempt removes first.

Before git runs, a note records what is about to be created; it is removed when the worktree is complete. A worktree
with a note is unfinished and unused. One lock per path keeps two makers apart, in this process and in others.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mission.domain.errors import Conflict, InvalidInput, InvalidState, MissionError
from mission.git.command import ProgressCallback, check_branch
from mission.git.snapshots.snapshot_storage import make_folder, write
from mission.git.working_tree import find_tree
from mission.git.worktrees.setup import WorktreeSetup, copy_files, run_setup, still_copies, unignored
from mission.git.worktrees.worktree import (
    WorktreeRefused,
    add,
    base_of,
    delete_branch,
    folder_for,
    remove,
    tip_of,
    worktree_at,
    worktrees,
)

LOCK_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeRequest:
    """A request for a worktree at a path."""

    top: Path
    path: Path
    branch: str
    base: str | None = None
    create: bool = False
    """Whether it may be created; otherwise it must exist."""
    reuse_branch: bool = False
    """Whether the branch may already exist."""
    setup: WorktreeSetup = field(default_factory=WorktreeSetup)


@dataclass(frozen=True, kw_only=True, slots=True)
class CreatedWorktree:
    """A worktree that is ready for work."""

    path: Path
    branch: str
    base: str | None
    created: bool
    copied: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()


class WorktreeMaker:
    """Creates worktrees below `home` by default; callers may also name a path next to the repository."""

    def __init__(self, home: Path, *, roots: Sequence[Path] = (), setup_seconds: float = 600.0) -> None:
        self.home = home
        self._roots = (home, *roots)
        self._state = home / ".making"
        self._setup_seconds = setup_seconds

    def place_for(self, top: Path, name: str) -> Path:
        """Return the default path of a worktree of that name."""
        return Path(os.path.realpath(self.home)) / folder_for(top) / name

    def make(self, order: WorktreeRequest, *, report: ProgressCallback | None = None) -> CreatedWorktree:
        """Return the worktree at the path: the existing one, or a new one."""
        check_branch(order.branch)
        with self._locked(order) as lock:
            self._clear_unfinished(order)
            if order.path.exists() and not _is_empty_folder(order.path):
                return _registered(order)
            if not order.create:
                raise InvalidState(
                    f"path: there is no worktree at {order.path}",
                    hint="Pass create: true to create it, or create it with 'git worktree add' first.",
                    field="path",
                )
            self._check_root(order)
            return self._create(order, lock, report)

    def _create(self, order: WorktreeRequest, lock: int, report: ProgressCallback | None) -> CreatedWorktree:
        _clear_registration(order)
        tip = tip_of(order.top, order.branch)
        if tip is not None and not order.reuse_branch:
            raise InvalidState(
                f"branch: '{order.branch}' already exists in the repository",
                hint="Choose another name for the new branch.",
                field="branch",
            )
        base = base_of(order.top, order.base)
        note = self._state_file(order, "json")
        unfinished = {"path": str(order.path), "branch": order.branch, "commit": base.commit if tip is None else None}
        make_folder(order.path.parent)
        write(note, json.dumps(unfinished).encode(), durable=True)
        try:
            add(order.top, order.path, branch=order.branch, commit=base.commit if tip is None else None)
            made = self._set_up(order, lock, report)
        except BaseException:
            _discard(order, unfinished)
            note.unlink(missing_ok=True)
            raise
        note.unlink()
        return CreatedWorktree(path=order.path, branch=order.branch, base=base.name, created=True, **made)

    def _clear_unfinished(self, order: WorktreeRequest) -> None:
        """Remove what an interrupted maker left at this path."""
        note = self._state_file(order, "json")
        try:
            unfinished = json.loads(note.read_bytes())
        except FileNotFoundError:
            return
        except ValueError:
            unfinished = None
        if unfinished is not None and unfinished.get("path") == str(order.path):
            _discard(order, unfinished)
        note.unlink(missing_ok=True)

    def _check_root(self, order: WorktreeRequest) -> None:
        """Raise an error unless a worktree may be created at the path: below a root, outside the repository's trees."""
        real = Path(os.path.realpath(order.path))
        sibling = [order.top.parent] if order.top.parent != Path(order.top.anchor) else []
        roots = [Path(os.path.realpath(root)) for root in (*self._roots, *sibling)]
        if not any(real.is_relative_to(root) and real != root for root in roots):
            allowed = ", ".join(dict.fromkeys(map(str, roots)))
            raise InvalidInput(
                f"path: {order.path} is outside the folders allowed for worktrees",
                hint=f"Choose a path below one of: {allowed}.",
                field="path",
            )
        for tree in worktrees(order.top):
            if real.is_relative_to(tree.path) and real != tree.path:
                raise InvalidInput(
                    f"path: {order.path} is inside a working tree of the repository",
                    hint="Choose a path next to the repository.",
                    field="path",
                )

    @contextmanager
    def _locked(self, order: WorktreeRequest) -> Iterator[int]:
        """Lock the path; a setup command that outlives its maker holds the lock too, until it ends."""
        make_folder(self._state)
        descriptor = os.open(self._state_file(order, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _wait_for(descriptor, seconds=self._setup_seconds)
            yield descriptor
        finally:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # also for processes that inherited it
            os.close(descriptor)

    def _set_up(self, order: WorktreeRequest, lock: int, report: ProgressCallback | None) -> dict[str, Any]:
        wanted = order.setup
        copied = copy_files(wanted.copy, source=order.top, target=order.path)
        if wanted.setup is not None:
            if report is not None:
                report("running the setup command")
            run_setup(
                wanted.setup,
                folder=order.path,
                seconds=self._setup_seconds,
                variables=wanted.variables,
                inherited=[lock],
            )
        open_files = unignored(list(copied), target=order.path)
        warnings = [f"'{name}' was copied but git does not ignore it: keep it out of commits" for name in open_files]
        return {"copied": copied, "warnings": warnings}

    def _state_file(self, order: WorktreeRequest, kind: str) -> Path:
        name = hashlib.sha256(os.fsencode(os.path.realpath(order.path))).hexdigest()[:32]
        return self._state / f"{name}.{kind}"


def _registered(order: WorktreeRequest) -> CreatedWorktree:
    """Return the existing worktree, if it is the requested one."""
    tree = find_tree(order.path)
    known = worktree_at(order.top, order.path)
    if known is None or tree.path != known.path:
        raise InvalidInput(
            f"path: {order.path} exists and is not a worktree of the mission's repository",
            hint="Name another path, or one that 'git worktree list' shows.",
            field="path",
        )
    if known.branch != order.branch:
        raise InvalidState(
            f"branch: the worktree at {order.path} is on {known.branch or 'no branch'}, not on '{order.branch}'",
            hint="Pass the branch that is checked out there.",
            field="branch",
            current=known.branch,
        )
    return CreatedWorktree(
        path=known.path,
        branch=order.branch,
        base=order.base or (base_of(order.top, None).name if order.create else None),
        created=False,
        copied=still_copies(order.setup.copy, source=order.top, target=known.path),
    )


def _clear_registration(order: WorktreeRequest) -> None:
    """Forget a worktree that is registered at the path but whose folder is gone."""
    known = worktree_at(order.top, order.path)
    if known is not None and not (known.path / ".git").exists():
        remove(order.top, known.path, force=True)


def _discard(order: WorktreeRequest, unfinished: Mapping[str, Any]) -> None:
    """Undo an unfinished creation; keep a branch that has commits of its own by now."""
    # git registers a worktree before it creates the folder, so a folder without registration is not ours.
    if worktree_at(order.top, order.path) is not None:
        try:
            remove(order.top, order.path, force=True)
        except WorktreeRefused:
            shutil.rmtree(order.path, ignore_errors=True)
            remove(order.top, order.path, force=True)
    commit = unfinished.get("commit")
    if commit is not None and tip_of(order.top, unfinished["branch"]) == commit:
        with suppress(MissionError):
            delete_branch(order.top, unfinished["branch"], tip=commit)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def _wait_for(descriptor: int, *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Conflict(
                    "another call is creating a worktree at this path", hint="Try again when it has finished."
                ) from None
            time.sleep(LOCK_SECONDS)
