"""Commit the present content of a task's worktree as a candidate on the task's branch.

No hook, filter or signing program of the repository runs, and nothing of the user's is touched: the worktree has an
index and a HEAD of its own. Commits that the agent made itself stay, also those on another branch or on none.
The branch is moved last but for the worktree's own state, and the same call makes the same commit. So a call that was
killed is simply repeated, and finds its own commit if it had moved the branch.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from mission.git.command import OURS, run
from mission.git.file_names import display_name, original
from mission.git.integration.branch_refs import check_ours, move_branch, operation_in_progress
from mission.git.integration.candidates.findings import CandidateFinding, Inspection
from mission.git.integration.candidates.submodule_commits import check_published
from mission.git.integration.commit_changes import differences_between
from mission.git.integration.errors import (
    BranchMoved,
    MarkersLeft,
    Nested,
    OperationInProgress,
    Undecided,
    Unmerged,
)
from mission.git.integration.files.conflict_note import clear_merge, load_note
from mission.git.integration.files.filters import FilterKind
from mission.git.integration.files.index_lock import LockedIndex, locked_index
from mission.git.integration.files.staging import Staging
from mission.git.integration.merge_commit import CommitDetails, is_written, tree_of, write_commit
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory
from mission.git.safe_reading import read
from mission.git.snapshots.manifest import Difference
from mission.git.worktrees.worktree import HEADS, tip_of

MERGE = "merge"
MAX_STATE_BYTES = 1 << 16


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateCommit:
    """A candidate: its commit on the task's branch, its tree, and the paths that it changes. It may change none."""

    commit: str
    tree: str
    changed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NeedsAsking:
    """The refusal to commit: a person has to allow these findings first."""

    findings: tuple[CandidateFinding, ...]


def commit_candidate(
    worktree: Path,
    *,
    branch: str,
    tip: str,
    details: CommitDetails,
    copied: Collection[str] = (),
    allowed: Collection[str] = (),
) -> CandidateCommit | NeedsAsking:
    """Commit what the worktree contains now, without ignored files and without those copied into it.

    `tip` is the commit that the work is compared with: only what differs from their common ancestor is inspected.
    `allowed` are the keys of findings that a person has allowed. Raise CandidateRefused (each reason is a class),
    OperationInProgress, WorktreeLost, OtherBranch or IndexInUse.
    """
    check_ours(branch)
    with own_git_directory(worktree) as own:
        git_dir = own.repository.git_dir
        with locked_index(git_dir, worktree=own.repository.top, ours=True) as index:
            work = _Work(own, index, branch=branch, tip=tip, details=details, copied=copied, allowed=allowed)
            return work.commit()


