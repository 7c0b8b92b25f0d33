"""Attestations of what was proved: evidence as in-toto Statements with the predicate Test Result.

A Statement says that its predicate is true of every one of its subjects. Evidence belongs to one exact tree, so each
tree gets its own Statement: the tree and the commits that have it are its subjects. Trees of different tasks in one
Statement would claim results for trees on which nothing ran.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.checks.attestations.envelope import Envelope
from mission.domain.errors import InvalidInput
from mission.domain.timestamps import format_time

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
GIT_TREE = "gitTree"
"""The id of a git tree, SHA-1 or SHA-256: in-toto uses one name for both and tells them apart by their length."""
FOLDER_DIGEST = "missionFolderSha256"
"""The lowercase hexadecimal SHA-256 of a plain folder's whole sorted manifest. in-toto has no name for it: `sha256` is
for bytes whose order is obvious, and `dirHash` for another way to list a folder."""
EXTENSION = "missionControl"
"""The predicate's field for what Test Result has no field for; other readers ignore it."""

Statement = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class AttestedEvidence:
    """One finished check, as an attestation names it."""

    id: str
    task_id: str
    task_name: str
    check: str
    kind: str
    """The kind of check: run, changed or untouched."""
    text: str
    """The command, or the globs."""
    definition: str
    """The SHA-256 of the check's definition."""
    state: str
    """How it ended; only `passed` counts as passed."""
    tree: str
    is_folder: bool = False
    commit: str | None = None
    """A commit that has exactly this tree."""
    place: str = "task"
    required: bool = True
    flaky: bool = False
    started_at: datetime | None = None
    ended_at: datetime | None = None
    seconds: float | None = None
    tests_run: int | None = None
    tests_failed: int | None = None
    tests_skipped: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AttestedResult:
    """The content of a Statement: the result, for which trees and commits, and the names of its checks."""

    result: str
    subjects: Sequence[Mapping[str, str]]
    """The digests of each subject, by algorithm."""
    passed: Sequence[str]
    warned: Sequence[str]
    failed: Sequence[str]
    statement: Statement


def build_statements(evidence: Iterable[AttestedEvidence], *, mission_id: str, mission_name: str) -> list[Statement]:
    """Return one Statement for each tree, in the order in which trees were first checked."""
    by_tree: dict[tuple[bool, str], list[AttestedEvidence]] = {}
    for each in sorted(evidence, key=_order):
        by_tree.setdefault((each.is_folder, each.tree), []).append(each)
    mission = {"id": mission_id, "name": _text(mission_name)}
    return [_statement(checks, mission) for checks in by_tree.values()]


def unsigned_envelope(statement: Statement) -> Envelope:
    """Return the Statement in an envelope without signatures; the same Statement always gives the same bytes."""
    payload = json.dumps(statement, separators=(",", ":"), sort_keys=True).encode()
    return Envelope(payload=payload, payload_type=PAYLOAD_TYPE)


def read_result(envelope: Envelope) -> AttestedResult:
    """Return what the envelope's Statement says; raise InvalidInput if it is not an in-toto test result.

    This does not show who wrote it: verify the signature of the same envelope first.
    """
    statement = _parsed(envelope)
    predicate = statement.get("predicate")
    subjects = statement.get("subject")
    if not isinstance(predicate, dict) or predicate.get("result") not in ("PASSED", "WARNED", "FAILED"):
        raise _not_a_result("its predicate has no valid result")
    if not isinstance(subjects, list) or not subjects:
        raise _not_a_result("it has no subject")
    return AttestedResult(
        result=predicate["result"],
        subjects=[_digests(subject) for subject in subjects],
        passed=_names(predicate, "passedTests"),
        warned=_names(predicate, "warnedTests"),
        failed=_names(predicate, "failedTests"),
        statement=statement,
    )


