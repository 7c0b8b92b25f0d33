"""Locking and replacing the index of a worktree."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from mission.git.errors import SpecialFile
from mission.git.integration.errors import IndexInUse
from mission.git.integration.files import index_lock
from mission.git.integration.files.index_lock import MARK, is_left_behind, locked_index
from tests.git.real_repositories import Repo


@pytest.fixture
def git_dir(repo: Repo) -> Path:
    return repo.path / ".git"


def left(git_dir: Path) -> list[str]:
    return sorted(path.name for path in git_dir.iterdir() if path.name.startswith(("mission-", "index.")))


def test_git_refuses_to_write_while_we_work_and_reads_as_before(repo: Repo, git_dir: Path) -> None:
    repo.write("new.txt")
    with locked_index(git_dir, worktree=repo.path, ours=False):
        assert is_left_behind(git_dir)
        assert repo.git("status", "--porcelain") == "?? new.txt\n"
        with pytest.raises(subprocess.CalledProcessError):
            repo.git("add", "new.txt")

    repo.git("add", "new.txt")
    assert left(git_dir) == []


def test_the_copy_replaces_the_index_only_when_it_is_installed(repo: Repo, git_dir: Path) -> None:
    before = (git_dir / "index").read_bytes()
    mode = (git_dir / "index").stat().st_mode
    for installs in (False, True):
        with locked_index(git_dir, worktree=repo.path, ours=False) as index:
            assert index.path.read_bytes() == before
            assert index.path.stat().st_mtime_ns == (git_dir / "index").stat().st_mtime_ns
            subprocess.run(
                ["git", "rm", "-q", "--cached", "a.txt"],
                cwd=repo.path,
                env={**os.environ, **index.variables},
                check=True,
            )
            if installs:
                index.install()
        assert ((git_dir / "index").read_bytes() == before) is not installs

    assert "a.txt" not in repo.git("ls-files").split()
    assert (git_dir / "index").stat().st_mode == mode


def test_a_repository_without_an_index_has_no_copy(empty: Repo) -> None:
    with locked_index(empty.path / ".git", worktree=empty.path, ours=False) as index:
        assert not index.path.exists()


def test_a_pipe_in_place_of_the_index_is_refused(repo: Repo, git_dir: Path) -> None:
    (git_dir / "index").unlink()
    os.mkfifo(git_dir / "index")

    with pytest.raises(SpecialFile), locked_index(git_dir, worktree=repo.path, ours=False):
        pass
    assert left(git_dir) == []


def test_a_lock_of_ours_without_a_holder_is_taken_over(repo: Repo, git_dir: Path) -> None:
    (git_dir / "index.lock").write_bytes(MARK)
    (git_dir / "mission-index").write_bytes(b"half a copy")
    (git_dir / "mission-index.lock").write_bytes(b"")
    (git_dir / "mission-lock-0123").write_bytes(MARK)

    with locked_index(git_dir, worktree=repo.path, ours=False) as index:
        assert index.path.read_bytes() == (git_dir / "index").read_bytes()
    assert left(git_dir) == []


def test_two_holders_take_turns(repo: Repo, git_dir: Path) -> None:
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(5):
            with locked_index(git_dir, worktree=repo.path, ours=False):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert left(git_dir) == []


def test_a_program_that_outlives_its_maker_keeps_the_lock(
    repo: Repo, git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_lock, "PATIENCE", 0.1)
    pids = repo.path.parent / "pid"

    maker = os.fork()
    if not maker:
        with locked_index(git_dir, worktree=repo.path, ours=False) as index:
            started = subprocess.Popen(["sleep", "60"], pass_fds=[index.descriptor])
            pids.write_text(str(started.pid))
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(maker, 0)
    outliving = int(pids.read_text())
    try:
        with pytest.raises(IndexInUse), locked_index(git_dir, worktree=repo.path, ours=True):
            pass
    finally:
        os.kill(outliving, signal.SIGKILL)
    monkeypatch.undo()
    with locked_index(git_dir, worktree=repo.path, ours=False):
        pass


@pytest.mark.parametrize(("ours", "age", "removed"), [(True, 61, True), (True, 5, False), (False, 10_000, False)])
def test_a_lock_of_git_is_removed_only_where_our_agents_work_and_when_it_is_old(
    repo: Repo, git_dir: Path, monkeypatch: pytest.MonkeyPatch, ours: bool, age: float, removed: bool
) -> None:
    monkeypatch.setattr(index_lock, "PATIENCE", 0.1)
    lock = git_dir / "index.lock"
    lock.write_bytes(b"an index")
    then = lock.stat().st_mtime - age
    os.utime(lock, (then, then))

    if removed:
        with locked_index(git_dir, worktree=repo.path, ours=ours):
            pass
    else:
        with pytest.raises(IndexInUse), locked_index(git_dir, worktree=repo.path, ours=ours):
            pass
        assert lock.read_bytes() == b"an index"


def test_an_old_lock_of_ours_is_never_removed_while_it_is_held(
    repo: Repo, git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_lock, "PATIENCE", 0.1)
    with locked_index(git_dir, worktree=repo.path, ours=True):
        os.utime(git_dir / "index.lock", (1, 1))
        with pytest.raises(IndexInUse), locked_index(git_dir, worktree=repo.path, ours=True):
            pass


def test_a_split_index_becomes_whole(repo: Repo, git_dir: Path) -> None:
    repo.git("update-index", "--split-index")
    with locked_index(git_dir, worktree=repo.path, ours=False) as index:
        index.install()

    for shared in git_dir.glob("sharedindex.*"):
        shared.unlink()
    assert repo.git("status", "--porcelain") == ""
