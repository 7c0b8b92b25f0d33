"""Files that only their owner may read, written completely or not at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_SEAL = "sha256 "


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read; a reader sees the old or the new content, never a part."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        _sync(path.parent)  # otherwise a power failure could bring back the old content
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_sealed(path: Path, text: str) -> None:
    """Write a private file of lines, with a last line that shows a reader that it is complete."""
    write_private(path, f"{text}{_SEAL}{_digest(text)}\n")


def read_sealed(path: Path) -> str:
    """Return the lines of a sealed file. Raise ValueError if it is incomplete, OSError if it is missing."""
    text, _, found = path.read_bytes().decode("ascii").rpartition(_SEAL)
    if found != f"{_digest(text)}\n":
        raise ValueError("it is incomplete")
    return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
