"""The words for checks and evidence on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mission.domain.checks.evidence import EvidenceState, ProofState, Role

TREE_SHOWN = 12
"""How much of a tree's id is shown; git's own commands take that much."""
COUNTED = (ProofState.PROVED, ProofState.ACCEPTED, ProofState.UNPROVED, ProofState.FAILING)
STATE_COLORS = {
    str(EvidenceState.PASSED): "green",
    str(EvidenceState.FAILED): "red",
    str(EvidenceState.ERROR): "yellow",
    str(EvidenceState.LOST): "yellow",
    str(EvidenceState.VOID): "yellow",
}
_ROLES = {str(Role.START): "on the start tree", str(Role.RED): "on the start tree with the new tests"}


def counts_words(counts: Mapping[str, int]) -> str:
    """Return how many tasks are in each state of proof, without those that no task is in."""
    return ", ".join(f"{counts[state]} {state}" for state in COUNTED if counts[state])


def judged(definition: Mapping[str, Any]) -> str:
    """Return what a check asks for: its command or its globs."""
    if "run" in definition:
        return str(definition["run"])
    kind = "changed" if "changed" in definition else "untouched"
    return f"{kind}: {', '.join(definition[kind])}"


def seconds_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.1f} s" if seconds < 100 else f"{round(seconds / 60, 1):g} min"


def state_words(row: Mapping[str, Any]) -> str:
    """Return how a check ended, with what a person should know about it."""
    notes = []
    if row.get("timed_out"):
        notes.append("timed out")
    elif row["state"] == EvidenceState.FAILED and row.get("exit_code"):
        notes.append(f"exit {row['exit_code']}")
    notes += [word for word in ("flaky", "idle") if row.get(word)]
    if row.get("reused_from"):
        notes.append("reused")
    if row.get("role") in _ROLES:
        notes.append(_ROLES[row["role"]])
    return ", ".join([str(row["state"]).replace("_", " "), *notes])


def evidence_lines(evidence: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is known about a task's result: each check, the tree, flags, and why it is not proved."""
    for check in evidence["checks"]:
        taken = f" in {seconds_words(check['seconds'])}" if check["seconds"] is not None else ""
        optional = "" if check["required"] else ", not required"
        shown = f" ({check['evidence_id']})" if check["evidence_id"] else ""
        yield f"  {check['name']}: {state_words(check)}{taken}{optional}{shown}"
    if evidence["tree"]:
        yield f"  tree {evidence['tree'][:TREE_SHOWN]}"
    if evidence["reason"]:
        yield f"  {evidence['reason']}"


def last_lines(text: str, *, count: int = 8) -> str:
    """Return the last lines of an output, indented."""
    return "\n".join(f"  {line}" for line in text.rstrip().splitlines()[-count:])


def test_words(tests: Mapping[str, Any] | None) -> str:
    """Return the counts of tests that a check reported."""
    if not tests:
        return ""
    rest = [f"{tests[word]} {word}" for word in ("failed", "skipped") if tests[word]]
    return ", ".join([f"{tests['run']} tests", *rest])
