"""The two things a use case may do with the store: read, and write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

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


def digest_of(content: Any) -> str:
    """A short name for some content: equal content has an equal name."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
