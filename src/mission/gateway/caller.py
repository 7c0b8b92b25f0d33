"""The caller: known from its token, its transport and the one argument that names an actor."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from mission.domain.agents.agent import Agent
from mission.domain.errors import Unauthenticated
from mission.domain.message import OPERATOR
from mission.services.agents.access_tokens import PREFIX, Bearer

ReportProgress = Callable[[float, str], Coroutine[Any, Any, None]]
HasLeft = Callable[[], Awaitable[None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """One call's sender, before its actor is known."""

    transport: str
    bearer: Bearer | None = None
    """The agent whose token the connection uses; None for the operator's."""
    agent: str | None = None
    """The agent that the connection says it acts for (id or name)."""
    agent_field: str = "agent"
    """The caller's name for that field, used in errors."""
    directory: str | None = None
    key: str | None = None
    """The idempotency key of this call: a repeat returns the first answer."""
    toolsets: str | None = None
    """The toolsets that the client has listed; None where all tools can be called by name."""
    progress: ReportProgress | None = None
    left: HasLeft | None = None
    """Returns once the client has disconnected, for calls that wait."""

    @property
    def is_person(self) -> bool:
        """Return whether a person reads the answer; hints then name commands instead of tools."""
        return self.transport in {"cli", "page"}

    @property
    def is_onlooker(self) -> bool:
        """Return whether a person calls from the page; an agent named there does not get a heartbeat."""
        return self.transport == "page"


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """The agent or the operator that is responsible for a call."""

    agent: Agent | None

    @property
    def agent_id(self) -> str | None:
        return self.agent.id if self.agent is not None else None

    @property
    def name(self) -> str:
        return self.agent.id if self.agent is not None else OPERATOR


def listed_toolsets(asked: str | None, bearer: Bearer | None, default: str) -> str:
    """Return the toolsets a client sees: those it requested, else those of its token or its agent's role."""
    return asked or (default if bearer is None else bearer.toolsets or bearer.agent.type.lower())


class TokenCheck:
    """The check of bearer tokens."""

    def __init__(self, operator: str, *, find: Callable[[str], Awaitable[Bearer]]) -> None:
        """Create the check; `find` looks up an agent's token."""
        self._operator = operator.encode()
        self._find = find

    async def check(self, token: str | None) -> Bearer | None:
        """Return the token's agent, or None for the operator; raise Unauthenticated if it is invalid."""
        if token is None:
            raise Unauthenticated("no token was sent")
        if hmac.compare_digest(token.encode(), self._operator):
            return None
        if not token.startswith(PREFIX):
            raise Unauthenticated("the token is not valid")
        return await self._find(token)
