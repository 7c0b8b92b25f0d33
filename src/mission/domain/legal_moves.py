"""The check of legal moves that every state machine of the domain shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from enum import StrEnum
from typing import TypeVar

from mission.domain.errors import IllegalMove

Status = TypeVar("Status", bound=StrEnum)


def check_move(kind: str, id: str, moves: Mapping[Status, Set[Status]], current: Status, wanted: Status) -> None:
    """Raise IllegalMove, with the current state and the legal ones, unless the move is legal."""
    if wanted not in moves[current]:
        raise IllegalMove(
            kind=kind, id=id, current=current, wanted=wanted, legal=_in_order(type(current), moves[current])
        )


def _in_order(states: type[Status], chosen: Iterable[Status]) -> list[str]:
    chosen = set(chosen)
    return [str(status) for status in states if status in chosen]
