"""Start a merge in the author's own worktree, so that its agent resolves conflicts by editing files, without git.

The worktree then is as `git merge` leaves it: files with markers, unmerged entries, MERGE_HEAD. `commit_candidate`
concludes the merge. A conflict that markers cannot show (a binary file, a file that one side deleted) gets a note next
to the file, which the agent deletes when it has decided.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from mission.git.command import OURS as OUR_UMASK
from mission.git.command import run
from mission.git.file_names import display_name, original
from mission.git.integration.branch_refs import check_no_operation, check_ours, move_branch
from mission.git.integration.errors import BranchMoved, WorktreeLost
from mission.git.integration.files.conflict_note import ConflictNote, clear_merge, load_note
from mission.git.integration.files.index_lock import LockedIndex, locked_index
from mission.git.integration.files.set_aside import places_for, put_back, set_aside
from mission.git.integration.files.staging import Staging
from mission.git.integration.files.worktree_update import Obstacles, WorktreeUpdate
from mission.git.integration.merge_commit import CommitDetails, tree_of, write_commit
from mission.git.integration.own_git_directory import (
    OwnGitDirectory,
    edited_tree,
    own_git_directory,
    read_blobs,
    removal_lines,
)
from mission.git.integration.trial_merge import ConflictedPath, Merged, Stage, merge_trees
from mission.git.worktrees.worktree import HEADS, tip_of

YOURS, OTHERS = "your-work", "merged-work"
"""The names that conflict markers show: the task's own work, and what was merged before it."""
MARKED = re.compile(rb"^<{7,} your-work\b", re.MULTILINE)
NOTE = b".conflict.txt"
ATTEMPTS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class ConflictStart:
    """A merge that waits for its author."""

    head: str
    """The commit of the task's branch that the tip is merged into."""
    conflicts: tuple[ConflictedPath, ...]
    """What the author has to resolve. Empty if only regenerated files conflicted, or nothing."""
    decisions: tuple[str, ...] = ()
    """Notes in the worktree about conflicts that markers cannot show."""
    set_aside: tuple[tuple[str, str], ...] = ()
    """Ignored files that were in the way, and the paths where they are now."""


def start_conflict(
    worktree: Path, *, branch: str, tip: str, details: CommitDetails, take_ours: Collection[str] = ()
) -> ConflictStart:
    """Merge the tip into the task's branch in its worktree and leave the conflicts there.

    The worktree has the branch checked out. Later edits that are in the way are committed first, with `details`;
    others stay. `take_ours` are paths that keep the task's own version, because a command will make them again.
    A repeated call returns the same, without touching a merge that was started completely. Raise OperationInProgress,
    OtherBranch, WorktreeLost, IndexInUse or BranchMoved.
    """
    check_ours(branch)
    with own_git_directory(worktree) as own:
        git_dir = own.repository.git_dir
        with locked_index(git_dir, worktree=own.repository.top, ours=True) as index:
            return _Start(own, index, branch=branch, tip=tip, details=details, take_ours=take_ours).run()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Plan:
    """The worktree that the merge leads to."""

    head: str
    tree: str
    conflicts: tuple[ConflictedPath, ...]
    stages: tuple[Stage, ...]
    notes: dict[bytes, bytes]
    """Files to add next to conflicts that markers cannot show."""


