"""Resolve conflicts in files that a command makes again, such as lock files: no agent has to look at them."""

from __future__ import annotations

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


def commands_for(run: Run, conflicted: Conflicted) -> list[str]:
    """Return the commands that resolve all of the conflicts; empty if a file is left for the author."""
    rules = {glob: compile_globs([glob]) for glob in run.wanted.regenerate}
    found: dict[str, None] = {}
    for each in conflicted.paths:
        glob = next((glob for glob, globs in rules.items() if globs.matches(each.path)), None)
        if glob is None:
            return []
        found[run.wanted.regenerate[glob]] = None
    return list(found)


async def regenerate(
    context: RunContext, run: Run, *, base: str, candidate: str, conflicted: Conflicted, details: CommitDetails
) -> Regenerated:
    """Run the commands in the merge worktree, on the merged files with the tip's side of those that conflict."""
    top, path = Path(run.repository), merge_path(context, run)
    work = context.trees.work
    tree = await work(top, with_tip_side, top, conflicted)
    commit = await work(top, merge_commit, top, tip=base, candidate=candidate, tree=tree, details=details)
    await work(top, check_out, top, path, commit=commit)
    slot = await slot_of(context.work, context.trees, path=str(path))
    for command in commands_for(run, conflicted):
        try:
            await work(top, run_setup, command, folder=path, seconds=SETUP_SECONDS, variables=slot.variables())
        except SetupFailed as failed:
            return Regenerated(problem=failed.message.replace("the setup command", f"'{command}'", 1))
    paths = [each.path for each in conflicted.paths]
    return Regenerated(tree=await work(top, with_files, path, tree=tree, paths=paths))
