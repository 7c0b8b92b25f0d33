"""Landing: fast-forward the user's branch, with the files of a checkout, without touching anything else."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput, MissionError
from mission.git.integration.errors import (
    BranchUsedTwice,
    CommitMissing,
    IndexInUse,
    NotOurFilter,
    OperationInProgress,
    PathsInTheWay,
    TargetMoved,
)
from mission.git.integration.files import index_lock
from mission.git.integration.landing import Landed, land
from mission.git.integration.merge_commit import squash_commit
from tests.git.integration.run_repositories import (
    DATES,
    TEXT,
    Run,
    details,
    is_sound,
    killed,
    make_hostile,
    start_run,
    users_state,
)
from tests.git.real_repositories import Repo, contents

FILES = {
    "a.txt": TEXT.replace("line 3\n", "landed\n"),
    "new/file.txt": "new\n",
    "script.sh": "#!/bin/sh\n",
    "caf\udce9.txt": "odd name\n",
}


BREAK = ("-c", "sequence.editor=echo break >")
"""Lets an interactive rebase stop before it does anything."""


def worked(folder: Path, **files: str) -> Run:
    """A run that changes, adds, deletes and links files; the user has edits of other files in the checkout."""
    run = start_run(folder, **{"gone.txt": "gone\n", "was/file": "1\n", "folder": "a file\n", **files})
    for name, content in FILES.items():
        run.task.write(os.fsencode(name), content)
    (run.task.path / "script.sh").chmod(0o755)
    (run.task.path / "gone.txt").unlink()
    (run.task.path / "link").symlink_to("a.txt")
    (run.task.path / "folder").unlink()
    run.task.write("folder/inner.txt")
    (run.task.path / "was" / "file").unlink()
    (run.task.path / "was").rmdir()
    run.task.write("was", "a file now\n")
    run.task.commit("all of it")
    return run


def landed(run: Run, *, target: str = "main") -> Landed:
    return land(run.repo.path, target=target, commit=run.task.head, expected=run.start)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return worked(tmp_path / "run")


def theirs(run: Run) -> dict[str, str]:
    """The user's own work in the checkout, as git sees it."""
    return {
        "status": run.repo.git("status", "--porcelain"),
        "staged": run.repo.git("diff", "--cached"),
        "edited": run.repo.git("diff"),
        "stash": run.repo.git("stash", "list"),
        "untracked": (run.repo.path / "untracked.txt").read_text(),
    }


def test_a_branch_that_nobody_has_checked_out_is_moved_and_nothing_else(run: Run) -> None:
    run.repo.git("branch", "other", run.start)
    before = users_state(run.repo)

    assert landed(run, target="other") == Landed(target="other", commit=run.task.head, moved=True)

    after = users_state(run.repo)
    changed = [ref for ref in after["refs"] if ref not in before["refs"]]
    assert changed == [f"refs/heads/other {run.task.head}"]
    assert {**after, "refs": ""} == {**before, "refs": ""}


def test_the_files_of_a_checkout_follow_and_the_users_work_stays(run: Run) -> None:
    before, mine = theirs(run), contents(run.repo.path)

    assert landed(run).moved

    assert theirs(run) == before
    assert run.repo.git("rev-parse", "main").strip() == run.task.head
    there = contents(run.repo.path)
    expected = contents(run.task.path)
    users = {b"b.txt", b"staged.txt", b"untracked.txt"}
    assert {path: value for path, value in there.items() if path not in users} == {
        path: value for path, value in expected.items() if path not in users
    }
    assert {path: there[path] for path in users} == {path: mine[path] for path in users}
    assert not (run.repo.path / ".git" / "index.lock").exists()
    assert is_sound(run.repo)


def test_a_repeated_landing_answers_as_before(run: Run) -> None:
    landed(run)
    state = users_state(run.repo)

    assert landed(run) == Landed(target="main", commit=run.task.head, moved=False)
    assert users_state(run.repo) == state


