"""The state of an execution while it runs, and the check of its access token."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mission.domain import events
from mission.domain.errors import NotFound, PermissionDenied, Unauthenticated
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.services.agents import access_tokens
from mission.services.agents import registration as agents
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import commands
from mission.store.transaction import Tx


def started(tx: Tx, *, execution_id: str, process: Mapping[str, Any]) -> Execution:
    """Record that the process runs; `process` identifies it after a crash, and contains no secret."""
    execution = tx.executions.get(execution_id)
    moved = execution if execution.status is not ExecutionStatus.STARTING else _moved(execution, tx, _RUNNING)
    commands.launched(tx, execution)
    return save(tx, replace(moved, process=dict(process), started_at=moved.started_at or tx.now))


def record_usage(
    tx: Tx, *, execution_id: str, session_id: str | None = None, usage: Mapping[str, Any] | None = None
) -> Execution:
    """Record what the client's own output reports: its session and its usage."""
    execution = tx.executions.get(execution_id)
    return save(
        tx,
        replace(
            execution,
            session_id=session_id or execution.session_id,
            usage={**(execution.usage or {}), **(usage or {})} or None,
            updated_at=tx.now,
        ),
    )


def heartbeat_all(tx: Tx, *, execution_ids: Sequence[str], liveness: LivenessSettings) -> None:
    """Record that the processes are alive: their agents count as present and their claims are renewed."""
    for id in execution_ids:
        execution = tx.executions.find(id)
        if execution is not None and execution.is_live:
            agents.heartbeat(tx, agent_id=execution.agent_id, current_task_id=None, status=None, liveness=liveness)


def save(tx: Tx, execution: Execution) -> Execution:
    """Store the execution and publish the change."""
    tx.executions.save(execution)
    tx.emit(events.ExecutionUpdated(execution=execution))
    return execution


def authenticate(tx: Tx, *, execution_id: str, token: str) -> Execution:
    """Return the execution that this token opens. Raise an error if it does not."""
    execution = tx.executions.find(execution_id)
    if execution is None:
        raise NotFound(f"there is no execution {execution_id[:60]}", execution_id=execution_id[:60])
    digest = access_tokens.hash_of(token)
    if execution.token_hash is not None and hmac.compare_digest(digest, execution.token_hash):
        return execution
    if tx.executions.by_token(digest) is not None:
        raise PermissionDenied(
            f"this token does not belong to execution {execution.id}", hint="Use the URL that came with the token."
        )
    if execution.token_hash is None:
        raise Unauthenticated(
            f"execution {execution.id} has no MCP access: it uses {execution.delivery}",
            hint=f"Send its signals over {execution.delivery}.",
        )
    raise Unauthenticated(
        f"the token is not valid for execution {execution.id}",
        hint="Send the token that came with the launch (OPEN_MISSION_MCP_TOKEN) as 'Authorization: Bearer TOKEN'.",
    )


_RUNNING = ExecutionStatus.RUNNING


def _moved(execution: Execution, tx: Tx, status: ExecutionStatus) -> Execution:
    return execution.move_to(status, at=tx.now)
