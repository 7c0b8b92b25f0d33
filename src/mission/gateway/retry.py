"""Tries a call again when its failure is marked as passing; waiting holds no thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from mission.domain.errors import MissionError

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """How often a call is tried in all, and the pause in between."""

    attempts: int = 3
    pause: float = 1.0

    async def run(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        for _ in range(self.attempts - 1):
            try:
                return await attempt()
            except MissionError as error:
                if not error.retryable:
                    raise
            await asyncio.sleep(self.pause)
        return await attempt()
