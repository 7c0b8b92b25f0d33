"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable

MAX_LENGTH = 100
"""Names are compared up to this many characters, because callers may send any length."""
LOOSE, STRICT = 0.6, 0.75
"""How similar two names must be. Strict is for names that may also be correct names of other programs."""


def nearest(name: str, known: Iterable[str], *, likeness: float = LOOSE) -> str | None:
    """Return the known name that is most similar to the given one; None if none is similar."""
    from difflib import get_close_matches  # deferred: only a misspelled name needs it

    return next(iter(get_close_matches(name[:MAX_LENGTH], list(known), n=1, cutoff=likeness)), None)
