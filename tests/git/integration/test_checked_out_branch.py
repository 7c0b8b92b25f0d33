"""Fast-forwarding a branch that somebody may have checked out; more in test_landing.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.domain.errors import TransientError
from mission.git.integration import checked_out_branch
from mission.git.integration.checked_out_branch import fast_forward, remove_left_locks
from mission.git.integration.files.index_lock import MARK
from tests.git.integration.run_repositories import Run
from tests.git.real_repositories import contents


def forwarded(run: Run) -> bool:
    return fast_forward(run.repo.path, "main", new=run.task.head, old=run.start, why="test")


@pytest.fixture
def lock(run: Run) -> Path:
    run.task.commit("own", **{"a.txt": "own\n", "new.txt": "new\n"})
    return run.repo.path / ".git" / "index.lock"


def test_a_branch_at_another_commit_is_left_alone(run: Run, lock: Path) -> None:
    run.repo.git("commit", "-q", "-m", "by the user")

    assert not forwarded(run)
    assert not lock.exists()


def test_a_branch_that_is_at_the_new_commit_already_is_fine(run: Run, lock: Path) -> None:
    assert forwarded(run)
    assert forwarded(run)


def test_the_files_return_if_the_branch_moved_at_the_last_moment(
    run: Run, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, status = contents(run.repo.path), run.repo.git("status", "--porcelain")
    monkeypatch.setattr(checked_out_branch, "move_branch", lambda *_, **__: False)

    assert not forwarded(run)
    assert contents(run.repo.path) == before
    assert run.repo.git("status", "--porcelain") == status
    assert not lock.exists()


def test_the_files_return_if_the_branch_cannot_be_moved(run: Run, lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, status = contents(run.repo.path), run.repo.git("status", "--porcelain")

    def locked(*_: object, **__: object) -> bool:
        raise TransientError("the branch is locked")

    monkeypatch.setattr(checked_out_branch, "move_branch", locked)

    with pytest.raises(TransientError):
        forwarded(run)
    assert contents(run.repo.path) == before
    assert run.repo.git("status", "--porcelain") == status
    assert not lock.exists()


def test_a_lock_that_a_killed_call_left_is_removed_and_no_other(run: Run, lock: Path) -> None:
    lock.write_bytes(MARK)
    remove_left_locks(run.repo.path, "main")
    assert not lock.exists()

    lock.write_bytes(b"of git")
    remove_left_locks(run.repo.path, "main")
    assert lock.exists()
