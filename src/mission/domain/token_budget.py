"""A token budget: sections of an answer share it by value; content that does not fit is cut or left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

CUT = "…"
SEAM = 1
"""Two adjacent pieces may take one token more than each alone."""
MAX_TOKEN_LENGTH = 16
"""Average characters per token, rarely exceeded: a longer text need not be counted in full."""
FAIR_ROWS = 5
MAX_SHARE = 0.6
"""The share of the space that one of the first rows may take, so that others fit too."""
TRIES = 4
CLOSE = 30
"""Stop trying once less than this fraction (1/30) of the budget is unused."""


class Tokenizer(Protocol):
    name: str

    def count(self, text: str, *, limit: int) -> int | None:
        """Return the token count of the text; None if it is more than `limit`."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """The call that returns the complete content."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetSection:
    """One part of an answer: a text, an object, or rows with the most valuable first."""

    name: str
    content: Any
    share: float
    """The share of the budget that is reserved for it."""
    vital: bool = False
    """Whether it takes precedence over all sections that are not vital."""
    fetch: Fetch
    total: int | None = None
    """For rows: the total number, if these are only the first."""
    text: str | None = None
    """For rows: the field that may be shortened."""
    spare: Mapping[str, Any] = field(default_factory=dict)
    """For rows: optional fields and their empty values."""
    keeps_end: bool = False
    """For rows: whether the end of a shortened text is kept, not its beginning."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """The packed result: the content of each section, and a note for each incomplete one."""

    kept: Mapping[str, Any]
    missing: Mapping[str, str]


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def within(
    limit: int,
    sections: Sequence[BudgetSection],
    tokenizer: Tokenizer,
    render: Callable[[Packed], dict[str, Any]],
    *,
    needed: Collection[str] = (),
) -> dict[str, Any] | None:
    """Return the fullest answer within the token limit as compact JSON.

    Return None if even its frame does not fit, or if a needed section would have to be cut.
    """
    best: dict[str, Any] | None = None
    packed = Packed(kept={}, missing={section.name: "left out" for section in sections})
    room = 0
    for _ in range(TRIES + 1):
        answer = render(packed)
        size = tokenizer.count(compact(answer), limit=limit * 2) or limit * 2
        if size <= limit:
            best = None if packed.missing.keys() & set(needed) else answer
            if not packed.missing or (room and limit - size < limit // CLOSE):
                break
        room += limit - size - (SEAM if size > limit else 0)
        if room <= 0:
            break
        packed = pack(sections, room, tokenizer)
    return best


def pack(sections: Sequence[BudgetSection], room: int, tokenizer: Tokenizer) -> Packed:
    """Divide the space among the vital sections first, then among the rest."""
    kept: dict[str, Any] = {}
    missing: dict[str, str] = {}
    left = room
    for vital in (True, False):
        chosen = [section for section in sections if section.vital is vital]
        demands = [_demand(section, room, tokenizer) for section in chosen]
        spared = 0
        for section, grant in zip(chosen, _granted(demands, [each.share for each in chosen], left), strict=True):
            fitted = _fit(section, grant + spared, tokenizer)
            kept[section.name] = fitted.content
            if fitted.missing:
                missing[section.name] = fitted.missing
            spared += grant - fitted.cost
            left -= fitted.cost
    return Packed(kept=kept, missing=missing)


def cut_text(text: str, room: int, tokenizer: Tokenizer, *, keeps_end: bool = False) -> str:
    """Return the longest beginning of a text that fits, with an ellipsis; with `keeps_end`, its longest end."""
    length = min(len(text), room * MAX_TOKEN_LENGTH)
    while length > 0:
        shortened = CUT + text[-length:].lstrip() if keeps_end else text[:length].rstrip() + CUT
        size = tokenizer.count(compact(shortened), limit=room * MAX_TOKEN_LENGTH)
        if size is not None and size <= room:
            return shortened
        length = min(length - 1, length * room * 49 // (50 * size) if size else length // 4)
    return CUT


@dataclass(frozen=True, kw_only=True, slots=True)
class _Fitted:
    content: Any
    cost: int
    missing: str | None = None


def _granted(demands: Sequence[int], shares: Sequence[float], room: int) -> list[int]:
    """Return what each section gets: its demand up to its share, then the rest in order of the sections."""
    left = room
    grants = []
    for demand, share in zip(demands, shares, strict=True):
        grant = min(demand, int(room * share), left)
        grants.append(grant)
        left -= grant
    for index, demand in enumerate(demands):
        more = min(demand - grants[index], left)
        grants[index] += more
        left -= more
    return grants


def _cost(value: Any, limit: int, tokenizer: Tokenizer) -> int:
    """Return the token count of a value as JSON; `limit` + 1 if it exceeds `limit`, often clear from its length."""
    limit = max(limit, 0)
    if _characters(value) > limit * MAX_TOKEN_LENGTH:
        return limit + 1
    size = tokenizer.count(compact(value), limit=limit)
    return limit + 1 if size is None else size + SEAM


def _characters(value: Any) -> int:
    """Return the approximate number of characters in a value without serializing it."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(len(name) + _characters(each) for name, each in value.items())
    return sum(map(_characters, value)) if isinstance(value, list | tuple) else 1


