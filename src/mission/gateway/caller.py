"""Who calls: settled from the token, the door it came through, and the one argument that names an actor."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from mission.domain.agent import Agent
from mission.domain.errors import Unauthenticated

Progress = Callable[[float, str], Coroutine[Any, Any, None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """One call's sender, before its actor is known."""

    transport: str
    agent: str | None = None
    """The agent that the connection speaks for (id or name), when it says so."""
    directory: str | None = None
    key: str | None = None
    """Names this call, so that a repeat returns the first answer."""
    progress: Progress | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """Who is answerable for a call: an agent, or the operator."""

    agent: Agent | None

    @property
    def name(self) -> str:
        return self.agent.id if self.agent is not None else "operator"


class Tokens:
    """Checks bearer tokens."""

    def __init__(self, operator: str) -> None:
        self._operator = operator.encode()

    def check(self, token: str | None) -> None:
        """Nothing for a valid token; an error that says what to send otherwise."""
        if token is None:
            raise Unauthenticated("no token was sent")
        if not hmac.compare_digest(token.encode(), self._operator):
            raise Unauthenticated("the token is not valid")
