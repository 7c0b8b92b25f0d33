"""The files that checks left in a tree: they belong to no task."""

from __future__ import annotations

from collections.abc import Mapping

from mission.domain.tasks.task import Task
from mission.services.work import Work
from mission.store.transaction import Tx


async def left_in(work: Work, *, host_id: str, path: str) -> Mapping[str, str]:
    """Return the untracked files that checks left in a tree, with the content that they left."""
    return await work.read(left_files, host_id=host_id, path=path)


async def left_in_tree_of(work: Work, task: Task) -> Mapping[str, str]:
    """Return the files that checks left in the tree of a task."""
    return await left_in(work, host_id=task.host_id or "", path=task.tree or "")


def left_files(tx: Tx, *, host_id: str, path: str) -> dict[str, str]:
    """Return the files that earlier checks left in a tree."""
    return tx.evidence.left_files(host_id=host_id, path=path)
