"""Tasks blocked by a task that waits for a person: direct and indirect dependents, and their agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mission.domain.missions.critical_path import PathStep, in_order


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockedTasks:
    """The number of tasks and agents that a task blocks, itself included."""

    tasks: int = 0
    agents: int = 0


def count_blocked(open_steps: Sequence[PathStep], stalled: Collection[str]) -> dict[str, BlockedTasks]:
    """Return for each stalled task how many open tasks it blocks, and how many agents own one of them.

    Each stalled task is a bit, and the bits pass through the plan once; a separate walk per task would be slower.
    """
    bits = {id: 1 << position for position, id in enumerate(stalled)}
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
