"""The tool that searches missions, tasks, journal and messages."""

from __future__ import annotations

from pydantic import Field

from mission.domain.search_text import DocumentKind
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.search import index
from mission.services.search import search as service
from mission.services.search.search import Hit, SearchHits
from mission.tools.shared.fields import MissionId, Text, cut
from mission.tools.shared.wording import Moment

TITLE = 200


class Search(Arguments):
    query: Text = Field(max_length=1_000, description="Words or prefixes; all must match")
    kind: list[DocumentKind] | None = Field(None, description="Default: all")
    workflow_id: MissionId | None = None
    limit: int = Field(20, ge=1, le=100)
    offset: int = Field(0, ge=0, le=10_000, description="next_offset of the previous page")
    agent_id: str | None = None


class SearchResult(Result):
    kind: str
    id: str
    type: str | None
    title: str
    snippet: str
    author: str | None
    workflow_id: str | None
    task_id: str | None
    at: Moment

    @classmethod
    def of(cls, hit: Hit) -> SearchResult:
        document = hit.document
        return cls(
            kind=document.kind,
            id=document.id,
            type=document.type,
            title=cut(" ".join(document.title[: TITLE + 1].split()), limit=TITLE),
            snippet=hit.snippet,
            author=document.author,
            workflow_id=document.mission_id,
            task_id=document.task_id,
            at=document.at,
        )


class SearchResults(Result):
    results: list[SearchResult]
    total: int
    next_offset: int | None
    complete: bool

    @classmethod
    def of(cls, found: SearchHits, *, complete: bool) -> SearchResults:
        return cls(
            results=found.hits,
            total=found.total,
            next_offset=found.next_offset,
            complete=complete,
        )


@tool(toolset="workflow", result=SearchResults, actor="agent_id", reads=True)
async def search(call: Call, args: Search) -> SearchResults:
    """Search missions, tasks, journal entries and your messages. complete is false while the index is still being
    built."""
    complete = await index.catch_up(call)
    wanted = service.wanted(query=args.query, kinds=args.kind, mission_id=args.workflow_id, reader=call.actor)
    return SearchResults.of(
        await call.read(service.find, wanted=wanted, limit=args.limit, offset=args.offset), complete=complete
    )
