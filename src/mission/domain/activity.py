"""Activity over a period of time: how many things were under way at each moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """The start and end of something; without an end while it still lasts."""

    began: datetime
    ended: datetime | None = None

    def within(self, other: Stretch) -> Stretch | None:
        """Return the overlap with the other stretch, if any."""
        began = max(self.began, other.began)
        ends = [end for end in (self.ended, other.ended) if end is not None]
        ended = min(ends, default=None)
        return Stretch(began=began, ended=ended) if ended is None or began < ended else None


def moments(since: datetime, until: datetime, *, many: int) -> list[datetime]:
    """Return that many moments from the first to the last, equally spaced."""
    return [since + (until - since) * (place / (many - 1)) for place in range(many)]


def under_way(stretches: Iterable[Stretch], at: Sequence[datetime]) -> list[int]:
    """Return how many stretches cover each moment; a stretch includes its start but not its end."""
    all_of_them = list(stretches)
    begins = sorted(each.began for each in all_of_them)
    ends = sorted(each.ended for each in all_of_them if each.ended is not None)
    return [bisect_right(begins, moment) - bisect_right(ends, moment) for moment in at]