class _Start:
    """The start of one merge; the index of the worktree is locked."""

    def __init__(
        self,
        own: OwnGitDirectory,
        index: LockedIndex,
        *,
        branch: str,
        tip: str,
        details: CommitDetails,
        take_ours: Collection[str],
    ) -> None:
        self._own = own
        self._index = index
        self._branch = branch
        self._tip = tip
        self._details = details
        self._take_ours = {original(path) for path in take_ours}
        self._top = own.repository.top
        self._git_dir = own.repository.git_dir

    def run(self) -> ConflictStart:
        if tip_of(self._top, self._branch) is None:
            raise WorktreeLost
        note = load_note(self._git_dir)
        merging = (self._git_dir / "MERGE_HEAD").exists()
        if note is not None and note.complete and note.tip == self._tip and merging:
            return _started(note)
        if note is not None and not note.complete:
            self._undo(note)
        else:
            check_no_operation(self._top, self._git_dir)
            clear_merge(self._git_dir)
        self._attach()
        return self._begin()

    def _begin(self) -> ConflictStart:
        """Commit edits that are in the way, until none is; then write the merge."""
        for _ in range(ATTEMPTS):
            staging = Staging(self._own, self._index)
            plan = self._planned(staging)
            update = WorktreeUpdate(self._own, self._index, old=plan.head, new=plan.tree)
            obstacles = update.obstacles()
            unsaved = obstacles.edited | (obstacles.untracked & staging.content.changed)
            if not unsaved:
                return self._write(plan, update, obstacles)
            self._save(staging, unsaved, head=plan.head)
        raise BranchMoved(self._branch, current=tip_of(self._top, self._branch))

    def _planned(self, staging: Staging) -> _Plan:
        head = tip_of(self._top, self._branch)
        if head is None:
            raise WorktreeLost
        staging.reset(head)
        merged = merge_trees(self._own, ours=(YOURS, head), theirs=(OTHERS, self._tip))
        if isinstance(merged, Merged):
            return _Plan(head=head, tree=merged.tree, conflicts=(), stages=(), notes={})
        tree = self._with_ours(merged.tree, merged.stages)
        stages = tuple(stage for stage in merged.stages if stage[3] not in self._take_ours)
        conflicts = tuple(each for each in merged.paths if original(each.path) not in self._take_ours)
        notes = self._notes(tree, conflicts, stages)
        return _Plan(head=head, tree=tree, conflicts=conflicts, stages=stages, notes=notes)

    def _with_ours(self, tree: str, stages: Iterable[Stage]) -> str:
        """Return the tree with the task's own version of the paths that will be made again."""
        wanted = {path for *_, path in stages} & self._take_ours
        if not wanted:
            return tree
        ours = [stage for stage in stages if stage[3] in wanted and stage[2] == b"2"]
        lines = removal_lines(sorted(wanted), id_length=len(tree))
        lines += [b"%s %s 0\t%s\0" % (mode, id, path) for mode, id, _, path in ours]
        return edited_tree(self._own, tree, lines=lines)

    def _notes(self, tree: str, conflicts: Iterable[ConflictedPath], stages: Collection[Stage]) -> dict[bytes, bytes]:
        """Return the files that explain conflicts without markers, and the other side's version where both exist."""
        notes: dict[bytes, bytes] = {}
        for each in conflicts:
            path = original(each.path)
            sides = {stage: id for _, id, stage, at in stages if at == path and stage != b"1"}
            content = self._content(tree, path)
            if not sides or (content is not None and MARKED.search(content)):
                continue
            other = read_blobs(self._own, [sides[b"3"]]).get(sides[b"3"]) if len(sides) == 2 else None
            other_path = path + b"." + OTHERS.encode()
            notes[path + NOTE] = _explained(each, other_path if other is not None else None, sides)
            if other is not None:
                notes[other_path] = other
        return notes

    def _content(self, tree: str, path: bytes) -> bytes | None:
        """Return the content of a regular file of the tree."""
        listed = self._own.run("ls-tree", "-z", "--full-tree", tree, "--", path).out
        facts, _, name = listed.rstrip(b"\0").partition(b"\t")
        if name != path or not facts.startswith(b"100"):
            return None
        id = facts.split(b" ")[2]
        return read_blobs(self._own, [id]).get(id)

    def _save(self, staging: Staging, paths: Collection[bytes], *, head: str) -> None:
        """Commit these edits to the task's branch, and nothing else."""
        staging.add(paths)
        tree = staging.tree()
        if tree == tree_of(self._own, head):
            return
        made = write_commit(self._own, tree, parents=(head,), details=self._details)
        if not move_branch(self._top, self._branch, new=made, old=head, why="save edits"):
            raise BranchMoved(self._branch, current=tip_of(self._top, self._branch))

    def _write(self, plan: _Plan, update: WorktreeUpdate, obstacles: Obstacles) -> ConflictStart:
        """Write the merge. The note comes first: until it is complete, a repeated call undoes what was written."""
        note = ConflictNote(
            tip=self._tip,
            head=plan.head,
            tree=plan.tree,
            conflicts=tuple((each.path, each.kind) for each in plan.conflicts),
            decisions=tuple(map(display_name, plan.notes)),
            set_aside=places_for(self._git_dir, obstacles.untracked),
        )
        note.store(self._git_dir)
        (self._git_dir / "MERGE_MSG").write_text(f"Merge {self._tip[:12]} into {self._branch}\n")
        (self._git_dir / "MERGE_HEAD").write_text(f"{self._tip}\n")
        set_aside(self._top, note.set_aside)
        update.write(replace(obstacles, edited=set(), untracked=set()))
        self._mark_unmerged(plan)
        for path, content in plan.notes.items():
            self._write_file(path, content)
        self._index.install()
        note = replace(note, complete=True)
        note.store(self._git_dir)
        return _started(note)

    def _mark_unmerged(self, plan: _Plan) -> None:
        lines = removal_lines(dict.fromkeys(path for *_, path in plan.stages), id_length=len(plan.tree))
        lines += [b"%s %s %s\t%s\0" % stage for stage in plan.stages]
        if lines:
            self._own.run_locked(self._index, "update-index", "-z", "--index-info", stdin=b"".join(lines))

    def _undo(self, note: ConflictNote) -> None:
        """Bring the worktree back to the task's commit after a start that was interrupted; nobody has worked since."""
        set_aside(self._top, note.set_aside)
        Staging(self._own, self._index).reset(note.tree)
        update = WorktreeUpdate(self._own, self._index, old=note.tree, new=note.head)
        obstacles = update.obstacles()
        # Git was killed while it wrote these files; what they contain is kept all the same.
        set_aside(self._top, places_for(self._git_dir, obstacles.in_the_way))
        update.write(replace(obstacles, edited=set(), untracked=set()))
        for name in note.decisions:
            (self._top / os.fsdecode(original(name))).unlink(missing_ok=True)
        self._index.install()
        self._index.take_copy()
        put_back(self._top, note.set_aside)
        clear_merge(self._git_dir)

    def _write_file(self, path: bytes, content: bytes) -> None:
        target = self._top / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def _attach(self) -> None:
        """Check out the task's branch, without touching a file."""
        ref = f"{HEADS}{self._branch}"
        if run("symbolic-ref", "--quiet", "HEAD", cwd=self._top, allowed=(0, 1)).line.decode() != ref:
            run("symbolic-ref", "-m", "mission: merge", "HEAD", ref, cwd=self._top, umask=OUR_UMASK)


def _started(note: ConflictNote) -> ConflictStart:
    return ConflictStart(
        head=note.head,
        conflicts=tuple(ConflictedPath(path=path, kind=kind) for path, kind in note.conflicts),
        decisions=note.decisions,
        set_aside=note.set_aside,
    )


def _explained(each: ConflictedPath, other_path: bytes | None, sides: Collection[bytes]) -> bytes:
    """Return a note about a conflict; it has markers itself, so it cannot be committed by mistake."""
    if other_path is not None:
        what = f"Both sides changed it. The other version is in '{display_name(other_path)}'."
    elif b"2" in sides:
        what = "Your work has it; the work merged earlier deleted or moved it."
    else:
        what = "The work merged earlier has it; your work deleted or moved it."
    more = " and the other version" if other_path is not None else ""
    return (
        f"<<<<<<< {YOURS}\nConflict in '{each.path}' ({each.kind}). {what}\n=======\n"
        f"Put the right content into '{each.path}', or delete it. Then delete this note{more}.\n>>>>>>> {OTHERS}\n"
    ).encode()
