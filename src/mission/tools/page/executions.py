"""Tools behind the page's executions view: launched agents with names and counts, and their usage."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from mission.domain.executions.execution import ExecutionStatus
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.views import executions
from mission.services.views.executions import ExecutionRow, SpentByAgent
from mission.tools.control.executions import ExecutionFields
from mission.tools.shared.fields import MissionId, TaskId
from mission.tools.shared.wording import Moment


class ListRuns(Arguments):
    status: list[ExecutionStatus] | None = None
    mission_id: MissionId | None = None
    task_id: TaskId | None = None
    limit: int = Field(100, ge=1, le=500)
    cursor: str | None = Field(None, description="next_cursor of the previous page")


class RunGlance(ExecutionFields):
    agent_name: str
    task_name: str
    task_state: str
    mission_name: str
    question: str | None = Field(description="What it asks a person, while it waits")
    lease_until: Moment | None
    shown_at: Moment | None = Field(description="Time of its last output, while this daemon manages it")


class RunGlances(Result):
    now: Moment
    executions: list[RunGlance]
    counts: dict[str, int]
    next_cursor: str | None


class SpendingOf(Arguments):
    agent_ids: list[str] = Field(max_length=500)


class AgentSpending(Result):
    agent_id: str
    tokens: int
    cost_usd: float


class Spending(Result):
    agents: list[AgentSpending]

    @classmethod
    def of(cls, agents: Sequence[SpentByAgent]) -> Spending:
        return cls(agents=agents)


@tool(
    toolset="control", result=RunGlances, reads=True, stale_on=("task", "execution", "observation", "queue"), fades=True
)
async def overview_executions(call: Call, args: ListRuns) -> RunGlances:
    """List launched agents with their task names, newest first, and the count per status."""
    page = await call.read(
        executions.list_executions,
        statuses=args.status,
        mission_id=args.mission_id,
        task_id=args.task_id,
        limit=args.limit,
        cursor=args.cursor,
    )
    return RunGlances(
        now=page.now,
        executions=[_glance(call, run) for run in page.runs],
        counts=page.counts,
        next_cursor=page.next,
    )


@tool(toolset="control", result=Spending, reads=True, stale_on=("task", "execution", "observation"))
async def overview_spending(call: Call, args: SpendingOf) -> list[SpentByAgent]:
    """Show tokens and cost used, as reported by clients and agents."""
    return await call.read(executions.spending, agent_ids=args.agent_ids)


def _glance(call: Call, run: ExecutionRow) -> RunGlance:
    return RunGlance(
        **run.execution.record(),
        agent_name=run.agent_name,
        task_name=run.task_name,
        task_state=run.task_word,
        mission_name=run.mission_name,
        question=run.question,
        lease_until=run.lease_until,
        shown_at=call.launcher.shown_at(run.execution.id),
    )
