"""Slots: each worktree of a host gets a number, ten ports and a name of its own, which its programs share."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from mission.domain.checks.slot import PORTS, TreeSlot, expired, lowest_free, name_of
from mission.git.worktrees.setup import WorktreeSetup
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.store.transaction import Tx

RECORD_AFTER = timedelta(hours=12)
"""How often the use of a slot is recorded; one that is not used for days goes to another worktree."""


async def slot_of(work: Work, trees: Trees, *, path: str) -> TreeSlot:
    """Return the slot of a worktree of this host; a new worktree gets one."""
    path = os.path.realpath(path)
    found = await work.read(_find, host_id=trees.host_id, path=path)
    if found is not None and not found.is_stale:
        return found.slot
    if found is not None:
        return await work.write(_use, slot=found.slot)
    while True:
        taken = await work.read(_ports, host_id=trees.host_id)
        base = await trees.work(Path(path), trees.find_ports, taken)
        reserved = await work.write(_reserve, host_id=trees.host_id, path=path, port_base=base)
        if reserved is not None:
            return reserved


async def with_variables(work: Work, trees: Trees, setup: WorktreeSetup, *, path: str) -> WorktreeSetup:
    """Return the setup with the variables of the worktree, if it runs a command."""
    if setup.setup is None:
        return setup
    slot = await slot_of(work, trees, path=path)
    return replace(setup, variables=slot.variables())


def free(tx: Tx, *, host_id: str, path: str) -> None:
    """Free the slot of a worktree that was removed."""
    tx.tree_slots.remove(host_id=host_id, path=path)


@dataclass(frozen=True, kw_only=True, slots=True)
class _FoundSlot:
    slot: TreeSlot
    is_stale: bool
    """Whether its last use was recorded so long ago that it must be recorded again."""


def _find(tx: Tx, *, host_id: str, path: str) -> _FoundSlot | None:
    slot = tx.tree_slots.find(host_id=host_id, path=path)
    return _FoundSlot(slot=slot, is_stale=tx.now - slot.used_at > RECORD_AFTER) if slot is not None else None


def _use(tx: Tx, *, slot: TreeSlot) -> TreeSlot:
    tx.tree_slots.use(slot, at=tx.now)
    return slot


def _ports(tx: Tx, *, host_id: str) -> list[int]:
    return [slot.port_base for slot in tx.tree_slots.all(host_id)]


def _reserve(tx: Tx, *, host_id: str, path: str, port_base: int) -> TreeSlot | None:
    """Store the slot, unless another process was faster; slots of worktrees that are long unused are free again.

    Return None if another worktree got these ports since they were found.
    """
    found = tx.tree_slots.find(host_id=host_id, path=path)
    if found is not None:
        return found
    slots = tx.tree_slots.all(host_id)
    gone = expired(slots, now=tx.now)
    for old in gone:
        tx.tree_slots.remove(host_id=host_id, path=old.path)
    others = [slot for slot in slots if slot not in gone]
    if any(abs(slot.port_base - port_base) < PORTS for slot in others):
        return None
    used = {slot.slot for slot in others}
    slot = TreeSlot(
        host_id=host_id,
        path=path,
        slot=lowest_free(used),
        port_base=port_base,
        name=name_of(os.path.normpath(path)),
        used_at=tx.now,
    )
    tx.tree_slots.add(slot)
    return slot
