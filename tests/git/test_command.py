"""Running git, and what its failures become."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput
from mission.git.command import check_branch, run, stream
from mission.git.errors import GitFailed, GitKilled, GitMissing, GitTimeout
from tests.git.real_repositories import Repo


@pytest.mark.parametrize("name", ["main", "feature/login", "release-1.2", "émile", "a@b"])
def test_a_good_branch_name_is_accepted(name: str) -> None:
    assert check_branch(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "-f", "--upload-pack=x", "@", "HEAD", "@{-1}", "a..b", "a b", "a~1", "a^", "x.lock", "x/", "a\0b", "\udcff"],
)  # fmt: skip
def test_a_bad_branch_name_is_refused_and_named(name: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_branch(name, field="base_branch")

    assert refusal.value.message.startswith("base_branch: ")
    assert refusal.value.details == {"field": "base_branch"}


def test_variables_of_the_environment_do_not_steer_git(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    head = repo.head
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "broken")

    assert run("rev-parse", "HEAD", cwd=repo.path).line.decode() == head


def test_a_failure_keeps_gits_words_for_the_operator_only(repo: Repo) -> None:
    with pytest.raises(GitFailed) as failure:
        run("cat-file", "-e", "HEAD:nothing", cwd=repo.path)

    assert str(repo.path) not in str(failure.value.as_dict())
    assert failure.value.message == "'git cat-file' failed with exit code 128"
    assert "nothing" in failure.value.log


def test_git_that_is_not_installed_is_said_so(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(GitMissing):
        run("status", cwd=repo.path)


def test_a_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="gone"):
        run("status", cwd=tmp_path / "gone")


def test_a_command_that_takes_too_long_is_stopped(repo: Repo) -> None:
    with pytest.raises(GitTimeout) as failure:
        run("-c", "alias.wait=!sleep 2", "wait", cwd=repo.path, timeout=0.1)

    assert not failure.value.retryable


@pytest.mark.parametrize("signal", ["KILL", "TERM"])
def test_a_command_that_somebody_kills_may_be_tried_again(repo: Repo, signal: str) -> None:
    with pytest.raises(GitKilled) as failure:
        run("-c", f"alias.die=!kill -{signal} $PPID", "die", cwd=repo.path)

    assert failure.value.retryable
    assert failure.value.code == "TRANSIENT_ERROR"
    assert failure.value.hint == "Try the same call again."


def test_a_command_that_crashes_has_failed(repo: Repo) -> None:
    with pytest.raises(GitFailed, match="exit code -11"):
        run("-c", "alias.crash=!kill -SEGV $PPID", "crash", cwd=repo.path)


def test_a_command_that_is_killed_while_its_output_is_read_may_be_tried_again(repo: Repo) -> None:
    with pytest.raises(GitKilled), stream("-c", "alias.die=!kill -KILL $PPID", "die", cwd=repo.path) as output:
        output.read(10)
