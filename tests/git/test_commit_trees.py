"""Trees of commits, as git names them."""

from __future__ import annotations

from mission.git.commit_trees import trees_of


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
