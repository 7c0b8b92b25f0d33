"""Resolve conflicts in files that a command makes again, such as lock files: no agent has to look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mission.domain.checks.file_patterns.globs import compile_globs
from mission.domain.runs.run import Run
from mission.git.integration.merge_commit import CommitDetails, merge_commit
from mission.git.integration.merge_worktree import check_out
from mission.git.integration.regenerated_files import with_files, with_tip_side
from mission.git.integration.trial_merge import Conflicted
from mission.git.worktrees.setup import SetupFailed, run_setup
from mission.services.runs.context import RunContext
from mission.services.runs.worktrees.merge_place import SETUP_SECONDS, merge_path
from mission.services.workspaces.slots import slot_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Regenerated:
    """The merged tree with files that were made again, or why that failed."""

    tree: str | None = None
    problem: str | None = None


def regenerated_among(run: Run, paths: Sequence[str]) -> dict[str, str]:
    """Return the paths that a command makes again, each with that command."""
    rules = {glob: compile_globs([glob]) for glob in run.wanted.regenerate}
    found: dict[str, str] = {}
    for path in paths:
        glob = next((glob for glob, globs in rules.items() if globs.matches(path)), None)
        if glob is not None:
            found[path] = run.wanted.regenerate[glob]
    return found


async def resolve(
    context: RunContext, run: Run, *, base: str, candidate: str, conflicted: Conflicted, details: CommitDetails
) -> Regenerated:
    """Return the merged tree with the conflicting files made again, starting from the tip's side of each."""
    top = Path(run.repository)
    tree = await context.trees.work(top, with_tip_side, top, conflicted)
    paths = [each.path for each in conflicted.paths]
    return await make_again(context, run, base=base, candidate=candidate, tree=tree, paths=paths, details=details)


async def make_again(
    context: RunContext,
    run: Run,
    *,
    base: str,
    candidate: str,
    tree: str,
    paths: Sequence[str],
    details: CommitDetails,
) -> Regenerated:
    """Run the commands of these paths in the merge worktree, and return the merged tree with what they made."""
    top, path = Path(run.repository), merge_path(context, run)
    work = context.trees.work
    commit = await work(top, merge_commit, top, tip=base, candidate=candidate, tree=tree, details=details)
    await work(top, check_out, top, path, commit=commit)
    slot = await slot_of(context.work, context.trees, path=str(path))
    for command in dict.fromkeys(regenerated_among(run, paths).values()):
        try:
            await work(top, run_setup, command, folder=path, seconds=SETUP_SECONDS, variables=slot.variables())
        except SetupFailed as failed:
            return Regenerated(problem=failed.message.replace("the setup command", f"'{command}'", 1))
    return Regenerated(tree=await work(top, with_files, path, tree=tree, paths=paths))
