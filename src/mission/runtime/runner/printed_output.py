"""What a check prints, in numbered files of one MiB. The first and the last MiB are kept, files between are deleted."""

from __future__ import annotations

import os
from contextlib import suppress

PIECE_BYTES = 1024 * 1024
ROOM_BYTES = 16 * 1024
PREFIX = "printed."


def piece_path(folder: str, number: int) -> str:
    """Return the file that has the output from `number` MiB on."""
    return os.path.join(folder, f"{PREFIX}{number:06}")


class PrintedOutput:
    """Appends to the newest piece. After a first failure nothing more is stored, so that no gap goes unnoticed."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: int | None = None
        self._stored = 0
        self.total = 0
        self.problem: str | None = None
        """Why some of the output is not stored."""

    def add(self, data: bytes) -> None:
        self.total += len(data)
        try:
            while data and self.problem is None:
                written = os.write(self._open(), data[: PIECE_BYTES - self._stored % PIECE_BYTES])
                data = data[written:]
                self._stored += written
                if self._stored % PIECE_BYTES == 0:
                    self._next_piece()
        except OSError as problem:
            self.problem = problem.strerror or str(problem)

    def make_room(self) -> None:
        """Drop the last stored bytes for the sake of something more important."""
        inside = self._stored % PIECE_BYTES
        with suppress(OSError):
            os.truncate(piece_path(self._folder, self._stored // PIECE_BYTES), max(0, inside - ROOM_BYTES))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        if self._file is None:
            path = piece_path(self._folder, self._stored // PIECE_BYTES)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        return self._file

    def _next_piece(self) -> None:
        self.close()
        outdated = self._stored // PIECE_BYTES - 2
        if outdated > 0:
            with suppress(OSError):
                os.unlink(piece_path(self._folder, outdated))
