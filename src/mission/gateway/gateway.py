"""The call pipeline: identify, authorize, find, validate, run with retries, audit, escalate."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

from mission.domain.errors import (
    InternalError,
    InvalidInput,
    MissionError,
    ToolNotFound,
    TransientError,
    Unauthenticated,
)
from mission.domain.executions.long_polls import is_long_poll
from mission.gateway import hints
from mission.gateway.agent_calls import AgentCalls
from mission.gateway.arguments.validation import validate
from mission.gateway.audit.audit_trail import AuditEntry, AuditTrail
from mission.gateway.authorization import Authorizer, bound_to, with_actor
from mission.gateway.call import Call, Ports
from mission.gateway.caller import Caller, Identity
from mission.gateway.escalation import Escalations, concerns_others
from mission.gateway.heartbeats import HeartbeatRecorder
from mission.gateway.idempotency import AlreadyAnswered, IdempotentCalls, idempotent_call
from mission.gateway.registry import Registry, Tool
from mission.gateway.retry import Retry, is_passing
from mission.gateway.signal_intake import Signals
from mission.gateway.toolsets import parse_toolsets
from mission.spelling import nearest
from mission.store.database import Database
from mission.store.errors import ConflictingRow

log = logging.getLogger(__name__)


class Gateway:
    """The only way from a transport to a tool."""

    def __init__(
        self,
        *,
        registry: Registry,
        database: Database,
        ports: Ports,
        audit: AuditTrail,
        heartbeats: HeartbeatRecorder,
        agent_calls: AgentCalls,
        signals: Signals,
        retry: Retry,
    ) -> None:
        self.registry = registry
        self.audit = audit
        self.signals = signals
        self.escalations = Escalations(database)
        self._database = database
        self._ports = ports
        self._retry = retry
        self._heartbeats = heartbeats
        self._agent_calls = agent_calls
        self._authorizer = Authorizer(database, ports.policy)
        self.idempotent_calls = IdempotentCalls(database)

    async def __call__(self, name: str, arguments: Any, caller: Caller) -> dict[str, Any]:
        """Return the tool's result, or raise a MissionError that is safe to show to the caller."""
        entry = self.audit.start(tool=name, transport=caller.transport, arguments=arguments)
        try:
            result = await self._answer(name, arguments, caller, entry)
        except asyncio.CancelledError as error:  # the caller left; a submitted write adds its own row
            if not entry.handed_in:
                self.audit.add(entry.finished(error, self._database.clock()))
            raise
        except Exception as error:
            row = entry.finished(error, self._database.clock())
            if not entry.written:
                self.audit.add(row)
            shown = self._worded(self._presentable(error, entry), caller, entry.identity)
            if concerns_others(shown):
                self.escalations.add(error, row, shown)
            raise shown from error
        if not entry.written:
            self.audit.add(entry.finished(None, self._database.clock()))
        return result

    async def identify(self, caller: Caller) -> Identity:
        """Return the identity that the connection acts for."""
        return await self._authorizer.identify(caller)

    def permitted(self, identity: Identity, tool: Tool) -> bool:
        return self._authorizer.permits(identity, tool.name)

    def note_refused(self, name: str, arguments: Any, caller: Caller, error: MissionError) -> None:
        """Add an audit row for a request that its transport could not turn into a call."""
        entry = self.audit.start(tool=name, transport=caller.transport, arguments=arguments)
        entry.identity = bound_to(caller)
        self.audit.add(entry.finished(error, self._database.clock()))

    def note_revoked_token(self, error: Unauthenticated) -> None:
        """Add an audit row for a token that was once valid for an agent; its user now is unknown."""
        entry = self.audit.start(tool="token", transport="token", arguments={})
        row = entry.finished(error, self._database.clock())
        self.audit.add({**row, "agent_id": error.details["agent_id"]})

    def note_failed(self, name: str, caller: Caller, error: Exception) -> MissionError:
        """Add an audit row for a failure outside any call; return it as the caller may see it."""
        entry = self.audit.start(tool=name, transport=caller.transport, arguments={})
        entry.identity = bound_to(caller)
        self.audit.add(entry.finished(error, self._database.clock()))
        return self._presentable(error, entry)

    async def close(self) -> None:
        """Write everything that is still pending."""
        await self._heartbeats.settle()
        await self.escalations.flush()
        await self.audit.flush()

    async def _answer(self, name: str, arguments: Any, caller: Caller, entry: AuditEntry) -> dict[str, Any]:
        """Run the pipeline and fill in the audit entry on the way."""
        tool = self.registry.get(name)
        identity = await self._authorizer.identify_actor(tool, arguments, caller, entry)
        self._authorizer.check_permitted(identity, name)
        if identity.agent is None or caller.is_onlooker:
            return await self._carry_out(tool, name, arguments, caller, entry, identity)
        self._heartbeats.note(identity.agent.id)
        names = arguments if isinstance(arguments, Mapping) else ()
        with self._agent_calls.during(identity.agent.id, is_long_poll=is_long_poll(name, names)):
            return await self._carry_out(tool, name, arguments, caller, entry, identity)

    async def _carry_out(
        self, tool: Tool | None, name: str, arguments: Any, caller: Caller, entry: AuditEntry, identity: Identity
    ) -> dict[str, Any]:
        """Run the tool that the identity may call."""
        if tool is None:
            raise self._unknown(name, caller, identity)
        entry.reads, entry.whole = tool.reads, tool.whole
        checked = validate(tool, with_actor(tool, arguments, identity))
        await self._authorizer.check_owned(tool, checked, identity)
        idempotent = idempotent_call(tool, arguments, caller, identity)
        if tool.outside:
            await self.audit.write_invocation(entry)
        call = Call(
            tool=tool,
            registry=self.registry,
            database=self._database,
            ports=self._ports,
            caller=caller,
            identity=identity,
            entry=entry,
            repeat=idempotent,
        )
        if idempotent is None:
            result = await self._run(tool, call, checked)
        else:
            result = await self.idempotent_calls.run(tool, idempotent, lambda: self._run(tool, call, checked))
        entry.result = tool.without_secret(result)
        return result

    async def _run(self, tool: Tool, call: Call, arguments: Any) -> dict[str, Any]:
        async def attempt() -> dict[str, Any]:
            try:
                value = await tool.handler(call, arguments)
            except AlreadyAnswered as repeated:
                return repeated.answer
            return call.answered if call.answered is not None else tool.render(value)

        return await self._retry.run(attempt, harmless=lambda: tool.idempotent or not call.took_effect)

    def _presentable(self, error: Exception, entry: AuditEntry) -> MissionError:
        """Return the error as a caller may see it; an unexpected one becomes an incident with an id."""
        if isinstance(error, InternalError) and type(error) is not InternalError:
            return error.as_incident(entry.id)
        if isinstance(error, MissionError) and not isinstance(error, InternalError):
            return error.with_details(incident=entry.id) if concerns_others(error) else error
        if is_passing(error):
            log.warning("call %s failed three times with a temporary error", entry.id, exc_info=error)
            return TransientError(incident=entry.id)
        if isinstance(error, ConflictingRow):
            log.warning("call %s conflicts with an existing row: %s", entry.id, error.orig)
        else:
            log.error("call %s failed", entry.id, exc_info=error)
        return InternalError().as_incident(entry.id)

    def _worded(self, error: MissionError, caller: Caller, identity: Identity | None) -> MissionError:
        """Return the error with its next step worded for its reader."""
        if caller.is_person:
            return hints.for_person(error)
        return hints.for_agent(error, partial(self._sees, caller, identity or bound_to(caller)))

    def _sees(self, caller: Caller, identity: Identity, name: str) -> bool:
        """Return whether the caller has listed this tool and may call it."""
        tool = self.registry.get(name)
        if tool is None or not self.permitted(identity, tool):
            return False
        try:
            return caller.toolsets is None or tool.toolset in parse_toolsets(caller.toolsets)
        except InvalidInput:  # toolsets that do not exist, so nothing was listed
            return False

    def _unknown(self, name: str, caller: Caller, identity: Identity) -> ToolNotFound:
        seen = [tool.name for tool in self.registry if self._sees(caller, identity, tool.name)]
        close = nearest(name, seen)
        command = "mission call " if caller.is_person else ""
        hint = f"Did you mean '{command}{close}'?" if close else "'mission tools' lists all tools."
        return ToolNotFound(f"there is no tool '{name[:100]}'", hint=hint)
