"""The id of a tree's content is the one that git gives to exactly these files."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mission.git.snapshot import Snapshots
from mission.git.snapshots.manifest import entry, parse
from mission.git.snapshots.tree_id import CACHE, tree_id_of
from mission.git.tree_identity import identify
from mission.git.working_tree import find_tree
from tests.git.real_repositories import Folder, Repo, everything
from tests.git.snapshots.test_against_independent_scan import Step, any_step, perform, workplace


def id_of(folder: Folder) -> str:
    identity = identify(folder.snapshots, find_tree(folder.path))
    folder.snapshots.forget(identity.snapshot)
    return identity.id


def id_by_git(repo: Repo) -> str:
    """The tree that a commit of everything would have, written in a copy of the repository."""
    copy = repo.at(repo.path.with_name("copy"))
    shutil.rmtree(copy.path, ignore_errors=True)
    subprocess.run(["cp", "-a", str(repo.path), str(copy.path)], check=True)
    listed = [line for line in copy.git("ls-files", "-v", "-z").split("\0") if line]
    for line in listed:
        if line[0].islower() or (line[0] == "S" and os.path.lexists(copy.path / line[2:])):
            for bit in ("--no-assume-unchanged", "--no-skip-worktree"):
                copy.git("update-index", bit, "--", line[2:])
    copy.git("add", "-A")
    return copy.git("write-tree").strip()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(earlier=st.lists(any_step, max_size=8), later=st.lists(any_step, max_size=8))
@example(earlier=[("on", "a", "update-index --skip-worktree"), ("delete", "a")], later=[("write", "a", "2\n")])
@example(earlier=[("delete", "a"), ("write", "a/b", "1\n")], later=[("on", "d/y", "add --intent-to-add")])
def test_the_id_is_the_one_that_git_gives(earlier: list[Step], later: list[Step]) -> None:
    with workplace() as top:
        repo = Repo(path=top / "repo", snapshots=Snapshots(top / "snapshots")).init()
        repo.commit(**{"a": "1\n", "d/x": "2\n"})
        for steps in (earlier, later):
            perform(repo, steps)
            untouched = everything(repo.path)
            found = id_of(repo)
            assert everything(repo.path) == untouched
            assert found == id_by_git(repo)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.lists(st.sampled_from([b"a", b"b", b"a.b", b"a-b", b"\xe9", b"a b"]), min_size=1, max_size=4).map(b"/".join),
        st.sampled_from([b"100644", b"100755", b"120000"]),
        max_size=12,
    )
)
def test_any_set_of_files_gets_the_id_that_git_gives(modes: dict[bytes, bytes]) -> None:
    """No path is at the same time a folder of another."""
    folders = {path[:at] for path in modes for at in range(len(path)) if path[at : at + 1] == b"/"}
    entries = {path: entry(mode, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391") for path, mode in modes.items()}
    entries = {path: value for path, value in entries.items() if path not in folders}
    with workplace() as top:
        repo = Repo(path=top / "repo", snapshots=Snapshots(top / "snapshots")).init()
        lines = b"".join(b"%s\t%s\0" % (value[2:], path) for path, value in entries.items())
        subprocess.run(["git", "update-index", "-z", "--index-info"], cwd=repo.path, input=lines, check=True)

        assert tree_id_of(entries, algorithm="sha1") == repo.git("write-tree", "--missing-ok").strip()


def test_an_empty_tree_has_an_id(empty: Repo) -> None:
    assert id_of(empty) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_a_clean_tree_has_the_id_of_its_commit(repo: Repo) -> None:
    assert id_of(repo) == repo.git("rev-parse", "HEAD^{tree}").strip()


def test_touching_and_staging_change_nothing_but_mode_and_kind_do(repo: Repo) -> None:
    repo.write("new.txt")
    first = id_of(repo)

    (repo.path / "a.txt").touch()
    repo.git("add", "new.txt")
    assert id_of(repo) == first

    (repo.path / "a.txt").chmod(0o755)
    executable = id_of(repo)
    (repo.path / "a.txt").unlink()
    (repo.path / "a.txt").symlink_to("b.txt")
    assert len({first, executable, id_of(repo)}) == 3


def test_the_same_content_elsewhere_has_the_same_id(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/new.txt")
    repo.write("a.txt", "changed\n")
    clone = repo.at(tmp_path / "clone")
    repo.git("clone", "-q", str(repo.path), str(clone.path))
    clone.write("src/new.txt")
    clone.write("a.txt", "changed\n")
    clone.commit()

    assert id_of(clone) == id_of(repo)


def test_files_that_git_ignores_do_not_count(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    before = id_of(repo)
    repo.write("x.log")

    assert id_of(repo) == before


def test_a_repository_with_sha256_ids(tmp_path: Path, snapshots: Snapshots) -> None:
    repo = Repo(path=tmp_path / "sha256", snapshots=snapshots).init("--object-format=sha256")
    repo.commit(**{"a.txt": "a\n", "src/c.txt": "c\n"})
    repo.write("src/d.txt")

    assert id_of(repo) == id_by_git(repo)
    closed = repo.write("closed.txt")
    closed.chmod(0)
    assert len(id_of(repo)) == 64


def test_line_endings_count_as_git_stores_them(repo: Repo) -> None:
    repo.write(".gitattributes", "*.txt text eol=crlf\n")
    repo.write("new.txt", "one\r\ntwo\r\n")
    repo.write("a.txt", "a\r\nb\r\n")

    assert id_of(repo) == id_by_git(repo)


def test_a_sparse_checkout_has_the_id_of_what_it_would_commit(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/a.txt")
    assert not (repo.path / "b.txt").exists()
    assert id_of(repo) == repo.git("rev-parse", "HEAD^{tree}").strip()

    repo.write("a.txt", "changed\n")
    assert id_of(repo) == id_by_git(repo)


def test_a_conflict_counts_as_the_file_is(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", **{"a.txt": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", **{"a.txt": "main\n"})
    repo.git("merge", "-q", "side", check=False)
    assert "<<<<<<<" in (repo.path / "a.txt").read_text()

    assert id_of(repo) == id_by_git(repo)


def test_names_that_differ_only_in_case_are_different_files(repo: Repo) -> None:
    repo.write("A.txt", "upper\n")
    repo.write("SRC/c.txt", "upper\n")

    assert id_of(repo) == id_by_git(repo)


def test_a_submodule_counts_with_its_commit_and_with_its_changes(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    inside = repo.at(repo.path / "lib")
    clean = id_of(repo)
    assert clean == repo.git("rev-parse", "HEAD^{tree}").strip()

    inside.write("l.txt", "edited\n")
    dirty = id_of(repo)
    inside.write("l.txt", "edited more\n")
    assert len({clean, dirty, id_of(repo)}) == 3
    inside.commit("in the library")
    assert id_of(repo) == id_by_git(repo)


def test_a_clean_filter_never_runs(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "filter.evil.clean", f"touch {tmp_path / 'ran'}; cat")
    repo.write(".gitattributes", "* filter=evil\n")
    before = id_of(repo)
    repo.write("b.txt", "changed\n")

    assert id_of(repo) != before
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"not json", None])
def test_a_damaged_cache_is_not_believed(repo: Repo, tmp_path: Path, damage: bytes | None) -> None:
    """The last case keeps the index of the cache and damages what follows."""
    repo.write("src/new.txt")
    right = id_of(repo)
    (cache,) = (tmp_path / "snapshots").rglob(CACHE)
    cache.write_bytes(cache.read_bytes()[:-60] + b"\0" * 60 if damage is None else damage)

    assert id_of(repo) == right


def test_many_changes_at_once_give_the_same_id_as_few(repo: Repo) -> None:
    for number in range(300):
        repo.write(f"many/{number % 7}/{number % 3}/{number}.txt", f"{number}\n")
    untracked = id_of(repo)
    repo.commit()

    assert id_of(repo) == untracked == repo.git("rev-parse", "HEAD^{tree}").strip()
    shutil.rmtree(repo.path / "many" / "3")
    assert id_of(repo) == id_by_git(repo)


def test_a_plain_folder_has_an_id_of_its_content(folder: Folder, tmp_path: Path) -> None:
    first = id_of(folder)
    (folder.path / "a.txt").touch()
    other = Folder(path=tmp_path / "other", snapshots=folder.snapshots)
    other.write("a.txt", "a\n")
    other.write("src/c.txt", "c\n")
    assert first.startswith("sha256:")
    assert id_of(folder) == id_of(other) == first

    folder.write("a.txt", "b\n")
    changed = id_of(folder)
    folder.write("new.txt")
    assert len({first, changed, id_of(folder)}) == 3


def test_what_git_lists_can_be_hashed_without_a_snapshot(repo: Repo) -> None:
    listed = os.fsencode(repo.git("ls-files", "-v", "-s", "-z"))

    assert tree_id_of(parse(listed), algorithm="sha1") == repo.git("rev-parse", "HEAD^{tree}").strip()
