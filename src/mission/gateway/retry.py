"""Tries a call again when its failure is passing; waiting holds no thread."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from mission.domain.errors import MissionError

Result = TypeVar("Result")

_NETWORK = frozenset({errno.ENETDOWN, errno.ENETUNREACH, errno.ENETRESET, errno.EHOSTDOWN, errno.EHOSTUNREACH})
"""Failures of the network that Python gives no class of their own."""


def is_passing(error: BaseException) -> bool:
    """Tell by its class whether the same thing may succeed a moment later.

    Whoever calls a library translates its errors, as the store does for databases, so only Python's own are left here.
    """
    if isinstance(error, MissionError):
        return error.retryable
    return isinstance(error, TimeoutError | ConnectionError) or (isinstance(error, OSError) and error.errno in _NETWORK)


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
