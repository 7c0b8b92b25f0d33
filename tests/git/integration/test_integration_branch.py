"""The integration branch of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.git.integration.errors import BranchInTheWay, BranchTaken, CommitMissing, OtherBranch, PathsInTheWay
from mission.git.integration.integration_branch import advance, check_complete, contains, create_branch, foreign_commits
from mission.git.integration.merge_commit import merge_commit
from tests.git.integration.run_repositories import (
    BRANCH,
    Run,
    details,
    is_sound,
    killed,
    make_hostile,
    seen,
    start_run,
    users_state,
)

NEW = "mission/other-2"


def worked(folder: Path) -> Run:
    run = start_run(folder)
    run.task.commit("own", **{"a.txt": "own\n"})
    return run


def merged(run: Run) -> str:
    own = run.task.head
    tree = run.repo.git("rev-parse", f"{own}^{{tree}}").strip()
    return merge_commit(run.repo.path, tip=run.start, candidate=own, tree=tree, details=details())


def test_a_branch_is_created_once(run: Run) -> None:
    before = users_state(run.repo)
    create_branch(run.repo.path, NEW, commit=run.start)
    create_branch(run.repo.path, NEW, commit=run.start)

    assert run.repo.git("rev-parse", NEW).strip() == run.start
    assert users_state(run.repo) == before
    with pytest.raises(BranchTaken):
        create_branch(run.repo.path, NEW, commit=run.task.commit("own", **{"a.txt": "own\n"}))


def test_a_branch_named_mission_is_in_the_way(repo, run: Run) -> None:
    repo.git("branch", "mission")

    with pytest.raises(BranchInTheWay) as refused:
        create_branch(repo.path, NEW, commit=repo.head)
    assert "git branch -m mission" in str(refused.value.hint)


def test_other_branches_and_unknown_commits_are_refused(run: Run) -> None:
    with pytest.raises(OtherBranch):
        create_branch(run.repo.path, "main", commit=run.start)
    with pytest.raises(OtherBranch):
        advance(run.repo.path, "main", new=run.start, old=run.start)
    with pytest.raises(CommitMissing):
        create_branch(run.repo.path, NEW, commit="1" * 40)


def test_the_branch_advances_only_from_the_expected_tip(tmp_path: Path) -> None:
    run = worked(tmp_path / "run")
    before = users_state(run.repo)
    commit = merged(run)

    assert not advance(run.repo.path, BRANCH, new=commit, old=run.task.head)
    assert advance(run.repo.path, BRANCH, new=commit, old=run.start)
    assert advance(run.repo.path, BRANCH, new=commit, old=run.start)
    assert run.tip == commit
    assert users_state(run.repo) == before
    assert is_sound(run.repo)


def test_a_commit_that_lost_an_object_is_not_merged(tmp_path: Path) -> None:
    run = worked(tmp_path / "run")
    commit = merged(run)
    blob = run.repo.git("rev-parse", f"{commit}:a.txt").strip()
    (run.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(CommitMissing):
        advance(run.repo.path, BRANCH, new=commit, old=run.start)
    with pytest.raises(CommitMissing):
        check_complete(run.repo.path, commit, known=run.start)
    assert run.tip == run.start


def test_a_person_who_looks_at_the_branch_sees_it_move_with_its_files(tmp_path: Path) -> None:
    run = worked(tmp_path / "run")
    run.repo.git("stash", "-q", "-u")
    run.repo.git("checkout", "-q", BRANCH)
    run.repo.write("note.txt", "of the user\n")

    assert advance(run.repo.path, BRANCH, new=merged(run), old=run.start)
    assert (run.repo.path / "a.txt").read_text() == "own\n"
    assert run.repo.git("status", "--porcelain") == "?? note.txt\n"


def test_an_edit_of_that_person_is_never_overwritten(tmp_path: Path) -> None:
    run = worked(tmp_path / "run")
    run.repo.git("stash", "-q", "-u")
    run.repo.git("checkout", "-q", BRANCH)
    run.repo.write("a.txt", "of the user\n")

    with pytest.raises(PathsInTheWay) as refused:
        advance(run.repo.path, BRANCH, new=merged(run), old=run.start)
    assert refused.value.details["paths"] == ["a.txt"]
    assert run.tip == run.start


def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    run = worked(tmp_path / "run")
    commit = merged(run)
    trace = make_hostile(run.repo)
    create_branch(run.repo.path, NEW, commit=run.start)
    advance(run.repo.path, BRANCH, new=commit, old=run.start)
    foreign_commits(run.repo.path, since=run.start, tip=commit, known=[])

    assert not trace.exists(), trace.read_text()


def test_a_tip_contains_its_ancestors(tmp_path: Path) -> None:
    run = worked(tmp_path / "run")
    commit = merged(run)

    assert contains(run.repo.path, tip=commit, commit=run.task.head)
    assert contains(run.repo.path, tip=commit, commit=commit)
    assert not contains(run.repo.path, tip=run.start, commit=commit)
    assert not contains(run.repo.path, tip=run.start, commit="1" * 40)


def test_commits_of_others_on_the_branch_are_listed_and_those_of_candidates_are_not(tmp_path: Path) -> None:
    run = worked(tmp_path / "run")
    ours = merged(run)
    assert advance(run.repo.path, BRANCH, new=ours, old=run.start)
    one = run.merge_before(**{"x": "1\n"})
    two = run.merge_before(**{"x": "2\n"})

    found = foreign_commits(run.repo.path, since=run.start, tip=two, known=[ours])

    assert [(each.id, each.subject) for each in found] == [(one, "another task"), (two, "another task")]
    assert foreign_commits(run.repo.path, since=run.start, tip=ours, known=[ours]) == []


@pytest.mark.faults
def test_an_advance_that_was_killed_is_repeated(tmp_path: Path) -> None:
    def call(prepared: tuple[Run, dict[str, object]]) -> bool:
        run = prepared[0]
        return advance(run.repo.path, BRANCH, new=merged(run), old=run.start)

    for run, before in killed(tmp_path, seen(worked), call):
        assert call((run, before))
        assert run.tip == merged(run)
        assert users_state(run.repo) == before
