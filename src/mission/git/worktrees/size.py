"""How much disk space a worktree uses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MAX_ENTRIES = 20_000
"""After so many files the rest is not counted: installed packages can be hundreds of thousands."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeSize:
    bytes: int
    whole: bool
    """False if there are more files than were counted."""


def size_of(path: Path, *, max_entries: int = MAX_ENTRIES) -> TreeSize:
    """Return the sizes of the files below a folder, added up. Links are not followed."""
    total = entries = 0
    folders = [os.fspath(path)]
    while folders:
        with os.scandir(folders.pop()) as found:
            for entry in found:
                if entries == max_entries:
                    return TreeSize(bytes=total, whole=False)
                entries += 1
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    total += _size(entry)
    return TreeSize(bytes=total, whole=True)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:  # removed since it was listed
        return 0
