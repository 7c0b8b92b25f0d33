"""The port through which the command of a check runs; the daemon's runtime implements it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

IDLE_SECONDS = 300.0
TAIL_CHARACTERS = 4_000


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckStart:
    """A command to run. Its environment is complete, except for TMPDIR and the variable that marks its processes."""

    evidence_id: str
    command: str
    directory: Path
    environment: Mapping[str, str] = field(repr=False)
    seconds: float
    """The time after which it is ended with everything it started."""
    idle_seconds: float | None = IDLE_SECONDS
    """The time without any CPU use after which it is ended; None: never."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckExit:
    """The end of a command. It has an exit code or a signal only if the command ended by itself."""

    exit_code: int | None = None
    signal: str | None = None
    timed_out: bool = False
    idle: bool = False
    """True if it was ended because it used no CPU."""
    stopped: bool = False
    """True if it was ended by `stop`."""
    error: str | None = None
    """Why it could not start, or why its end says nothing about the work: a full disk, a removed directory."""
    lost: bool = False
    """True if its runner is gone and it is unknown how the command ended."""
    left_over: int = 0
    """Number of processes that it left running; they were ended with it."""
    output_bytes: int = 0
    """Everything it printed, including what was left out."""
    seconds: float = 0.0
    started_at: float | None = None
    """Unix time; None if it is unknown when, or whether, it started."""
    tail: str = ""
    """The last characters of its output, with secrets masked."""

    @property
    def passed(self) -> bool:
        """Return whether the command ended by itself with exit code 0, without any problem."""
        is_doubtful = self.timed_out or self.idle or self.stopped or self.lost or self.error is not None
        return self.exit_code == 0 and not is_doubtful


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputPiece:
    """A piece of a check's output, with secrets masked."""

    text: str
    """While the check runs, whole lines; once it has `ended`, all that is stored, in place of earlier pieces."""
    next_offset: int
    """Where to read next, in bytes as printed."""
    left_out: int = 0
    """Number of bytes between the offset and this piece that are not shown."""
    ended: bool = False


class CheckRunner(Protocol):
    """Runs commands so that they survive a daemon's death, and keeps their output. No method raises an OSError."""

    async def get_ready(self) -> None:
        """Prepare for a command that will be started soon."""

    async def start(self, start: CheckStart) -> None:
        """Start the command, unless one was already started for this evidence. `wait` reports failures."""

    async def wait(self, evidence_id: str) -> CheckExit:
        """Return how the command ended, once it has; an earlier daemon may have started it."""

    async def stop(self, evidence_id: str) -> CheckExit:
        """End the command with everything it started, and return how it ended."""

    async def allow_idle(self, evidence_id: str, *, allowed: bool) -> None:
        """Set whether the command may be idle without a limit; its idle time counts from when this is turned off."""

    async def read_output(self, evidence_id: str, *, offset: int = 0) -> OutputPiece:
        """Return the output from an offset; a negative offset counts from the end."""

    def has_started(self, evidence_id: str) -> bool:
        """Return whether a command was started for this evidence, by whichever daemon."""

    def output(self, evidence_id: str) -> Path:
        """Return the file with the output of an ended command; it may be missing."""

    def stored(self) -> list[str]:
        """Return the evidence ids of all commands that have files, running or ended."""

    async def forget(self, evidence_id: str) -> None:
        """Delete everything stored about a command, which is ended first if it still runs."""
