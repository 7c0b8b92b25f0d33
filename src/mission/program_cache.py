"""Files in MISSION_HOME with what a process would otherwise work out again at every start.

A file is used only by the program that wrote it. After an upgrade, a change of the code or damage it is ignored and
written again. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mission
from mission.private_files import read_sealed, write_sealed


class ProgramCache:
    """Values by name. Any of them may be missing at any time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> Any:
        """Return the value that this program stored, or None."""
        try:
            program, _, text = read_sealed(self._folder / name).partition("\n")
        except (OSError, ValueError):
            return None
        return json.loads(text) if program == program_digest() else None

    def write(self, name: str, value: Any) -> None:
        """Store the value if possible; without it the next start is only slower."""
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            write_sealed(self._folder / name, f"{program_digest()}\n{json.dumps(value)}\n")


@cache
def program_digest() -> str:
    """Return a text that differs between programs that may store different values."""
    digest = hashlib.sha256(f"{mission.__version__} {sys.version}".encode())
    for path, found in sorted(_files()):
        digest.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _files() -> Iterator[tuple[str, os.stat_result]]:
    """Yield our modules, and the library that makes the tools' schemas."""
    folders = [Path(mission.__file__).parent.as_posix()]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith(".py"):
                    yield entry.path, entry.stat()
    pydantic = find_spec("pydantic")
    if pydantic is not None and pydantic.origin is not None:
        yield pydantic.origin, Path(pydantic.origin).stat()
