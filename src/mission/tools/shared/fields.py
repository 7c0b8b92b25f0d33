"""Field types shared by tools: names, ids, timestamps, lists."""

from __future__ import annotations

from posixpath import normpath
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, ValidationInfo

from mission.domain.errors import InvalidInput
from mission.domain.ids import expect_kind
from mission.domain.timestamps import parse_time


def _of_kind(kind: str) -> AfterValidator:
    def check(value: str, info: ValidationInfo) -> str:
        return expect_kind(value, kind, field=info.field_name or kind)

    return AfterValidator(check)


def _absolute(value: str, info: ValidationInfo) -> str:
    field = info.field_name or "path"
    if not value.startswith("/"):
        raise InvalidInput(
            f"{field}: '{value[:200]}' is not an absolute path",
            hint="Use a full path that starts with '/'.",
            field=field,
        )
    return normpath(value)


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
MissionId = Annotated[str, _of_kind("mission")]
PhaseId = Annotated[str, _of_kind("phase")]
TaskId = Annotated[str, _of_kind("task")]
ExecutionId = Annotated[str, _of_kind("execution")]
AuditId = Annotated[str, _of_kind("audit entry")]
EvidenceId = Annotated[str, _of_kind("evidence")]
RunId = Annotated[str, _of_kind("run")]
CandidateId = Annotated[str, _of_kind("candidate")]
QueueItemId = Annotated[str, _of_kind("inbox item")]
MessageId = Annotated[str, _of_kind("message")]
ThreadId = Annotated[str, _of_kind("thread")]
WorkspaceId = Annotated[str, _of_kind("workspace")]
TemplateId = Annotated[str, _of_kind("template")]
PathText = Annotated[str, Field(min_length=1, max_length=1000)]
AbsolutePath = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(_absolute)]
BranchName = Annotated[str, Field(min_length=1, max_length=200)]
Setup = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Copies = Annotated[list[PathText], Field(max_length=100)]
Texts = list[str]
Checks = list[str | dict[str, Any]]
"""Checks in arguments: a command, or an object with run, changed or untouched."""
GivenTexts = Annotated[list[str], Field(max_length=1_000)]
"""A list in arguments; lists in results have no limit."""
Range = Annotated[list[float], Field(min_length=2, max_length=2)]
"""Low and high estimate."""
PhaseNumber = Annotated[int, Field(ge=1, le=1_000_000)]
Fence = Annotated[int, Field(ge=0, le=2_000_000_000)]


def moment_of(field: str) -> BeforeValidator:
    """Return a validator that accepts ISO 8601 and Unix timestamps."""
    return BeforeValidator(
        lambda value: parse_time(value, field=field) if isinstance(value, str | int | float) else value
    )


def check_one_mission(mission_id: str | None, workflow_id: str | None) -> None:
    """Raise InvalidInput if mission_id and workflow_id differ."""
    if mission_id and workflow_id and mission_id != workflow_id:
        raise InvalidInput(
            "mission_id and workflow_id name two different missions",
            hint="Give only one of them.",
            field="workflow_id",
            fields=["mission_id", "workflow_id"],
        )


def cut(text: Any, *, limit: int = 500) -> Any:
    """Truncate long texts for a row of a list; reading one object returns them in full."""
    if isinstance(text, str) and len(text) > limit:
        return f"{text[:limit]}…"
    if isinstance(text, dict):
        return {name: cut(value, limit=limit) for name, value in text.items()}
    return [cut(item, limit=limit) for item in text] if isinstance(text, list) else text
