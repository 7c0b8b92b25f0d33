"""Tools for evidence: list it, read one piece with its output, export it as attestations."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.checks.evidence import Evidence, EvidenceState
from mission.gateway.call import Call
from mission.gateway.registry import Address, Arguments, Result, attribute, tool
from mission.services.checks import reading
from mission.services.checks.check_runner import OutputPiece
from mission.services.evidence import attestations
from mission.services.evidence.attestations import ExportedEvidence
from mission.services.paging import Page
from mission.tools.shared.fields import EvidenceId, MissionId, TaskId
from mission.tools.shared.wording import Moment


class ListEvidence(Arguments):
    task_id: TaskId | None = None
    mission_id: MissionId | None = None
    state: list[EvidenceState] | None = None
    limit: int = Field(50, ge=1, le=500)
    cursor: str | None = None


class EvidenceById(Arguments):
    id: EvidenceId


class ReadOutput(Arguments):
    id: EvidenceId
    offset: int = Field(0, ge=-(10**12), le=10**12, description="In bytes; negative counts from the end")


class ExportEvidence(Arguments):
    mission_id: MissionId


class EvidenceRecord(Result):
    id: str
    task_id: str | None = Field(description="null for checks of a whole run: on its base, its tip, and at its end")
    mission_id: str
    name: str
    kind: str
    check: dict[str, Any]
    definition: str
    required: bool
    state: EvidenceState
    role: str
    place: str
    tree: str | None
    exit_code: int | None
    timed_out: bool
    idle: bool
    flaky: bool
    seconds: float | None
    tests: dict[str, int] | None
    reason: str | None
    files: list[str]
    reused_from: str | None
    host_id: str
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None

    @classmethod
    def of(cls, evidence: Evidence) -> EvidenceRecord:
        times = {name: getattr(evidence, name) for name in ("created_at", "started_at", "ended_at")}
        return cls(**{**evidence.record(), **times})


class EvidenceDetail(EvidenceRecord):
    output: str = Field(description="The last 4,000 characters")
    output_bytes: int

    @classmethod
    def of(cls, evidence: Evidence) -> EvidenceDetail:
        row = EvidenceRecord.of(evidence)
        return cls(
            **{name: getattr(row, name) for name in EvidenceRecord.model_fields},
            output=evidence.output,
            output_bytes=evidence.output_bytes,
        )


class EvidenceList(Result):
    evidence: list[EvidenceRecord]
    next_cursor: str | None

    @classmethod
    def of(cls, page: Page[Evidence]) -> EvidenceList:
        return cls(evidence=[EvidenceRecord.of(row) for row in page.rows], next_cursor=page.next)


class EvidenceOutput(Result):
    text: str
    next_offset: int = Field(description="Where to read next")
    left_out: int = Field(description="Bytes before this piece that were not kept")
    ended: bool


class UnprovedTaskRecord(Result):
    id: str
    name: str
    reason: str | None


class EvidenceStatements(Result):
    mission_id: str = attribute("mission.id")
    mission_name: str = attribute("mission.name")
    statements: list[dict[str, Any]] = Field(description="in-toto Statements, one for each tree, to be signed")
    unproved: list[UnprovedTaskRecord] = Field(description="Completed tasks without a Statement")


@tool(
    toolset="control",
    reads=True,
    result=EvidenceList,
    address="/api/evidence",
    stale_on=("evidence",),
)
async def evidence_list(call: Call, args: ListEvidence) -> Page[Evidence]:
    """List evidence (check results and their trees), newest first."""
    return await call.read(
        reading.list_evidence,
        task_id=args.task_id,
        mission_id=args.mission_id,
        states=args.state,
        limit=args.limit,
        cursor=args.cursor,
    )


@tool(
    toolset="control",
    reads=True,
    result=EvidenceDetail,
    address="/api/evidence/{id}",
    stale_on=("evidence",),
    about="item",
)
async def evidence_get(call: Call, args: EvidenceById) -> Evidence:
    """Read one piece of evidence, with the end of its output."""
    return await call.read(reading.get, evidence_id=args.id)


@tool(
    toolset="control",
    reads=True,
    result=EvidenceOutput,
    address=Address("/api/evidence/{id}/output"),
    stale_on=("evidence",),
    about="item",
)
async def evidence_output(call: Call, args: ReadOutput) -> OutputPiece:
    """Read the output of a check, even while it runs."""
    await call.read(reading.get, evidence_id=args.id)
    return await call.checks.runner.read_output(args.id, offset=args.offset)


@tool(toolset="control", reads=True, result=EvidenceStatements)
async def evidence_export(call: Call, args: ExportEvidence) -> ExportedEvidence:
    """Export the evidence for a mission's completed tasks as in-toto Statements (predicate Test Result)."""
    return await attestations.export(call, call.trees, mission_id=args.mission_id)
