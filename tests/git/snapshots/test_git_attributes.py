"""Attributes that change how a file's content becomes an id."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.git.snapshots.git_attributes import filtered_paths, read_attributes
from mission.git.snapshots.repository_facts import open_repository
from mission.git.snapshots.shadow_repository import Shadow
from mission.git.snapshots.snapshot_storage import SnapshotFolder
from tests.git.real_repositories import Repo


@pytest.fixture
def room(tmp_path: Path) -> SnapshotFolder:
    made = SnapshotFolder(tmp_path / "room")
    made.make()
    return made


@pytest.fixture
def shadow(repo: Repo, tmp_path: Path) -> Shadow:
    return opened(repo, tmp_path)


def opened(repo: Repo, tmp_path: Path) -> Shadow:
    made = Shadow(tmp_path / "shadow", open_repository(repo.path))
    made.prepare()
    made.copy_index()
    return made


def tracked(shadow: Shadow) -> bytes:
    return shadow.run("ls-files", "-v", "-s", "-z").out


@pytest.mark.parametrize(
    ("text", "filters", "conversions"),
    [
        ("", False, False),
        ("*.md diff=markdown\n", False, False),
        ("*.bin filter=lfs\n", True, False),
        ("* text=auto\n", False, True),
        ("*.txt eol=crlf\n", False, True),
        ("*.png binary\n", False, True),
        ("*.c ident\n", False, True),
        ("context.txt export-ignore\n", False, False),
    ],
)
def test_an_attribute_file_mentions_filters_or_conversions(
    repo: Repo, shadow: Shadow, text: str, filters: bool, conversions: bool
) -> None:
    repo.write(".gitattributes", text)

    found = read_attributes(shadow, [b".gitattributes"])

    assert (found.filters, found.conversions) == (filters, conversions)


def test_a_tracked_attribute_file_that_is_missing_may_say_anything(shadow: Shadow) -> None:
    found = read_attributes(shadow, [b"src/.gitattributes"])

    assert found.filters
    assert found.conversions


@pytest.mark.parametrize("place", ["repository", "user", "configured"])
def test_attributes_outside_of_the_tree_count(repo: Repo, tmp_path: Path, home: Path, place: str) -> None:
    paths = {
        "repository": repo.path / ".git" / "info" / "attributes",
        "user": home / ".config" / "git" / "attributes",
        "configured": home / "my-attributes",
    }
    if place == "configured":
        repo.git("config", "core.attributesFile", "~/my-attributes")
    before = read_attributes(opened(repo, tmp_path), [])
    paths[place].parent.mkdir(parents=True, exist_ok=True)
    paths[place].write_text("*.bin filter=lfs\n")

    after = read_attributes(opened(repo, tmp_path), [])

    assert (before.filters, after.filters) == (False, True)
    assert before.digest != after.digest


def test_the_paths_behind_a_filter_are_found_and_remembered(repo: Repo, room: SnapshotFolder, tmp_path: Path) -> None:
    repo.commit("filters", **{".gitattributes": "*.txt filter=x\nb.txt -filter\n"})
    shadow = opened(repo, tmp_path)
    attributes = read_attributes(shadow, [b".gitattributes"])

    def never() -> bytes:
        raise AssertionError

    first = filtered_paths(room, shadow, attributes, index="one", tracked=lambda: tracked(shadow))

    assert sorted(first) == [b"a.txt", b"src/c.txt"]
    assert filtered_paths(room, shadow, attributes, index="one", tracked=never) == first
    with pytest.raises(AssertionError):
        filtered_paths(room, shadow, attributes, index="two", tracked=never)


def test_without_a_filter_nobody_is_asked(room: SnapshotFolder, shadow: Shadow) -> None:
    attributes = read_attributes(shadow, [])

    assert filtered_paths(room, shadow, attributes, index="one", tracked=lambda: b"x") == []


def test_what_was_remembered_under_uncertain_attributes_is_not_believed(room: SnapshotFolder, shadow: Shadow) -> None:
    unsure = read_attributes(shadow, [b"missing/.gitattributes"])
    asked = []

    def listed() -> bytes:
        asked.append(1)
        return tracked(shadow)

    for _ in range(2):
        assert filtered_paths(room, shadow, unsure, index="one", tracked=listed) == []

    assert len(asked) == 2
