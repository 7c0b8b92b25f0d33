"""What a run relies on in git. Each test is played with real git and with the repository in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

import pytest

from mission.domain.errors import MissionError
from mission.git.commit_trees import trees_of
from mission.git.integration.branch_refs import move_branch
from mission.git.integration.candidates.candidate_commit import CandidateCommit, commit_candidate
from mission.git.integration.cleaning import clean
from mission.git.integration.commit_changes import changes_between
from mission.git.integration.conflict_start import start_conflict
from mission.git.integration.errors import (
    BranchTaken,
    CommitMissing,
    MarkersLeft,
    OtherBranch,
    TargetMoved,
)
from mission.git.integration.integration_branch import advance, contains, create_branch, foreign_commits
from mission.git.integration.landing import land
from mission.git.integration.merge_commit import CommitDetails, merge_commit, squash_commit
from mission.git.integration.merge_worktree import check_out, check_out_fresh, discard
from mission.git.integration.preflight_facts import preflight_facts
from mission.git.integration.regenerated_files import with_files, with_tip_side
from mission.git.integration.trial_merge import Conflicted, trial_merge
from mission.git.snapshot import Snapshots
from mission.git.worktrees.creation import WorktreeMaker, WorktreeRequest
from mission.git.worktrees.merge_check import unmerged
from mission.git.worktrees.removal import WorktreeToRemove
from mission.git.worktrees.setup import run_setup
from mission.git.worktrees.worktree import tip_of
from mission.services.repositories.working_trees import Trees
from tests.simulation.ports.memory_git import MemoryGit, MemoryRepository
from tests.simulation.ports.memory_trees import DOUBLED, MemoryTrees

BASE = {"a.txt": "a\n", "b.txt": "b\n"}
RUN = "mission/run"
NOWHERE = "0123456789" * 4


class Place(Protocol):
    """A repository with the files of BASE on main, and the door of services to it."""

    top: Path
    trees: Trees

    def write(self, folder: Path, files: Mapping[str, str | None]) -> None: ...
    def files(self, folder: Path) -> dict[str, str]: ...
    def commit(self, branch: str, files: Mapping[str, str]) -> str: ...


class RealPlace:
    def __init__(self, folder: Path, git: Callable[..., str]) -> None:
        self.top = folder / "repository"
        self.top.mkdir()
        self._git = git
        self.write(self.top, BASE)
        git(self.top, "init", "-q", "-b", "main")
        git(self.top, "add", "-A")
        git(self.top, "commit", "-qm", "first")
        worktree_maker = WorktreeMaker(folder / "worktrees")
        self.trees = Trees(
            Snapshots(folder / "kept"), worktree_maker=worktree_maker, host_id="h", find_ports=lambda _: 1
        )

    def write(self, folder: Path, files: Mapping[str, str | None]) -> None:
        for name, text in files.items():
            if text is None:
                (folder / name).unlink()
            else:
                (folder / name).write_text(text)

    def files(self, folder: Path) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.name != ".git"}

    def commit(self, branch: str, files: Mapping[str, str]) -> str:
        here = self.top.parent / "person"
        self._git(self.top, "worktree", "add", "-q", "--detach", str(here), branch)
        self.write(here, files)
        self._git(here, "add", "-A")
        self._git(here, "commit", "-qm", "theirs")
        made = self._git(here, "rev-parse", "HEAD")
        self._git(self.top, "worktree", "remove", "--force", str(here))
        if branch == "main":
            self._git(self.top, "reset", "-q", "--hard", made)
        else:
            self._git(self.top, "update-ref", f"refs/heads/{branch}", made)
        return made


class MemoryPlace:
    def __init__(self) -> None:
        self.top = Path("/simulated/repository")
        self._repository = MemoryRepository.created(self.top, BASE)
        self.trees = MemoryTrees(self._repository, host_id="h", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))

    def write(self, folder: Path, files: Mapping[str, str | None]) -> None:
        here = self._repository.worktrees[folder].files
        for name, text in files.items():
            here.pop(name, None)
            here.update({name: text} if text is not None else {})

    def files(self, folder: Path) -> dict[str, str]:
        return dict(sorted(self._repository.worktrees[folder].files.items()))

    def commit(self, branch: str, files: Mapping[str, str]) -> str:
        return self._repository.commit_on(branch, files, subject="theirs")


@pytest.fixture(params=["git", "memory"])
async def place(request: pytest.FixtureRequest, tmp_path: Path, git: Callable[..., str]) -> Any:
    made: Any = RealPlace(tmp_path, git) if request.param == "git" else MemoryPlace()
    yield made
    await made.trees.close()


def details(message: str = "Work") -> CommitDetails:
    return CommitDetails(author="An agent", message=message, at=datetime(2026, 1, 1, tzinfo=UTC), trailers={"T": "t_1"})


class Work:
    """A run's branch, and worktrees upon it."""

    def __init__(self, place: Any) -> None:
        self.place, self.top = place, place.top

    async def do(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return await self.place.trees.work(self.top, function, *arguments, **options)

    async def tip(self, branch: str = RUN) -> str:
        return str(await self.do(tip_of, self.top, branch))

    async def begin(self) -> str:
        await self.do(create_branch, self.top, RUN, commit=await self.tip("main"))
        return await self.tip()

    async def worktree(self, name: str) -> Path:
        path = self.place.trees.worktree_maker.place_for(self.top, name)
        path.parent.mkdir(parents=True, exist_ok=True) if "simulated" not in path.parts else None
        order = WorktreeRequest(
            top=self.top, path=path, branch=f"{RUN}.{name}", base=RUN, create=True, reuse_branch=True
        )
        return (await self.do(self.place.trees.worktree_maker.make, order)).path

    async def freeze(self, name: str, files: Mapping[str, str | None]) -> CandidateCommit:
        here = await self.worktree(name)
        self.place.write(here, files)
        return await self.do(
            commit_candidate, here, branch=f"{RUN}.{name}", tip=await self.tip(), details=details(name)
        )

    async def merge(self, candidate: CandidateCommit) -> str:
        tip = await self.tip()
        merged = await self.do(trial_merge, self.top, tip=tip, candidate=candidate.commit)
        made = await self.do(
            merge_commit, self.top, tip=tip, candidate=candidate.commit, tree=merged.tree, details=details("Merge")
        )
        assert await self.do(advance, self.top, RUN, new=made, old=tip)
        return str(made)

    async def checked_out(self, commit: str) -> dict[str, str]:
        path = self.place.trees.worktree_maker.home / "merge"
        await self.do(check_out, self.top, path, commit=commit)
        return self.place.files(path)


@pytest.fixture
def work(place: Any) -> Work:
    return Work(place)


async def test_a_branch_is_made_once_and_only_below_the_name_of_runs(work: Work):
    first = await work.begin()
    await work.do(create_branch, work.top, RUN, commit=first)
    other = work.place.commit("main", {"c.txt": "c\n"})

    with pytest.raises(BranchTaken):
        await work.do(create_branch, work.top, RUN, commit=other)
    with pytest.raises(OtherBranch):
        await work.do(create_branch, work.top, "feature", commit=first)
    assert (await work.tip(), await work.do(tip_of, work.top, "mission/none")) == (first, None)


async def test_a_branch_moves_only_from_where_it_was(work: Work):
    first = await work.begin()
    frozen = await work.freeze("one", {"c.txt": "c\n"})

    assert await work.do(move_branch, work.top, "mission/x", new=first, old=None, why="test")
    assert not await work.do(move_branch, work.top, "mission/x", new=frozen.commit, old=None, why="test")
    assert not await work.do(advance, work.top, RUN, new=frozen.commit, old=frozen.tree)
    assert await work.do(advance, work.top, RUN, new=frozen.commit, old=first)
    assert await work.do(advance, work.top, RUN, new=frozen.commit, old=first)
    assert await work.tip() == frozen.commit


async def test_what_is_not_in_the_repository_is_missing(work: Work):
    first = await work.begin()

    with pytest.raises(CommitMissing):
        await work.do(advance, work.top, RUN, new=NOWHERE, old=first)
    with pytest.raises(CommitMissing):
        await work.do(trial_merge, work.top, tip=first, candidate=NOWHERE)
    with pytest.raises(CommitMissing):
        await work.do(merge_commit, work.top, tip=first, candidate=first, tree=NOWHERE, details=details())
    assert await work.do(trees_of, work.top, {NOWHERE}) == {}
    assert not await work.do(contains, work.top, tip=first, commit=NOWHERE)


async def test_a_candidate_is_what_the_worktree_has_when_it_is_frozen(work: Work):
    first = await work.begin()
    frozen = await work.freeze("one", {"a.txt": "changed\n", "c.txt": "c\n", "b.txt": None})
    here = await work.worktree("one")
    work.place.write(here, {"a.txt": "later\n"})

    again = await work.do(commit_candidate, here, branch=f"{RUN}.one", tip=first, details=details("one"))

    assert frozen.changed == ("a.txt", "b.txt", "c.txt")
    assert again.commit == frozen.commit == await work.tip(f"{RUN}.one")
    assert await work.checked_out(frozen.commit) == {"a.txt": "changed\n", "c.txt": "c\n"}
    changes = await work.do(changes_between, work.top, first, frozen.tree)
    assert (changes.added, changes.modified, changes.deleted) == (["c.txt"], ["a.txt"], ["b.txt"])


async def test_a_candidate_without_changes_is_the_commit_it_started_from(work: Work):
    first = await work.begin()
    frozen = await work.freeze("one", {})

    assert (frozen.commit, frozen.changed) == (first, ())


async def test_a_merge_has_the_files_of_both_and_is_the_same_each_time(work: Work):
    first = await work.begin()
    one = await work.freeze("one", {"a.txt": "one\n"})
    two = await work.freeze("two", {"b.txt": "two\n", "c.txt": "c\n"})
    tip = await work.merge(one)

    made = [
        await work.do(merge_commit, work.top, tip=tip, candidate=two.commit, tree=two.tree, details=details("same"))
        for _ in range(2)
    ]
    last = await work.merge(two)

    assert made[0] == made[1]
    assert await work.checked_out(last) == {"a.txt": "one\n", "b.txt": "two\n", "c.txt": "c\n"}
    assert await work.do(contains, work.top, tip=last, commit=two.commit)
    assert await work.do(contains, work.top, tip=last, commit=first)
    assert not await work.do(contains, work.top, tip=tip, commit=two.commit)


@pytest.mark.parametrize(("path", "kind"), [("a.txt", "content"), ("new.txt", "add/add")])
async def test_two_that_change_the_same_line_conflict(work: Work, path: str, kind: str):
    await work.begin()
    one = await work.freeze("one", {path: "one\n"})
    two = await work.freeze("two", {path: "two\n"})
    tip = await work.merge(one)

    merged = await work.do(trial_merge, work.top, tip=tip, candidate=two.commit)

    assert isinstance(merged, Conflicted)
    assert [(each.path, each.kind) for each in merged.paths] == [(path, kind)]


async def test_a_conflicting_file_is_taken_from_the_tip_and_made_again_in_a_worktree(work: Work):
    await work.begin()
    one = await work.freeze("one", {"a.txt": "one\n"})
    two = await work.freeze("two", {"a.txt": "two\n", "c.txt": "c\n"})
    tip, here = await work.merge(one), await work.worktree("two")
    conflicted = await work.do(trial_merge, work.top, tip=tip, candidate=two.commit)

    from_tip = await work.do(with_tip_side, work.top, conflicted)
    await work.do(run_setup, "true", folder=here, seconds=60.0)
    work.place.write(here, {"a.txt": "made again\n"})
    made = await work.do(with_files, here, tree=from_tip, paths=["a.txt"])

    async def changed(tree: str) -> list[str]:
        merge = {"tip": tip, "candidate": two.commit, "tree": tree, "details": details("two")}
        commit = await work.do(merge_commit, work.top, **merge)
        return sorted((await work.do(changes_between, work.top, tip, commit)).paths)

    assert await changed(from_tip) == ["c.txt"]
    assert await changed(made) == ["a.txt", "c.txt"]


async def test_a_conflict_is_started_where_its_author_works_and_ends_with_the_next_candidate(work: Work):
    await work.begin()
    one = await work.freeze("one", {"a.txt": "one\n", "c.txt": "c\n"})
    await work.freeze("two", {"a.txt": "two\n"})
    tip, here, branch = await work.merge(one), await work.worktree("two"), f"{RUN}.two"

    started = [await work.do(start_conflict, here, branch=branch, tip=tip, details=details("two")) for _ in range(2)]
    marked = work.place.files(here)
    with pytest.raises(MarkersLeft):
        await work.do(commit_candidate, here, branch=branch, tip=tip, details=details("again"))
    work.place.write(here, {"a.txt": "both\n"})
    solved = await work.do(commit_candidate, here, branch=branch, tip=tip, details=details("again"))
    last = await work.merge(solved)

    assert started[0] == started[1]
    assert [(each.path, each.kind) for each in started[0].conflicts] == [("a.txt", "content")]
    assert marked["c.txt"] == "c\n"
    assert marked["a.txt"].startswith("<<<<<<< your-work\n")
    assert {"one", "two"} <= set(marked["a.txt"].split())
    assert await work.checked_out(last) == {"a.txt": "both\n", "b.txt": "b\n", "c.txt": "c\n"}


async def test_a_worktree_that_was_removed_is_lost_and_can_be_made_again_from_its_branch(work: Work):
    await work.begin()
    frozen = await work.freeze("one", {"c.txt": "c\n"})
    here = await work.worktree("one")
    await work.do(discard, work.top, here)

    with pytest.raises(MissionError):
        await work.do(commit_candidate, here, branch=f"{RUN}.one", tip=frozen.commit, details=details("x"))
    again = await work.worktree("one")

    assert work.place.files(again)["c.txt"] == "c\n"


async def test_a_check_out_has_exactly_the_files_of_its_commit(work: Work):
    first = await work.begin()
    frozen = await work.freeze("one", {"c.txt": "c\n"})
    path = work.place.trees.worktree_maker.home / "merge"
    await work.checked_out(frozen.commit)
    work.place.write(path, {"left.txt": "x\n", "a.txt": "changed\n"})

    assert await work.checked_out(first) == BASE
    await work.do(check_out_fresh, work.top, path, commit=frozen.commit)
    assert work.place.files(path) == {**BASE, "c.txt": "c\n"}
    with pytest.raises(CommitMissing):
        await work.do(check_out, work.top, path, commit=NOWHERE)


async def test_a_tree_is_identified_by_its_content_and_what_changes_in_it_is_seen(work: Work):
    first = await work.begin()
    await work.checked_out(first)
    path = work.place.trees.worktree_maker.home / "merge"
    here = await work.place.trees.at(str(path), host_id="h", what="it")
    identity = await work.place.trees.identify(here)
    still = await work.place.trees.drift(identity.as_dict())
    work.place.write(path, {"a.txt": "changed\n", "left.txt": "x\n"})

    drift = await work.place.trees.drift(identity.as_dict())

    assert identity.id == (await work.do(trees_of, work.top, {first}))[first]
    assert (still.modified, dict(still.left)) == ([], {})
    assert (drift.modified, list(drift.left)) == (["a.txt"], ["left.txt"])


async def test_commits_of_others_are_told_from_those_of_the_run(work: Work):
    first = await work.begin()
    ours = await work.merge(await work.freeze("one", {"a.txt": "one\n"}))
    theirs = work.place.commit(RUN, {"d.txt": "d\n"})

    found = await work.do(foreign_commits, work.top, since=first, tip=theirs, known=[ours])

    assert [(each.id, each.subject) for each in found] == [(theirs, "theirs")]


async def test_landing_only_goes_forward_from_where_the_target_was_expected(work: Work):
    first = await work.begin()
    tip = await work.merge(await work.freeze("one", {"c.txt": "c\n"}))

    landed = await work.do(land, work.top, target="main", commit=tip, expected=first)
    again = await work.do(land, work.top, target="main", commit=tip, expected=first)
    here = work.place.files(work.top)
    work.place.commit("main", {"d.txt": "d\n"})
    later = await work.merge(await work.freeze("two", {"e.txt": "e\n"}))

    assert (landed.moved, again.moved) == (True, False)
    assert here == {**BASE, "c.txt": "c\n"}
    with pytest.raises(TargetMoved):
        await work.do(land, work.top, target="main", commit=later, expected=tip)


async def test_a_squash_is_one_commit_with_all_of_the_content(work: Work):
    first = await work.begin()
    tip = await work.merge(await work.freeze("one", {"c.txt": "c\n"}))

    made = await work.do(squash_commit, work.top, target=first, commit=tip, details=details("All"))

    trees = await work.do(trees_of, work.top, {made, tip})
    assert trees[made] == trees[tip]
    assert not await work.do(contains, work.top, tip=made, commit=tip)


async def test_what_has_landed_is_removed_and_the_rest_is_kept(work: Work):
    first = await work.begin()
    tip = await work.merge(await work.freeze("one", {"c.txt": "c\n"}))
    await work.freeze("two", {"d.txt": "d\n"})
    await work.do(land, work.top, target="main", commit=tip, expected=first)
    paths = {name: await work.worktree(name) for name in ("one", "two")}
    trees = [
        WorktreeToRemove(top=work.top, path=path, branch=f"{RUN}.{name}", copied={}) for name, path in paths.items()
    ]

    done = await work.do(
        clean, work.top, landed=tip, tip=tip, worktrees=trees, branches=[f"{RUN}.one", f"{RUN}.two", RUN]
    )

    assert done.worktrees == [str(paths["one"])]
    assert done.branches == [f"{RUN}.one", RUN]
    assert [each.name for each in done.kept] == [str(paths["two"]), f"{RUN}.two"]


async def test_what_is_known_before_a_run(work: Work):
    work.place.write(work.top, {"a.txt": "changed\n"})

    facts = await work.do(preflight_facts, work.top)

    assert (facts.is_repository, facts.branch, facts.head) == (True, "main", await work.tip("main"))
    assert (facts.uncommitted, facts.branch_in_the_way, facts.operation) == (("a.txt",), None, None)


async def test_branches_whose_work_is_missing_are_named(work: Work):
    await work.begin()
    one = await work.freeze("one", {"c.txt": "c\n"})
    await work.freeze("two", {"d.txt": "d\n"})
    await work.merge(one)

    missing = await work.do(unmerged, work.top, {"one": f"{RUN}.one", "two": f"{RUN}.two"}, into=RUN)

    assert missing == ["two"]


@pytest.mark.parametrize("function", DOUBLED, ids=lambda each: each.__name__)
def test_a_double_takes_the_arguments_of_the_real_function(function: Callable[..., Any]):
    double = getattr(MemoryGit, function.__name__)

    assert list(signature(double).parameters)[1:] == list(signature(function).parameters)


def test_every_function_of_git_that_has_a_double_is_played_here():
    source = Path(__file__).read_text()

    assert [each.__name__ for each in DOUBLED if not re.search(rf"\b{each.__name__},", source)] == []
