"""The sessions that were signed out, kept in a file for as long as each of them could have lasted."""

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
    """Knows which sessions are over. A file that is damaged or gone could miss one: then all earlier sessions are over.

    The file is made with the operator's token: only the home of an earlier version has none yet.
    """

    def __init__(self, path: Path, *, lifetime: int) -> None:
        """`lifetime` is how many seconds a session lasts; its name begins with the second in which it ends."""
        self._path = path
        self._lifetime = lifetime
        self._ended: set[str] = set()
        self._before = 0
        """Sessions that were opened before this second are over."""
        try:
            self._before, self._ended = _parsed(read_sealed(path))
        except (OSError, ValueError) as error:
            log.warning("%s cannot be read (%s): every browser must sign in again, with 'mission open'", path, error)
            self._reset()

    def __contains__(self, session: str) -> bool:
        """Return whether the session is over, by signing out or by age."""
        end = end_of(session)
        return session in self._ended or end - self._lifetime < self._before or end <= time.time()

    def add(self, session: str) -> None:
        """Remember it; an error when that cannot be written down, and then it is not over."""
        lasting = {each for each in self._ended if end_of(each) > time.time()} | {session}
        self._write(lasting)
        self._ended = lasting

    def _reset(self) -> None:
        """Remember that everybody had to sign in again. Where that cannot be written, the next start finds it out."""
        self._before = int(time.time())
        try:
            self._write(set())
        except OSError as error:
            log.warning("%s cannot be written either: %s", self._path, error)

    def _write(self, sessions: set[str]) -> None:
        body = "".join(f"{line}\n" for line in [f"{_BEFORE}{self._before}", *sorted(sessions)])
        write_sealed(self._path, body)


def end_of(session: str) -> int:
    """The second in which a session ends by itself."""
    return int(session.partition(".")[0])


def _parsed(body: str) -> tuple[int, set[str]]:
    """Return what the lines of the file say; none are those of a new one."""
    before, *sessions = body.splitlines() or [f"{_BEFORE}0"]
    if not all(_LINE.fullmatch(each) for each in sessions):
        raise ValueError("it has a line that is not a session")
    return int(before.removeprefix(_BEFORE)), set(sessions)
