"""What stands still behind a task that waits for a person: the tasks that need it, however far, and their agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mission.domain.missions.critical_path import PathStep, in_order


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockedTasks:
    """How much a task holds up, itself included."""

    tasks: int = 0
    agents: int = 0


def held_up(open_steps: Sequence[PathStep], standing: Collection[str]) -> dict[str, BlockedTasks]:
    """For each standing task how many open tasks it holds up, and how many agents have one of them in hand.

    Each standing task is a bit, and the bits go along the plan once: walking from each would be a plan for each.
    """
    bits = {id: 1 << place for place, id in enumerate(standing)}
    holders: dict[str, int] = {}
    owners: dict[str, int] = {}
    for step in in_order({step.id: step for step in open_steps}):
        held_by = bits.get(step.id, 0)
        for need in step.needs:
            held_by |= holders.get(need, 0)
        if held_by:
            holders[step.id] = held_by
            if step.owner_id is not None:
                owners[step.owner_id] = owners.get(step.owner_id, 0) | held_by
    alike = Counter(holders.values())
    return {
        id: BlockedTasks(
            tasks=sum(tasks for held_by, tasks in alike.items() if held_by & bit),
            agents=sum(1 for held_by in owners.values() if held_by & bit),
        )
        for id, bit in bits.items()
    }
