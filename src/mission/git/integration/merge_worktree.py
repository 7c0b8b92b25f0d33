"""Worktrees of our own in which merged commits are checked; everything in them may be thrown away.

The merge worktree lives as long as its run and keeps ignored files, so that builds stay fast. A fresh one has nothing
but the commit. Neither has a branch. One that is missing, damaged or in an odd state is rebuilt.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mission.domain.errors import Conflict
from mission.git.command import LONG, OURS, GitResult, Settings, run
from mission.git.errors import GitFailed
from mission.git.integration.branch_refs import operation_in_progress
from mission.git.integration.errors import CommitMissing
from mission.git.repository_guard import git_dir_at, repository_of
from mission.git.snapshots.snapshot_storage import make_folder
from mission.git.worktrees.repository_programs import for_network, without_filters
from mission.git.worktrees.worktree import WorktreeRefused, commit_of, remove, worktree_at

WHOLE: Settings = (("core.sparseCheckout", "false"),)
"""Every file of the commit is checked out."""
LOCKS = ("index.lock", "HEAD.lock", "config.worktree.lock")
PATIENCE = 30.0
PAUSE = 0.02


def check_out(top: Path, path: Path, *, commit: str) -> None:
    """Give the worktree at `path` exactly the files of the commit; ignored files stay, all others are removed.

    It is created if it does not exist, and rebuilt if it cannot be used. Raise CommitMissing, or Conflict if another
    call works there.
    """
    with _locked(path) as lock:
        _check_commit(top, commit)
        place = _Place(top, path, lock)
        if place.is_usable():
            with suppress(GitFailed, OSError):
                place.write(commit)
                return
        place.rebuild(commit)


def check_out_fresh(top: Path, path: Path, *, commit: str) -> None:
    """Create a worktree at `path` with the files of the commit and nothing else; what was there is removed."""
    with _locked(path) as lock:
        _check_commit(top, commit)
        _Place(top, path, lock).rebuild(commit)


def discard(top: Path, path: Path) -> None:
    """Remove the worktree at `path`, with everything in it."""
    with _locked(path) as lock:
        _Place(top, path, lock).clear()


def lock_of(path: Path) -> Path:
    """Return the file that is locked while somebody works on the worktree at `path`."""
    return path.with_name(f".{path.name}.lock")


class _Place:
    """A worktree of ours while it is locked."""

    def __init__(self, top: Path, path: Path, lock: int) -> None:
        self._top = top
        self._path = Path(os.path.realpath(path.parent)) / path.name
        self._lock = lock

    def is_usable(self) -> bool:
        """Return whether git knows the worktree and no operation is in progress in it."""
        git_dir = git_dir_at(self._path)
        if git_dir is None or self._path.is_symlink() or not (git_dir / "HEAD").exists():
            return False
        if not (git_dir / "index").exists() or operation_in_progress(self._path, git_dir) is not None:
            return False
        if repository_of(self._path) != repository_of(self._top):
            return False
        known = worktree_at(self._top, self._path)
        return known is not None and not known.main

    def write(self, commit: str) -> None:
        """Check out the commit. HEAD comes first: it may be on a branch, which must not move."""
        self._remove_locks()
        self._clear_marks()
        self._git("update-ref", "--no-deref", "-m", "mission: check", "HEAD", commit)
        self._git("reset", "--hard", "--quiet", network=True)
        self._remove_untracked()

    def rebuild(self, commit: str) -> None:
        self.clear()
        make_folder(self._path.parent)
        settings = without_filters(self._top)
        run(
            "worktree", "add", "--no-checkout", "--detach", "--force", "--", str(self._path), commit,
            cwd=self._top, settings=settings, timeout=LONG, umask=OURS, inherited=[self._lock],
        )  # fmt: skip
        self._git("reset", "--hard", "--quiet", network=True)

    def clear(self) -> None:
        """Remove the folder and what git knows about it, in whichever state they are."""
        aside = self._path.with_name(f".{self._path.name}.removing")
        _destroy(aside)
        if os.path.lexists(self._path):
            self._path.rename(aside)
            _destroy(aside)
        if worktree_at(self._top, self._path) is not None:
            with suppress(WorktreeRefused):
                remove(self._top, self._path, force=True)

    def _remove_locks(self) -> None:
        """Remove locks of a git that was killed: nobody works here but us, one at a time."""
        git_dir = git_dir_at(self._path) or self._path
        for name in LOCKS:
            (git_dir / name).unlink(missing_ok=True)

    def _clear_marks(self) -> None:
        """Let git look at every file: a check may have marked some to be skipped."""
        listed = self._git("ls-files", "-v", "-z").out.split(b"\0")
        marked = b"".join(row[2:] + b"\0" for row in listed if row[:1].islower() or row[:1] == b"S")
        for bit in ("--no-assume-unchanged", "--no-skip-worktree") if marked else ():
            self._git("update-index", bit, "-z", "--stdin", stdin=marked)

    def _remove_untracked(self) -> None:
        """Remove what a check left behind, also nested repositories and folders that it closed; keep ignored files."""
        cleaned = self._git("clean", "-ffd", "--quiet", allowed=(0, 1))
        if cleaned.code:
            _open_folders(self._path)
            self._git("clean", "-ffd", "--quiet")

    def _git(
        self, *arguments: str, stdin: bytes = b"", allowed: tuple[int, ...] = (0,), network: bool = False
    ) -> GitResult:
        """Run git here; the user's own filters work, and may use the network to fetch files of LFS."""
        opened = for_network(self._path) if network else None
        return run(
            *arguments,
            cwd=self._path,
            settings=(*without_filters(self._path), *(opened or ()), *WHOLE),
            stdin=stdin,
            allowed=allowed,
            timeout=LONG,
            stuck_after=LONG if network else None,
            umask=OURS,
            network=opened is not None,
            inherited=[self._lock],
        )


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Lock the path across processes; git commands that outlive us hold the lock too."""
    make_folder(path.parent)
    descriptor = os.open(lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + PATIENCE
    try:
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if time.monotonic() > deadline:
                raise Conflict("another call is working in this worktree", hint="Try again when it has finished.")
            time.sleep(PAUSE)
        yield descriptor
    finally:
        os.close(descriptor)


def _check_commit(top: Path, commit: str) -> None:
    if commit_of(top, commit) is None:
        raise CommitMissing(commit)


def _destroy(path: Path) -> None:
    """Remove a folder without following the links in it."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        _open_folders(path)
        shutil.rmtree(path, ignore_errors=True)


def _open_folders(path: Path) -> None:
    """Let us change every folder below this one: a check may have closed some."""
    for folder, inner, _ in os.walk(path):
        for each in (Path(folder) / name for name in inner):
            with suppress(OSError):
                if not each.is_symlink():
                    each.chmod(0o700)
