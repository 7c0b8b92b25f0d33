"""Remove the worktrees in which a run was checked; everything in them may be thrown away."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from mission.domain.errors import MissionError
from mission.domain.runs.run import Run
from mission.git.integration.merge_worktree import discard
from mission.git.worktrees.worktree import worktrees
from mission.services.runs.context import RunContext


async def discard_worktrees(context: RunContext, run: Run) -> None:
    """Remove the merge worktree and the fresh ones of a run that has ended, and the folder that they are in."""
    top = Path(run.repository)
    paths = await context.trees.work(top, _of_run, top, run.id)
    kept = [path for path in paths if not await _is_discarded(context, top, path)]
    if not kept:
        await context.trees.work(top, _remove_folder, context.worktrees / run.id)


async def _is_discarded(context: RunContext, top: Path, path: Path) -> bool:
    try:
        await context.trees.work(top, discard, top, path)
    except (MissionError, OSError):  # a check may still run there: the next call removes it
        return False
    return True


def _of_run(top: Path, run_id: str) -> list[Path]:
    """Return the worktrees of ours that belong to the run: a folder on their path is named after it."""
    if not top.exists():
        return []
    return [each.path for each in worktrees(top) if each.branch is None and run_id in each.path.parts]


def _remove_folder(folder: Path) -> None:
    """Remove the locks of the worktrees, and the folders that are empty without them."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # other runs have worktrees
        folder.parent.rmdir()
