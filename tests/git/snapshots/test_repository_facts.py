"""What is known of a repository before its tree is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput
from mission.git.snapshots.repository_facts import branch_tips, head_of, open_repository
from tests.git.real_repositories import Repo


def test_a_repository_is_described_from_its_worktree(repo: Repo) -> None:
    found = open_repository(repo.path)

    assert (found.top, found.git_dir, found.common_dir) == (repo.path, repo.path / ".git", repo.path / ".git")
    assert (found.head, found.object_format) == (repo.head, "sha1")


def test_a_linked_worktree_has_a_git_directory_of_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))

    found = open_repository(tmp_path / "side")

    assert found.common_dir == repo.path / ".git"
    assert found.git_dir == repo.path / ".git" / "worktrees" / "side"


def test_before_the_first_commit_there_is_no_head(empty: Repo) -> None:
    assert head_of(empty.path) is None
    assert open_repository(empty.path).head is None
    assert branch_tips(empty.path) == {}


def test_only_settings_that_shape_ids_and_run_nothing_are_taken_over(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "input")
    repo.git("config", "core.fsmonitor", "/bin/evil")
    repo.git("config", "core.sshCommand", "/bin/evil")
    repo.git("config", "filter.x.clean", "/bin/evil")

    found = open_repository(repo.path)

    assert found.setting("autocrlf") == "input"
    assert "evil" not in str(found.settings)


@pytest.mark.parametrize(
    ("value", "on"), [("false", False), ("no", False), ("off", False), ("0", False), ("true", True), ("TRUE", True)]
)
def test_a_switch_is_on_unless_it_says_otherwise(repo: Repo, value: str, on: bool) -> None:
    repo.git("config", "core.ignorecase", value)

    found = open_repository(repo.path)

    assert found.is_on("ignorecase", default=not on) is on
    assert found.is_on("precomposeunicode", default=on) is on


def test_a_key_without_a_value_means_true_and_the_last_of_two_counts(repo: Repo) -> None:
    with (repo.path / ".git" / "config").open("a") as file:
        file.write("[core]\n\tsymlinks\n[core]\n\teol = lf\n[core]\n\teol = crlf\n")

    found = open_repository(repo.path)

    assert (found.setting("symlinks"), found.setting("eol")) == ("true", "crlf")
    assert found.setting("excludesfile") is None


def test_branches_of_remotes_are_listed_after_local_ones(repo: Repo) -> None:
    first = repo.head
    repo.git("branch", "side")
    repo.git("update-ref", "refs/remotes/origin/main", first)
    second = repo.commit("second")

    assert branch_tips(repo.path) == {"main": second, "side": first, "origin/main": first}


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        open_repository(tmp_path)
