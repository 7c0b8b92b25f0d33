"""Commits that are the same each time."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from mission.git.integration.errors import CommitMissing
from mission.git.integration.merge_commit import CommitDetails, is_written, merge_commit, squash_commit
from mission.git.integration.own_git_directory import own_git_directory
from tests.git.integration.run_repositories import AT, Run, details, make_hostile, users_state


def made(run: Run, given: CommitDetails = details()) -> str:  # noqa: B008 (it is immutable)
    own = run.task.head if run.task.head != run.start else run.task.commit("own", **{"a.txt": "own\n"})
    tree = run.repo.git("rev-parse", f"{own}^{{tree}}").strip()
    return merge_commit(run.repo.path, tip=run.tip, candidate=own, tree=tree, details=given)


def raw(run: Run, commit: str) -> list[str]:
    return run.repo.git("cat-file", "commit", commit).splitlines()


def test_a_merge_has_the_tip_and_the_candidate_as_parents(run: Run) -> None:
    before = users_state(run.repo)

    commit = made(run)

    assert raw(run, commit) == [
        f"tree {run.repo.git('rev-parse', 'mission/login-1.check^{tree}').strip()}",
        f"parent {run.tip}",
        f"parent {run.task.head}",
        "author ada <mission-control@localhost> 1777896000 +0000",
        "committer Mission Control <mission-control@localhost> 1777896000 +0000",
        "",
        "Refuse expired tokens",
        "",
        "Mission-Task: t_1",
        "Mission-Run: run_1",
    ]
    assert users_state(run.repo) == before


def test_the_same_arguments_make_the_same_commit_in_any_time_zone(run: Run) -> None:
    elsewhere = AT.astimezone(timezone(timedelta(hours=9)))

    assert made(run) == made(run, details(at=elsewhere))
    assert made(run) != made(run, details(at=AT + timedelta(seconds=1)))


def test_signing_and_encodings_of_the_repository_do_not_matter(run: Run) -> None:
    expected = made(run)
    trace = make_hostile(run.repo)
    run.repo.git("config", "i18n.commitEncoding", "latin1")

    given = details("Grüße\0 an alle")
    commit = merge_commit(run.repo.path, tip=run.tip, candidate=run.start, tree=f"{run.start}^{{tree}}", details=given)

    assert "Grüße� an alle" in run.repo.git("-c", "core.fsmonitor=false", "cat-file", "commit", commit)
    assert not trace.exists()
    assert expected != commit


@pytest.mark.parametrize("author", ["", "  ", "<>", "\n", "."])
def test_a_name_that_git_would_refuse_becomes_ours(run: Run, author: str) -> None:
    assert "author Mission Control <" in "\n".join(raw(run, made(run, details(author=author))))


def test_trailers_stay_on_one_line_each_and_an_empty_message_is_replaced(run: Run) -> None:
    given = CommitDetails(author="ada", message=" \n", at=datetime(2026, 1, 1).astimezone(), trailers={"A": "x\nB: y"})

    assert given.text == b"Work\n\nA: x B: y\n"
    assert replace(given, trailers={}).text == b"Work\n"


def test_a_squash_is_one_commit_with_all_of_the_content(run: Run) -> None:
    run.task.commit("one", **{"a.txt": "one\n"})
    last = run.task.commit("two", **{"b.txt": "two\n"})

    commit = squash_commit(run.repo.path, target=run.start, commit=last, details=details("All of it"))

    assert raw(run, commit)[:2] == [raw(run, last)[0], f"parent {run.start}"]
    assert run.repo.git("rev-list", "--count", f"{run.start}..{commit}").strip() == "1"


@pytest.mark.parametrize("missing", ["tip", "candidate", "tree"])
def test_a_part_that_is_not_there_is_an_error(run: Run, missing: str) -> None:
    known = {"tip": run.start, "candidate": run.start, "tree": run.repo.git("rev-parse", "main^{tree}").strip()}

    with pytest.raises(CommitMissing):
        merge_commit(run.repo.path, details=details(), **{**known, missing: "1" * 40})


def test_a_commit_is_recognized_by_its_details(run: Run) -> None:
    commit = made(run)
    with own_git_directory(run.repo.path) as own:
        assert is_written(own, commit, details())
        assert not is_written(own, commit, details("another message"))
        assert not is_written(own, commit, details(author="bob"))
        assert not is_written(own, commit, details(at=AT + timedelta(seconds=1)))
        assert not is_written(own, run.start, details())
