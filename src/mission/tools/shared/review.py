"""The review rules that callers may choose."""

from __future__ import annotations

from mission.domain.checks.review import ReviewRule
from mission.domain.errors import InvalidInput


def available_review(rule: ReviewRule | None) -> str | None:
    """Return the rule as it is stored; raise InvalidInput for one that is not available yet."""
    if rule is ReviewRule.AGENT:
        raise InvalidInput(
            "review: a review by an agent is not available yet",
            hint="Use person, risk or none.",
            field="review",
        )
    return str(rule) if rule is not None else None