def test_a_target_that_has_gone_further_counts_as_landed(run: Run) -> None:
    landed(run)
    run.repo.git("commit", "-q", "-m", "staged work of the user")

    assert not landed(run).moved


def test_a_squash_lands_as_one_commit(run: Run) -> None:
    squashed = squash_commit(run.repo.path, target=run.start, commit=run.task.head, details=details("All"))

    land(run.repo.path, target="main", commit=squashed, expected=run.start)
    again = land(run.repo.path, target="main", commit=squashed, expected=run.start)

    assert not again.moved
    assert run.repo.git("log", "--format=%s", f"{run.start}..main") == "All\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "edited by the user\n"),
        ("gone.txt", "edited by the user\n"),
        ("new/file.txt", "untracked\n"),
        ("link", "a file where a link will be\n"),
        ("was/more.txt", "untracked, in a folder where a file will be\n"),
        ("new", "a file where a folder will be\n"),
        ("script.sh", "#!/bin/sh\n"),
    ],
)
def test_a_file_of_the_user_that_is_in_the_way_is_named_and_nothing_changes(run: Run, name: str, content: str) -> None:
    run.repo.write(name, content)
    before = users_state(run.repo)

    with pytest.raises(PathsInTheWay) as refused:
        landed(run)

    assert refused.value.code == "CONFLICT"
    assert refused.value.details["paths"] == [name]
    assert users_state(run.repo) == before


def test_an_ignored_file_is_not_overwritten_either(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run")
    run.task.write("result.log", "tracked now\n")
    run.task.git("add", "-f", "result.log")
    run.task.commit("add")
    run.repo.write("result.log", "precious\n")

    with pytest.raises(PathsInTheWay) as refused:
        landed(run)

    assert refused.value.details["paths"] == ["result.log"]
    assert (run.repo.path / "result.log").read_text() == "precious\n"


@pytest.mark.parametrize("how", ["staged", "staged deletion", "unmerged", "hidden", "skipped", "link", "deleted"])
def test_other_changes_of_a_path_are_in_the_way_too(run: Run, how: str) -> None:
    path = run.repo.path / "a.txt"
    if how == "staged":
        run.repo.write("a.txt", "staged\n")
        run.repo.git("add", "a.txt")
        run.repo.write("a.txt", TEXT)
    elif how == "staged deletion":
        run.repo.git("rm", "-q", "--cached", "a.txt")
    elif how == "unmerged":
        id = run.repo.git("rev-parse", "main:a.txt").strip()
        lines = f"0 {'0' * 40}\ta.txt\n100644 {id} 2\ta.txt\n100644 {id} 3\ta.txt\n"
        subprocess.run(["git", "update-index", "--index-info"], cwd=run.repo.path, input=lines, text=True, check=True)
    elif how == "hidden":
        run.repo.git("update-index", "--assume-unchanged", "a.txt")
        run.repo.write("a.txt", "hidden edit\n")
    elif how == "skipped":
        run.repo.git("update-index", "--skip-worktree", "a.txt")
        run.repo.write("a.txt", "skipped edit\n")
    elif how == "link":
        path.unlink()
        path.symlink_to("b.txt")
    else:
        path.unlink()
    before = users_state(run.repo)

    with pytest.raises(PathsInTheWay) as refused:
        landed(run)
    assert refused.value.details["paths"] == ["a.txt"]
    assert users_state(run.repo) == before


def test_a_file_that_has_the_new_content_already_is_not_in_the_way(run: Run) -> None:
    run.repo.write("new/file.txt", "new\n")
    run.repo.write("a.txt", FILES["a.txt"])

    assert landed(run).moved
    assert "new/file.txt" not in run.repo.git("status", "--porcelain", "-uall")


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "revert", "bisect"])
def test_an_operation_in_the_checkout_is_named(run: Run, operation: str) -> None:
    run.repo.git("stash", "push", "-q", "-u")
    run.repo.git("branch", "-f", "side", run.start)
    run.repo.git("checkout", "-q", "side")
    side = Repo(path=run.repo.path, snapshots=run.repo.snapshots, variables=DATES).commit("side", **{"b.txt": "side\n"})
    run.repo.git("checkout", "-q", "main")
    commands = {
        "merge": ("merge", "-q", "--no-ff", "--no-commit", side),
        "rebase": (*BREAK, "rebase", "-q", "-i", side),
        "cherry-pick": ("cherry-pick", "-n", side),
        "revert": ("revert", "--no-commit", side),
        "bisect": ("bisect", "start"),
    }
    run.repo.git(*commands[operation], check=False)
    if operation in ("cherry-pick", "revert"):
        (run.repo.path / ".git" / f"{operation.replace('-', '_').upper()}_HEAD").write_text(side + "\n")

    with pytest.raises(OperationInProgress) as refused:
        landed(run)
    assert refused.value.code == "INVALID_STATE"
    assert refused.value.details["operation"] == operation
    assert run.repo.git("rev-parse", "refs/heads/main").strip() == run.start


