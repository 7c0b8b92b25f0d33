"""Changes shown before they are made, and copies of what was there before."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState
from mission.runtime.config_files.file_changes import Backups, Change, read, remove_folders, undo, write


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (None, None, "unchanged"),
        ("a", "a", "unchanged"),
        (None, "a", "created"),
        ("a", None, "removed"),
        ("a", "b", "edited"),
    ],
)
def test_a_change_says_what_kind_it_is(tmp_path, before, after, kind):
    assert Change(path=tmp_path / "f", before=before, after=after).kind == kind


def test_a_difference_names_the_file_or_that_there_is_none(tmp_path):
    path = tmp_path / "f"

    assert Change(path=path, before=None, after="a\nb").diff() == f"--- (no file)\n+++ {path}\n@@ -0,0 +1,2 @@\n+a\n+b"
    assert Change(path=path, before="a\nb\n", after="a\n").diff().endswith("@@ -1,2 +1 @@\n a\n-b")
    assert Change(path=path, before="a", after="a").diff() == ""


def test_what_was_made_is_undone_with_the_folders_made_for_it(tmp_path):
    path = tmp_path / "new" / "deep" / "f"
    change = Change(path=path, before=None, after="text")

    made = write([change])
    assert read(path) == "text"
    undo([change], made=made)

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_others_use_now_stays(tmp_path):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "a" / "other").touch()

    remove_folders([tmp_path / "a", folder])

    assert not folder.exists()
    assert (tmp_path / "a" / "other").exists()


def test_a_place_that_is_not_a_file_cannot_be_read(tmp_path):
    with pytest.raises(InvalidState, match="Could not read"):
        read(tmp_path)


def test_the_original_is_that_before_our_first_change_as_long_as_only_we_wrote(tmp_path):
    backups = Backups(tmp_path / "backups")
    path = tmp_path / "f"
    backups.keep(Change(path=path, before="theirs", after="ours 1"), made=[tmp_path / "x"], had_ours=False)
    backups.keep(Change(path=path, before="ours 1", after="ours 2"), made=[], had_ours=True)

    assert backups.original(path, present="ours 2") == (True, "theirs")
    assert backups.original(path, present="ours 1") == (False, None)
    assert backups.forget(path) == [tmp_path / "x"]
    assert backups.forget(path) == []
    assert backups.original(path, present="ours 2") == (False, None)


def test_after_somebody_else_wrote_in_between_the_original_is_no_longer_offered(tmp_path):
    backups = Backups(tmp_path / "backups")
    path = tmp_path / "f"
    backups.keep(Change(path=path, before=None, after="ours 1"), made=[], had_ours=False)

    backups.keep(Change(path=path, before="theirs since", after="ours 2"), made=[], had_ours=True)

    assert backups.original(path, present="ours 2") == (False, None)


def test_ours_without_a_copy_of_what_was_before_makes_none(tmp_path):
    backups = Backups(tmp_path / "backups")

    backups.keep(Change(path=tmp_path / "f", before="ours", after="ours 2"), made=[], had_ours=True)

    assert not backups.folder.exists()


def test_a_copy_that_cannot_be_read_is_as_none(tmp_path):
    backups = Backups(tmp_path / "backups")
    path = tmp_path / "f"
    backups.keep(Change(path=path, before="a", after="b"), made=[], had_ours=False)
    [copy] = backups.folder.iterdir()
    copy.write_text('{"path": "x"}')

    assert backups.original(path, present="b") == (False, None)
    assert backups.forget(path) == []
