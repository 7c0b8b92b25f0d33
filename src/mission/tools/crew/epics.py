"""Crew tools for epics, which are missions: create, update, list, and list their tasks."""

from __future__ import annotations

from pydantic import Field

from mission.domain.missions.mission import Family, Mission
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.crew import members, tasks
from mission.services.crew.tasks import TaskPage
from mission.services.missions import completion, creation
from mission.services.missions.creation import NewMission
from mission.tools.crew.records import CrewTask, Epic, EpicState, TaskState, task_state
from mission.tools.shared.fields import MissionId, Name, Text, cut
from mission.tools.shared.wording import legal_moves_in


class CreateEpic(Arguments):
    title: Name
    description: Text
    linearIssueId: Name | None = None
    linearIssueUrl: Name | None = None

    def new(self) -> NewMission:
        source = " ".join(part for part in (self.linearIssueId, self.linearIssueUrl) if part)
        return NewMission(
            name=self.title,
            objective=self.description,
            description=self.description,
            family=Family.WORKFLOW,
            source_type="linear" if source else "prompt",
            source_ref=source or None,
        )


class ListTasks(Arguments):
    state: TaskState | None = None
    epicId: MissionId | None = Field(None, description="Default: your epic")
    limit: int = Field(200, ge=1, le=200)
    cursor: str | None = Field(None, description="nextCursor of the previous page")
    offset: int = Field(0, ge=0, le=1_000_000_000)


class TaskList(Result):
    tasks: list[CrewTask]
    nextCursor: str | None
    nextOffset: int | None

    @classmethod
    def of(cls, page: TaskPage) -> TaskList:
        rows = [CrewTask.of(task) for task in page.tasks]
        return cls(
            tasks=[row.model_copy(update={"description": cut(row.description)}) for row in rows],
            nextCursor=page.next,
            nextOffset=page.next_offset,
        )


class UpdateEpic(Arguments):
    status: EpicState
    epicId: MissionId | None = Field(None, description="Default: your epic")
    reason: Text | None = None


class ListEpics(Arguments):
    state: EpicState | None = None
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=1_000_000_000)


class EpicList(Result):
    epics: list[Epic]
    count: int
    total: int


@tool(toolset="crew", result=Epic, actor="agentId")
async def mcp__epic__create(call: Call, args: CreateEpic) -> Mission:
    """Start an epic; it becomes your current one."""
    place = await call.trees.around(call.directory)
    return await call.finish(members.create_mission, new=args.new(), place=place, agent=call.identity.agent)


@tool(toolset="crew", result=TaskList, actor="agentId", reads=True)
async def mcp__epic__list_tasks(call: Call, args: ListTasks) -> TaskPage:
    """List the tasks of an epic in plan order."""
    return await call.read(
        tasks.list_tasks,
        agent=call.identity.agent,
        mission_id=args.epicId,
        fits=lambda task: args.state is None or task_state(task) is args.state,
        limit=args.limit,
        offset=args.offset,
        cursor=args.cursor,
    )


@tool(toolset="crew", result=Epic, actor="agentId")
async def mcp__epic__update_status(call: Call, args: UpdateEpic) -> Mission:
    """Change an epic's status. COMPLETED requires all tasks to be finished; CANCELLED skips open ones."""
    mission_id = args.epicId or (await call.read(members.current_mission, agent=call.identity.agent)).id
    with legal_moves_in({state.status: state for state in EpicState}):
        return await call.finish(completion.move, mission_id=mission_id, status=args.status.status, reason=args.reason)


@tool(toolset="crew", result=EpicList, actor="agentId", reads=True)
async def mcp__orchestrator__list_epics(call: Call, args: ListEpics) -> EpicList:
    """List epics, most recently active first."""
    listed, total = await call.read(
        creation.list_missions,
        statuses=[str(status) for status in args.state.statuses] if args.state is not None else None,
        repository_path=None,
        archived=False,
        limit=args.limit,
        offset=args.offset,
    )
    epics = [Epic.of(each.mission) for each in listed]
    return EpicList(
        epics=[epic.model_copy(update={"description": cut(epic.description)}) for epic in epics],
        count=total,
        total=total,
    )
