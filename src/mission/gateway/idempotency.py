"""Calls with a key: a repeat gets the first answer, whether that was given already or is still to come."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from mission.domain.errors import InvalidInput
from mission.gateway.caller import Caller, Identity
from mission.gateway.registry import Tool
from mission.services.work import digest_of
from mission.store.database import Database
from mission.store.errors import ConflictingRow
from mission.store.transaction import Tx

LONGEST_KEY = 200

Answer = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class IdempotentCall:
    """A call that has a key: its answer is kept for a repeat."""

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
                "this call key was used for another call", hint="Make a new key for every call.", field="key"
            )


class IdempotentCalls:
    """The calls with a key that run now, in this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.flying: dict[tuple[str, str], tuple[str, asyncio.Task[Answer]]] = {}

    async def run(self, tool: Tool, repeat: IdempotentCall, call: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
        """Run the call, unless the same one has run or is running: then its answer is this one's too."""
        place = (repeat.caller, repeat.key)
        if place in self.flying:
            digest, first = self.flying[place]
            repeat.check(digest)
        else:
            first = asyncio.create_task(self._run_first(tool, repeat, call))
            self.flying[place] = (repeat.digest, first)
            first.add_done_callback(lambda _: self.flying.pop(place))
        return await asyncio.shield(first)  # a caller that leaves does not take the others' answer with it

    async def _run_first(
        self, tool: Tool, repeat: IdempotentCall, call: Callable[[], Coroutine[Any, Any, Answer]]
    ) -> Answer:
        """The last write of a call looks for its key before it does anything, so a repeat changes nothing."""
        try:
            return await call()
        except ConflictingRow:
            kept = await self._database.read(repeat.recall)
            if kept is None:
                raise
            tool.check_whole(kept)
            return kept  # another process was faster with the same key


def repeat_of(tool: Tool, arguments: Mapping[str, Any], caller: Caller, identity: Identity) -> IdempotentCall | None:
    """What makes a repeat of this call harmless; nothing for one without a key, and for reads."""
    if caller.key is None or tool.reads:
        return None
    if len(caller.key) > LONGEST_KEY or not caller.key.isprintable():
        raise InvalidInput(f"a call key has at most {LONGEST_KEY} printable characters", hint="Use a random id.")
    return IdempotentCall(caller=identity.name, key=caller.key, digest=digest_of([tool.name, arguments]))
