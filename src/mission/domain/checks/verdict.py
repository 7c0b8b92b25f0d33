"""The verdict of a round: what comes next in it and what its evidence proves, decided from the rows alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mission.domain.checks.check import Before, Check, CheckKind
from mission.domain.checks.evidence import BROKEN, Evidence, EvidenceState, Role
from mission.domain.checks.round import OF_TASK, CheckRound, DefinedCheck, RoundState

MAX_TAKES = 2
"""How often a round takes the tree: once more after it changed under a check."""
MAX_BROKEN = 2
"""How often a check may end without a result before a person is asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckResult:
    """The result of one check for the tree, after all its tries."""

    name: str
    state: EvidenceState
    required: bool
    evidence_id: str | None = None
    seconds: float | None = None
    failed_before: bool | None = None
    """Whether it also fails on the start tree; None if that is unknown."""
    green_before: str | None = None
    """The evidence that it passed with only the tests of the change."""
    flaky: bool = False

    @property
    def is_excused(self) -> bool:
        return self.state is EvidenceState.FAILED and self.failed_before is True

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "state": str(self.state),
            "required": self.required,
            "evidence_id": self.evidence_id,
            "seconds": self.seconds,
            "failed_before": self.failed_before,
            "green_before": self.green_before,
            "flaky": self.flaky,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The result of a finished round."""

    state: RoundState
    proves: bool
    results: Sequence[CheckResult]

    def as_dict(self) -> dict[str, Any]:
        return {"state": str(self.state), "proves": self.proves, "results": [each.as_dict() for each in self.results]}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Verdict:
        results = [CheckResult(**{**each, "state": EvidenceState(each["state"])}) for each in stored["results"]]
        return cls(state=RoundState(stored["state"]), proves=bool(stored["proves"]), results=results)


@dataclass(frozen=True, kw_only=True, slots=True)
class NextTry:
    """A check to run next, and on which tree."""

    defined: DefinedCheck
    role: Role


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundStep:
    """The next step of a round: checks to queue, or its verdict; neither while it waits."""

    tries: Sequence[NextTry] = ()
    verdict: Verdict | None = None
    retake: bool = False
    """The tree changed under a check: take it once more."""
    waits_for: Sequence[str] = ()
    """Checks that wait for a person's approval."""


def next_step(round: CheckRound, evidence: Sequence[Evidence], *, uncounted: Collection[str] = ()) -> RoundStep:
    """Decide from the rows alone what comes next, so that a new process finds the same work after a crash.

    `uncounted` names the definitions that counted tests, but whose tests on the start tree nobody has counted yet.
    """
    rows = [each for each in evidence if each.take == round.take]
    if any(each.state is EvidenceState.VOID and each.role is Role.RESULT for each in rows):
        if round.take < MAX_TAKES:
            return RoundStep(retake=True)
        results = [_result(each, rows, tree=round.tree) for each in round.defined if not each.waits]
        return RoundStep(verdict=Verdict(state=RoundState.VOID, proves=False, results=results))
    roles = [(each, _next_role(each, rows, round, is_uncounted=each.definition in uncounted)) for each in round.defined]
    tries = [NextTry(defined=each, role=role) for each, role in roles if role is not None]
    if tries or any(not each.is_finished for each in rows):
        return RoundStep(tries=tries)
    waiting = [each.check.name for each in round.defined if each.waits and each.check.required]
    if waiting:
        return RoundStep(waits_for=waiting)
    results = [_result(each, rows, tree=round.tree) for each in round.defined if not each.waits]
    return RoundStep(verdict=_verdict(results, excuses=round.excuses))


def _next_role(
    defined: DefinedCheck, rows: Sequence[Evidence], round: CheckRound, *, is_uncounted: bool
) -> Role | None:
    """Return the tree on which the check must run next; None if it is waiting or done."""
    if defined.waits:
        return None
    check = defined.check
    results = _tries(rows, defined, Role.RESULT)
    if not results or _is_tried_again(check, results):
        return Role.RESULT
    last = results[-1]
    if check.kind is not CheckKind.RUN or not last.is_finished:
        return None
    if last.state is EvidenceState.PASSED and check.before is Before.FAIL:
        return _once(rows, defined, Role.RED, round)
    compares = last.state is EvidenceState.FAILED or (last.state is EvidenceState.PASSED and is_uncounted)
    if compares and check.before is Before.ANY and round.purpose in OF_TASK:
        return _once(rows, defined, Role.START, round)
    return None


def _is_tried_again(check: Check, results: Sequence[Evidence]) -> bool:
    last = results[-1]
    if last.state in BROKEN:
        return sum(each.state in BROKEN for each in results) < MAX_BROKEN
    if last.state is EvidenceState.FAILED:
        return sum(each.state is EvidenceState.FAILED for each in results) <= check.retries
    return False


def _once(rows: Sequence[Evidence], defined: DefinedCheck, role: Role, round: CheckRound) -> Role | None:
    """Return the role if the check has not run on that tree; it is tried once more if it could not run."""
    tries = _tries(rows, defined, role)
    if round.start_unknown is not None or (tries and not tries[-1].is_finished):
        return None
    broken = sum(each.state in BROKEN for each in tries)
    return role if not tries or (tries[-1].state in BROKEN and broken < MAX_BROKEN) else None


def _tries(rows: Sequence[Evidence], defined: DefinedCheck, role: Role) -> list[Evidence]:
    found = [each for each in rows if each.name == defined.check.name and each.role is role]
    return sorted(found, key=lambda each: (each.created_at, each.id))


def _result(defined: DefinedCheck, rows: Sequence[Evidence], *, tree: str | None) -> CheckResult:
    """Return the result of all the check's tries. Only tries of its own definition on exactly this tree count."""
    check = defined.check
    asked = (defined.definition, tree)
    tries = [each for each in _tries(rows, defined, Role.RESULT) if (each.definition, each.tree) == asked]
    if not tries:
        return CheckResult(name=check.name, state=EvidenceState.ERROR, required=check.required)
    last = tries[-1]
    plain = CheckResult(
        name=check.name,
        state=last.state,
        required=check.required,
        evidence_id=last.id,
        seconds=last.seconds,
        flaky=last.flaky,
    )
    if last.state is EvidenceState.PASSED and check.before is Before.FAIL:
        return _red(plain, _tries(rows, defined, Role.RED))
    if last.state is EvidenceState.FAILED:
        before = _tries(rows, defined, Role.START)
        failed = before[-1].state is EvidenceState.FAILED if before else None
        return replace(plain, failed_before=True if failed else None)
    return plain


def _red(passed: CheckResult, tries: Sequence[Evidence]) -> CheckResult:
    """Return a passed check's result, which counts only if it failed before the change."""
    if not tries or tries[-1].state in BROKEN or tries[-1].state is EvidenceState.VOID:
        return replace(passed, state=EvidenceState.ERROR)
    if tries[-1].state is EvidenceState.PASSED:
        return replace(passed, state=EvidenceState.FAILED, green_before=tries[-1].id)
    return passed


def _verdict(results: Sequence[CheckResult], *, excuses: bool) -> Verdict:
    required = [each for each in results if each.required]
    stops = [each for each in required if each.state is EvidenceState.FAILED and not (excuses and each.is_excused)]
    if stops:
        state = RoundState.FAILED
    elif any(each.state is not EvidenceState.PASSED and not each.is_excused for each in required):
        state = RoundState.ERROR
    else:
        state = RoundState.PASSED
    proves = (
        state is RoundState.PASSED and bool(required) and all(each.state is EvidenceState.PASSED for each in required)
    )
    return Verdict(state=state, proves=proves, results=results)
