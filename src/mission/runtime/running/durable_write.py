"""Writing what must not be lost, however long the store cannot take it: it is away, or its disk is full."""

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
    """What the function gives once it is written. It may run twice when a connection broke, and must not mind."""
    while True:
        try:
            return await work.write(function, **arguments)
        except TransientError as error:
            log.warning("something that an agent did waits for the store: %s", error.message)
        await pause()


async def pause() -> None:
    await asyncio.sleep(AGAIN_SECONDS)


class DurableWork:
    """Work whose writes wait until they are stored: for somebody who cannot be asked to try again."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def read(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        return await self._work.read(function, **arguments)

    async def write(self, function: Callable[..., Any], /, **arguments: Any) -> Any:
        return await write_until_stored(self._work, function, **arguments)
