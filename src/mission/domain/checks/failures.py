"""The error that an agent reads when its task's checks did not pass: at most 8,000 characters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mission.domain.actions import Action
from mission.domain.checks.evidence import Evidence, EvidenceState
from mission.domain.checks.round import RoundState
from mission.domain.checks.verdict import CheckResult, Verdict
from mission.domain.errors import ChecksError, ChecksFailed, ChecksVoid, MissionError

MAX_ERROR = 8_000
"""The longest error object, as JSON."""
RESERVE = 400
"""Space for the hint, which the gateway phrases."""
MAX_TEXT = 4_000
"""The longest description of a failure for an agent that is started again."""
MAX_TOLD = 5
MAX_LISTED = 20
MAX_JUDGED = 200


def error_of(
    verdict: Verdict,
    evidence: Sequence[Evidence],
    *,
    task_id: str,
    tree: str | None,
    unreadable: str | None = None,
    may_skip: bool = True,
) -> MissionError:
    """Return the error that a finished round means for the caller who reported the task done.

    `unreadable` is why the tree cannot be checked at all; with `may_skip`, the task may be completed unproved.
    """
    rows = {each.id: each for each in evidence}
    if verdict.state is RoundState.VOID:
        return _void(rows, task_id=task_id, may_skip=may_skip)
    if verdict.state is RoundState.ERROR:
        return _broken(verdict, rows, task_id=task_id, unreadable=unreadable, may_skip=may_skip)
    return _failed(verdict, rows, task_id=task_id, tree=tree)


def changed_files(evidence: Iterable[Evidence]) -> list[str]:
    """Return the files that changed while checks ran, as many as an answer names."""
    changed = sorted({path for each in evidence if each.state is EvidenceState.VOID for path in each.files})
    return [path[:MAX_JUDGED] for path in changed[:MAX_LISTED]]


def as_text(error: MissionError) -> str:
    """Return a ChecksFailed in words: each check with its command, how it ended and the end of its output."""
    failed = error.details["checks"]
    told = failed[:MAX_TOLD]
    more = [f"{len(failed) - len(told)} more failed."] if len(failed) > len(told) else []
    return "\n\n".join([*(_in_words(each, room=MAX_TEXT // len(told)) for each in told), *more])


def _in_words(check: Mapping[str, Any], *, room: int) -> str:
    files = ", ".join(check.get("files", ()))
    head = "\n".join(filter(None, (_how_it_ended(check), check.get("reason"), files, check.get("green_before"))))[:room]
    output = check.get("output", "").strip()
    left = room - len(head) - 1
    return f"{head}\n{output[-left:]}" if output and left > 0 else head


def _how_it_ended(check: Mapping[str, Any]) -> str:
    command = f" ({check['check']})" if check.get("check", check["name"]) != check["name"] else ""
    code = check.get("exit_code")
    how = "did not finish in time" if check.get("timed_out") else f"failed with exit code {code}" if code else "failed"
    required = "" if check["required"] else " It is not required."
    before = " It failed before your change too." if check["failed_before_too"] else ""
    return f"Check '{check['name']}'{command} {how}.{required}{before}"


def _failed(verdict: Verdict, rows: Mapping[str, Evidence], *, task_id: str, tree: str | None) -> ChecksFailed:
    failed = [each for each in verdict.results if each.state is EvidenceState.FAILED]
    failed.sort(key=lambda each: (not each.required, bool(each.failed_before)))
    names = ", ".join(each.name for each in failed[:5]) + (" …" if len(failed) > 5 else "")
    message = f"{len(failed)} check{'s' if len(failed) > 1 else ''} failed: {names}. The task is still in progress."

    def error(tail: int, listed: int) -> ChecksFailed:
        checks = [_described(each, rows.get(each.evidence_id or ""), tail=tail) for each in failed[:listed]]
        return ChecksFailed(message, action=Action.FIX_AND_REPORT, task_id=task_id, tree=tree, checks=checks)

    return _fitting(error, len(failed))


def _fitting(error: Any, count: int) -> ChecksFailed:
    """Return the error with as much output of each check as fits."""
    listed = min(count, MAX_LISTED)
    low, high = 0, 4_000
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(error(middle, listed)) else (low, middle - 1)
    while listed > 1 and not _fits(error(low, listed)):
        listed -= 1
    return error(low, listed)  # type: ignore[no-any-return]


def _fits(error: MissionError) -> bool:
    return len(json.dumps(error.as_dict(), ensure_ascii=False)) <= MAX_ERROR - RESERVE


def _described(result: CheckResult, row: Evidence | None, *, tail: int) -> dict[str, Any]:
    described: dict[str, Any] = {"name": result.name, "required": result.required, "evidence_id": result.evidence_id}
    if row is not None:
        described |= {
            "check": row.check.judges[:MAX_JUDGED],
            "exit_code": row.exit_code,
            "timed_out": row.timed_out,
            "output": row.output[-tail:] if tail else "",
        }
        if row.reason:
            described["reason"] = row.reason[:MAX_JUDGED]
        if row.files:
            described["files"] = [path[:MAX_JUDGED] for path in row.files[:5]]
    if result.green_before is not None:
        described["green_before"] = "It also passes without your change, so it does not test the change."
    described["failed_before_too"] = result.failed_before
    return described


def _void(rows: Mapping[str, Evidence], *, task_id: str, may_skip: bool) -> ChecksVoid:
    return ChecksVoid(
        "files changed during both runs of the checks, so the results do not apply to the tree you reported",
        hint="Do not edit files while checks run, and complete the task again. "
        + _without_result(may_skip, "If a check itself writes these files"),
        task_id=task_id,
        files=changed_files(rows.values()),
    )


def _broken(
    verdict: Verdict, rows: Mapping[str, Evidence], *, task_id: str, unreadable: str | None, may_skip: bool
) -> ChecksError:
    if not verdict.results and unreadable is not None:
        return ChecksError(
            f"the checks of task {task_id} cannot run: {unreadable}"[:1_000],
            hint=f"Start the task again in its folder. {_without_result(may_skip, 'If that is not possible')}",
            task_id=task_id,
        )
    broken = [each for each in verdict.results if each.required and each.state is not EvidenceState.PASSED]
    checks = []
    for each in broken[:MAX_LISTED]:
        row = rows.get(each.evidence_id or "")
        reason = row.reason if row is not None else None
        checks.append({"name": each.name, "evidence_id": each.evidence_id, "reason": (reason or "")[:MAX_JUDGED]})
    names = ", ".join(each.name for each in broken[:5])
    return ChecksError(
        f"{names} could not run. This does not count as a failure. The task is still in progress.",
        hint="A person has been notified. Complete the task again later. "
        + _without_result(may_skip, "If it cannot wait"),
        task_id=task_id,
        checks=checks,
    )


def _without_result(may_skip: bool, when: str) -> str:
    """Return what to do if the checks cannot give a result; a failure is never skipped."""
    if may_skip:
        return f"{when}, complete it with unproved: true; a person will look at it."
    return f"{when}, a person can accept it. It failed before, so it cannot be completed unproved."
