"""The output of an execution as asciicast v2 files for any player; old pieces are deleted as new ones are added."""

from __future__ import annotations

import codecs
import json
import os
import time
from contextlib import suppress
from typing import Any

FILE = "transcript.cast"
PIECE_BYTES = 8 * 1024 * 1024
PIECES = 5


class Transcript:
    """Appends to the newest piece. The first piece is never deleted: the start of a run explains the rest.

    Events that cannot be written are skipped and counted: a full disk must not end the program.
    """

    def __init__(
        self, folder: str, *, rows: int, columns: int, title: str, piece_bytes: int = PIECE_BYTES, pieces: int = PIECES
    ) -> None:
        self._folder = folder
        self._header: dict[str, Any] = {"version": 2, "width": columns, "height": rows, "title": title}
        self._piece_bytes = piece_bytes
        self._pieces = pieces
        self._number = 0
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("out", "err")}
        self._began = time.time() - time.monotonic()  # so that changes of the clock do not reorder the pieces
        self._file: int | None = None
        self._size = 0
        self.missing = 0
        """Number of events that could not be written."""
        self._open()

    def output(self, data: bytes, *, stream: str) -> None:
        self._event("o", self._decoders[stream].decode(data))

    def typed(self, data: bytes) -> None:
        self._event("i", data.decode("utf-8", "replace"))

    def resized(self, rows: int, columns: int) -> None:
        self._header |= {"width": columns, "height": rows}
        self._event("r", f"{columns}x{rows}")

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> bool:
        """Return whether there is a piece with a header to write to."""
        if self._file is None:
            self._started = time.monotonic()
            with suppress(OSError):
                self._file = os.open(os.path.join(self._folder, FILE), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                self._size = os.fstat(self._file).st_size
        if self._file is None:
            return False
        return self._size > 0 or self._append({**self._header, "timestamp": int(self._began + self._started)})

    def _event(self, kind: str, text: str) -> None:
        if not text:
            return
        if not self._open() or not self._append([round(time.monotonic() - self._started, 6), kind, text]):
            self.missing += 1
        elif self._size >= self._piece_bytes:
            self._rotate()

    def _append(self, content: Any) -> bool:
        """Write a line and return whether that succeeded; a partial line is removed."""
        assert self._file is not None
        line = (json.dumps(content, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        try:
            written = os.write(self._file, line)
        except OSError:
            return False
        if written < len(line):
            os.ftruncate(self._file, self._size)
            return False
        self._size += written
        return True

    def _rotate(self) -> None:
        self.close()
        self._number += 1
        with suppress(OSError):
            os.rename(os.path.join(self._folder, FILE), self._piece(self._number))
            outdated = self._number - self._pieces + 2
            if outdated > 1:
                os.unlink(self._piece(outdated))

    def _piece(self, number: int) -> str:
        return os.path.join(self._folder, f"transcript.{number:06}.cast")


def pieces(folder: str) -> list[str]:
    """Return the files of a transcript, oldest first."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    numbered = sorted(name for name in names if name.startswith("transcript.0"))
    return [os.path.join(folder, name) for name in [*numbered, *([FILE] if FILE in names else [])]]
