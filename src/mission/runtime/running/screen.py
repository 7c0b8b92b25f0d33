"""The screen of an execution for its watchers: the last output, then everything live."""

from __future__ import annotations

import asyncio
import codecs
import json
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mission.runtime.runner import transcript

MAX_CHARACTERS = 256 * 1024
MAX_QUEUE_LENGTH = 4_000


class ScreenWatcher:
    """One watcher; if it cannot keep up, it misses output instead of slowing down the others."""

    def __init__(self, history: str) -> None:
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self.has_history = bool(history)
        if history:
            self._pieces.put_nowait(history)

    async def next(self) -> str | None:
        """Return the next piece of text, or None at the end."""
        return await self._pieces.get()

    def offer(self, text: str | None) -> None:
        if self._pieces.qsize() >= MAX_QUEUE_LENGTH:
            while not self._pieces.empty():
                self._pieces.get_nowait()
        self._pieces.put_nowait(text)


class Screen:
    """The output of one execution as its watchers see it."""

    def __init__(self, history: str = "", *, shown_at: datetime | None = None) -> None:
        self.shown_at = shown_at
        self._kept: deque[str] = deque([history] if history else [])
        self._size = len(history)
        self._watchers: set[ScreenWatcher] = set()
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("out", "err")}

    def show(self, data: bytes, *, stream: str, at: datetime) -> None:
        self.shown_at = at
        text = self._decoders[stream].decode(data)
        if not text:
            return
        self._kept.append(text)
        self._size += len(text)
        while self._size > MAX_CHARACTERS and len(self._kept) > 1:
            self._size -= len(self._kept.popleft())
        for watcher in self._watchers:
            watcher.offer(text)

    @property
    def text(self) -> str:
        """Return the last output."""
        return "".join(self._kept)[-MAX_CHARACTERS:]

    def join(self) -> ScreenWatcher:
        watcher = ScreenWatcher(self.text)
        self._watchers.add(watcher)
        return watcher

    def leave(self, watcher: ScreenWatcher) -> None:
        self._watchers.discard(watcher)

    def close(self) -> None:
        for watcher in self._watchers:
            watcher.offer(None)
        self._watchers.clear()


def last_shown(folder: Path) -> datetime | None:
    """Return when the transcript was last written, or None."""
    try:
        return datetime.fromtimestamp((folder / transcript.FILE).stat().st_mtime, UTC)
    except OSError:
        return None


def shown_before(folder: Path) -> str:
    """Return the last output in a transcript."""
    kept: deque[str] = deque()
    size = 0
    for piece in reversed(transcript.pieces(str(folder))):
        for line in reversed(_lines(Path(piece))):
            with suppress(ValueError, TypeError):
                _, kind, text = json.loads(line)
                if kind == "o":
                    kept.appendleft(text)
                    size += len(text)
            if size > MAX_CHARACTERS:
                return "".join(kept)[-MAX_CHARACTERS:]
    return "".join(kept)


def cast(folder: Path) -> str | None:
    """Return the whole transcript as one asciicast, or None. Input is omitted: it may contain passwords."""
    header: dict[str, Any] | None = None
    events: list[str] = []
    last = 0.0
    for piece in transcript.pieces(str(folder)):
        began, *lines = _whole(Path(piece)) or ["{}"]
        with suppress(ValueError, TypeError, KeyError):
            about = json.loads(began)
            header = header or about
            # The header has whole seconds, so a piece could seem to start before the previous one ended.
            later = max(about["timestamp"] - header["timestamp"], last)
            for line in lines:
                with suppress(ValueError, TypeError):
                    at, kind, text = json.loads(line)
                    last = max(last, round(at + later, 6))
                    if kind != "i":
                        events.append(json.dumps([last, kind, text]))
    return "\n".join([json.dumps(header), *events, ""]) if header is not None else None


def _lines(path: Path) -> list[str]:
    """Return the events of a piece, without its header."""
    return _whole(path)[1:]


def _whole(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []
