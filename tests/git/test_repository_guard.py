"""Files that git would open: ordinary ones pass, a pipe or a huge file is named before git waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mission.git.errors import SpecialFile
from mission.git.repository_guard import MAX_FILE_BYTES, OWN, RULES, SHARED, check_repository, check_rules, git_dir_at
from tests.git.real_repositories import Repo


def replace_by_pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def test_an_ordinary_repository_and_a_plain_folder_pass(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitignore", "*.log\n")

    check_repository(repo.path)
    check_repository(repo.path / "src")
    check_repository(tmp_path)


@pytest.mark.parametrize("name", sorted({*OWN, *SHARED} - {"commondir"}))
def test_a_pipe_in_place_of_a_file_of_git_is_named(repo: Repo, name: str) -> None:
    replace_by_pipe(repo.path / ".git" / name)

    with pytest.raises(SpecialFile) as raised:
        check_repository(repo.path / "src")

    assert raised.value.details["file"] == f".git/{name}"


@pytest.mark.parametrize("name", RULES)
def test_a_pipe_in_place_of_rules_is_named_and_a_link_is_not(repo: Repo, name: str) -> None:
    (repo.path / name).symlink_to("a.txt")
    check_repository(repo.path)
    replace_by_pipe(repo.path / name)

    with pytest.raises(SpecialFile) as raised:
        check_rules(repo.path, RULES)

    assert raised.value.details["file"] == name


@pytest.mark.parametrize("name", ["HEAD", "config"])
def test_a_file_that_git_holds_in_memory_has_a_limit(repo: Repo, name: str) -> None:
    os.truncate(repo.path / ".git" / name, MAX_FILE_BYTES[name] + 1)

    with pytest.raises(SpecialFile):
        check_repository(repo.path)


def test_a_worktree_is_checked_together_with_its_repository(repo: Repo, tmp_path: Path) -> None:
    worktree = tmp_path / "worktree"
    repo.git("worktree", "add", "-q", str(worktree))

    assert git_dir_at(worktree) == repo.path / ".git" / "worktrees" / "worktree"
    assert git_dir_at(repo.path / "src") is None
    check_repository(worktree)
    replace_by_pipe(repo.path / ".git" / "packed-refs")
    with pytest.raises(SpecialFile):
        check_repository(worktree)
