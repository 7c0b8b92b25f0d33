"""Git in memory: the functions of `mission.git` that a run uses, under the same names and with the same rules.

It merges whole files, not lines. `test_git_contract.py` holds it to what real git does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mission.domain.tasks.changes import Changes, Commit
from mission.git.integration.branch_refs import PREFIX
from mission.git.integration.candidates.candidate_commit import CandidateCommit
from mission.git.integration.cleaning import Cleaned, KeptWork
from mission.git.integration.conflict_start import ConflictStart
from mission.git.integration.errors import (
    BranchInTheWay,
    BranchTaken,
    CommitMissing,
    MarkersLeft,
    OtherBranch,
    TargetMoved,
    UnrelatedHistory,
    WorktreeLost,
)
from mission.git.integration.landing import Landed
from mission.git.integration.merge_commit import CommitDetails
from mission.git.integration.preflight_facts import PreflightFacts
from mission.git.integration.trial_merge import Conflicted, ConflictedPath, Merged
from mission.git.worktrees.creation import CreatedWorktree, WorktreeRequest

Files = Mapping[str, str]
FOLDER = "mission"
MARKER = "<<<<<<< "


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryCommit:
    """A commit: its tree, its parents, and the text that identifies who made it."""

    tree: str
    parents: tuple[str, ...]
    subject: str
    text: str


@dataclass(slots=True)
class MemoryWorktree:
    """A folder with files; without a branch it is at a commit."""

    files: dict[str, str]
    branch: str | None
    commit: str
    merging: str | None = None
    """The commit that is being merged here."""
    conflicts: tuple[ConflictedPath, ...] = ()
    installed: str | None = None
    """The digest of what the setup command found here when it ran."""
    note: str | None = None
    """What the product noted about the setup."""


@dataclass(slots=True)
class MemoryRepository:
    """One repository with its branches and worktrees. It outlives the process that uses it."""

    top: Path
    trees: dict[str, Files] = field(default_factory=dict)
    commits: dict[str, MemoryCommit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    worktrees: dict[Path, MemoryWorktree] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    """Branches that a person deleted."""
    run_command: Callable[[str, MemoryWorktree], None] = field(default=lambda *_: None)
    """Runs a setup command, or one that makes files again."""

    @classmethod
    def created(cls, top: Path, files: Files, *, branch: str = "main") -> MemoryRepository:
        """Return a repository with one commit, checked out."""
        made = cls(top=top)
        commit = made.write_commit(made.write_tree(files), parents=(), subject="first", text="first")
        made.branches[branch] = commit
        made.worktrees[top] = MemoryWorktree(dict(files), branch, commit)
        return made

    def write_tree(self, files: Files) -> str:
        id = _digest("tree", *(f"{path}\0{text}" for path, text in sorted(files.items())))
        self.trees.setdefault(id, dict(files))
        return id

    def write_commit(self, tree: str, *, parents: Sequence[str], subject: str, text: str) -> str:
        id = _digest("commit", tree, *parents, text)
        self.commits[id] = MemoryCommit(tree=tree, parents=tuple(parents), subject=subject, text=text)
        return id

    def files_of(self, name: str) -> Files:
        """Return the files of a commit or tree."""
        if name in self.commits:
            return self.trees[self.commits[name].tree]
        if name not in self.trees:
            raise CommitMissing(name)
        return self.trees[name]

    def ancestors(self, commit: str) -> set[str]:
        """Return the commit and everything it contains."""
        seen: set[str] = set()
        todo = [commit]
        while todo:
            each = todo.pop()
            if each not in seen:
                seen.add(each)
                todo += self.commits[each].parents
        return seen

    def commit_on(self, branch: str, files: Files, *, subject: str) -> str:
        """Commit these files on top of a branch, as a person does; a worktree that has it checked out follows."""
        before = self.branches[branch]
        tree = self.write_tree({**self.files_of(before), **files})
        made = self.write_commit(tree, parents=(before,), subject=subject, text=f"{subject} by a person")
        self.move(branch, made)
        return made

    def move(self, branch: str, commit: str) -> None:
        self.branches[branch] = commit
        for each in self.worktrees.values():
            if each.branch == branch:
                each.files, each.commit = dict(self.files_of(commit)), commit


class MemoryGit:
    """The functions, each with the name and the arguments of the real one."""

    def __init__(self, repository: MemoryRepository) -> None:
        self._repository = repository

    def tip_of(self, top: Path, branch: str) -> str | None:
        return self._repository.branches.get(branch)

    def contains(self, top: Path, *, tip: str, commit: str) -> bool:
        known = self._repository.commits
        return tip in known and commit in known and commit in self._repository.ancestors(tip)

    def trees_of(self, top: Path, commits: Collection[str]) -> dict[str, str]:
        known = self._repository.commits
        return {each: known[each].tree for each in commits if each in known}

    def move_branch(self, top: Path, branch: str, *, new: str, old: str | None, why: str) -> bool:
        if self._repository.branches.get(branch) != old:
            return self._repository.branches.get(branch) == new
        self._known(new)
        self._repository.branches[branch] = new
        return True

    def create_branch(self, top: Path, branch: str, *, commit: str) -> None:
        _check_ours(branch)
        if FOLDER in self._repository.branches:
            raise BranchInTheWay(FOLDER)
        if not self.move_branch(top, branch, new=commit, old=None, why="start a run"):
            raise BranchTaken(branch, current=self._repository.branches[branch])

    def advance(self, top: Path, branch: str, *, new: str, old: str) -> bool:
        _check_ours(branch)
        self._known(new)
        return self._fast_forward(branch, new=new, old=old)

    def foreign_commits(self, top: Path, *, since: str, tip: str, known: Collection[str]) -> list[Commit]:
        found: list[Commit] = []
        before = self._repository.ancestors(since)
        at: str | None = tip
        while at is not None and at not in before:
            commit = self._repository.commits[at]
            if at not in known:
                found.append(Commit(id=at, subject=commit.subject))
            at = commit.parents[0] if commit.parents else None
        return found[::-1]

    def trial_merge(self, top: Path, *, tip: str, candidate: str) -> Merged | Conflicted:
        self._known(tip), self._known(candidate)
        files, conflicts = self._merge(tip, candidate, names=("tip", "candidate"))
        tree = self._repository.write_tree(files)
        if not conflicts:
            return Merged(tree=tree)
        here = self._repository.files_of(tip)
        ours = [(each.path, here[each.path]) for each in conflicts if each.path in here]
        stages = tuple((b"100644", text.encode(), b"2", path.encode()) for path, text in ours)
        return Conflicted(tree=tree, paths=conflicts, stages=stages)

    def with_tip_side(self, top: Path, conflicted: Conflicted) -> str:
        gone = {each.path for each in conflicted.paths}
        files = {path: text for path, text in self._repository.trees[conflicted.tree].items() if path not in gone}
        ours = {path.decode(): text.decode() for _, text, _, path in conflicted.stages}
        return self._repository.write_tree({**files, **ours})

    def with_files(self, worktree: Path, *, tree: str, paths: Sequence[str]) -> str:
        made = self._worktree(worktree).files
        files = {path: text for path, text in self._repository.trees[tree].items() if path not in paths}
        return self._repository.write_tree({**files, **{path: made[path] for path in paths if path in made}})

    def run_setup(
        self, command: str, *, folder: Path, seconds: float, variables: Any = None, inherited: Sequence[int] = ()
    ) -> None:
        self._repository.run_command(command, self._worktree(folder))

    def merge_commit(self, top: Path, *, tip: str, candidate: str, tree: str, details: CommitDetails) -> str:
        self._known(tip), self._known(candidate)
        return self._write(tree, parents=(tip, candidate), details=details)

    def squash_commit(self, top: Path, *, target: str, commit: str, details: CommitDetails) -> str:
        self._known(target)
        return self._write(self._known(commit).tree, parents=(target,), details=details)

    def changes_between(self, top: Path, old: str, new: str, *, lines: bool = False) -> Changes:
        before, after = self._repository.files_of(old), self._repository.files_of(new)
        return Changes(
            added=sorted(after.keys() - before.keys()),
            modified=sorted(path for path in before.keys() & after.keys() if before[path] != after[path]),
            deleted=sorted(before.keys() - after.keys()),
        )

    def commit_candidate(
        self,
        worktree: Path,
        *,
        branch: str,
        tip: str,
        details: CommitDetails,
        copied: Collection[str] = (),
        allowed: Collection[str] = (),
    ) -> CandidateCommit:
        _check_ours(branch)
        place, repository = self._worktree(worktree), self._repository
        head = repository.branches.get(branch)
        if head is not None and repository.commits[head].text == _text(details):
            place.merging, place.conflicts, place.commit, place.branch = None, (), head, branch
            return self._frozen(head, tip)
        parents = [head or place.commit, *([place.merging] if place.merging is not None else [])]
        base = self._base(tip, parents[0])
        before = repository.files_of(base) if base is not None else {}
        marked = [path for path, text in place.files.items() if MARKER in text and before.get(path) != text]
        if marked:
            raise MarkersLeft(marked)
        tree = repository.write_tree(place.files)
        commit = parents[0]
        if len(parents) > 1 or repository.commits[commit].tree != tree:
            commit = self._write(tree, parents=parents, details=details)
        repository.branches[branch] = place.commit = commit
        place.merging, place.conflicts, place.branch = None, (), branch
        return self._frozen(commit, tip)

    def start_conflict(
        self, worktree: Path, *, branch: str, tip: str, details: CommitDetails, take_ours: Collection[str] = ()
    ) -> ConflictStart:
        _check_ours(branch)
        place, repository = self._worktree(worktree), self._repository
        if branch not in repository.branches:
            raise WorktreeLost
        if place.merging == tip:
            return ConflictStart(head=repository.branches[branch], conflicts=place.conflicts)
        head = repository.branches[branch]
        if place.files != repository.files_of(head):  # real git saves only the edits that are in the way
            tree = repository.write_tree(place.files)
            head = repository.branches[branch] = self._write(tree, parents=(head,), details=details)
        files, conflicts = self._merge(head, tip, names=("your-work", "merged-work"))
        conflicts = tuple(each for each in conflicts if each.path not in take_ours)
        own = {path: repository.files_of(head)[path] for path in take_ours if path in repository.files_of(head)}
        place.files, place.branch, place.commit = {**files, **own}, branch, head
        place.merging, place.conflicts = tip, conflicts
        return ConflictStart(head=head, conflicts=conflicts)

    def check_out(self, top: Path, path: Path, *, commit: str) -> None:
        before = self._repository.worktrees.get(path)
        self.check_out_fresh(top, path, commit=commit)
        if before is not None:  # what a setup made is ignored by git, and stays
            here = self._repository.worktrees[path]
            here.installed, here.note = before.installed, before.note

    def check_out_fresh(self, top: Path, path: Path, *, commit: str) -> None:
        files = dict(self._repository.trees[self._known(commit).tree])
        self._repository.worktrees[path] = MemoryWorktree(files, None, commit)

    def discard(self, top: Path, path: Path) -> None:
        self._repository.worktrees.pop(path, None)

    def make(self, order: WorktreeRequest, *, report: Any = None) -> CreatedWorktree:
        """Do what the worktree_maker does: return the worktree at the path, made if it is not there."""
        repository = self._repository
        is_new = order.path not in repository.worktrees
        if is_new:
            base = repository.branches.get(order.base) if order.base is not None else None
            commit = repository.branches.setdefault(order.branch, base or repository.worktrees[order.top].commit)
            made = MemoryWorktree(dict(repository.files_of(commit)), order.branch, commit)
            if order.setup.setup is not None:
                repository.run_command(order.setup.setup, made)
            repository.worktrees[order.path] = made
        return CreatedWorktree(path=order.path, branch=order.branch, base=order.base, created=is_new)

    def unmerged(self, top: Path, branches: Mapping[str, str], *, into: str) -> list[str]:
        target = self.tip_of(top, into)
        tips = {name: self.tip_of(top, branch) for name, branch in branches.items()}
        return [name for name, tip in tips.items() if tip and target and not self.contains(top, tip=target, commit=tip)]

    def preflight_facts(self, top: Path) -> PreflightFacts:
        here = self._repository.worktrees[top]
        changed = self.changes_between(top, here.commit, self._repository.write_tree(here.files)).paths
        return PreflightFacts(
            git_version="2.50.0",
            needed_git="2.38",
            is_git_new_enough=True,
            is_repository=True,
            head=here.commit,
            branch=here.branch,
            uncommitted=tuple(changed),
            uncommitted_count=len(changed),
            branch_in_the_way=FOLDER if FOLDER in self._repository.branches else None,
        )

    def land(self, top: Path, *, target: str, commit: str, expected: str) -> Landed:
        self._known(commit)
        current = self.tip_of(top, target)
        if current is not None and self.contains(top, tip=current, commit=commit):
            return Landed(target=target, commit=commit, moved=False)
        if current is None or current != expected or not self.contains(top, tip=commit, commit=current):
            raise TargetMoved(target, current=current)
        self._fast_forward(target, new=commit, old=expected)
        return Landed(target=target, commit=commit, moved=True)

    def clean(
        self, top: Path, *, landed: str, tip: str, worktrees: Sequence[Any], branches: Collection[str]
    ) -> Cleaned:
        done = Cleaned()
        kept = [landed, *([tip] if self._known(landed).tree == self._known(tip).tree else [])]
        for each in worktrees:
            place = self._repository.worktrees.get(each.path)
            is_clean = place is None or place.files == self._repository.files_of(place.commit)
            if is_clean and self._is_kept(self.tip_of(top, each.branch), kept):
                self._repository.worktrees.pop(each.path, None)
                done.worktrees.append(str(each.path))
            else:
                done.kept.append(KeptWork(name=str(each.path), reason="it has work that has not landed"))
        used = {each.branch for each in self._repository.worktrees.values()}
        for branch in dict.fromkeys(branches):
            if branch not in used and self._is_kept(self.tip_of(top, branch), kept):
                done.branches.append(branch)
                del self._repository.branches[branch]
            else:
                done.kept.append(KeptWork(name=branch, reason="it has work that has not landed"))
        return done

    def _is_kept(self, commit: str | None, kept: Sequence[str]) -> bool:
        return commit is None or any(commit in self._repository.ancestors(each) for each in kept)

    def _known(self, commit: str) -> MemoryCommit:
        if commit not in self._repository.commits:
            raise CommitMissing(commit)
        return self._repository.commits[commit]

    def _worktree(self, path: Path) -> MemoryWorktree:
        if path not in self._repository.worktrees:
            raise WorktreeLost
        return self._repository.worktrees[path]

    def _fast_forward(self, branch: str, *, new: str, old: str) -> bool:
        if self._repository.branches.get(branch) != old:
            return self._repository.branches.get(branch) == new
        self._repository.move(branch, new)
        return True

    def _write(self, tree: str, *, parents: Sequence[str], details: CommitDetails) -> str:
        if tree not in self._repository.trees:
            raise CommitMissing(tree)
        subject = details.message.partition("\n")[0]
        return self._repository.write_commit(tree, parents=parents, subject=subject, text=_text(details))

    def _frozen(self, commit: str, tip: str) -> CandidateCommit:
        base = self._base(tip, commit)
        tree = self._repository.commits[commit].tree
        before = self._repository.files_of(base) if base is not None else {}
        after = self._repository.trees[tree]
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        return CandidateCommit(commit=commit, tree=tree, changed=tuple(sorted(changed)))

    def _base(self, one: str, other: str) -> str | None:
        """Return the newest commit that both contain."""
        shared = self._repository.ancestors(one) & self._repository.ancestors(other)
        older = {each for commit in shared for each in self._repository.ancestors(commit) - {commit}}
        return min(shared - older, default=None)

    def _merge(self, ours: str, theirs: str, *, names: tuple[str, str]) -> tuple[Files, tuple[ConflictedPath, ...]]:
        base = self._base(ours, theirs)
        if base is None:
            raise UnrelatedHistory
        old, mine, other = (self._repository.files_of(each) for each in (base, ours, theirs))
        merged, conflicts = dict(mine), []
        for path in sorted(old.keys() | mine.keys() | other.keys()):
            before, here, there = old.get(path), mine.get(path), other.get(path)
            if there in (before, here):
                continue
            if here == before:
                merged.pop(path, None)
                merged.update({path: there} if there is not None else {})
                continue
            kind = (
                "add/add"
                if before is None
                else "content"
                if here is not None and there is not None
                else "modify/delete"
            )
            conflicts.append(ConflictedPath(path=path, kind=kind))
            merged[path] = f"{MARKER}{names[0]}\n{here or ''}=======\n{there or ''}>>>>>>> {names[1]}\n"
        return merged, tuple(conflicts)


def _check_ours(branch: str) -> None:
    if not branch.startswith(PREFIX):
        raise OtherBranch(branch)


def _text(details: CommitDetails) -> str:
    return f"{details.author}\n{details.at.isoformat()}\n{details.text.decode()}"


def _digest(*parts: str) -> str:
    return hashlib.sha1("\0".join(parts).encode(), usedforsecurity=False).hexdigest()
