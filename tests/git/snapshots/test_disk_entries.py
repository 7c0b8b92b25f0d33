"""What is at a path of a tree right now."""

from __future__ import annotations

import os

import pytest

from mission.git.snapshots.disk_entries import Disk, DiskEntryKind
from tests.git.real_repositories import Folder, Repo


@pytest.fixture
def disk(folder: Folder) -> Disk:
    folder.write("tool.sh", "run\n").chmod(0o755)
    (folder.path / "link").symlink_to("a.txt")
    (folder.path / "linked").symlink_to("src")
    os.mkfifo(folder.path / "pipe")
    return Disk(folder.path)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (b"a.txt", DiskEntryKind.FILE),
        (b"src", DiskEntryKind.FOLDER),
        (b"src/c.txt", DiskEntryKind.FILE),
        (b"link", DiskEntryKind.LINK),
        (b"linked", DiskEntryKind.LINK),
        (b"linked/c.txt", DiskEntryKind.ABSENT),
        (b"pipe", DiskEntryKind.OTHER),
        (b"missing", DiskEntryKind.ABSENT),
        (b"missing/deep/x", DiskEntryKind.ABSENT),
        (b"a.txt/x", DiskEntryKind.ABSENT),
    ],
)
def test_a_path_is_what_it_is_without_following_links(disk: Disk, path: bytes, kind: DiskEntryKind) -> None:
    assert disk.kind(path) is kind
    assert disk.kind(path) is kind


@pytest.mark.parametrize("path", ["a.txt", "src/c.txt", "tool.sh", "link"])
def test_an_entry_is_the_one_that_git_makes(repo: Repo, path: str) -> None:
    repo.write("tool.sh", "run\n").chmod(0o755)
    (repo.path / "link").symlink_to("a.txt")
    repo.git("add", "-A")

    listed = repo.git("ls-files", "-v", "-s", "--", path).partition("\t")[0]

    assert Disk(repo.path).entry(path.encode(), "sha1") == listed.encode()


@pytest.mark.parametrize("path", [b"src", b"pipe", b"missing", b"linked/c.txt"])
def test_what_is_no_file_has_no_entry(disk: Disk, path: bytes) -> None:
    assert disk.entry(path, "sha1") is None


def test_another_algorithm_makes_another_id(disk: Disk) -> None:
    short, long = disk.entry(b"a.txt", "sha1"), disk.entry(b"a.txt", "sha256")

    assert short is not None
    assert long is not None
    assert [len(each.split()[2]) for each in (short, long)] == [40, 64]


def test_the_last_touch_is_known_and_zero_for_what_is_gone(disk: Disk, folder: Folder) -> None:
    status = (folder.path / "a.txt").stat()

    assert disk.touched_ns(b"a.txt") == max(status.st_mtime_ns, status.st_ctime_ns)
    assert disk.touched_ns(b"missing") == 0


def test_a_guess_changes_with_the_file_and_not_by_itself(disk: Disk, folder: Folder) -> None:
    before = disk.guess(b"a.txt")

    assert disk.guess(b"a.txt") == before
    folder.write("a.txt", "longer than before\n")
    assert disk.guess(b"a.txt") != before
    assert len(disk.guess(b"missing")) == 40


def test_files_links_and_pipes_never_make_a_reader_wait(disk: Disk) -> None:
    assert all(disk.is_readable(path) for path in (b"a.txt", b"link", b"pipe", b"missing"))
