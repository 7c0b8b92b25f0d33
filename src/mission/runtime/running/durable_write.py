"""Writes that must not be lost: repeated until the store is available and its disk has space."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from mission.domain.errors import TransientError
from mission.services.work import Work

log = logging.getLogger(__name__)

Result = TypeVar("Result")

AGAIN_SECONDS = 1.0


async def write_until_stored(work: Work, function: Callable[..., Result], **arguments: Any) -> Result:
    """Return the function's result once it is stored. The function may run twice after a broken connection."""
    while True:
        try:
            return await work.write(function, **arguments)
        except TransientError as error:
            log.warning("a record of an agent is waiting for the store: %s", error.message)
        await pause()


async def pause() -> None:
    await asyncio.sleep(AGAIN_SECONDS)


class DurableWork:
    """Work whose writes wait until they are stored, for callers that cannot try again."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def read(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        return await self._work.read(function, **arguments)

    async def write(self, function: Callable[..., Any], /, **arguments: Any) -> Any:
        return await write_until_stored(self._work, function, **arguments)

    async def finish(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        return await write_until_stored(self._work, function, **arguments)