def _demand(section: BudgetSection, room: int, tokenizer: Tokenizer) -> int:
    if section.text is None:
        return _cost(section.content, room, tokenizer)
    total = 0
    for row in section.content:
        total += _cost(row, room, tokenizer)
        if total > room:
            return room + 1
    return total


def _fit(section: BudgetSection, room: int, tokenizer: Tokenizer) -> _Fitted:
    if section.text is not None:
        return _fit_rows(section, room, tokenizer)
    whole = _cost(section.content, room, tokenizer)
    if whole <= room:
        return _Fitted(content=section.content, cost=whole)
    shortened = _shortened(section.content, room, tokenizer)
    cost = _cost(shortened, room, tokenizer) if shortened is not None else 0
    if cost > room:
        return _Fitted(content=None, cost=0, missing="left out")
    return _Fitted(content=shortened, cost=cost, missing="shortened" if shortened else "left out")


def _fit_rows(section: BudgetSection, room: int, tokenizer: Tokenizer) -> _Fitted:
    crowded = _demand(section, room, tokenizer) > room
    kept: list[Any] = []
    left, shortened = room, 0
    for number, row in enumerate(section.content, start=1):
        demand = _cost(row, left, tokenizer)
        fair = int(left * MAX_SHARE) if crowded and number < len(section.content) else left
        fitted = row if demand <= left and (demand <= fair or number > FAIR_ROWS) else None
        for allowed in (fair, left):
            fitted = fitted or _lean(section, row, allowed, tokenizer)
        if fitted is None:
            break
        shortened += fitted is not row
        kept.append(fitted)
        left -= demand if fitted is row else _cost(fitted, left, tokenizer)
    total = section.total if section.total is not None else len(section.content)
    notes = [f"{total - len(kept)} of {total} left out"] if total > len(kept) else []
    notes += [f"{shortened} shortened"] if shortened else []
    return _Fitted(content=kept, cost=room - left, missing=", ".join(notes) or None)


def _lean(section: BudgetSection, row: Mapping[str, Any], room: int, tokenizer: Tokenizer) -> Mapping[str, Any] | None:
    """Return the row without its optional fields, its text shortened if necessary; None if even that does not fit."""
    lean = {**row, **{name: empty for name, empty in section.spare.items() if name in row}}
    if _cost(lean, room, tokenizer) <= room:
        return lean
    field = section.text or ""
    if not isinstance(text := row.get(field), str):
        return None
    bare = _cost({**lean, field: CUT}, room, tokenizer)
    if bare > room:
        return None
    return {**lean, field: cut_text(text, room - bare + SEAM, tokenizer, keeps_end=section.keeps_end)}


def _shortened(value: Any, room: int, tokenizer: Tokenizer) -> Any:
    """Return as much of the beginning of a value as fits."""
    if isinstance(value, str):
        return cut_text(value, room, tokenizer)
    pairs = list(value.items()) if isinstance(value, Mapping) else list(enumerate(value))
    kept: list[tuple[Any, Any]] = []
    left = room - 2 * SEAM
    for key, each in pairs:
        label = _cost(key, left, tokenizer) + SEAM if isinstance(key, str) else 0
        cost = _cost(each, left - label, tokenizer)
        if cost > left - label:
            if isinstance(each, str | Mapping | list) and left - label > 4 * SEAM:
                kept.append((key, _shortened(each, left - label, tokenizer)))
            break
        kept.append((key, each))
        left -= label + cost
    return dict(kept) if isinstance(value, Mapping) else [each for _, each in kept]
