"""Tries a call again when its failure is passing; waiting holds no thread."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from mission.domain.errors import MissionError
from mission.store.errors import DatabaseFailure

Result = TypeVar("Result")

_WORDS = re.compile(r"timeout|connection|network", re.IGNORECASE)
"""What the failures of others are known by; our own say for themselves whether they pass."""


def is_passing(error: BaseException) -> bool:
    """Whether the same thing may succeed a moment later."""
    if isinstance(error, MissionError):
        return error.retryable
    if not isinstance(error, Exception) or isinstance(error, DatabaseFailure):
        return False  # the store has translated what passes; the rest of its words are the callers' own
    return _WORDS.search(f"{type(error).__name__}: {error}") is not None


def _always() -> bool:
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """How often a call is tried in all, and the pause in between."""

    attempts: int = 3
    pause: float = 1.0

    async def run(self, attempt: Callable[[], Awaitable[Result]], *, harmless: Callable[[], bool] = _always) -> Result:
        """What an attempt gives; `harmless` says after each failure whether another one can do no harm."""
        for _ in range(self.attempts - 1):
            try:
                return await attempt()
            except Exception as error:
                if not is_passing(error) or not harmless():
                    raise
            await asyncio.sleep(self.pause)
        return await attempt()
