"""Sessions that were signed out, kept in a file until each of them would have expired."""

from __future__ import annotations

import logging
import re
import time
from pathlib import Path

from mission.private_files import read_sealed, write_sealed

log = logging.getLogger("mission")

_BEFORE = "before "
_LINE = re.compile(r"[0-9]{1,12}\.[\w-]+", re.ASCII)


class EndedSessions:
    """Knows which sessions have ended. If the file is damaged or missing, all earlier sessions have ended.

    The file is created with the operator's token, so only the home of an earlier version has none.
    """

    def __init__(self, path: Path, *, lifetime: int) -> None:
        """Read the file; `lifetime` is in seconds. The name of a session starts with the second in which it ends."""
        self._path = path
        self._lifetime = lifetime
        self._ended: set[str] = set()
        self._before = 0
        """Sessions that were opened before this second are over."""
        try:
            self._before, self._ended = _parse(read_sealed(path))
        except (OSError, ValueError) as error:
            log.warning("%s cannot be read (%s): every browser must sign in again, with 'mission open'", path, error)
            self._reset()

    def __contains__(self, session: str) -> bool:
        """Return whether the session was signed out or has expired."""
        end = end_of(session)
        return session in self._ended or end - self._lifetime < self._before or end <= time.time()

    def add(self, session: str) -> None:
        """End the session; raise OSError if that cannot be stored, and then it has not ended."""
        lasting = {each for each in self._ended if end_of(each) > time.time()} | {session}
        self._write(lasting)
        self._ended = lasting

    def _reset(self) -> None:
        """Store that everyone must sign in again. If that fails, the next start does it."""
        self._before = int(time.time())
        try:
            self._write(set())
        except OSError as error:
            log.warning("%s cannot be written either: %s", self._path, error)

    def _write(self, sessions: set[str]) -> None:
        body = "".join(f"{line}\n" for line in [f"{_BEFORE}{self._before}", *sorted(sessions)])
        write_sealed(self._path, body)


def end_of(session: str) -> int:
    """Return the second in which a session expires."""
    return int(session.partition(".")[0])


def _parse(body: str) -> tuple[int, set[str]]:
    """Return the content of the file; an empty file is new."""
    before, *sessions = body.splitlines() or [f"{_BEFORE}0"]
    if not all(_LINE.fullmatch(each) for each in sessions):
        raise ValueError("it has a line that is not a session")
    return int(before.removeprefix(_BEFORE)), set(sessions)
