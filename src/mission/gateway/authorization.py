"""Who acts, and whether they may: the first steps of the road, before anything is said about a tool's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mission.domain.agent import Agent, AgentType
from mission.domain.errors import PermissionDenied
from mission.domain.message import HUMAN
from mission.domain.permissions import PermissionPolicy
from mission.gateway.arguments.validation import check_text
from mission.gateway.audit.trail import AuditEntry
from mission.gateway.caller import Caller, Identity
from mission.gateway.registry import Tool
from mission.services.agents import registration as agents
from mission.services.tasks import claims
from mission.store.database import Database

LONGEST_NAME = 200


class Authorizer:
    def __init__(self, database: Database, policy: PermissionPolicy) -> None:
        self._database = database
        self._policy = policy

    async def identify(self, caller: Caller) -> Identity:
        """Who the connection itself speaks for."""
        bound = bound_to(caller)
        if caller.agent is None:
            return bound
        return _acting_as(bound, Identity(agent=await self._agent(caller.agent, field=caller.agent_field)), field=None)

    async def identify_actor(self, tool: Tool | None, arguments: Any, caller: Caller, entry: AuditEntry) -> Identity:
        """Who acts. The entry names whoever called from the start, so that a false name is laid at the right door."""
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
        """Nothing when a tool of this name may be called, whether there is one or not."""
        if identity.agent is None:
            return
        verdict = self._policy.decide(identity.agent.type, name[:LONGEST_NAME])
        if not verdict.allowed:
            raise PermissionDenied(
                f"Tool '{name[:LONGEST_NAME]}' is not allowed for agent type '{identity.agent.type}'",
                hint="Ask your supervisor, or the operator, to do it.",
                rule=verdict.rule,
            )

    async def check_owned(self, tool: Tool, arguments: Any, identity: Identity) -> None:
        """A worker writes only to tasks that it owns, not even to those nobody does."""
        agent = identity.agent
        if tool.owned is None or agent is None or agent.type is not AgentType.WORKER:
            return
        task_id = getattr(arguments, tool.owned)
        if task_id is not None:
            task = await self._database.read(claims.get, task_id=task_id)
            task.check_worker(agent.id, takes=arguments.takes_task, now=self._database.clock())

    async def _agent(self, reference: str, *, field: str) -> Agent:
        check_text(reference, field=field)
        return await self._database.read(agents.find, reference=reference[:LONGEST_NAME], field=field)


def bound_to(caller: Caller) -> Identity:
    """Who the connection's token stands for."""
    return Identity(agent=caller.bearer.agent if caller.bearer is not None else None)


def with_actor(tool: Tool, arguments: Any, identity: Identity) -> Any:
    """The arguments; an agent that is known by its token need not say again who it is."""
    field = tool.arguments.model_fields.get(tool.actor or "")
    if field is None or not field.is_required() or identity.agent is None or not isinstance(arguments, Mapping):
        return arguments
    return arguments if arguments.get(str(tool.actor)) else {**arguments, str(tool.actor): identity.agent.id}


def _acting_as(identity: Identity, actor: Identity, *, field: str | None) -> Identity:
    """The named actor; an agent can only be itself."""
    if identity.agent is not None and identity.name != actor.name:
        raise PermissionDenied(
            f"{identity.agent.id} cannot act as {actor.name if actor.agent else HUMAN}",
            hint=f"Give your own id as {field}."
            if field is not None
            else "Speak for yourself: the token says who you are.",
        )
    return actor
