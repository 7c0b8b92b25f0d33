"""Move files of a worktree that are in the way into its git directory, and back, without losing one in a crash."""

from __future__ import annotations

import errno
import filecmp
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from mission.git.file_names import display_name, original

FOLDER = "mission-aside"

Places = tuple[tuple[str, str], ...]
"""Path in the worktree → path of the folder or file where it is kept, both as `file_names.display_name` spells them."""


def places_for(git_dir: Path, paths: Iterable[bytes]) -> Places:
    """Return a new place for each of these paths; nothing is moved yet."""
    home = git_dir / FOLDER
    number = 1
    while (home / str(number)).exists():
        number += 1
    folder = home / str(number)
    return tuple((display_name(path), display_name(os.fsencode(folder / os.fsdecode(path)))) for path in sorted(paths))


def set_aside(top: Path, places: Places) -> None:
    """Move the files; a repeated call completes it."""
    for name, place in places:
        source, target = top / _path(name), Path(_path(place))
        if not os.path.lexists(target):
            _move(source, target)
        elif os.path.lexists(source) and _is_same(source, target):
            source.unlink()


def put_back(top: Path, places: Places) -> None:
    """Move the files back where nothing else is now."""
    for name, place in places:
        if not os.path.lexists(top / _path(name)):
            _move(Path(_path(place)), top / _path(name))


def _move(source: Path, target: Path) -> None:
    if not os.path.lexists(source):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        partial = target.with_name(f".{target.name[:200]}.partial")
        partial.unlink(missing_ok=True)
        shutil.copy2(source, partial, follow_symlinks=False)
        partial.rename(target)
        source.unlink()


def _is_same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)


def _path(name: str) -> str:
    return os.fsdecode(original(name))
