"""The tool that reads a mission: phases, tasks, decisions, milestones, blockers."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, model_validator

from mission.domain.errors import InvalidInput
from mission.domain.timestamps import format_time, parse_time
from mission.gateway.call import Call
from mission.gateway.registry import Address, Arguments, Result, tool
from mission.services.missions import context
from mission.services.missions.context import PAGED, ContextRows, ContextSection, Positions
from mission.services.repositories import current_mission
from mission.store.sql.pages import Filter, PagePosition
from mission.tools.missions.context_rows import RENDER, BlockerRow, DecisionRow, MilestoneRow, PhaseRow, TaskRow
from mission.tools.shared.evidence import EvidenceCounts
from mission.tools.shared.fields import MissionId, PhaseNumber, Texts, check_one_mission, moment_of
from mission.tools.shared.records import IF_ASKED
from mission.tools.shared.wording import Moment, mission_status

LARGEST_ANSWER = 30_000
"""Characters of rows per page, unless the caller set a limit of rows."""


WHOLE_MISSION = ("phase_summary", "tasks", "decisions", "milestones", "blockers")
"""Sections that REST includes unless the request names others."""


class ContextFilter(Arguments):
    phase: PhaseNumber | None = None
    agent: str | None = Field(None, description="agent_name")
    since: Annotated[datetime | None, moment_of("filter.since")] = None


class GetContext(Arguments):
    mission_id: MissionId | None = Field(None, description="Default: newest open mission here")
    workflow_id: MissionId | None = Field(None, description="Alias of mission_id")
    include: list[ContextSection] = Field(min_length=1, max_length=20)
    filter: ContextFilter = ContextFilter()
    limit: int = Field(50, ge=1, le=200)
    cursor: str | None = Field(None, description="next_cursor of the previous page")

    @model_validator(mode="after")
    def _check(self) -> GetContext:
        check_one_mission(self.mission_id, self.workflow_id)
        return self


class FiltersApplied(Result):
    phase: int | None
    agent: str | None
    since: Moment | None


class MissionContext(Result):
    mission_id: str
    workflow_id: str
    mission_name: str
    workflow_name: str
    mission_status: str
    workflow_status: str
    objective: str
    description: str | None
    scope: str | None
    constraints: str | None
    summary: str | None
    limitations: Texts
    current_phase: int
    total_phases: int
    evidence: EvidenceCounts
    phase_summary: list[PhaseRow] | None = IF_ASKED
    tasks: list[TaskRow] | None = IF_ASKED
    tasks_count: int | None = IF_ASKED
    decisions: list[DecisionRow] | None = IF_ASKED
    decisions_count: int | None = IF_ASKED
    milestones: list[MilestoneRow] | None = IF_ASKED
    milestones_count: int | None = IF_ASKED
    blockers: list[BlockerRow] | None = IF_ASKED
    blockers_count: int | None = IF_ASKED
    has_blockers: bool
    filters_applied: FiltersApplied | None = IF_ASKED
    next_cursor: str | None

    @classmethod
    def of(cls, found: ContextRows, args: GetContext) -> MissionContext:
        mission = found.mission
        status = mission_status(mission.status)
        chosen = args.filter
        sections, positions = _sections(found, complete="limit" in args.model_fields_set)
        return cls(
            mission_id=mission.id,
            workflow_id=mission.id,
            mission_name=mission.name,
            workflow_name=mission.name,
            mission_status=status,
            workflow_status=status,
            objective=mission.objective,
            description=mission.description,
            scope=mission.scope,
            constraints=mission.constraints,
            summary=mission.summary,
            limitations=list(mission.limitations),
            current_phase=found.current_phase,
            total_phases=mission.total_phases,
            evidence=EvidenceCounts.of(found.proof_counts),
            phase_summary=[PhaseRow.of(phase, now=found.now) for phase in found.phases]
            if ContextSection.PHASE_SUMMARY in args.include
            else None,
            **{str(section): sections.get(section, []) for section in PAGED if section in args.include},
            **{f"{section}_count": total for section, total in found.totals.items()},
            has_blockers=mission.blockers > 0,
            filters_applied=chosen if chosen != ContextFilter() else None,
            next_cursor=_cursor(positions),
        )


@tool(
    toolset="mission",
    result=MissionContext,
    reads=True,
    address=Address("/api/missions/{id}", argument="mission_id", defaults={"include": WHOLE_MISSION}),
)
async def get_context(call: Call, args: GetContext) -> MissionContext:
    """Read a mission's phases, tasks, decisions, milestones and open blockers, newest first."""
    mission_id = args.mission_id or args.workflow_id
    if mission_id is None:
        mission_id = (await current_mission.newest_here(call, call.trees, directory=call.directory)).id
    found = await call.read(
        context.read,
        mission_id=mission_id,
        include=frozenset(args.include),
        chosen=Filter(phase=args.filter.phase, agent=args.filter.agent, since=args.filter.since),
        limit=args.limit,
        after=_positions(args.cursor),
    )
    return MissionContext.of(found, args)


def _sections(
    found: ContextRows, *, complete: bool
) -> tuple[dict[ContextSection, list[Any]], dict[ContextSection, PagePosition]]:
    """Return the rows of each section that fit one answer, and the position where each continues.

    With `complete` the caller set a limit of rows and gets them all, regardless of size.
    """
    room = LARGEST_ANSWER
    sections: dict[ContextSection, list[Any]] = {}
    positions = {section: at for section, at in found.next.items() if at is not None}
    for section, things in found.rows.items():
        rows: list[Any] = []
        for thing in things:
            row = RENDER[section](thing)
            room -= len(row.model_dump_json())
            if rows and room < 0 and not complete:
                break
            rows.append(row)
        if len(rows) < len(things):
            last = things[len(rows) - 1]
            positions[section] = (last.created_at, last.id)
        sections[section] = rows
    return sections, positions


def _cursor(positions: dict[ContextSection, PagePosition]) -> str | None:
    """Return the positions of all sections as one cursor."""
    if not positions:
        return None
    text = json.dumps({section: [format_time(at[0]), at[1]] for section, at in positions.items()})
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _positions(cursor: str | None) -> Positions | None:
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        rows = json.loads(base64.urlsafe_b64decode(padded))
        return {ContextSection(name): (parse_time(at, field="cursor"), str(id)) for name, (at, id) in rows.items()}
    except (binascii.Error, ValueError, TypeError, AttributeError, RecursionError, InvalidInput):
        raise InvalidInput(
            "cursor: not a cursor of an earlier page",
            hint="Pass next_cursor of the previous page unchanged.",
            field="cursor",
        ) from None
