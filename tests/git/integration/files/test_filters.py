"""Filters of files: which of them run, and pointers of LFS without its program."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mission.git.integration.files.filters import FilterKind, Filters, Pointer
from mission.git.integration.own_git_directory import own_git_directory
from tests.git.real_repositories import Repo

STANDARD = {
    "filter.lfs.clean": "git-lfs clean -- %f",
    "filter.lfs.smudge": "git-lfs smudge -- %f",
    "filter.lfs.process": "git-lfs filter-process",
    "filter.lfs.required": "true",
}
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12\n"

Asked = Callable[[], Filters]


@pytest.fixture
def filters(repo: Repo) -> Iterator[Asked]:
    """Makes the filters of the repository with its settings of that moment."""
    repo.write(".gitattributes", "*.bin filter=lfs\n*.enc filter=crypt\n*.nb filter=strip\n*.off -filter\n")
    with own_git_directory(repo.path) as own:
        yield lambda: Filters(own)


def kinds(filters: Filters) -> dict[bytes, FilterKind]:
    return filters.kinds([b"a.txt", b"x.bin", b"x.enc", b"x.nb", b"x.off"])


def configure(repo: Repo, settings: dict[str, str], *, file: Path | None = None) -> None:
    for key, value in settings.items():
        repo.git("config", *(["-f", str(file)] if file else []), key, value)


def test_an_attribute_without_a_program_does_nothing_except_for_lfs(filters: Asked) -> None:
    assert kinds(filters()) == {b"x.bin": FilterKind.LFS}
    assert filters().kinds([]) == {}


def test_filters_of_the_repository_are_silenced_and_those_of_the_user_run(
    repo: Repo, filters: Asked, home: Path
) -> None:
    configure(repo, {"filter.crypt.clean": "crypt"})
    configure(repo, {"filter.strip.clean": "strip"}, file=home / ".gitconfig")

    assert kinds(filters()) == {
        b"x.bin": FilterKind.LFS,
        b"x.enc": FilterKind.SILENCED,
        b"x.nb": FilterKind.USERS,
    }


def test_a_filter_that_the_repository_changes_is_not_the_users_any_more(repo: Repo, filters: Asked, home: Path) -> None:
    configure(repo, {"filter.strip.clean": "strip"}, file=home / ".gitconfig")
    configure(repo, {"filter.strip.smudge": "evil"})

    assert kinds(filters())[b"x.nb"] is FilterKind.SILENCED


@pytest.mark.parametrize("scope", ["global", "local"])
def test_the_standard_settings_of_lfs_are_standard_in_any_scope(
    repo: Repo, filters: Asked, home: Path, scope: str
) -> None:
    configure(repo, STANDARD, file=home / ".gitconfig" if scope == "global" else None)

    assert kinds(filters()) == {b"x.bin": FilterKind.LFS}
    assert filters().is_silenced_lfs is (scope == "local")


@pytest.mark.parametrize(
    "setting",
    [
        {"filter.lfs.clean": "evil %f"},
        {"filter.lfs.clean": "git-lfs clean -- %f; evil"},
        {"filter.lfs.extra": "x"},
        {"lfs.extension.evil.clean": "evil"},
        {"lfs.storage": "/elsewhere"},
    ],
    ids=str,
)
def test_anything_else_about_lfs_is_not_standard(repo: Repo, filters: Asked, setting: dict[str, str]) -> None:
    configure(repo, {**STANDARD, **setting})

    assert kinds(filters())[b"x.bin"] is FilterKind.SILENCED


def test_the_pointer_is_the_one_that_lfs_makes(repo: Repo, filters: Asked) -> None:
    repo.write("x.bin", "hello\n")
    oid = hashlib.sha256(b"hello\n").hexdigest()

    pointer = filters().pointer(b"x.bin")

    assert pointer == Pointer(oid=oid, size=6)
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 6\n"
    assert pointer.text == text.encode()
    repo.write("expected", text)
    id = repo.git("hash-object", "expected").strip()
    assert filters().pointer_entry(b"x.bin") == f"H 100644 {id} 0".encode()


@pytest.mark.parametrize("content", [b"", POINTER, POINTER.rstrip(b"\n")])
def test_a_pointer_and_an_empty_file_stay_as_they_are(repo: Repo, filters: Asked, content: bytes) -> None:
    repo.write("x.bin", content).chmod(0o755)

    assert filters().pointer(b"x.bin") is None
    assert filters().store(b"x.bin") is None
    id = repo.git("hash-object", "--no-filters", "x.bin").strip()
    assert filters().pointer_entry(b"x.bin") == f"H 100755 {id} 0".encode()


def test_contents_are_stored_where_lfs_looks_for_them(repo: Repo, filters: Asked, home: Path) -> None:
    repo.write("x.bin", "hello\n")
    oid = hashlib.sha256(b"hello\n").hexdigest()

    filters().store(b"x.bin")
    filters().store(b"x.bin")
    configure(repo, {"lfs.storage": str(home / "store")}, file=home / ".gitconfig")
    filters().store(b"x.bin")

    for store in (repo.path / ".git" / "lfs", home / "store"):
        assert (store / "objects" / oid[:2] / oid[2:4] / oid).read_bytes() == b"hello\n"


def test_a_file_that_cannot_be_read_has_no_entry(filters: Asked) -> None:
    assert filters().pointer_entry(b"absent.bin") is None
    with pytest.raises(OSError, match="No such file"):
        filters().store(b"absent.bin")
