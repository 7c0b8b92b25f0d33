"""A running call, as its tool sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from mission.domain.permissions import PermissionPolicy
from mission.domain.runs.options import Limits
from mission.events.log import EventLog
from mission.gateway.audit.audit_trail import AuditEntry
from mission.gateway.caller import Caller, Identity
from mission.gateway.idempotency import AlreadyAnswered, IdempotentCall
from mission.gateway.registry import Registry, Tool
from mission.services.agents.registration import LivenessSettings
from mission.services.repositories.working_trees import Trees
from mission.store.database import Database
from mission.store.transaction import Tx

if TYPE_CHECKING:
    from mission.services.checks.ports import CheckPorts
    from mission.services.client_setup import ClientSetup
    from mission.services.launcher import Launcher

Value = TypeVar("Value")


class Ports:
    """The services that tools may use besides the store; the larger ones are made when a tool first needs them."""

    def __init__(
        self,
        *,
        trees: Trees,
        checks: Callable[[], CheckPorts],
        liveness: LivenessSettings,
        launcher: Callable[[], Launcher],
        clients: Callable[[], ClientSetup],
        events: EventLog,
        policy: PermissionPolicy,
        daily: Limits,
    ) -> None:
        """Create the ports; `daily` is what all runs together may spend in a day."""
        self.trees = trees
        self.liveness = liveness
        self.events = events
        self.policy = policy
        self.daily = daily
        self._make_checks = checks
        self._make_launcher = launcher
        self._make_clients = clients

    @property
    def checks(self) -> CheckPorts:
        return self._make_checks()

    @property
    def launcher(self) -> Launcher:
        return self._make_launcher()

    @property
    def clients(self) -> ClientSetup:
        return self._make_clients()


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
        self.liveness = ports.liveness
        self.policy = ports.policy
        self.daily = ports.daily
        self.registry = registry
        self.events = ports.events
        self.directory = caller.directory
        self.left = caller.left
        self.identity = identity
        self.answered: dict[str, Any] | None = None
        self.took_effect = False
        self._ports = ports
        self._tool = tool
        self._steps = 0
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._progress = caller.progress
        self._entry = entry
        self._repeat = repeat

    @property
    def checks(self) -> CheckPorts:
        return self._ports.checks

    @property
    def launcher(self) -> Launcher:
        return self._ports.launcher

    @property
    def clients(self) -> ClientSetup:
        return self._ports.clients

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
        return self.liveness.lease

    async def read(self, function: Callable[..., Value], /, **arguments: Any) -> Value:
        return await self._database.read(function, **arguments)

    async def write(self, function: Callable[..., Value], /, **arguments: Any) -> Value:
        value = await self._database.write(function, **arguments)
        self.took_effect = True
        return value

    async def finish(self, function: Callable[..., Value], /, **arguments: Any) -> Value:
        """Run the call's last write and return its value: its answer and audit row are stored in the same commit.

        Raise AlreadyAnswered if the answer of the same call is stored.
        """

        def finished(tx: Tx) -> tuple[Value, dict[str, Any]] | AlreadyAnswered:
            if self._repeat is not None and (stored := self._repeat.recall(tx)) is not None:
                self._tool.check_whole(stored)
                self._entry.result = stored
                return AlreadyAnswered(stored)
            value = function(tx, **arguments)
            answer = self._tool.render(value)
            self._entry.result = stored = self._tool.without_secret(answer)
            if self._repeat is not None:
                self._repeat.remember(tx, stored)
            return value, answer

        self._entry.handed_in = True
        done = await self._database.write(finished, record=self._entry)
        if isinstance(done, AlreadyAnswered):
            raise done
        self.took_effect = True
        value, self.answered = done
        return value

    def report(self, message: str) -> None:
        """Report the progress of a long call to the caller; may be called from any thread."""
        if self._progress is not None:
            self._steps += 1
            asyncio.run_coroutine_threadsafe(self._progress(self._steps, message), self._loop)
