"""Our note about a merge that we started."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.git.integration.files.conflict_note import NAME, ConflictNote, clear_merge, load_note

NOTE = ConflictNote(
    tip="1" * 40,
    head="2" * 40,
    tree="3" * 40,
    conflicts=(("a.txt", "content"), ('"caf\\351"', "binary")),
    decisions=("a.txt.conflict.txt",),
    set_aside=(("x.log", "/aside/x.log"),),
    complete=True,
)


def test_a_note_is_read_as_it_was_stored(tmp_path: Path) -> None:
    NOTE.store(tmp_path)

    assert load_note(tmp_path) == NOTE


@pytest.mark.parametrize("content", [None, "", "{half", "[]", '{"tip": "1"}', '{"conflicts": [1], "set_aside": []}'])
def test_a_note_that_cannot_be_read_is_none(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / NAME).write_text(content)

    assert load_note(tmp_path) is None


def test_a_concluded_merge_leaves_nothing(tmp_path: Path) -> None:
    git_dir = tmp_path / "git"
    git_dir.mkdir()
    NOTE.store(git_dir)
    for name in ("MERGE_HEAD", "MERGE_MSG", "HEAD"):
        (git_dir / name).touch()

    clear_merge(git_dir)
    clear_merge(git_dir)

    assert [path.name for path in git_dir.iterdir()] == ["HEAD"]
