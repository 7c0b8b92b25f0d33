"""The tool behind shortened ids on the command line."""

from __future__ import annotations

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.views import short_ids
from mission.services.views.short_ids import Matching


class MatchIds(Arguments):
    prefix: str = Field(max_length=60, description="The beginning of an id, such as m_3k")
    limit: int = Field(10, ge=1, le=100)


class MatchingIds(Result):
    ids: list[str]
    names: dict[str, str] = Field(description="The names of missions, tasks and agents, by id")


@tool(toolset="control", result=MatchingIds, reads=True)
async def overview_ids(call: Call, args: MatchIds) -> Matching:
    """List the ids that begin with a text."""
    return await call.read(short_ids.matching, prefix=args.prefix, limit=args.limit)


class NameIds(Arguments):
    ids: list[str] = Field(max_length=1_000, description="Ids of missions, tasks and agents")


class NamesById(Result):
    names: dict[str, str] = Field(description="The names of those that exist, by id")


@tool(toolset="control", result=NamesById, reads=True)
async def overview_names(call: Call, args: NameIds) -> NamesById:
    """Return the names of missions, tasks and agents."""
    return NamesById(names=await call.read(short_ids.names, ids=args.ids))
