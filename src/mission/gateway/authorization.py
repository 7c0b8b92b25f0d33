"""Authorization: finds the acting agent and checks its permissions, before a tool's arguments are checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mission.domain.agents.agent import Agent, AgentType
from mission.domain.errors import PermissionDenied
from mission.domain.message import HUMAN
from mission.domain.permissions import PermissionPolicy
from mission.gateway.arguments.validation import check_text
from mission.gateway.audit.audit_trail import AuditEntry
from mission.gateway.caller import Caller, Identity
from mission.gateway.registry import Tool
from mission.services.agents import registration as agents
from mission.services.tasks import claims
from mission.store.database import Database

MAX_NAME_LENGTH = 200


class Authorizer:
    def __init__(self, database: Database, policy: PermissionPolicy) -> None:
        self._database = database
        self._policy = policy

    async def identify(self, caller: Caller) -> Identity:
        """Return the identity that the connection acts for."""
        bound = bound_to(caller)
        if caller.agent is None:
            return bound
        return _acting_as(bound, Identity(agent=await self._agent(caller.agent, field=caller.agent_field)), field=None)

    async def identify_actor(self, tool: Tool | None, arguments: Any, caller: Caller, entry: AuditEntry) -> Identity:
        """Return the actor. The entry names the caller from the start, so that a false name is recorded against it."""
        entry.identity = bound_to(caller)
        entry.identity = identity = await self.identify(caller)
        if tool is None or tool.actor is None or not isinstance(arguments, dict):
            return identity
        named = arguments.get(tool.actor)
        if not isinstance(named, str) or not named:
            return identity
        by_person = tool.person and named == HUMAN
        actor = Identity(agent=None if by_person else await self._agent(named, field=tool.actor))
        entry.identity = identity = _acting_as(identity, actor, field=tool.actor)
        return identity

    def permits(self, identity: Identity, name: str) -> bool:
        return identity.agent is None or self._policy.decide(identity.agent.type, name).allowed

    def check_permitted(self, identity: Identity, name: str) -> None:
        """Raise PermissionDenied unless a tool with this name may be called, even if it does not exist."""
        if identity.agent is None:
            return
        verdict = self._policy.decide(identity.agent.type, name[:MAX_NAME_LENGTH])
        if not verdict.allowed:
            raise PermissionDenied(
                f"Tool '{name[:MAX_NAME_LENGTH]}' is not allowed for agent type '{identity.agent.type}'",
                hint="Ask your supervisor or the operator to do it.",
                rule=verdict.rule,
            )

    async def check_owned(self, tool: Tool, arguments: Any, identity: Identity) -> None:
        """Raise NotOwner if a worker writes to a task that it does not own, or that has no owner."""
        agent = identity.agent
        if tool.owned is None or agent is None or agent.type is not AgentType.WORKER:
            return
        task_id = getattr(arguments, tool.owned)
        if task_id is not None:
            task = await self._database.read(claims.get, task_id=task_id)
            task.check_worker(agent.id, claims=arguments.takes_task, now=self._database.clock())

    async def _agent(self, reference: str, *, field: str) -> Agent:
        check_text(reference, field=field)
        return await self._database.read(agents.find, reference=reference[:MAX_NAME_LENGTH], field=field)


def bound_to(caller: Caller) -> Identity:
    """Return the identity of the connection's token."""
    return Identity(agent=caller.bearer.agent if caller.bearer is not None else None)


def with_actor(tool: Tool, arguments: Any, identity: Identity) -> Any:
    """Return the arguments with the actor filled in for an agent that its token identifies."""
    field = tool.arguments.model_fields.get(tool.actor or "")
    if field is None or not field.is_required() or identity.agent is None or not isinstance(arguments, Mapping):
        return arguments
    return arguments if arguments.get(str(tool.actor)) else {**arguments, str(tool.actor): identity.agent.id}


def _acting_as(identity: Identity, actor: Identity, *, field: str | None) -> Identity:
    """Return the named actor; raise PermissionDenied if an agent names another one."""
    if identity.agent is not None and identity.name != actor.name:
        raise PermissionDenied(
            f"{identity.agent.id} cannot act as {actor.name if actor.agent else HUMAN}",
            hint=f"Give your own id as {field}." if field is not None else "Omit the agent: your token identifies you.",
        )
    return actor
