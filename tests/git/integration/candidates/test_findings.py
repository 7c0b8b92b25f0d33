"""Inspecting what a candidate would commit; more in test_candidate_commit.py."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from mission.git.integration.candidates import findings
from mission.git.integration.candidates.findings import Inspection, conflicts_in
from mission.git.integration.commit_changes import differences_between
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory
from tests.git.real_repositories import Repo

CONFLICT = b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n"
TOKEN = "ghp_" + "a1" * 18


@pytest.fixture
def own(repo: Repo) -> Iterator[OwnGitDirectory]:
    with own_git_directory(repo.path) as own:
        yield own


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (CONFLICT, 1),
        (CONFLICT + b"text\n" + CONFLICT, 2),
        (CONFLICT.replace(b"\n", b"\r\n"), 1),
        (b"<<<<<<< a\n1\n||||||| base\n0\n=======\n2\n>>>>>>> b\n", 1),
        (b"<<<<<<<\n=======\n>>>>>>>\n", 1),
        (b"Title\n=======\n", 0),
        (b"> quoted\n>>>>>>> b\n<<<<<<< a\n", 0),
        (b" <<<<<<< a\n =======\n >>>>>>> b\n", 0),
        (b"<<<<<<<< a\n========\n>>>>>>>> b\n", 0),
        (b"<<<<<<< a\n<<<<<<< again\n=======\n>>>>>>> b\n", 1),
    ],
)
def test_a_conflict_is_three_marker_lines_in_their_order(content: bytes, count: int) -> None:
    assert conflicts_in(content, 7) == count


def test_markers_of_another_size_count_where_that_size_is_set() -> None:
    assert conflicts_in(CONFLICT, 10) == 0
    assert conflicts_in(b"<<<<<<<<<< a\n==========\n>>>>>>>>>> b\n", 10) == 1


def test_files_on_disk_and_objects_give_the_same_findings(
    repo: Repo, own: OwnGitDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "MAX_FILE_BYTES", 1000)
    base = repo.head
    files = {"large.txt": "x" * 1001, "key.txt": TOKEN, ".env": "A=1\n", "merge.txt": CONFLICT.decode(), "ok": "fine\n"}
    for name, content in files.items():
        repo.write(name, content)
    on_disk = Inspection(own, base=base)
    on_disk.look_at_disk([os.fsencode(name) for name in files], stored_elsewhere=())
    new = repo.commit("all")
    objects = Inspection(own, base=base)
    objects.look_at_objects(differences_between(own, base, new))

    for inspection in (on_disk, objects):
        found = {(each.kind, each.path) for each in inspection.findings}
        assert found == {("large", "large.txt"), ("secret", "key.txt"), ("secret", ".env")}
        assert inspection.marked == {"merge.txt"}


def test_what_the_base_had_already_does_not_count(repo: Repo, own: OwnGitDirectory) -> None:
    files = {"key.txt": TOKEN, ".env": "A=1\n", "merge.txt": CONFLICT.decode()}
    base = repo.commit("before", **files)
    for name, content in files.items():
        repo.write(name, f"{content}\nmore\n")
    inspection = Inspection(own, base=base)

    inspection.look_at_disk([os.fsencode(name) for name in files], stored_elsewhere=())

    assert (inspection.findings, inspection.marked) == ([], set())


def test_a_new_secret_in_a_file_that_had_one_counts(repo: Repo, own: OwnGitDirectory) -> None:
    base = repo.commit("before", **{"key.txt": TOKEN})
    repo.write("key.txt", f"{TOKEN}\nghp_{'b2' * 18}\n")
    inspection = Inspection(own, base=base)

    inspection.look_at_disk([b"key.txt"], stored_elsewhere=())

    assert [each.detail for each in inspection.findings] == ["it seems to contain a GitHub token"]


def test_a_key_names_exactly_this_content(repo: Repo, own: OwnGitDirectory) -> None:
    def key(content: str, name: str = ".env") -> str:
        repo.write(name, content)
        inspection = Inspection(own, base=repo.head)
        inspection.look_at_disk([name.encode()], stored_elsewhere=())
        return inspection.findings[0].key

    assert key("A=1\n") == key("A=1\n")
    assert len({key("A=1\n"), key("A=2\n"), key("A=1\n", "x/.env")}) == 3


def test_links_missing_files_and_files_of_lfs_are_not_inspected(repo: Repo, own: OwnGitDirectory) -> None:
    (repo.path / ".env").symlink_to("/etc/passwd")
    repo.write("x.bin", TOKEN)
    inspection = Inspection(own, base=repo.head)

    inspection.look_at_disk([b".env", b"absent", b"x.bin"], stored_elsewhere=[b"x.bin"])

    assert inspection.findings == []


def test_many_objects_are_read_in_groups(repo: Repo, own: OwnGitDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "BATCH_BYTES", 100)
    base = repo.head
    new = repo.commit("many", **{f"{number}.txt": f"{TOKEN}{number}\n" for number in range(10)})
    inspection = Inspection(own, base=base)

    inspection.look_at_objects(differences_between(own, base, new))

    assert len(inspection.findings) == 10
