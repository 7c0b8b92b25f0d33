"""Operator tools for records: extend a plan, archive and delete missions, read the audit."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from mission.domain.missions.mission import Mission
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.missions import creation, planning
from mission.services.missions.planning import Planned
from mission.services.runs import mission_removal
from mission.services.views import audit
from mission.tools.shared.fields import AuditId, MissionId, moment_of
from mission.tools.shared.plan_tasks import MAX_TASKS, PlanTask
from mission.tools.shared.records import IF_ASKED, MissionWord
from mission.tools.shared.run_context import run_context
from mission.tools.shared.wording import Moment


class ArchiveMission(Arguments):
    mission_id: MissionId
    archived: bool = Field(True, description="false restores it")


class ArchivedMission(Result):
    mission_id: str = attribute("id")
    archived_at: Moment | None


class DeleteMission(Arguments):
    mission_id: MissionId


class DeletedMission(Result):
    mission_id: str = attribute("id")
    name: str


class ListAudit(Arguments):
    agent_id: str | None = Field(None, description="Id or name")
    tool: str | None = Field(None, description="Name, or pattern such as mcp__mail__*")
    status: Literal["ok", "error", "denied", "invoked"] | None = None
    except_transport: str | None = Field(None, description="Exclude calls over this transport, such as page")
    reads: bool = Field(True, description="false excludes calls that only read, unless they failed")
    names: bool = Field(False, description="Include the names of agent, task and mission")
    since: Annotated[datetime | None, moment_of("since")] = None
    limit: int = Field(50, ge=1, le=500)
    cursor: str | None = None
    lines: bool = Field(False, description="Include decision log lines: invoked, result, error")


class EntryById(Arguments):
    id: AuditId


class LogLine(Result):
    at: Moment
    decision: str
    reasoning: str
    context: dict[str, Any] | None


class AuditEntry(Result):
    id: str
    at: Moment
    finished_at: Moment
    transport: str
    caller: str
    agent_id: str | None
    tool: str
    status: str
    mission_id: str | None
    task_id: str | None
    arguments: dict[str, Any]
    result: dict[str, Any] | None
    error: dict[str, Any] | None
    trace: str | None
    agent_name: str | None = IF_ASKED
    task_name: str | None = IF_ASKED
    mission_name: str | None = IF_ASKED
    lines: list[LogLine] | None = IF_ASKED


class AuditList(Result):
    entries: list[AuditEntry]
    next_cursor: str | None


class AddTasks(Arguments):
    aliases: ClassVar[dict[str, str]] = {"workflow_id": "id", "mission_id": "id"}

    id: MissionId
    tasks: list[PlanTask] = Field(min_length=1, max_length=MAX_TASKS)


class AddedTasks(Result):
    workflow_id: str = attribute("mission.id")
    tasks_created: int
    task_ids: list[str]
    status: MissionWord = attribute("mission")


@tool(toolset="control", result=AddedTasks)
async def workflow_add_tasks(call: Call, args: AddTasks) -> Planned:
    """Add tasks to a plan. depends_on also accepts names and ids of existing tasks."""
    return await call.finish(
        planning.extend, mission_id=args.id, new=[task.new() for task in args.tasks], agent_id=call.actor
    )


@tool(toolset="control", result=ArchivedMission, idempotent=True)
async def mission_archive(call: Call, args: ArchiveMission) -> Mission:
    """Archive an ended mission, or restore it to the lists."""
    return await call.finish(creation.archive, mission_id=args.mission_id, archived=args.archived)


@tool(toolset="control", result=DeletedMission, destructive=True)
async def mission_delete(call: Call, args: DeleteMission) -> Mission:
    """Permanently delete an ended mission with its phases, tasks and journal."""
    return await mission_removal.remove(run_context(call), mission_id=args.mission_id)


@tool(toolset="control", result=AuditList, reads=True, address="/api/audit")
async def audit_list(call: Call, args: ListAudit) -> AuditList:
    """List audited calls with caller and result, newest first."""
    page = await call.read(
        audit.list_entries,
        agent_id=args.agent_id,
        tool=args.tool,
        status=args.status,
        except_transport=args.except_transport,
        except_ok=() if args.reads else sorted(each.name for each in call.registry if each.reads),
        since=args.since,
        limit=args.limit,
        cursor=args.cursor,
    )
    rows = await call.read(audit.with_names, entries=page.rows) if args.names else page.rows
    rows = [{**row, "lines": audit.lines(row)} for row in rows] if args.lines else rows
    return AuditList(entries=rows, next_cursor=page.next)


@tool(toolset="control", result=AuditEntry, reads=True, address="/api/audit/{id}")
async def audit_get(call: Call, args: EntryById) -> AuditEntry:
    """Read one audit entry, such as that of an incident."""
    row = await call.read(audit.get, id=args.id)
    return AuditEntry(**row, lines=audit.lines(row))
