"""A running call, as its tool sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar, overload

from pydantic import BaseModel

from mission.domain.permissions import PermissionPolicy
from mission.events.log import EventLog
from mission.gateway.audit.trail import AuditEntry
from mission.gateway.caller import Caller, Identity
from mission.gateway.idempotency import IdempotentCall
from mission.gateway.registry import Registry, Tool
from mission.services.agents.registration import LivenessSettings
from mission.services.launcher import Launcher
from mission.services.repositories.working_trees import Trees
from mission.store.database import Database
from mission.store.transaction import Tx

Value = TypeVar("Value")
Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ports:
    """The services that tools may use besides the store."""

    trees: Trees
    rhythm: LivenessSettings
    launcher: Launcher
    events: EventLog
    policy: PermissionPolicy = field(default_factory=PermissionPolicy)


class Call:
    """A running call, as its tool sees it: the store, the ports and the actor."""

    def __init__(
        self,
        *,
        tool: Tool,
        registry: Registry,
        database: Database,
        ports: Ports,
        caller: Caller,
        identity: Identity,
        entry: AuditEntry,
        repeat: IdempotentCall | None,
    ) -> None:
        self.trees = ports.trees
        self.rhythm = ports.rhythm
        self.policy = ports.policy
        self.registry = registry
        self.launcher = ports.launcher
        self.events = ports.events
        self.directory = caller.directory
        self.left = caller.left
        self.identity = identity
        self.answered: dict[str, Any] | None = None
        self.took_effect = False
        self._tool = tool
        self._steps = 0
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._progress = caller.progress
        self._entry = entry
        self._repeat = repeat

    @property
    def actor(self) -> str | None:
        """Return the id of the acting agent; None for the operator."""
        return self.identity.agent_id

    @property
    def entry_id(self) -> str:
        """Return the id of this call's audit entry."""
        return self._entry.id

    @property
    def lease(self) -> timedelta:
        return self.rhythm.lease

    async def read(self, function: Callable[..., Value], /, **arguments: Any) -> Value:
        return await self._database.read(function, **arguments)

    @overload
    async def write(
        self, function: Callable[..., Value], /, *, answer: Callable[[Value], Answer], **arguments: Any
    ) -> Answer: ...

    @overload
    async def write(self, function: Callable[..., Value], /, **arguments: Any) -> Value: ...

    async def write(
        self, function: Callable[..., Any], /, *, answer: Callable[[Any], Any] | None = None, **arguments: Any
    ) -> Any:
        """Run the function. With `answer` it is the call's last write: its answer and audit row are stored
        in the same commit."""
        if answer is None:
            result = await self._database.write(function, **arguments)
            self.took_effect = True
            return result

        def answered(tx: Tx) -> Any:
            if self._repeat is not None and (kept := self._repeat.recall(tx)) is not None:
                self._tool.check_whole(kept)
                self.answered = self._entry.result = kept
                return None
            rendered = answer(function(tx, **arguments))
            self.answered = dumped(rendered)
            self._entry.result = kept = self._tool.without_secret(self.answered)
            if self._repeat is not None:
                self._repeat.remember(tx, kept)
            return rendered

        self._entry.handed_in = True
        return await self._database.write(answered, record=self._entry)

    def report(self, message: str) -> None:
        """Report the progress of a long call to the caller; may be called from any thread."""
        if self._progress is not None:
            self._steps += 1
            asyncio.run_coroutine_threadsafe(self._progress(self._steps, message), self._loop)


def dumped(result: BaseModel) -> dict[str, Any]:
    """Return the result as it is sent."""
    return result.model_dump(mode="json", by_alias=True)
