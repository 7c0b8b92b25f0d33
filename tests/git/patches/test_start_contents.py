"""What is kept at a task's start: how many files, how much of them, and what happens when keeping fails."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mission.domain.errors import StorageFull
from mission.git import snapshot as snapshot_module
from mission.git.changed_files import find_lines
from mission.git.patches import start_contents
from mission.git.patches.kept_contents import KeptContents
from mission.git.snapshot import Snapshots
from mission.git.snapshots.snapshot_storage import Storage
from tests.git.real_repositories import Repo


def lines_of(repo: Repo, snapshot: snapshot_module.Snapshot, path: str) -> str | None:
    patch = find_lines(repo.snapshots, snapshot, path)
    assert patch is not None
    lines = patch.files[path]
    return lines.text or lines.note


def test_contents_of_at_most_so_many_files_are_kept(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_contents, "MAX_FILES", 3)
    for number in range(5):
        repo.write(f"new-{number}.txt", f"{number}\n")

    taken = repo.take()

    [said] = taken.left_out
    assert "new-3.txt" in said
    assert "new-4.txt" in said
    assert "new-0.txt" not in said
    for number in range(5):
        repo.write(f"new-{number}.txt", f"{number} changed\n")
    assert "+0 changed" in (lines_of(repo, taken, "new-0.txt") or "")
    assert "was not kept: beyond 2,000 files" in (lines_of(repo, taken, "new-4.txt") or "")


def test_contents_are_read_while_another_start_may_look_at_the_tree(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("new.txt", "new\n")
    storage, seen = Storage(tmp_path / "snapshots"), []
    original = start_contents.opened

    def looking(top, name):
        [folder] = storage.folders()
        with storage.locked(folder, wait=False) as held:
            seen.append(held)
        return original(top, name)

    monkeypatch.setattr(start_contents, "opened", looking)

    repo.take()

    assert seen == [True]


def test_no_second_copy_of_a_file_is_made_on_the_way(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("new.txt", "new\n")
    repo.path.joinpath("link").symlink_to("new.txt")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a plain file and a link need no scratch folder")

    monkeypatch.setattr(start_contents, "Contents", refuse)

    taken = repo.take()

    repo.write("new.txt", "newer\n")
    assert "-new\n+newer" in (lines_of(repo, taken, "new.txt") or "")


@pytest.mark.parametrize("fault", [StorageFull(), OSError(errno.EIO, "bad disk")])
def test_a_start_succeeds_when_nothing_can_be_kept_and_says_so(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    repo.write("new.txt", "new\n")

    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(start_contents, "write", fail)

    taken = repo.take()

    [said] = taken.left_out
    assert "could not be kept" in said
    repo.write("new.txt", "newer\n")
    assert repo.changes(taken).modified == ["new.txt"]
    note = lines_of(Repo(path=repo.path, snapshots=Snapshots(tmp_path / "snapshots")), taken, "new.txt")
    assert "could not be stored" in (note or "")


def test_a_file_that_git_converts_is_kept_as_git_stores_it(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitattributes", "*.crlf text eol=crlf\n")
    repo.write("new.crlf", "one\r\ntwo\r\n")

    taken = repo.take()

    [file] = (tmp_path / "snapshots" / "trees").glob(f"*/kept/{taken.key}")
    kept = KeptContents(file)
    assert kept.left_out == {}
    assert kept.content("814f4a422927b82f5f8a43f8fab6d3839e3983f2") == b"one\ntwo\n"
