"""Content ids of files, as git itself would make them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mission.git.snapshots.content_hashes import Hasher
from mission.git.snapshots.disk_entries import Disk
from mission.git.snapshots.manifest import parse
from mission.git.snapshots.repository_facts import open_repository
from mission.git.snapshots.shadow_repository import Shadow
from tests.git.real_repositories import Repo, everything


@pytest.fixture
def hasher(repo: Repo, tmp_path: Path) -> Hasher:
    shadow = Shadow(tmp_path / "shadow", open_repository(repo.path))
    shadow.prepare()
    return Hasher(shadow, Disk(repo.path), None)


def settle(repo: Repo, *names: str) -> None:
    """Let files look as if nobody had touched them for a while."""
    for name in names:
        os.utime(repo.path / name, (1_000_000_000, 1_000_000_000), follow_symlinks=False)


def as_git_says(repo: Repo) -> dict[bytes, bytes]:
    repo.git("add", "-A")
    return parse(repo.git("ls-files", "-v", "-s", "-z").encode("utf-8", "surrogateescape"))


def test_ids_are_those_of_git_for_files_programs_and_links(repo: Repo, hasher: Hasher) -> None:
    repo.write("new.txt", "new\n")
    repo.write("tool.sh", "run\n").chmod(0o755)
    repo.write("caf\udce9.txt".encode("utf-8", "surrogateescape"), "x")
    (repo.path / "link").symlink_to("a.txt")
    paths = [b"a.txt", b"new.txt", b"tool.sh", b"caf\xe9.txt", b"link"]
    before = everything(repo.path / ".git")

    found = hasher.entries(paths)

    assert everything(repo.path / ".git") == before
    said = as_git_says(repo)
    assert found == {path: said[path] for path in paths}
    assert hasher.unreadable == []


def test_files_that_are_gone_have_no_id_and_disturb_no_other(repo: Repo, hasher: Hasher) -> None:
    assert list(hasher.entries([b"a.txt", b"missing", b"src"])) == [b"a.txt"]
    assert hasher.entries([]) == {}


def test_an_edit_of_the_same_length_is_seen_however_young_or_old_the_file_looks(repo: Repo, hasher: Hasher) -> None:
    ids = []
    for text in ("one\n", "two\n", "six\n"):
        repo.write("a.txt", text)
        ids.append(hasher.entries([b"a.txt"])[b"a.txt"])
        settle(repo, "a.txt")
        ids.append(hasher.entries([b"a.txt"])[b"a.txt"])

    assert ids[0] == ids[1] != ids[2] == ids[3] != ids[4] == ids[5]


def test_a_name_that_git_refuses_is_hashed_without_it(repo: Repo, hasher: Hasher) -> None:
    repo.write(".GIT/x", "x\n")
    repo.write("plain", "x\n")

    found = hasher.entries([b".GIT/x", b"plain"])

    assert found[b".GIT/x"] == found[b"plain"]


def test_a_damaged_index_of_ours_is_made_again(repo: Repo, hasher: Hasher) -> None:
    hasher.shadow.overlay.write_bytes(b"nonsense")
    hasher.shadow.passing.write_bytes(b"nonsense")

    assert hasher.entries([b"a.txt"]) == {b"a.txt": as_git_says(repo)[b"a.txt"]}


def test_the_entries_of_the_users_index_decide_about_line_endings(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.write("dos.txt", "one\r\ntwo\r\n")
    repo.git("-c", "core.autocrlf=false", "add", "dos.txt")
    listed = parse(repo.git("ls-files", "-v", "-s", "-z").encode())
    shadow = Shadow(tmp_path / "seeded", open_repository(repo.path))
    shadow.prepare()

    def hashed(seeds: object) -> bytes:
        for index in (shadow.overlay, shadow.passing):
            index.unlink(missing_ok=True)
        return Hasher(shadow, Disk(repo.path), seeds).entries([b"dos.txt"])[b"dos.txt"]  # type: ignore[arg-type]

    converted = hashed(None)
    as_indexed = hashed(lambda paths: {path: listed[path] for path in paths})

    assert as_indexed == listed[b"dos.txt"]
    assert converted != as_indexed
