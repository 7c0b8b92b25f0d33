"""Which tree a path lies in."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput
from mission.git.errors import BrokenRepository, DubiousOwnership, GitMissing
from mission.git.working_tree import Tree, find_tree
from tests.git.real_repositories import Folder, Repo


def test_any_folder_of_a_worktree_leads_to_its_top(repo: Repo) -> None:
    expected = Tree(path=repo.path, kind="git", common_dir=repo.path / ".git")

    assert find_tree(repo.path) == expected
    assert find_tree(repo.path / "src") == expected


def test_links_are_followed(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo.path / "src")

    assert find_tree(tmp_path / "link").path == repo.path


def test_where_case_does_not_matter_the_file_system_is_asked_how_a_folder_is_spelled(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = tmp_path / "as typed"
    typed.mkdir()
    spelled = os.fsencode(repo.path).ljust(1024, b"\0")
    monkeypatch.setattr(fcntl, "F_GETPATH", 50, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda *_: spelled)

    tree = find_tree(typed)

    assert tree.path == repo.path
    assert tree.contains(typed)


def test_worktrees_share_their_common_directory(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))

    assert find_tree(tmp_path / "side") == Tree(path=tmp_path / "side", kind="git", common_dir=repo.path / ".git")


def test_a_folder_without_git_is_a_tree_of_its_own(folder: Folder) -> None:
    assert find_tree(folder.path / "src") == Tree(path=folder.path / "src", kind="folder", common_dir=None)


def test_a_tree_contains_what_lies_in_it_after_links(repo: Repo, tmp_path: Path) -> None:
    tree = find_tree(repo.path)
    (tmp_path / "in").symlink_to(repo.path / "src")
    (repo.path / "out").symlink_to(tmp_path)

    assert tree.contains(repo.path)
    assert tree.contains(tmp_path / "in" / "c.txt")
    assert not tree.contains(repo.path / "out" / "x")
    assert not tree.contains(tmp_path / "repo-2")


@pytest.mark.parametrize("path", ["relative", "/no/such/folder", "~/x", "/etc/passwd", "/nul\0"])
def test_a_path_that_is_no_absolute_directory_is_refused_and_named(path: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        find_tree(Path(path))

    assert path.rstrip("\0") in refusal.value.message


@pytest.mark.parametrize("inside", [".git", ".git/refs", ".git/objects/info"])
def test_a_git_directory_is_refused(repo: Repo, inside: str) -> None:
    with pytest.raises(InvalidInput, match=r"\.git"):
        find_tree(repo.path / inside)


def test_a_bare_repository_is_refused_but_its_worktree_is_not(tmp_path: Path, repo: Repo) -> None:
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare"))
    bare = repo.at(tmp_path / "bare")
    bare.git("worktree", "add", "-q", str(tmp_path / "side"), "main")

    for path in (tmp_path / "bare", tmp_path / "bare" / "refs"):
        with pytest.raises(InvalidInput, match=r"bare|git directory"):
            find_tree(path)
    assert find_tree(tmp_path / "side").common_dir == tmp_path / "bare"


def test_the_work_tree_that_the_configuration_names_is_not_believed(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))

    assert find_tree(repo.path / "src").path == repo.path


def test_a_git_directory_kept_elsewhere_is_found(tmp_path: Path, repo: Repo) -> None:
    apart = repo.at(tmp_path / "apart").init("--separate-git-dir", str(tmp_path / "data"))

    assert find_tree(apart.path) == Tree(path=apart.path, kind="git", common_dir=tmp_path / "data")


def test_a_worktree_whose_repository_is_gone_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / ".git").write_text("gitdir: /no/such/repository\n")

    with pytest.raises(BrokenRepository) as refusal:
        find_tree(tmp_path / "lost")
    assert "/no/such/repository" not in str(refusal.value.as_dict())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_owner_is_an_error_that_says_what_to_do(repo: Repo) -> None:
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)

    with pytest.raises(DubiousOwnership) as refusal:
        find_tree(repo.path)

    assert "belongs to another user" in refusal.value.message
    assert f"git config --global --add safe.directory {repo.path}" in (refusal.value.hint or "")


def test_without_git_a_folder_is_still_a_folder_and_a_repository_an_error(
    repo: Repo, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    assert find_tree(folder.path).kind == "folder"
    with pytest.raises(GitMissing):
        find_tree(repo.path)


def test_a_path_with_a_newline_is_found(repo: Repo, tmp_path: Path) -> None:
    odd = repo.at(tmp_path / "odd\nname").init()

    assert find_tree(odd.path) == Tree(path=odd.path, kind="git", common_dir=odd.path / ".git")
