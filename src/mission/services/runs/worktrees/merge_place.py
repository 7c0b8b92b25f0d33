"""Worktrees of ours in which the commits of a run are checked: check one out, and set it up if its inputs changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.domain.checks.round import CheckRound
from mission.domain.errors import InvalidState
from mission.domain.runs.run import Run
from mission.domain.runs.setup_inputs import inputs_among
from mission.git.file_names import display_name
from mission.git.integration.merge_worktree import check_out, check_out_fresh
from mission.git.repository_guard import git_dir_at
from mission.git.worktrees.setup import SetupFailed, WorktreeSetup, copy_files, run_setup
from mission.git.worktrees.worktree import git
from mission.services.repositories.working_trees import TreeLocation
from mission.services.runs.context import RunContext
from mission.services.runs.worktrees.task_worktrees import setup_of
from mission.services.workspaces import creation
from mission.services.workspaces.slots import with_variables
from mission.store.transaction import Tx

MERGE = "merge"
NOTE = "mission-setup"
SETUP_SECONDS = 600.0
MAX_NAMED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedOut:
    """A commit that is checked out and ready for its checks."""

    path: Path
    tree: str
    identity: Mapping[str, Any]
    setup: str | None
    """A digest of how it was set up."""
    problem: str | None = None
    """Why it could not be set up."""


def merge_path(context: RunContext, run: Run) -> Path:
    """Return the folder of the run's merge worktree."""
    return context.worktrees / run.id / MERGE


async def prepare(context: RunContext, run: Run, *, commit: str, path: Path, fresh: bool = False) -> CheckedOut:
    """Check out the commit and set the worktree up. With `fresh`, nothing of an earlier checkout is left."""
    top = Path(run.repository)
    wanted = setup_of(run, await context.work.read(_setup, mission_id=run.mission_id))
    wanted = await with_variables(context.work, context.trees, wanted, path=str(path))
    await context.trees.work(top, check_out_fresh if fresh else check_out, top, path, commit=commit)
    place = await context.trees.at(str(path), host_id=context.host_id, what="the merge worktree")
    identity = await context.trees.identify(place)
    digest = await context.trees.work(top, setup_digest, path, wanted, run.wanted.setup_inputs)
    try:
        await _set_up(context, place, wanted, source=top, digest=digest, identity=identity.as_dict())
        problem = None
    except (SetupFailed, InvalidState) as failed:
        problem = failed.message
    return CheckedOut(path=path, tree=identity.id, identity=identity.as_dict(), setup=digest, problem=problem)


def setup_digest(path: Path, setup: WorktreeSetup, inputs: Sequence[str]) -> str | None:
    """Return a digest of the setup command and of the files that decide about it; None if nothing is set up."""
    if setup.setup is None and not setup.copy:
        return None
    listed = git("ls-files", "-s", "-z", cwd=path).out.split(b"\0")[:-1]
    blobs = {display_name(name): facts for facts, _, name in (row.partition(b"\t") for row in listed)}
    digest = hashlib.sha256(repr((setup.setup, sorted(setup.copy))).encode())
    for name in sorted(inputs_among(blobs, inputs)):
        digest.update(b"%s %s\0" % (name.encode(errors="surrogateescape"), blobs[name]))
    return digest.hexdigest()[:32]


async def _set_up(
    context: RunContext,
    place: TreeLocation,
    setup: WorktreeSetup,
    *,
    source: Path,
    digest: str | None,
    identity: Mapping[str, Any],
) -> None:
    """Copy files and run the setup, unless the worktree was set up in the same way before."""
    path = place.tree.path
    if setup.copy:
        await context.trees.work(path, copy_files, setup.copy, source=source, target=path)
    if setup.setup is None or await context.trees.work(path, noted_setup, path) == digest:
        return
    await context.trees.work(path, note_setup, path, None)
    await context.trees.work(
        path, run_setup, setup.setup, folder=path, seconds=SETUP_SECONDS, variables=setup.variables
    )
    drift = await context.trees.drift(identity)
    tracked = [name for name in drift.modified if name not in drift.untracked]
    if tracked:
        raise SetupFailed(f"the setup command changed tracked files: {', '.join(tracked[:MAX_NAMED])}")
    if not drift.left:  # what git does not ignore is removed with the next checkout, so that the setup has to run again
        await context.trees.work(path, note_setup, path, digest or "")


def noted_setup(path: Path) -> str | None:
    """Return how the worktree was last set up; None if it was not, or something went wrong."""
    note = (git_dir_at(path) or path) / NOTE
    return note.read_text() if note.exists() else None


def note_setup(path: Path, digest: str | None) -> None:
    """Remember how the worktree was set up, or with None that it is being set up."""
    note = (git_dir_at(path) or path) / NOTE
    if digest is None:
        note.unlink(missing_ok=True)
    else:
        note.write_text(digest)


def is_busy(tx: Tx, *, host_id: str, path: Path) -> bool:
    """Return whether a check runs, or may still run, in a worktree of ours."""
    opened = any(each.path == str(path) for each in tx.rounds.open_on_host(host_id))
    left = [tx.rounds.find(each.round_id) for each in tx.evidence.unfinished_in_ended_rounds(host_id=host_id)]
    return opened or any(_is_at(each, path) for each in left)


def _is_at(round: CheckRound | None, path: Path) -> bool:
    return round is not None and round.path == str(path)


def _setup(tx: Tx, *, mission_id: str) -> WorktreeSetup:
    return creation.setup_of(tx.missions.get(mission_id))
