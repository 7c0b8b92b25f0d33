"""Operator tools for launched agents: list, read, send a message."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.executions.command import ExecutionCommand
from mission.domain.executions.execution import (
    Execution,
    ExecutionStatus,
    Mode,
    OperatorMessageKind,
    OperatorMessageState,
)
from mission.domain.executions.observation import AckStatus, Observation, Origin
from mission.domain.executions.signals import SignalPolicy
from mission.gateway.call import Call
from mission.gateway.registry import Address, Arguments, Result, attribute, tool
from mission.services.executions import commands, history
from mission.services.executions.history import ExecutionDetail
from mission.services.paging import Page
from mission.tools.shared.fields import ExecutionId, MissionId, TaskId, Text
from mission.tools.shared.wording import Moment


class ListExecutions(Arguments):
    status: list[ExecutionStatus] | None = None
    mission_id: MissionId | None = None
    task_id: TaskId | None = None
    agent_id: str | None = None
    limit: int = Field(50, ge=1, le=500)
    cursor: str | None = None


class ExecutionById(Arguments):
    id: ExecutionId


class ListObservations(Arguments):
    execution_id: ExecutionId
    type: str | None = Field(None, description="Only observations of this type")
    limit: int = Field(50, ge=1, le=500)
    cursor: str | None = None


class TellExecution(Arguments):
    execution_id: ExecutionId
    kind: OperatorMessageKind = OperatorMessageKind.TEXT
    text: Text | None = Field(None, max_length=8_000, description="The message; required for kind text")


class ExecutionFields(Result):
    id: str
    mission_id: str
    task_id: str
    agent_id: str
    adapter: str
    kind: str
    mode: Mode
    status: ExecutionStatus
    transport: dict[str, Any]
    directory: str | None
    host_id: str
    resumes: str | None
    session_id: str | None
    progress: dict[str, Any] | None
    claim: dict[str, Any] | None
    usage: dict[str, Any] | None
    exit_code: int | None
    reason: str | None
    created_at: str
    started_at: str | None
    updated_at: str
    ended_at: str | None
    duration_seconds: float | None


class ExecutionRecord(ExecutionFields):
    @classmethod
    def of(cls, execution: Execution) -> ExecutionRecord:
        return cls(**execution.record())


class ExecutionList(Result):
    executions: list[ExecutionRecord] = attribute("rows")
    next_cursor: str | None = attribute("next")


class ToldMessage(Result):
    id: str
    execution_id: str
    kind: OperatorMessageKind
    text: str | None
    author: str | None
    state: OperatorMessageState
    reason: str | None
    created_at: Moment
    delivered_at: Moment | None


class WholeExecution(ExecutionFields):
    task_name: str
    agent_name: str
    protocol: dict[str, Any]
    messages: list[ToldMessage]

    @classmethod
    def of(cls, found: ExecutionDetail) -> WholeExecution:
        return cls(
            **found.execution.record(),
            task_name=found.task_name,
            agent_name=found.agent_name,
            protocol=found.execution.protocol,
            messages=found.messages,
        )


class ObservationRecord(Result):
    id: str
    execution_id: str
    event_id: str
    origin: Origin
    type: str
    policy: SignalPolicy
    payload: dict[str, Any]
    status: AckStatus
    created_at: Moment


class ObservationList(Result):
    observations: list[ObservationRecord] = attribute("rows")
    next_cursor: str | None = attribute("next")


@tool(
    toolset="control",
    result=ExecutionList,
    reads=True,
    address="/api/executions",
    stale_on=("task", "execution", "observation"),
)
async def execution_list(call: Call, args: ListExecutions) -> Page[Execution]:
    """List launched agents, newest first."""
    return await call.read(
        history.list_executions,
        statuses=args.status,
        mission_id=args.mission_id,
        task_id=args.task_id,
        agent_id=args.agent_id,
        limit=args.limit,
        cursor=args.cursor,
    )


@tool(
    toolset="control",
    result=WholeExecution,
    reads=True,
    address="/api/executions/{id}",
    stale_on=("execution", "observation"),
    about="execution",
)
async def execution_get(call: Call, args: ExecutionById) -> ExecutionDetail:
    """Read one execution: state, protocol and operator messages."""
    return await call.read(history.get, execution_id=args.id)


@tool(
    toolset="control",
    result=ObservationList,
    reads=True,
    address=Address("/api/executions/{id}/observations", argument="execution_id"),
    stale_on=("observation",),
    about="execution",
)
async def execution_observations(call: Call, args: ListObservations) -> Page[Observation]:
    """List an execution's signals and observations, newest first."""
    return await call.read(
        history.observations, execution_id=args.execution_id, type=args.type, limit=args.limit, cursor=args.cursor
    )


@tool(toolset="control", result=ToldMessage)
async def execution_message(call: Call, args: TellExecution) -> ExecutionCommand:
    """Send a running agent a command (interrupt, checkpoint, nudge, resume) or text. state shows whether it arrived."""
    return await call.finish(
        commands.send_message,
        execution_id=args.execution_id,
        kind=args.kind,
        text=args.text,
        author=call.identity.name,
    )
