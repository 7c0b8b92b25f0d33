"""Complete ids of which a person has typed only the beginning."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.errors import InvalidInput
from mission.domain.ids import KINDS
from mission.store.transaction import Tx
from mission.store.views.id_prefixes import KINDS as COMPLETED


def matching(tx: Tx, *, prefix: str, limit: int) -> Sequence[str]:
    """Return the ids that begin so, in order; raise InvalidInput if no id of people's concern begins like that."""
    letters, _, rest = prefix.partition("_")
    kind = KINDS.get(letters, "")
    if kind not in COMPLETED or not rest:
        raise InvalidInput(
            f"'{prefix[:60]}' is not the beginning of an id",
            hint="Give its letters, an underscore and at least one more character, such as 'm_3k'.",
            field="prefix",
        )
    return tx.id_prefixes.matching(prefix, kind=kind, limit=limit)
