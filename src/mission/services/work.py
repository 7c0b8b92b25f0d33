"""The store access of a use case: read and write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mission.store.database import Database

Result = TypeVar("Result")


class Work(Protocol):
    """Runs transaction functions and returns their values."""

    async def read(self, function: Callable[..., Result], /, **arguments: Any) -> Result: ...

    async def write(self, function: Callable[..., Result], /, **arguments: Any) -> Result: ...

    async def finish(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        """Run the last write of a use case: the answer of a call is rendered and stored in the same commit.

        A repeated call whose answer is already stored leaves here, so what follows runs once.
        """
        ...


class BackgroundWork:
    """Work without a call: what a daemon does on its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        return await self._database.read(function, **arguments)

    async def write(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        return await self._database.write(function, **arguments)

    async def finish(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        return await self._database.write(function, **arguments)


def digest_of(content: Any) -> str:
    """Return a short digest of some content: equal content has an equal digest."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
