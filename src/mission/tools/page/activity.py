"""How work went since somebody left, as a curve shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.views import activity as course
from mission.tools.shared.fields import moment_of
from mission.tools.shared.wording import Moment


class GetCourse(Arguments):
    since: Annotated[datetime, moment_of("since")] = Field(description="When the curve begins; seven days back at most")


class WorkCourse(Result):
    at: list[Moment]
    at_work: list[int] = Field(description="Tasks worked on at each moment, without those that stood still")
    waiting: list[int] = Field(description="Items that waited for a person at each moment")
    unanswered_since: Moment | None = Field(description="Since when the oldest open item waits")


@tool(toolset="control", reads=True, stale_on=("queue",), fades=True)
async def overview_course(call: Call, args: GetCourse) -> WorkCourse:
    """See how many tasks were worked on, and how many things waited for a person, over time."""
    found = await call.read(course.activity, since=args.since)
    return WorkCourse(
        at=list(found.at),
        at_work=list(found.at_work),
        waiting=list(found.waiting),
        unanswered_since=found.unanswered_since,
    )
