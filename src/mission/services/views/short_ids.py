"""Complete ids of which a person has typed only the beginning, with the names of what they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.domain.errors import InvalidInput
from mission.domain.ids import KINDS
from mission.store.transaction import Tx
from mission.store.views.id_prefixes import KINDS as COMPLETED


@dataclass(frozen=True, kw_only=True, slots=True)
class Matching:
    """Ids with a common beginning, in order, and the names that are known."""

    ids: list[str]
    names: dict[str, str]


def matching(tx: Tx, *, prefix: str, limit: int) -> Matching:
    """Return the ids that begin so; raise InvalidInput if no id of people's concern begins like that."""
    letters, underscore, _ = prefix.partition("_")
    kind = KINDS.get(letters, "")
    if kind not in COMPLETED or not underscore:
        raise InvalidInput(
            f"'{prefix[:60]}' is not the beginning of an id",
            hint="Give its letters and an underscore, such as 'm_3k'.",
            field="prefix",
        )
    ids = list(tx.id_prefixes.matching(prefix, kind=kind, limit=limit))
    return Matching(ids=ids, names=tx.id_prefixes.names(ids))


def names(tx: Tx, *, ids: Sequence[str]) -> dict[str, str]:
    """Return the names of missions, tasks and agents that exist, by id."""
    return tx.id_prefixes.names(ids)