def test_a_branch_that_is_rebased_in_another_worktree_is_in_use(run: Run) -> None:
    run.repo.git("stash", "push", "-q", "-u")
    run.repo.git("checkout", "-q", "--detach")
    other = Repo(path=run.repo.path.parent / "elsewhere", snapshots=run.repo.snapshots, variables=DATES)
    run.repo.git("worktree", "add", "-q", str(other.path), "main")
    side = run.merge_before(**{"b.txt": "side\n"})
    other.git(*BREAK, "rebase", "-q", "-i", side)

    with pytest.raises(OperationInProgress) as refused:
        landed(run)
    assert refused.value.details["operation"] == "rebase"
    assert refused.value.details["worktree"] == str(other.path)


def test_a_branch_in_another_worktree_is_landed_there(run: Run) -> None:
    run.repo.git("stash", "push", "-q", "-u")
    run.repo.git("checkout", "-q", "--detach")
    other = Repo(path=run.repo.path.parent / "elsewhere", snapshots=run.repo.snapshots)
    run.repo.git("worktree", "add", "-q", str(other.path), "main")
    before = users_state(run.repo)

    assert landed(run).moved
    assert contents(other.path) == contents(run.task.path)
    assert {**users_state(run.repo), "refs": ""} == {**before, "refs": ""}


def test_a_branch_that_is_checked_out_twice_is_refused(run: Run) -> None:
    run.repo.git("worktree", "add", "-q", "--force", str(run.repo.path.parent / "elsewhere"), "main")

    with pytest.raises(BranchUsedTwice):
        landed(run)


def test_only_a_fast_forward_from_the_expected_commit_lands(run: Run) -> None:
    run.repo.git("commit", "-q", "-m", "staged work of the user")
    moved = run.repo.head

    for expected in (run.start, moved):
        with pytest.raises(TargetMoved) as refused:
            land(run.repo.path, target="main", commit=run.task.head, expected=expected)
        assert refused.value.details["current"] == moved
    with pytest.raises(TargetMoved):
        landed(run, target="absent")
    with pytest.raises(CommitMissing):
        land(run.repo.path, target="main", commit="1" * 40, expected=run.start)
    with pytest.raises(InvalidInput):
        landed(run, target="-x")


def test_a_git_that_works_in_the_checkout_is_waited_for_and_its_lock_stays(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_lock, "PATIENCE", 0.1)
    lock = run.repo.path / ".git" / "index.lock"
    lock.write_bytes(b"an index that git writes")
    os.utime(lock, (1, 1))

    with pytest.raises(IndexInUse):
        landed(run)
    assert lock.read_bytes() == b"an index that git writes"
    assert run.repo.git("rev-parse", "main").strip() == run.start


def test_no_program_of_the_repository_runs(run: Run) -> None:
    trace = make_hostile(run.repo)

    assert landed(run).moved
    assert not trace.exists(), trace.read_text()


