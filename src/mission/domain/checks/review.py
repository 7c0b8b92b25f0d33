"""Reasons why a result needs a person's review before it counts as done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

REVIEW_LINES = 400
"""More changed lines than this are a reason for review; lock and generated files do not count."""
MAX_NAMED = 5


class ReviewRule(StrEnum):
    NONE = "none"
    PERSON = "person"
    AGENT = "agent"
    RISK = "risk"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewFacts:
    """The facts about a result that passed its checks."""

    wanted: str | None
    unexpected: Sequence[str] = ()
    flags: Sequence[str] = ()
    proved: bool = True
    lines: int = 0
    asked: bool = False


def review_reasons(facts: ReviewFacts, *, review_lines: int = REVIEW_LINES) -> list[str]:
    """Return why a person must look at the result; empty if no review is needed."""
    if facts.wanted == ReviewRule.PERSON:
        return ["A person reviews every result.", *_risks(facts, review_lines)]
    return _risks(facts, review_lines) if facts.wanted == ReviewRule.RISK else []


def _risks(facts: ReviewFacts, review_lines: int) -> list[str]:
    reasons = [f"{flag[0].upper()}{flag[1:]}." for flag in facts.flags]
    if facts.unexpected:
        named = ", ".join(facts.unexpected[:MAX_NAMED]) + (" …" if len(facts.unexpected) > MAX_NAMED else "")
        reasons.append(f"Files outside the task's areas changed: {named}.")
    if not facts.proved:
        reasons.append("No required check covers the result.")
    if facts.lines > review_lines:
        reasons.append(f"{facts.lines} lines changed (more than {review_lines}).")
    if facts.asked:
        reasons.append("The agent asked for a review.")
    return reasons
