"""Remove the worktrees in which a run was checked; everything in them may be thrown away."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from mission.domain.errors import MissionError
from mission.domain.runs.run import Run
from mission.git.integration.merge_worktree import discard, lock_of
from mission.git.worktrees.worktree import worktrees
from mission.services.runs.context import RunContext
from mission.services.runs.worktrees.merge_place import is_busy
from mission.store.transaction import Tx


async def discard_worktrees(context: RunContext, run: Run) -> None:
    """Remove all worktrees of a run that nobody uses any more, and the folder that they are in."""
    top = Path(run.repository)
    paths = await context.trees.work(top, _of_run, top, run.id)
    discarded = [path for path in paths if await _is_discarded(context, top, path)]
    if len(discarded) == len(paths):
        await context.trees.work(top, _remove_folder, context.worktrees / run.id)


async def discard_unused(context: RunContext) -> None:
    """Remove the worktrees of all runs that have ended: of stopped ones, and what a killed daemon left."""
    names = _with_worktrees(context.worktrees)
    for run in await context.work.read(_unused, ids=names, host_id=context.host_id) if names else ():
        await discard_if_unused(context, run)


async def discard_if_unused(context: RunContext, run: Run) -> None:
    """Remove the worktrees of a run that has ended, unless it is just being landed.

    They are listed before that is asked: what a landing makes later is not touched.
    """
    top = Path(run.repository)
    paths = await context.trees.work(top, _of_run, top, run.id)
    if not await context.work.read(_unused, ids=[run.id], host_id=context.host_id):
        return
    for path in paths:
        if not await context.work.read(is_busy, host_id=context.host_id, path=path):
            await _is_discarded(context, top, path)
    await context.trees.work(top, _remove_empty, context.worktrees / run.id, paths)


async def _is_discarded(context: RunContext, top: Path, path: Path) -> bool:
    try:
        await context.trees.work(top, discard, top, path)
    except (MissionError, OSError):  # a check may still run there: the next call removes it
        return False
    return True


def _unused(tx: Tx, *, ids: Collection[str], host_id: str) -> list[Run]:
    """Return those of the runs that have ended on this host and are not being landed; a landing cleans up itself."""
    found = [each for id in ids if (each := tx.runs.find(id)) is not None and each.host_id == host_id]
    return [each for each in found if not each.is_live and (each.landing or {}).get("state") != "asked"]


def _with_worktrees(folder: Path) -> list[str]:
    """Return the names of the folders that have worktrees in them; a lock alone is none."""
    try:
        return [
            each.name for each in folder.iterdir() if any(not inner.name.startswith(".") for inner in each.iterdir())
        ]
    except OSError:  # there are no runs
        return []


def _of_run(top: Path, run_id: str) -> list[Path]:
    """Return the worktrees of ours that belong to the run: a folder on their path is named after it."""
    if not top.exists():
        return []
    return [each.path for each in worktrees(top) if each.branch is None and run_id in each.path.parts]


def _remove_empty(folder: Path, paths: Sequence[Path]) -> None:
    """Remove the locks of worktrees that are gone, and the folder if nothing else is in it."""
    for path in paths:
        if not path.exists():
            lock_of(path).unlink(missing_ok=True)
    with suppress(OSError):  # something is in use
        folder.rmdir()
        folder.parent.rmdir()


def _remove_folder(folder: Path) -> None:
    """Remove the locks of the worktrees, and the folders that are empty without them."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # other runs have worktrees
        folder.parent.rmdir()
