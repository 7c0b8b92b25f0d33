"""The TMPDIR of a check: its own, with a path short enough for sockets, and removed with everything in it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

LONGEST_PATH = 60
"""A socket's path has at most about 100 characters, and programs add their own folders."""
SHORT = Path("/tmp")


def make_temporary_folder(folder: Path) -> Path:
    """Create the TMPDIR of the check that has this folder."""
    inside, elsewhere = _places(folder)
    if len(os.fsencode(inside)) > LONGEST_PATH:
        with suppress(OSError):
            elsewhere.mkdir(mode=0o700)
            return elsewhere
    inside.mkdir(mode=0o700)
    return inside


def remove_temporary_folder(folder: Path) -> None:
    """Remove the TMPDIR of the check that has this folder, wherever it is."""
    for path in _places(folder):
        remove_tree(path)


def _places(folder: Path) -> tuple[Path, Path]:
    """Return both places for the TMPDIR. They follow from the folder's name: a path read from a file could be wrong."""
    return folder / "tmp", SHORT / f"check-{folder.name}"


def remove_tree(path: Path) -> None:
    """Remove a folder of this user as far as possible, including folders in it that were made read-only."""
    if not path.is_absolute() or len(path.parts) < 3:
        raise ValueError(f"refusing to remove {path}: the path of a check's folder must be absolute")
    with suppress(OSError):
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
            _remove(path)


def _remove(path: Path) -> None:
    try:
        path.rmdir()  # most are empty
    except OSError:
        shutil.rmtree(path, onerror=_remove_again)


def _remove_again(_: Callable[..., Any], path: str, __: Any) -> None:
    """Remove what could not be removed, after making its folder writable."""
    with suppress(OSError):
        Path(path).parent.chmod(0o700)
        if stat.S_ISDIR(os.lstat(path).st_mode):
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink()
