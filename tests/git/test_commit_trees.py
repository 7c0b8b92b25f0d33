"""Trees of commits, as git names them."""

from __future__ import annotations

from mission.git.commit_trees import commits_with, trees_of


def test_each_known_commit_comes_with_the_id_of_its_tree(repository, git):
    first = git(repository, "rev-parse", "HEAD")
    (repository / "new.txt").write_text("new\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "second")
    second = git(repository, "rev-parse", "HEAD")

    found = trees_of(repository, [second, first, "0" * 40])

    assert found == {each: git(repository, "rev-parse", f"{each}^{{tree}}") for each in (first, second)}


def test_without_commits_git_is_not_asked(tmp_path):
    assert trees_of(tmp_path / "gone", []) == {}
    assert commits_with(tmp_path / "gone", []) == {}


def test_a_tree_is_found_in_the_first_commit_of_any_branch_that_has_it(repository, git):
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "switch", "-qc", "other")
    git(repository, "commit", "-qm", "the same once more", "--allow-empty")
    git(repository, "switch", "-q", "main")

    assert commits_with(repository, {tree, "0" * 40}) == {tree: first}
