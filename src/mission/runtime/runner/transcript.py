"""What an execution showed, as asciicast v2 files that any player replays; old pieces make room for new ones."""

from __future__ import annotations

import codecs
import json
import os
import time
from typing import Any

FILE = "transcript.cast"
PIECE_BYTES = 8 * 1024 * 1024
PIECES = 5


class Transcript:
    """Appends to the newest piece. The first piece is kept for good: how a run began explains the rest."""

    def __init__(
        self, folder: str, *, rows: int, columns: int, title: str, piece_bytes: int = PIECE_BYTES, pieces: int = PIECES
    ) -> None:
        self._folder = folder
        self._header: dict[str, Any] = {"version": 2, "width": columns, "height": rows, "title": title}
        self._piece_bytes = piece_bytes
        self._pieces = pieces
        self._number = 0
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("out", "err")}
        self._open()

    def output(self, data: bytes, *, stream: str) -> None:
        self._event("o", self._decoders[stream].decode(data))

    def typed(self, data: bytes) -> None:
        self._event("i", data.decode("utf-8", "replace"))

    def resized(self, rows: int, columns: int) -> None:
        self._header |= {"width": columns, "height": rows}
        self._event("r", f"{columns}x{rows}")

    def close(self) -> None:
        self._file.close()

    def _open(self) -> None:
        self._started = time.monotonic()
        path = os.path.join(self._folder, FILE)
        self._file = open(path, "x", encoding="utf-8", opener=_private)  # noqa: SIM115 - closed with the transcript
        self._file.write(json.dumps({**self._header, "timestamp": int(time.time())}, ensure_ascii=False) + "\n")
        self._file.flush()
        self._size = 0

    def _event(self, kind: str, text: str) -> None:
        if not text:
            return
        line = json.dumps([round(time.monotonic() - self._started, 6), kind, text], ensure_ascii=False) + "\n"
        self._file.write(line)
        self._file.flush()
        self._size += len(line)
        if self._size >= self._piece_bytes:
            self._rotate()

    def _rotate(self) -> None:
        self._file.close()
        self._number += 1
        os.rename(os.path.join(self._folder, FILE), self._piece(self._number))
        outdated = self._number - self._pieces + 2
        if outdated > 1:
            os.unlink(self._piece(outdated))
        self._open()

    def _piece(self, number: int) -> str:
        return os.path.join(self._folder, f"transcript.{number:06}.cast")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def pieces(folder: str) -> list[str]:
    """The files of a transcript, oldest first."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    numbered = sorted(name for name in names if name.startswith("transcript.0"))
    return [os.path.join(folder, name) for name in [*numbered, *([FILE] if FILE in names else [])]]
