"""Who calls: settled from the token, the door it came through, and the one argument that names an actor."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from mission.domain.agent import Agent
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
    """The agent whose token the connection shows; nothing for the operator's."""
    agent: str | None = None
    """The agent that the connection says it speaks for (id or name)."""
    agent_field: str = "agent"
    """What the caller knows that agent as: errors name it."""
    directory: str | None = None
    key: str | None = None
    """Names this call, so that a repeat returns the first answer."""
    toolsets: str | None = None
    """The toolsets that the client has listed; nothing where all tools can be called by name."""
    progress: ReportProgress | None = None
    left: HasLeft | None = None
    """Returns once the client has gone away, for calls that wait."""

    @property
    def is_person(self) -> bool:
        """Whether a person reads the answer: hints name commands then, not tools."""
        return self.transport in {"cli", "page"}

    @property
    def is_onlooker(self) -> bool:
        """Whether a person calls, on the page: naming an agent there is no sign of that agent's life."""
        return self.transport == "page"


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """Who is answerable for a call: an agent, or the operator."""

    agent: Agent | None

    @property
    def agent_id(self) -> str | None:
        return self.agent.id if self.agent is not None else None

    @property
    def name(self) -> str:
        return self.agent.id if self.agent is not None else OPERATOR


def listed_toolsets(asked: str | None, bearer: Bearer | None, default: str) -> str:
    """Return what a client sees: the toolsets it asked for, else those of its token or its agent's role."""
    return asked or (default if bearer is None else bearer.toolsets or bearer.agent.type.lower())


class TokenCheck:
    """Tells who shows a bearer token."""

    def __init__(self, operator: str, *, find: Callable[[str], Awaitable[Bearer]]) -> None:
        """`find` looks up an agent's token."""
        self._operator = operator.encode()
        self._find = find

    async def check(self, token: str | None) -> Bearer | None:
        """The agent that the token stands for, nothing for the operator's; an error for one that is worth nothing."""
        if token is None:
            raise Unauthenticated("no token was sent")
        if hmac.compare_digest(token.encode(), self._operator):
            return None
        if not token.startswith(PREFIX):
            raise Unauthenticated("the token is not valid")
        return await self._find(token)
