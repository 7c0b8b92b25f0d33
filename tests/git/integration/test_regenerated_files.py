"""Trees of a merge whose conflicts are resolved by making files again."""

from __future__ import annotations

from mission.git.integration.regenerated_files import with_files, with_tip_side
from mission.git.integration.trial_merge import Conflicted, trial_merge


def _conflicted(repository, git):
    """Merge two branches that both changed a file, and one of which added another."""
    for name, lock in (("one", "1\n"), ("two", "2\n")):
        git(repository, "switch", "-q", "-c", name, "main")
        (repository / "lock.txt").write_text(lock)
        (repository / f"{name}.txt").write_text("x\n")
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", name)
    git(repository, "switch", "-q", "main")
    merged = trial_merge(
        repository, tip=git(repository, "rev-parse", "one"), candidate=git(repository, "rev-parse", "two")
    )
    assert isinstance(merged, Conflicted)
    return merged


def test_a_conflicting_file_is_first_as_the_tip_has_it(repository, git):
    tree = with_tip_side(repository, _conflicted(repository, git))

    assert git(repository, "show", f"{tree}:lock.txt") == "1"
    assert git(repository, "show", f"{tree}:two.txt") == "x"


def test_then_it_has_the_content_of_the_worktree_and_other_files_do_not_count(repository, git):
    tree = with_tip_side(repository, _conflicted(repository, git))
    (repository / "lock.txt").write_text("made again\n")
    (repository / "README.md").write_text("not asked for\n")

    made = with_files(repository, tree=tree, paths=["lock.txt"])

    assert git(repository, "show", f"{made}:lock.txt") == "made again"
    assert git(repository, "show", f"{made}:README.md") == "hello"


def test_a_file_that_the_command_removed_is_not_in_the_tree(repository, git):
    tree = with_tip_side(repository, _conflicted(repository, git))

    made = with_files(repository, tree=tree, paths=["lock.txt"])

    assert "lock.txt" not in git(repository, "ls-tree", "--name-only", made)
