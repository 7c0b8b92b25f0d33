"""Retries of calls that failed temporarily, without blocking a thread."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from mission.domain.errors import MissionError

Result = TypeVar("Result")

_NETWORK = frozenset({errno.ENETDOWN, errno.ENETUNREACH, errno.ENETRESET, errno.EHOSTDOWN, errno.EHOSTUNREACH})
"""Network failures that have no exception class in Python."""


def is_passing(error: BaseException) -> bool:
    """Return whether the error's class says that a retry may succeed.

    Callers of a library translate its errors, as the store does for databases, so only Python's own remain here.
    """
    if isinstance(error, MissionError):
        return error.retryable
    return isinstance(error, TimeoutError | ConnectionError) or (isinstance(error, OSError) and error.errno in _NETWORK)


def _always() -> bool:
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """The total number of attempts of a call, and the pause between them."""

    attempts: int = 3
    pause: float = 1.0

    async def run(self, attempt: Callable[[], Awaitable[Result]], *, harmless: Callable[[], bool] = _always) -> Result:
        """Return an attempt's result; `harmless` says after each failure whether another attempt is safe."""
        for _ in range(self.attempts - 1):
            try:
                return await attempt()
            except Exception as error:
                if not is_passing(error) or not harmless():
                    raise
            await asyncio.sleep(self.pause)
        return await attempt()
