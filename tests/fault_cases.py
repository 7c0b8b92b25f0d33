"""Choose the cases of a fault matrix: all of them in `make test-faults`, a seeded sample in `make test`."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")

WHOLE = bool(os.environ.get("MISSION_TEST_FAULTS"))
"""Whether this run takes every case."""
SEED = os.environ.setdefault("MISSION_TEST_SEED", str(random.SystemRandom().randrange(1_000_000)))
"""Chooses the cases. All workers of a run inherit it, because they have to collect the same tests."""
TIMES = 10
"""So many times more examples hypothesis tries in a whole run."""


def sample(cases: Iterable[Case], *, size: int = 4) -> list[Case]:
    """Return all cases of a matrix in a whole run, else `size` of them, in their own order."""
    known = list(cases)
    if WHOLE or len(known) <= size:
        return known
    chosen = random.Random(f"{SEED} {len(known)}").sample(range(len(known)), size)
    return [known[number] for number in sorted(chosen)]


def seeds(*, few: int, many: int) -> list[str]:
    """Return seeds for `random.Random`: `many` in a whole run, else `few`."""
    return [f"{SEED}-{number}" for number in range(many if WHOLE else few)]


def examples(few: int) -> int:
    """Return how many examples hypothesis tries for one property, if `few` are enough for a sample."""
    return few * TIMES if WHOLE else few


def summary() -> str:
    """Return the line at the end of a run that says how to repeat it."""
    extent = "all of them" if WHOLE else "a sample; 'make test-faults' runs all of them"
    return f"Fault cases: {extent}. MISSION_TEST_SEED={SEED} repeats this run."
