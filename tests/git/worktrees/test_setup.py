"""What a new worktree gets: copied files, and a setup command that cannot harm us."""

from __future__ import annotations

import os
import select
import threading
import time
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput
from mission.git.worktrees import setup
from mission.git.worktrees.setup import (
    SetupFailed,
    SetupKilled,
    copy_files,
    end_setups,
    ignored,
    run_setup,
    still_copies,
    unignored,
)
from mission.git.worktrees.worktree import digest_at
from tests.git.real_repositories import Repo


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target"
    path.mkdir()
    return path


class Alive:
    """A pipe that processes hold open as long as they live."""

    def __init__(self) -> None:
        self._watched, self.held = os.pipe()

    def all_ended(self) -> bool:
        """Wait until nobody holds the pipe any more."""
        os.close(self.held)
        readable, _, _ = select.select([self._watched], [], [], 20)
        os.close(self._watched)
        return bool(readable)


@pytest.fixture
def alive() -> Alive:
    return Alive()


def test_files_are_copied_with_their_mode_and_the_digest_of_what_they_hold(repo: Repo, target: Path) -> None:
    repo.write(".env", "KEY=1\n").chmod(0o600)
    repo.write("config/run.sh", "run\n").chmod(0o755)

    copied = copy_files([".env", "config/run.sh"], source=repo.path, target=target)

    assert copied == {name: digest_at(repo.path / name) for name in (".env", "config/run.sh")}
    assert (target / ".env").read_text() == "KEY=1\n"
    assert os.access(target / "config/run.sh", os.X_OK)
    assert (target / ".env").stat().st_mode & 0o077 == 0


def test_a_file_that_the_worktree_has_already_is_left_as_it_is(repo: Repo, target: Path) -> None:
    (target / "a.txt").write_text("its own\n")

    assert copy_files(["a.txt"], source=repo.path, target=target) == {}
    assert (target / "a.txt").read_text() == "its own\n"


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "missing", "src", ".git/config", "out", "linked/x"])
def test_only_files_inside_the_repository_are_copied(repo: Repo, target: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x").write_text("secret\n")
    (repo.path / "out").symlink_to(tmp_path / "outside" / "x")
    (repo.path / "linked").symlink_to(tmp_path / "outside")

    with pytest.raises(InvalidInput) as refused:
        copy_files([name], source=repo.path, target=target)

    assert refused.value.details == {"field": "copy_files"}
    assert list(target.iterdir()) == []


def test_nothing_is_written_through_a_link_out_of_the_worktree(repo: Repo, target: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (target / "config").symlink_to(tmp_path / "outside")
    repo.write("config/x", "x")

    with pytest.raises(InvalidInput):
        copy_files(["config/x"], source=repo.path, target=target)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_file_that_is_too_large_is_refused(repo: Repo, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "MAX_COPY_BYTES", 3)
    repo.write("big", "1234")

    with pytest.raises(InvalidInput):
        copy_files(["big"], source=repo.path, target=target)


def test_a_copy_is_one_as_long_as_both_files_are_the_same(repo: Repo, target: Path) -> None:
    for name in ("same", "edited", "gone"):
        repo.write(name, "x")
        (target / name).write_text("x")
    (target / "edited").write_text("y")
    (target / "gone").unlink()

    found = still_copies(["same", "edited", "gone", "never"], source=repo.path, target=target)

    assert found == {"same": digest_at(repo.path / "same")}


def test_git_tells_which_copies_it_would_take_for_work(repo: Repo) -> None:
    repo.write(".gitignore", ".env\n")
    for name in (".env", "open.txt"):
        repo.write(name)

    assert unignored([".env", "open.txt", "a.txt"], target=repo.path) == ["open.txt"]
    assert ignored([".env", "open.txt", "a.txt"], target=repo.path) == [".env"]
    assert unignored([], target=repo.path) == ignored([], target=repo.path) == []


def test_a_setup_command_runs_in_the_worktree_without_our_secrets(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "secret")
    monkeypatch.setenv("LC_TIME", "C")

    run_setup("pwd > where; env > seen", folder=target, seconds=30)

    assert (target / "where").read_text().strip() == str(target)
    seen = (target / "seen").read_text()
    assert "secret" not in seen
    assert "PATH=" in seen
    assert "LC_TIME=C" in seen


def test_a_command_that_somebody_kills_may_be_tried_again(target):
    with pytest.raises(SetupKilled) as killed:
        run_setup("kill -9 $$", folder=target, seconds=30)

    assert killed.value.retryable


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("echo broken >&2; exit 3", ["exit code 3", "broken"]),
        ("exit 1", ["exit code 1"]),
        ("printf '\\377\\000x'; exit 1", ["x"]),
        ("head -c 100000 /dev/zero | tr '\\0' y; echo end; exit 1", ["end"]),
    ],
)
def test_a_setup_command_that_fails_is_quoted_with_its_last_words(target: Path, command: str, words: list[str]) -> None:
    with pytest.raises(SetupFailed) as failed:
        run_setup(command, folder=target, seconds=30)

    assert all(word in failed.value.message for word in words)
    assert len(failed.value.message) < 2_000
    assert "\0" not in failed.value.message


def test_a_setup_command_that_takes_too_long_is_ended_with_its_children(target: Path, alive: Alive) -> None:
    with pytest.raises(SetupFailed, match=r"within 0\.3 seconds"):
        run_setup("sleep 60 & sleep 60", folder=target, seconds=0.3, inherited=[alive.held])

    assert alive.all_ended()


def test_what_a_setup_command_left_in_the_background_is_ended_and_not_waited_for(target: Path, alive: Alive) -> None:
    run_setup("sleep 60 & exit 0", folder=target, seconds=30, inherited=[alive.held])

    assert alive.all_ended()


def test_setups_can_be_ended_from_outside(target: Path) -> None:
    ended: list[BaseException] = []

    def run() -> None:
        try:
            run_setup("touch begun; sleep 60", folder=target, seconds=60)
        except SetupKilled as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    deadline = time.monotonic() + 30
    while not (target / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    end_setups()
    thread.join(30)

    assert not thread.is_alive()
    assert len(ended) == 1
