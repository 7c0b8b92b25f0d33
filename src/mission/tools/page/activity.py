"""The tool behind the page's activity chart."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.views import activity
from mission.services.views.activity import Activity
from mission.tools.shared.fields import moment_of
from mission.tools.shared.wording import Moment


class GetCourse(Arguments):
    since: Annotated[datetime, moment_of("since")] = Field(description="Start of the chart; at most seven days ago")


class WorkCourse(Result):
    at: list[Moment]
    at_work: list[int] = Field(description="Tasks in progress at each moment, without blocked ones")
    waiting: list[int] = Field(description="Open inbox items at each moment")
    unanswered_since: Moment | None = Field(description="Creation time of the oldest open item")


@tool(toolset="control", result=WorkCourse, reads=True, stale_on=("queue",), fades=True)
async def overview_course(call: Call, args: GetCourse) -> Activity:
    """Count tasks in progress and open inbox items over time."""
    return await call.read(activity.activity, since=args.since)
