"""The slot of a worktree: a number, ten ports and a name that no other worktree of the host uses at the same time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

PORTS = 10
SLOT_VARIABLES = ("MISSION_SLOT", "MISSION_PORT_BASE", "MISSION_NAME")
IDLE = timedelta(days=7)
"""The time without use after which a slot can be given to another worktree."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeSlot:
    host_id: str
    path: str
    slot: int
    port_base: int
    name: str
    used_at: datetime

    def variables(self) -> dict[str, str]:
        """Return the slot as programs in the worktree see it."""
        return dict(zip(SLOT_VARIABLES, (str(self.slot), str(self.port_base), self.name), strict=True))


def lowest_free(slots: Collection[int]) -> int:
    """Return the lowest number that is not in use."""
    return next(number for number in range(len(slots) + 1) if number not in slots)


def name_of(path: str) -> str:
    """Return a name for a worktree that is valid as the name of a database: letters, digits and '_', 40 at most."""
    words = re.sub(r"[^a-z0-9]+", "_", path.rstrip("/").rsplit("/", 1)[-1].lower()).strip("_")
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"m_{words[:28]}_{digest}" if words else f"m_{digest}"


def expired(slots: Sequence[TreeSlot], *, now: datetime) -> list[TreeSlot]:
    """Return the slots that have not been used for a long time."""
    return [slot for slot in slots if slot.used_at + IDLE < now]