class _Work:
    """The work on one candidate; the index of its worktree is locked."""

    def __init__(
        self,
        own: OwnGitDirectory,
        index: LockedIndex,
        *,
        branch: str,
        tip: str,
        details: CommitDetails,
        copied: Collection[str],
        allowed: Collection[str],
    ) -> None:
        self._own = own
        self._index = index
        self._branch = branch
        self._tip = tip
        self._details = details
        self._allowed = frozenset(allowed)
        self._top = own.repository.top
        self._git_dir = own.repository.git_dir
        self._staging = Staging(own, index, copied=copied)

    def commit(self) -> CandidateCommit | NeedsAsking:
        head = tip_of(self._top, self._branch)
        if head is not None and is_written(self._own, head, self._details):
            self._staging.reset(head)  # a call that was killed had moved the branch
            return self._finish(head)
        self._check_state()
        parents = self._parents(head)
        base = self._base(parents)
        inspection = Inspection(self._own, base=base)
        self._look_at_files(inspection)
        if asked := self._to_ask(inspection):
            return asked
        self._staging.add(self._staging.content.changed)
        tree = self._staging.tree()
        self._look_at_commits(inspection, differences_between(self._own, base, tree))
        if asked := self._to_ask(inspection):
            return asked
        commit = self._written(tree, parents)
        if commit != head and not move_branch(self._top, self._branch, new=commit, old=head, why="candidate"):
            raise BranchMoved(self._branch, current=tip_of(self._top, self._branch))
        return self._finish(commit)

    def _check_state(self) -> None:
        """Raise an error for a worktree in a state that no candidate may have."""
        operation = operation_in_progress(self._top, self._git_dir)
        if operation not in (None, MERGE):
            raise OperationInProgress(operation=str(operation), worktree=display_name(os.fsencode(self._top)))
        content = self._staging.content
        if content.nested:
            raise Nested(map(display_name, content.nested))
        note = load_note(self._git_dir)
        open_notes = [name for name in note.decisions if self._exists(name)] if note else []
        if open_notes:
            raise Undecided(open_notes)
        # In a merge of ours the agent only edits files: what has no markers any more is resolved.
        if content.unmerged and not (note and note.tip in self._merge_heads()):
            raise Unmerged(map(display_name, content.unmerged))

    def _exists(self, name: str) -> bool:
        return os.path.lexists(self._top / os.fsdecode(original(name)))

    def _merge_heads(self) -> list[str]:
        try:
            return read(self._git_dir, "MERGE_HEAD", limit=MAX_STATE_BYTES).decode(errors="replace").split()
        except OSError:
            return []

    def _parents(self, head: str | None) -> Sequence[str]:
        """Return the parents: the branch, what is checked out, and what is being merged, without their ancestors."""
        known = list(dict.fromkeys(filter(None, (head, self._own.repository.head, *self._merge_heads()))))
        if len(known) < 2:
            return known
        outside = self._own.run("merge-base", "--independent", *known).out.decode().split()
        return [commit for commit in known if commit in outside]

    def _base(self, parents: Sequence[str]) -> str:
        """Return the common ancestor of the tip and the candidate; without one, the empty tree."""
        found = self._own.run("merge-base", self._tip, *parents, allowed=(0, 1)).out.decode().split()
        return found[0] if found else hashlib.new(self._own.repository.object_format, b"tree 0\0").hexdigest()

    def _look_at_files(self, inspection: Inspection) -> None:
        """Inspect changed files before anything of them is stored in the repository."""
        kinds = self._staging.kinds(self._staging.content.changed)
        elsewhere = {path for path, kind in kinds.items() if kind is FilterKind.LFS}
        inspection.look_at_disk(self._staging.content.changed, stored_elsewhere=elsewhere)
        if inspection.marked:
            raise MarkersLeft(inspection.marked)

    def _look_at_commits(self, inspection: Inspection, differences: Sequence[Difference]) -> None:
        """Inspect what the agent committed itself."""
        known = self._staging.content.changed
        inspection.look_at_objects(each for each in differences if each.path not in known)
        if inspection.marked:
            raise MarkersLeft(inspection.marked)
        check_published(self._top, differences)

    def _to_ask(self, inspection: Inspection) -> NeedsAsking | None:
        findings = tuple(each for each in inspection.findings if each.key not in self._allowed)
        return NeedsAsking(findings=findings) if findings else None

    def _written(self, tree: str, parents: Sequence[str]) -> str:
        """Return a new commit, or the one that has exactly this content already."""
        if len(parents) == 1 and tree_of(self._own, parents[0]) == tree:
            return parents[0]
        return write_commit(self._own, tree, parents=parents, details=self._details)

    def _finish(self, commit: str) -> CandidateCommit:
        """Let the worktree follow its branch, so that git sees nothing uncommitted there."""
        ref = f"{HEADS}{self._branch}"
        if run("symbolic-ref", "--quiet", "HEAD", cwd=self._top, allowed=(0, 1)).line.decode() != ref:
            run("symbolic-ref", "-m", "mission: candidate", "HEAD", ref, cwd=self._top, umask=OURS)
        self._index.install()
        clear_merge(self._git_dir)
        changed = differences_between(self._own, self._base([commit]), commit)
        paths = tuple(sorted(display_name(each.path) for each in changed))
        return CandidateCommit(commit=commit, tree=tree_of(self._own, commit), changed=paths)
