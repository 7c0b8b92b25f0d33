"""How much disk space a worktree uses."""

from __future__ import annotations

from mission.git.worktrees.size import size_of


def test_files_are_added_up_and_links_are_not_followed(tmp_path):
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "one").write_bytes(b"x" * 10)
    (tree / "inner" / "two").write_bytes(b"x" * 5)
    (tree / "inner" / "around").symlink_to(tree)
    link = (tree / "inner" / "around").lstat().st_size

    found = size_of(tree)

    assert (found.bytes, found.whole) == (15 + link, True)


def test_counting_stops_after_so_many_files(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(5):
        (tree / str(number)).write_bytes(b"x")

    assert [size_of(tree, max_entries=most).whole for most in (4, 5)] == [False, True]
    assert size_of(tree, max_entries=4).bytes == 4