def _statement(checks: Sequence[AttestedEvidence], mission: Mapping[str, str]) -> Statement:
    latest: dict[tuple[str, ...], AttestedEvidence] = {}
    unsteady: set[tuple[str, ...]] = set()
    for each in checks:
        key = (each.task_id, each.check, each.definition, each.place)
        if each.flaky or (key in latest and latest[key].state == "failed" and each.state == "passed"):
            unsteady.add(key)
        latest[key] = each
    failed = {each.check for each in latest.values() if each.state != "passed"}
    warned = {latest[key].check for key in unsteady} - failed
    passed = {each.check for each in latest.values()} - failed - warned
    gating = any(each.required and each.state != "passed" for each in latest.values())
    return {
        "_type": STATEMENT_TYPE,
        "subject": _subjects(checks),
        "predicateType": TEST_RESULT,
        "predicate": {
            "result": "FAILED" if gating else "WARNED" if failed or warned else "PASSED",
            "configuration": _configuration(checks),
            "passedTests": sorted(map(_text, passed)),
            "warnedTests": sorted(map(_text, warned)),
            "failedTests": sorted(map(_text, failed)),
            EXTENSION: {"mission": dict(mission), "evidence": [_record(each) for each in checks]},
        },
    }


def _subjects(checks: Sequence[AttestedEvidence]) -> list[dict[str, Any]]:
    tree = checks[0]
    commits = dict.fromkeys(each.commit for each in checks if each.commit)
    named = {"name": "commit"} if len(commits) == 1 else {}
    digest = {FOLDER_DIGEST if tree.is_folder else GIT_TREE: tree.tree}
    return [
        {"name": "folder" if tree.is_folder else "tree", "digest": digest},
        *({**named, "digest": {"gitCommit": commit}} for commit in commits),
    ]


def _configuration(checks: Sequence[AttestedEvidence]) -> list[dict[str, Any]]:
    """Return each definition once."""
    return [
        {
            "name": _text(each.check),
            "digest": {"sha256": each.definition},
            "annotations": {"kind": each.kind, "text": _text(each.text), "required": each.required},
        }
        for each in {(each.check, each.definition): each for each in checks}.values()
    ]


def _record(each: AttestedEvidence) -> dict[str, Any]:
    counts = {"run": each.tests_run, "failed": each.tests_failed, "skipped": each.tests_skipped}
    known = {name: count for name, count in counts.items() if count is not None}
    values = {
        "id": each.id,
        "task": {"id": each.task_id, "name": _text(each.task_name)},
        "check": _text(each.check),
        "definition": each.definition,
        "state": each.state,
        "place": each.place,
        "flaky": each.flaky,
        "startedAt": format_time(each.started_at),
        "endedAt": format_time(each.ended_at),
        "seconds": each.seconds,
        "tests": known or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _order(each: AttestedEvidence) -> tuple[float, str]:
    moment = each.ended_at or each.started_at
    return (moment.timestamp() if moment else 0.0, each.id)


def _text(text: str) -> str:
    """Return the text without unpaired surrogates, which strict JSON parsers reject."""
    return text.encode(errors="replace").decode()


def _parsed(envelope: Envelope) -> Statement:
    if envelope.payload_type != PAYLOAD_TYPE and not envelope.payload_type.startswith("application/vnd.in-toto."):
        raise _not_a_result(f"its type is '{envelope.payload_type[:100]}'")
    try:
        statement = json.loads(envelope.payload.decode())
    except (ValueError, RecursionError):
        raise _not_a_result("its content is not valid JSON") from None
    if not isinstance(statement, dict) or statement.get("_type") != STATEMENT_TYPE:
        raise _not_a_result("its content is not a Statement, version 1")
    if statement.get("predicateType") != TEST_RESULT:
        raise _not_a_result(f"its predicate is '{str(statement.get('predicateType'))[:100]}'")
    return statement


def _digests(subject: object) -> dict[str, str]:
    digest = subject.get("digest") if isinstance(subject, dict) else None
    if not isinstance(digest, dict) or not digest or not all(isinstance(value, str) for value in digest.values()):
        raise _not_a_result("one of its subjects has no digest")
    return digest


def _names(predicate: Mapping[str, Any], field: str) -> list[str]:
    names = predicate.get(field) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _not_a_result(f"its field '{field}' is not a list of names")
    return names


def _not_a_result(why: str) -> InvalidInput:
    return InvalidInput(
        f"The attestation is not a test result: {why}.",
        hint=f"Its payload must be an in-toto Statement with the predicate {TEST_RESULT}.",
    )
