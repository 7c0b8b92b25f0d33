"""The tool behind the page's command palette."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.search import index
from mission.services.views import jump_targets
from mission.services.views.jump_targets import JumpTarget
from mission.tools.shared.fields import Text, cut
from mission.tools.shared.topics import MISSION

NAME = 200


class FindJumpTargets(Arguments):
    query: Text = Field(max_length=200, description="Words of a name or their beginnings, or the beginning of an id")
    limit: int = Field(20, ge=1, le=50)


class FoundTarget(Result):
    kind: str = Field(description="mission, task, agent, run or execution")
    id: str
    name: str
    detail: str | None = Field(description="The mission of a task, the task of an agent, the agent of an execution")
    state: str
    needs_you: bool

    @classmethod
    def of(cls, target: JumpTarget) -> FoundTarget:
        return cls(
            kind=target.kind,
            id=target.id,
            name=cut(target.name, limit=NAME),
            detail=cut(target.detail, limit=NAME),
            state=target.state,
            needs_you=target.needs_you,
        )


class FoundTargets(Result):
    targets: list[FoundTarget]

    @classmethod
    def of(cls, targets: Sequence[JumpTarget]) -> FoundTargets:
        return cls(targets=list(targets))


@tool(
    toolset="control",
    result=FoundTargets,
    reads=True,
    stale_on=(*MISSION, "task", "agent", "run", "execution"),
)
async def overview_find(call: Call, args: FindJumpTargets) -> Sequence[JumpTarget]:
    """Find missions, tasks, agents, runs and executions by name or id; best matches first."""
    await index.catch_up(call)
    return await call.read(jump_targets.find, query=args.query, limit=args.limit, liveness=call.liveness)
