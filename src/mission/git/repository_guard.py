"""Check the files that git will open in a repository before git does: a pipe or a device could block it forever.

This finds the likely cases immediately and by name. The limits of `command.run` end the others.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from mission.git.errors import SpecialFile
from mission.git.safe_reading import read

OWN = ("HEAD", "index", "config.worktree", "commondir", "gitdir", "logs/HEAD")
"""Files of one worktree, below its git directory."""
SHARED = (
    "config", "packed-refs", "shallow", "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout",
    "objects/info/alternates", "objects/info/commit-graph",
)  # fmt: skip
RULES = (".gitattributes", ".gitignore", ".gitmodules")
"""Files of a tree that git reads for itself; it does not follow links to the first two."""
MAX_FILE_BYTES = {
    "HEAD": 1 << 20, "commondir": 1 << 20, "gitdir": 1 << 20, "config": 16 << 20, "config.worktree": 16 << 20,
    "packed-refs": 256 << 20, "objects/info/alternates": 1 << 20,
}  # fmt: skip
"""What git holds in memory as a whole."""
MAX_REF_BYTES = 1 << 12
MAX_PATH_LENGTH = 1 << 16


def check_repository(cwd: Path) -> None:
    """Raise an error unless the repository around the directory has regular files wherever git expects files."""
    for folder in (cwd, *cwd.parents):
        git_dir = git_dir_at(folder)
        if git_dir is not None:
            _check_files(git_dir, OWN)
            common = _common_dir(git_dir)
            _check_files(common, SHARED)
            _check_head(git_dir, common)
            check_rules(folder, RULES)
            return


def _check_head(git_dir: Path, common: Path) -> None:
    """Raise SpecialFile if the ref that HEAD names is not a small regular file; git would read it to its end."""
    try:
        head = read(git_dir, "HEAD", limit=MAX_PATH_LENGTH).strip()
    except OSError:
        return
    name = os.fsdecode(head.removeprefix(b"ref: "))
    if not head.startswith(b"ref: ") or "\0" in name:
        return
    for _, status in _there(common, (name,)):
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_REF_BYTES:
            raise SpecialFile(f".git/{name}")


def repository_of(path: Path) -> Path:
    """Return a path that is the same for all folders and worktrees of a repository; outside any, the path itself."""
    with suppress(OSError, ValueError):
        real = Path(os.path.realpath(path))
        for folder in (real, *real.parents):
            if _mode(folder / ".git", follow=False) is not None:
                git_dir = git_dir_at(folder)
                return folder if git_dir is None else Path(os.path.realpath(_common_dir(git_dir)))
        return real
    return path


def check_rules(top: Path, names: Iterable[str]) -> None:
    """Raise an error unless each of these files of the tree is a regular file, a link or absent."""
    for name in names:
        mode = _mode(os.path.join(top, name), follow=name.endswith(".gitmodules"))  # noqa: PTH118 (may be many)
        if mode is not None and not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
            raise SpecialFile(name)


def git_dir_at(folder: Path) -> Path | None:
    """Return the git directory of the worktree that starts at this folder, according to its .git."""
    mode = _mode(folder / ".git", follow=True)
    if mode is None:
        return None
    return folder / ".git" if stat.S_ISDIR(mode) else _named(folder, ".git", "gitdir: ")


def _common_dir(git_dir: Path) -> Path:
    return _named(git_dir, "commondir", "") or git_dir


def _named(folder: Path, name: str, prefix: str) -> Path | None:
    """Return the path that a small file contains."""
    try:
        real = Path(os.path.realpath(folder / name))
        content = read(real.parent, real.name, limit=MAX_PATH_LENGTH)
    except OSError:
        return None
    line = content.removeprefix(prefix.encode()).rstrip(b"\r\n")
    return folder / os.fsdecode(line) if line and b"\0" not in line else None


def _check_files(folder: Path, names: Iterable[str]) -> None:
    for name, status in _there(folder, names):
        ordinary = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        if not ordinary or status.st_size > MAX_FILE_BYTES.get(name, status.st_size):
            raise SpecialFile(f".git/{name}")


def _there(folder: Path, names: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    for name in names:
        try:
            yield name, os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 (before every git command)
        except (OSError, ValueError):
            continue


def _mode(path: str | Path, *, follow: bool) -> int | None:
    try:
        return os.stat(path, follow_symlinks=follow).st_mode  # noqa: PTH116 (before every git command)
    except (OSError, ValueError):
        return None
