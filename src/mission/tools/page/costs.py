"""The tool behind the page's costs: what work cost, by day, mission, run, agent and task."""

from __future__ import annotations

from datetime import timedelta

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.views.now import costs as costs_view
from mission.services.views.now.costs import CostReport
from mission.tools.shared.fields import MissionId
from mission.tools.shared.wording import Moment


class CostSum(Result):
    usd: float | None = Field(description="The known part; null if nothing is known")
    tokens: int | None
    unknown: int = Field(description="Executions and tasks without a reported price")


class CostOf(Result):
    id: str
    name: str
    mission_id: str | None
    usd: float | None = attribute("cost.usd")
    tokens: int | None = attribute("cost.tokens")
    unknown: int = attribute("cost.unknown")


class BudgetUse(Result):
    run_id: str | None = Field(description="Null for the limit of a day")
    name: str
    limit_usd: float
    usd: float | None = attribute("cost.usd")
    unknown: int = attribute("cost.unknown")


class GetCosts(Arguments):
    days: int = Field(14, ge=1, le=366, description="How many days, including today")
    utc_offset: int = Field(0, ge=-1_440, le=1_440, description="Minutes that your clock is ahead of UTC")
    mission_id: MissionId | None = None


class Costs(Result):
    now: Moment
    since: Moment
    total: CostSum
    today: CostSum
    days: list[CostOf] = Field(description="The newest first; the id is the date")
    missions: list[CostOf] = Field(description="The most expensive first, at most 50; also in the next lists")
    runs: list[CostOf] = Field(description="Named after their missions")
    agents: list[CostOf]
    tasks: list[CostOf]
    budgets: list[BudgetUse] = Field(description="Limits of money in force")


@tool(toolset="control", result=Costs, reads=True, address="/api/costs", stale_on=("execution", "run"), fades=True)
async def costs(call: Call, args: GetCosts) -> CostReport:
    """Show what work cost, as clients report it: by day, mission, run, agent and task."""
    return await call.read(
        costs_view.report,
        days=args.days,
        offset=timedelta(minutes=args.utc_offset),
        mission_id=args.mission_id,
        daily=call.daily,
    )
