"""A review: the judgment of a candidate by an agent or a person, and what it counts as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.timestamps import format_time

MAX_CRITERIA = 100
MAX_FINDINGS = 200
MAX_TEXT = 4_000
MAX_PATH = 1_000


class ReviewVerdict(StrEnum):
    APPROVE = "approve"
    CHANGES = "changes"
    """The author has to change something."""
    UNSURE = "unsure"
    """A person has to decide."""


class Met(StrEnum):
    """The judgment of one criterion."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Severity(StrEnum):
    BLOCKER = "blocker"
    SERIOUS = "serious"
    SMALL = "small"


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """An acceptance criterion of the task, as the reviewer judged it."""

    text: str
    met: Met
    evidence: str = ""
    """What shows it."""

    def as_dict(self) -> dict[str, Any]:
        return {"text": self.text, "met": str(self.met), "evidence": self.evidence}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Something that the reviewer found in the candidate."""

    severity: Severity
    text: str
    file: str | None = None
    line: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"severity": str(self.severity), "text": self.text, "file": self.file, "line": self.line}


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """One submitted review. It covers exactly the commit of its candidate."""

    id: str
    candidate_id: str
    mission_id: str
    task_id: str
    commit: str
    agent_id: str | None = None
    """None if a person reviewed it."""
    execution_id: str | None = None
    given: ReviewVerdict
    """The verdict as it was submitted."""
    verdict: ReviewVerdict
    """The verdict that counts."""
    criteria: Sequence[dict[str, Any]] = ()
    findings: Sequence[dict[str, Any]] = ()
    created_at: datetime

    def record(self) -> dict[str, Any]:
        """Return the review as lists show it."""
        return {
            "review_id": self.id,
            "candidate_id": self.candidate_id,
            "mission_id": self.mission_id,
            "task_id": self.task_id,
            "commit": self.commit,
            "agent_id": self.agent_id,
            "execution_id": self.execution_id,
            "given": str(self.given),
            "verdict": str(self.verdict),
            "criteria": [dict(each) for each in self.criteria],
            "findings": [dict(each) for each in self.findings],
            "created_at": format_time(self.created_at),
        }


def counted_verdict(
    given: ReviewVerdict, criteria: Sequence[Criterion], findings: Sequence[Finding], *, acceptance: Sequence[str] = ()
) -> ReviewVerdict:
    """Return what a verdict counts as: approving is not believed against the reviewer's own words.

    With a criterion that is not met, or a blocker, it means changes. With a criterion of `acceptance` that is unknown,
    or that the reviewer left out, it means unsure.
    """
    if given is not ReviewVerdict.APPROVE:
        return given
    if any(each.met is Met.NO for each in criteria) or any(each.severity is Severity.BLOCKER for each in findings):
        return ReviewVerdict.CHANGES
    met = {each.text for each in criteria if each.met is Met.YES}
    is_known = all(each.met is Met.YES for each in criteria) and met.issuperset(acceptance)
    return ReviewVerdict.APPROVE if is_known else ReviewVerdict.UNSURE


def check_review(criteria: Sequence[Criterion], findings: Sequence[Finding], *, acceptance: Sequence[str]) -> None:
    """Raise InvalidInput, with the field, if the parts of a review are too many, too long or about something else."""
    _check_count(len(criteria), MAX_CRITERIA, field="criteria")
    _check_count(len(findings), MAX_FINDINGS, field="findings")
    for number, criterion in enumerate(criteria):
        field = f"criteria[{number}]"
        _check_text(criterion.text, field=f"{field}.text")
        _check_text(criterion.evidence, field=f"{field}.evidence", may_be_empty=True)
        if criterion.text not in acceptance:
            raise InvalidInput(
                f"{field}.text is not an acceptance criterion of the task",
                hint="Repeat the criterion word for word. Anything else is a finding.",
                field=f"{field}.text",
            )
    for number, finding in enumerate(findings):
        field = f"findings[{number}]"
        _check_text(finding.text, field=f"{field}.text")
        if finding.file is not None:
            _check_text(finding.file, field=f"{field}.file", limit=MAX_PATH)
        if finding.line is not None and (finding.file is None or finding.line < 1):
            raise InvalidInput(
                f"{field}.line needs a file and counts from 1", hint="Give both, or neither.", field=f"{field}.line"
            )


def _check_count(count: int, limit: int, *, field: str) -> None:
    if count > limit:
        raise InvalidInput(f"{field}: {count} were given (limit {limit})", hint="Keep the important ones.", field=field)


def _check_text(text: str, *, field: str, limit: int = MAX_TEXT, may_be_empty: bool = False) -> None:
    if not may_be_empty and not text.strip():
        raise InvalidInput(f"{field} must be non-empty text", hint="Give some text.", field=field)
    if "\0" in text:
        raise InvalidInput(f"{field} contains a NUL character", hint="Remove it.", field=field)
    if len(text) > limit:
        raise InvalidInput(
            f"{field} is too long: {len(text)} characters (limit {limit})", hint="Shorten it.", field=field
        )
