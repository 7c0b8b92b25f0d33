"""Areas of tasks: which of them overlap with work that is under way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

WILDCARDS = "*?["


class BusyAreas:
    """The folders in which agents work now."""

    def __init__(self, areas: Iterable[Sequence[str]] = ()) -> None:
        self._folders: set[str] = set()
        self._above: set[str] = set()
        """The folders above them, up to the top."""
        for each in areas:
            self.add(each)

    def add(self, areas: Sequence[str]) -> None:
        """Add the areas of one task."""
        for area in areas:
            place = folder(area)
            self._folders.add(place)
            self._above.update(_above(place))

    def overlap(self, areas: Sequence[str]) -> bool:
        """Return whether one of these areas contains a busy one, or is inside one. Empty areas overlap nothing."""
        return any(self._overlaps(folder(area)) for area in areas) if areas and self._folders else False

    def _overlaps(self, place: str) -> bool:
        inside = place in self._folders or any(each in self._folders for each in _above(place))
        return inside or place in self._above


@lru_cache(maxsize=50_000)
def folder(area: str) -> str:
    """Return the part of an area before its first wildcard, as a path from the top; the top is empty."""
    parts = [part for part in area.replace("\\", "/").split("/") if part not in ("", ".")]
    plain = []
    for part in parts:
        if any(sign in part for sign in WILDCARDS):
            break
        plain.append(part)
    return "/".join(plain)


def _above(place: str) -> Iterator[str]:
    """Return every folder above a place, the top included."""
    while place:
        place = place.rpartition("/")[0]
        yield place