def test_a_file_that_needs_a_filter_of_the_repository_is_named(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run")
    run.task.commit("add", **{"x.evil": "stored\n"})
    trace = make_hostile(run.repo)

    with pytest.raises(NotOurFilter) as refused:
        landed(run)

    assert refused.value.details["paths"] == ["x.evil"]
    assert "git merge --ff-only" in str(refused.value.hint)
    assert not trace.exists()


def test_line_endings_of_the_checkout_are_those_that_the_user_wants(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run")
    run.task.commit("add", **{"new.txt": "one\ntwo\n"})
    run.repo.git("config", "core.autocrlf", "true")

    landed(run)

    assert (run.repo.path / "new.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert "new.txt" not in run.repo.git("status", "--porcelain")


def test_a_sparse_checkout_stays_sparse(run: Run) -> None:
    run.repo.git("stash", "push", "-q", "-u")
    run.repo.git("sparse-checkout", "set", "--no-cone", "/a.txt")

    landed(run)

    assert (run.repo.path / "a.txt").read_text() == FILES["a.txt"]
    assert not (run.repo.path / "new").exists()
    assert run.repo.git("status", "--porcelain") == ""


def test_a_submodule_moves_in_the_index_as_with_git(run: Run, tmp_path: Path) -> None:
    remote = run.repo.at(tmp_path / "remote").init()
    remote.commit(**{"x": "1\n"})
    run.task.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(remote.path), "sub")
    run.task.commit("a submodule")

    landed(run)

    assert run.repo.git("ls-files", "-s", "sub").split()[:2] == ["160000", remote.head]
    assert (run.repo.path / "sub").is_dir()


def test_two_landings_at_once_leave_one_state(run: Run) -> None:
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: landed(run), range(3)))

    assert {answer.commit for answer in answers} == {run.task.head}
    assert run.repo.git("status", "--porcelain") == " M b.txt\nA  staged.txt\n?? untracked.txt\n"


@pytest.mark.faults
def test_a_landing_that_was_killed_at_any_step_is_completed(tmp_path: Path) -> None:
    whole = worked(tmp_path / "whole")
    landed(whole)

    for run in killed(tmp_path, worked, landed):
        landed(run)
        assert theirs(run) == theirs(whole)
        assert contents(run.repo.path) == contents(whole.repo.path)
        assert run.repo.git("rev-parse", "main") == whole.repo.git("rev-parse", "main")
        assert not (run.repo.path / ".git" / "index.lock").exists()
        assert is_sound(run.repo)


def half_written(run: Run) -> None:
    """Leave what a git leaves that was killed while it wrote files: some are new, and the index is old."""
    (run.repo.path / ".git" / "index.lock").write_bytes(index_lock.MARK)
    run.repo.write("new/file.txt", "new\n")
    run.repo.write("a.txt", FILES["a.txt"])
    (run.repo.path / "gone.txt").unlink()
    (run.repo.path / "folder").unlink()
    run.repo.write("folder/inner.txt")


def test_files_that_are_new_already_are_completed_after_a_crash(run: Run) -> None:
    before = theirs(run)
    half_written(run)

    assert landed(run).moved
    assert theirs(run) == before


def test_a_file_that_is_half_written_is_named_and_never_reset(run: Run) -> None:
    half_written(run)
    run.repo.write("a.txt", "lan")

    with pytest.raises(PathsInTheWay) as refused:
        landed(run)
    assert refused.value.details["paths"] == ["a.txt"]
    assert (run.repo.path / "a.txt").read_text() == "lan"
    run.repo.write("a.txt", TEXT)
    assert landed(run).moved


def test_every_refusal_has_a_code_and_a_next_step(run: Run) -> None:
    run.repo.write("a.txt", "edited by the user\n")
    with pytest.raises(MissionError) as refused:
        landed(run)

    assert refused.value.as_dict() == {
        "code": "CONFLICT",
        "message": f"1 file with local changes in {run.repo.path} would be overwritten: a.txt",
        "hint": "Commit, move or delete them, then try again.",
        "details": {"paths": ["a.txt"], "worktree": str(run.repo.path)},
    }
