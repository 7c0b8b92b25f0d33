"""The store access of a use case: read and write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

from mission.store.database import Database

Result = TypeVar("Result")
Answer = TypeVar("Answer")


class Work(Protocol):
    """Runs transaction functions. The last write of a call renders its answer inside the commit."""

    async def read(self, function: Callable[..., Result], /, **arguments: Any) -> Result: ...

    @overload
    async def write(
        self, function: Callable[..., Result], /, *, answer: Callable[[Result], Answer], **arguments: Any
    ) -> Answer: ...

    @overload
    async def write(self, function: Callable[..., Result], /, **arguments: Any) -> Result: ...


class BackgroundWork:
    """Work without a call: what a daemon does on its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        return await self._database.read(function, **arguments)

    async def write(
        self, function: Callable[..., Any], /, *, answer: Callable[[Any], Any] | None = None, **arguments: Any
    ) -> Any:
        result = await self._database.write(function, **arguments)
        return result if answer is None else answer(result)


def digest_of(content: Any) -> str:
    """Return a short digest of some content: equal content has an equal digest."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
