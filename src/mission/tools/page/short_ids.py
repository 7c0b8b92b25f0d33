"""The tool behind shortened ids on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.views import short_ids


class MatchIds(Arguments):
    prefix: str = Field(max_length=60, description="The beginning of an id, such as m_3k")
    limit: int = Field(10, ge=1, le=100)


class MatchingIds(Result):
    ids: list[str]

    @classmethod
    def of(cls, ids: Sequence[str]) -> MatchingIds:
        return cls(ids=list(ids))


@tool(toolset="control", result=MatchingIds, reads=True)
async def overview_ids(call: Call, args: MatchIds) -> Sequence[str]:
    """List the ids that begin with a text."""
    return await call.read(short_ids.matching, prefix=args.prefix, limit=args.limit)
