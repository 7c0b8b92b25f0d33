"""The known name that a misspelled one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 100
"""Names are compared up to so many characters: what callers send may be of any length."""
LOOSE, STRICT = 0.6, 0.75
"""How alike two names must be. Strict is for names that may as well be right and of no concern to us."""


def nearest(name: str, known: Iterable[str], *, likeness: float = LOOSE) -> str | None:
    """Return the known name that is most like the given one; None when none is like it."""
    from difflib import get_close_matches  # deferred: only a misspelled name needs it

    return next(iter(get_close_matches(name[:LONGEST], list(known), n=1, cutoff=likeness)), None)
