"""Globs over the paths of a tree.

Globs start at the top of the tree. `*` does not cross `/`, `**` does, and `**/` may also take no folder at all. `?`,
`[a-z]`, `[!a-z]` and `{a,b}` work as in a shell; `folder/` means everything below the folder. Case matters.

All positions that a path can have reached are followed at once, so that the time grows with the path's length alone
and no glob is slow. What follows a set of positions is remembered, which makes an ordinary character one lookup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mission.domain.checks.file_patterns.glob_syntax import CharacterClass, Steps, Wildcard, parse_glob

MOST_REMEMBERED = 10_000
_INSIDE_FOLDER = object()
_END = object()


class Globs:
    """One or more globs. A path matches if it matches any of them."""

    def __init__(self, texts: Iterable[str], *, field: str = "glob") -> None:
        self.texts = tuple(texts)
        self._steps: list[object] = []
        starts: set[int] = set()
        for text in self.texts:
            for steps in parse_glob(text, field=field):
                starts.add(len(self._steps))
                self._steps.extend(_expanded(steps))
        self._starts = frozenset(self._closure(starts))
        self._forget()

    def __repr__(self) -> str:
        return f"Globs({list(self.texts)!r})"

    def matches(self, path: str) -> bool:
        """Return whether the path, written from the top of the tree with `/`, matches."""
        if not path:
            return False
        reached = self._start
        for character in path:
            following = reached.following.get(character)
            reached = following if following is not None else self._advance(reached, character)
            if not reached.positions:
                return False
        return reached.is_end

    def select(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that match, in their order."""
        return [path for path in paths if self.matches(path)]

    def _forget(self) -> None:
        self._known: dict[frozenset[int], _Reached] = {}
        self._remembered = 0
        self._start = self._reached(self._starts)

    def _reached(self, positions: frozenset[int]) -> _Reached:
        known = self._known.get(positions)
        if known is None:
            known = self._known[positions] = _Reached(positions, any(self._steps[at] is _END for at in positions))
        return known

    def _advance(self, reached: _Reached, character: str) -> _Reached:
        if self._remembered >= MOST_REMEMBERED:
            self._forget()
        self._remembered += 1
        taken = (next_at for at in reached.positions for next_at in self._after(at, character))
        following = reached.following[character] = self._reached(frozenset(self._closure(taken)))
        return following

    def _after(self, at: int, character: str) -> Iterator[int]:
        """Yield the position after a step has taken the character, if it does."""
        match self._steps[at]:
            case str(literal) if character == literal:
                yield at + 1
            case CharacterClass() as members if members.takes(character):
                yield at + 1
            case Wildcard.CHARACTER | Wildcard.FOLDERS if character != "/":
                yield at + 1
            case Wildcard.NAME if character != "/":
                yield at
            case Wildcard.ANYTHING:
                yield at
            case step if step is _INSIDE_FOLDER:
                yield at - 1 if character == "/" else at

    def _closure(self, positions: Iterable[int]) -> Iterator[int]:
        """Yield the positions and those behind wildcards that need not take anything."""
        for at in positions:
            yield at
            while (step := self._steps[at]) in (Wildcard.NAME, Wildcard.ANYTHING, Wildcard.FOLDERS):
                at += 2 if step is Wildcard.FOLDERS else 1
                yield at


class _Reached:
    """A set of positions that some path has reached, and the sets that follow it."""

    __slots__ = ("following", "is_end", "positions")

    def __init__(self, positions: frozenset[int], is_end: bool) -> None:
        self.positions = positions
        self.is_end = is_end
        self.following: dict[str, _Reached] = {}


def compile_glob(text: str, *, field: str = "glob") -> Globs:
    """Return the glob; raise InvalidInput naming it if it is not valid."""
    return Globs([text], field=field)


def compile_globs(texts: Iterable[str], *, field: str = "glob") -> Globs:
    """Return the globs as one; raise InvalidInput naming the first that is not valid."""
    return Globs(texts, field=field)


def _expanded(steps: Steps) -> Iterator[object]:
    for step in steps:
        yield step
        if step is Wildcard.FOLDERS:
            yield _INSIDE_FOLDER
    yield _END
