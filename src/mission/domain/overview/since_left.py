"""What happened since a person last looked, in at most five lines: for the page and for notifications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from mission.domain.overview.costs import Cost, in_words
from mission.domain.plural import counted
from mission.domain.tasks.patch import LineCount
from mission.domain.timestamps import span_in_words


class SummaryKind(StrEnum):
    """The subject of a line, in the order in which the lines are shown."""

    WAITING = "waiting"
    FAILED = "failed"
    FINISHED = "finished"
    MERGED = "merged"
    COST = "cost"


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryLine:
    kind: SummaryKind
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SinceFacts:
    """The counts since a moment; `waiting` is what waits now, whenever it began."""

    proved: int = 0
    accepted: int = 0
    unproved: int = 0
    failed: int = 0
    waiting: int = 0
    longest_wait: timedelta | None = None
    merged: int = 0
    landed: Sequence[str] = ()
    """The branches on which runs have landed."""
    files: int = 0
    lines: LineCount = field(default_factory=LineCount)
    cost: Cost = field(default_factory=Cost)


def summary(facts: SinceFacts) -> list[SummaryLine]:
    """Return one line for each kind of news, the most urgent first; nothing if nothing happened."""
    texts = {
        SummaryKind.WAITING: _waiting(facts),
        SummaryKind.FAILED: f"{counted(facts.failed, 'task')} failed" if facts.failed else "",
        SummaryKind.FINISHED: _finished(facts),
        SummaryKind.MERGED: _merged(facts),
        SummaryKind.COST: _cost(facts.cost),
    }
    return [SummaryLine(kind=kind, text=text) for kind, text in texts.items() if text]


def as_text(lines: Sequence[SummaryLine]) -> str:
    """Return the lines as the text of a notification."""
    return "\n".join(line.text for line in lines)


def _waiting(facts: SinceFacts) -> str:
    if not facts.waiting:
        return ""
    verb = "is" if facts.waiting == 1 else "are"
    longest = f", the oldest for {span_in_words(facts.longest_wait)}" if facts.longest_wait else ""
    return f"{counted(facts.waiting, 'item')} {verb} waiting for you{longest}"


def _finished(facts: SinceFacts) -> str:
    parts = [(facts.proved, "proved"), (facts.accepted, "accepted by you"), (facts.unproved, "unproved")]
    done = facts.proved + facts.accepted + facts.unproved
    if not done:
        return ""
    return f"{counted(done, 'task')} finished: " + ", ".join(f"{number:,} {word}" for number, word in parts if number)


def _merged(facts: SinceFacts) -> str:
    merged = f"{counted(facts.merged, 'result')} merged" if facts.merged else ""
    landed = f"landed on {' and '.join(dict.fromkeys(facts.landed))}" if facts.landed else ""
    files = (
        f"{counted(facts.files, 'file')} changed, +{facts.lines.added:,} −{facts.lines.removed:,}"
        if facts.files
        else ""
    )
    text = "; ".join(filter(None, (merged, landed, files)))
    return text[:1].upper() + text[1:]


def _cost(cost: Cost) -> str:
    if not cost.expenses:
        return ""
    tokens = f", {cost.tokens:,} tokens" if cost.tokens else ""
    verb = "is" if cost.unknown == 1 else "are"
    missing = f"; {counted(cost.unknown, 'price')} {verb} unknown" if cost.unknown and cost.usd else ""
    return f"Cost: {in_words(cost)}{tokens}{missing}"
