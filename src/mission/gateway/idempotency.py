"""Calls with an idempotency key: a repeat gets the first call's answer, finished or still running."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from mission.domain.errors import InvalidInput, MissionError, TransientError
from mission.gateway.caller import Caller, Identity
from mission.gateway.registry import Tool
from mission.services.work import digest_of
from mission.store.database import Database
from mission.store.errors import ConflictingRow
from mission.store.transaction import Tx

MAX_KEY_LENGTH = 200

Answer = dict[str, Any]


class AlreadyAnswered(Exception):
    """Ends a repeated call at its last write: the first call's answer is stored. Only the gateway catches it."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


@dataclass(frozen=True, kw_only=True, slots=True)
class IdempotentCall:
    """A call with a key: its answer is stored for a repeat."""

    caller: str
    key: str
    digest: str

    def remember(self, tx: Tx, answer: Mapping[str, Any]) -> None:
        text = json.dumps(answer, ensure_ascii=False)
        tx.calls.remember(caller=self.caller, key=self.key, digest=self.digest, answer=text, now=tx.now)

    def recall(self, tx: Tx) -> Answer | None:
        kept = tx.calls.recall(caller=self.caller, key=self.key)
        if kept is None:
            return None
        self.check(kept[0])
        answer: Answer = json.loads(kept[1])
        return answer

    def check(self, digest: str) -> None:
        if digest != self.digest:
            raise InvalidInput(
                "this idempotency key was already used with different arguments",
                hint="Use a new key for every call.",
                field="key",
            )


class IdempotentCalls:
    """The calls with a key that are running in this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.in_flight: dict[tuple[str, str], tuple[str, asyncio.Task[Answer]]] = {}

    async def run(self, tool: Tool, repeat: IdempotentCall, call: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
        """Run the call, or return the answer of the same call if it has run or is running."""
        key = (repeat.caller, repeat.key)
        if key in self.in_flight:
            digest, first = self.in_flight[key]
            repeat.check(digest)
        else:
            first = asyncio.create_task(self._run_first(tool, repeat, call))
            self.in_flight[key] = (repeat.digest, first)
            first.add_done_callback(lambda _: self.in_flight.pop(key))
        return await asyncio.shield(first)  # a caller that leaves does not cancel it for the others

    async def _run_first(
        self, tool: Tool, repeat: IdempotentCall, call: Callable[[], Coroutine[Any, Any, Answer]]
    ) -> Answer:
        """Run the call; its last write checks the key first, so a repeat changes nothing.

        A repeat that is refused before that gets the first answer too: often the first call is why it is refused.
        """
        try:
            return await call()
        except TransientError:
            raise
        except (ConflictingRow, MissionError):  # a conflict: another process was faster with the same key
            kept = await self._database.read(repeat.recall)
            if kept is None:
                raise
            tool.check_whole(kept)
            return kept


def idempotent_call(
    tool: Tool, arguments: Mapping[str, Any], caller: Caller, identity: Identity
) -> IdempotentCall | None:
    """Return the idempotent form of this call; None for a read or a call without a key."""
    if caller.key is None or tool.reads:
        return None
    if len(caller.key) > MAX_KEY_LENGTH or not caller.key.isprintable():
        raise InvalidInput(
            f"the idempotency key must have at most {MAX_KEY_LENGTH} printable characters", hint="Use a random id."
        )
    return IdempotentCall(caller=identity.name, key=caller.key, digest=digest_of([tool.name, arguments]))
