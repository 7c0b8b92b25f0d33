"""Use cases of access tokens: create agents with a token, and issue, rotate, revoke and verify tokens."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain import events
from mission.domain.agents.agent import Agent, AgentType, Presence, Runtime
from mission.domain.errors import InvalidInput, PermissionDenied, Unauthenticated
from mission.domain.ids import new_id
from mission.domain.timestamps import format_time
from mission.services.agents import registration as agents
from mission.services.paging import cut_page, number_of
from mission.store.transaction import Tx

PREFIX = "mca_"
"""Prefix of every agent's token, so that it is recognized as a secret wherever it appears."""

NEW_TOKEN = "The operator can issue a new one with 'mission agent token AGENT'."


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearer:
    """The agent that a valid access token belongs to, and the toolsets that the token selects."""

    agent: Agent
    toolsets: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """An agent and its new token, which is never shown again."""

    agent: Agent
    token: str
    expires_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Revoked:
    """An agent, and how many of its tokens were revoked."""

    agent: Agent
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTokenList:
    """A page of the records of an agent's tokens."""

    agent: Agent
    rows: Sequence[dict[str, Any]]
    next: str | None


def issue(
    tx: Tx,
    *,
    agent_id: str,
    expires_at: datetime | None = None,
    toolsets: str | None = None,
    field: str = "expires_at",
) -> str:
    """Issue another token for the agent; its existing ones stay valid. Only the hash is stored."""
    tx.agents.get(agent_id)
    if expires_at is not None and expires_at <= tx.now:
        raise InvalidInput(
            f"{field}: {format_time(expires_at)} is in the past",
            hint="Give a time in the future.",
            field=field,
        )
    token = PREFIX + secrets.token_urlsafe(32)
    tx.tokens.add(hash=hash_of(token), agent_id=agent_id, toolsets=toolsets, created_at=tx.now, expires_at=expires_at)
    return token


def revoke(tx: Tx, *, agent_id: str) -> Revoked:
    """Revoke every token of the agent (id or name)."""
    agent = agents.find(tx, reference=agent_id)
    return Revoked(agent=agent, count=tx.tokens.revoke(agent.id, now=tx.now))


def rotate(tx: Tx, *, agent_id: str, expires_at: datetime | None = None, toolsets: str | None = None) -> Credentials:
    """Issue a new token for the agent (id or name) and revoke the earlier ones."""
    agent = agents.find(tx, reference=agent_id)
    before = tx.tokens.of_agent(agent.id)
    chosen = toolsets if toolsets is not None or not before else before[-1]["toolsets"]
    tx.tokens.revoke(agent.id, now=tx.now)
    token = issue(tx, agent_id=agent.id, expires_at=expires_at, toolsets=chosen)
    return Credentials(agent=agent, token=token, expires_at=expires_at)


def bearer_of(tx: Tx, *, token: str) -> Bearer:
    """Return the agent that this token belongs to. Raise Unauthenticated if the token is not valid."""
    found = tx.tokens.find(hash_of(token))
    if found is None:
        raise Unauthenticated("the token is not valid")
    agent, row = found
    if row.revoked_at is not None:
        raise Unauthenticated(f"this token of agent {agent.id} was revoked", hint=NEW_TOKEN, agent_id=agent.id)
    if row.expires_at is not None and row.expires_at <= tx.now:
        raise Unauthenticated(
            f"this token of agent {agent.id} expired at {format_time(row.expires_at)}",
            hint=NEW_TOKEN,
            agent_id=agent.id,
        )
    return Bearer(agent=agent, toolsets=row.toolsets)


def list_tokens(tx: Tx, *, agent_id: str, limit: int, cursor: str | None) -> AgentTokenList:
    """Return the agent (id or name) and the records of its tokens, oldest first.

    The cursor is the number of rows before the page: token hashes are not exposed, and new tokens come last.
    """
    agent = agents.find(tx, reference=agent_id)
    before = number_of(cursor)
    rows = tx.tokens.page_of_agent(agent.id, limit=limit + 1, offset=before)
    page = cut_page(rows, limit=limit, cursor=lambda _row: str(before + limit))
    return AgentTokenList(agent=agent, rows=page.rows, next=page.next)


def create(
    tx: Tx,
    *,
    by: Agent | None,
    type: AgentType,
    name: str,
    mission_id: str | None = None,
    supervisor_id: str | None = None,
    runtime: Runtime = Runtime.CUSTOM,
    expires_at: datetime | None = None,
    toolsets: str | None = None,
) -> Credentials:
    """Create an agent with a token; `by` is the calling agent, if any, and must rank above the new one."""
    if by is not None and not by.type.commands(type):
        raise PermissionDenied(
            f"{by.type} {by.id} cannot create a {type}: only types below its own are allowed",
            hint="Ask your supervisor or the operator.",
        )
    if mission_id is not None:
        tx.missions.get(mission_id)
    agent = Agent(
        id=new_id("agent"),
        name=agents.name_for(tx, by=by, name=name),
        runtime=runtime,
        type=type,
        metadata={},
        mission_id=mission_id,
        supervisor_id=_supervisor(tx, given=supervisor_id, type=type, by=by),
        created_at=tx.now,
        updated_at=tx.now,
        last_seen_at=tx.now,
    )
    tx.agents.add(agent)
    tx.emit(events.AgentCreated(agent=agent, presence=Presence.ONLINE))
    token = issue(tx, agent_id=agent.id, expires_at=expires_at, toolsets=toolsets, field="expiresAt")
    return Credentials(agent=agent, token=token, expires_at=expires_at)


def supervisor_of(tx: Tx, *, agent: Agent) -> Agent | None:
    """Return the agent to notify when this one fails: its supervisor, that one's if it has left, else its mission's
    lead; None for a lead."""
    above = agent
    while above.supervisor_id is not None:
        above = tx.agents.get(above.supervisor_id)
        if above.declared is not Presence.OFFLINE:
            return above
    mission_id = agent.mission_id
    if mission_id is None and agent.current_task_id is not None:
        task = tx.tasks.find(agent.current_task_id)  # it may have been deleted since
        mission_id = task.mission_id if task is not None else None
    leaders = tx.agents.leading(mission_id) if mission_id is not None else []
    present = [leader for leader in leaders if leader.declared is not Presence.OFFLINE]
    return next((leader for leader in present if leader.type.commands(agent.type)), None)


def hash_of(token: str) -> str:
    """Return the hash that is stored for a token. Tokens are long and random, so a plain digest is safe."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _supervisor(tx: Tx, *, given: str | None, type: AgentType, by: Agent | None) -> str | None:
    if given is None:
        return by.id if by is not None else None
    supervisor = agents.find(tx, reference=given, field="supervisorId")
    if not supervisor.type.commands(type):
        raise InvalidInput(
            f"supervisorId: {supervisor.type} {supervisor.id} cannot supervise a {type}",
            hint="Give an agent of a higher type, or omit it.",
            field="supervisorId",
        )
    return supervisor.id
