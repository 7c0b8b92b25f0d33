"""What makes a worktree hard to read: what its configuration says, its attributes, and its index."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.git.real_repositories import Repo, everything, lists

PROGRAMS = [
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
    *("diff.evil.textconv", "diff.evil.command", "diff.external", "gpg.program"),
    *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.alternateRefsCommand"),
    "credential.helper",
]


def evil(repo: Repo) -> tuple[str, Path]:
    """A program that leaves a trace when it runs, and the trace."""
    trace = repo.path.parent / "it-ran"
    program = repo.path.parent / "evil"
    program.write_text(f"#!/bin/sh\ntouch '{trace}'\ncat\n")
    program.chmod(0o755)
    return str(program), trace


def test_no_program_of_the_configuration_runs(repo: Repo) -> None:
    program, trace = evil(repo)
    repo.write(".gitattributes", "* filter=evil diff=evil\n")
    repo.write("untracked.txt")
    for key in PROGRAMS:
        repo.git("config", key, program)
    repo.git("config", "filter.evil.required", "true")
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "remote.origin.url", f"ext::{program}")
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
        shutil.copy(program, hooks / name)

    snapshot = repo.take()
    repo.write("a.txt", "same second\n")
    repo.write("b.txt", "B\n")
    changes = repo.changes(snapshot)

    assert lists(changes) == {"modified": ["a.txt", "b.txt"]}
    assert not trace.exists()


def test_a_submodule_gets_no_program_run_either(repo: Repo) -> None:
    nested = repo.at(repo.path / "nested").init()
    nested.commit(**{"n.txt": "n\n"})
    program, trace = evil(repo)
    nested.write(".gitattributes", "* filter=evil\n")
    nested.git("config", "filter.evil.clean", program)
    nested.git("config", "core.fsmonitor", program)

    snapshot = repo.take()
    nested.write("n.txt", "m\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["nested"]}
    assert not trace.exists()


def filtered(repo: Repo) -> Repo:
    """A repository whose *.up files are stored in lower case."""
    repo.git("config", "filter.upper.clean", "tr A-Z a-z")
    repo.git("config", "filter.upper.smudge", "tr a-z A-Z")
    repo.write(".gitattributes", "*.up filter=upper\n")
    repo.write("x.up", "LOUD\n")
    repo.write("y.up", "ALSO\n")
    repo.commit()
    return repo


def test_files_behind_a_clean_filter_are_compared_by_their_own_content(repo: Repo) -> None:
    filtered(repo)
    snapshot = repo.take()
    os.utime(repo.path / "x.up", ns=(10**18, 10**18))
    repo.write("y.up", "Also\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["y.up"]}


def test_a_branch_switch_and_back_leaves_filtered_files_unchanged(repo: Repo) -> None:
    filtered(repo)
    repo.git("checkout", "-q", "-b", "side")
    repo.write("x.up", "OTHER\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    snapshot = repo.take()
    repo.git("checkout", "-q", "side")
    repo.git("checkout", "-q", "main")

    assert lists(repo.changes(snapshot)) == {}


def test_a_filter_that_arrives_meanwhile_changes_only_what_it_touches(repo: Repo) -> None:
    repo.write("x.up", "LOUD\n")
    repo.commit()
    snapshot = repo.take()
    repo.git("config", "filter.upper.clean", "tr A-Z a-z")
    repo.write(".gitattributes", "*.up filter=upper\n")
    repo.git("add", "--renormalize", ".")
    repo.commit()

    assert lists(repo.changes(snapshot)) == {"added": [".gitattributes"]}


@pytest.mark.parametrize("setting", ["core.autocrlf=true", "core.autocrlf=input", "core.eol=crlf"])
def test_converted_line_endings_are_no_change(repo: Repo, setting: str) -> None:
    repo.write("crlf.txt", b"one\r\ntwo\r\n")
    repo.commit("with CRLF in the object")
    repo.git("config", *setting.split("="))
    if "eol" in setting:
        repo.write(".gitattributes", "*.txt text=auto\n")
    repo.write("new.txt", b"one\r\ntwo\r\n")
    repo.commit()
    snapshot = repo.take()
    for name in ("crlf.txt", "new.txt"):
        os.utime(repo.path / name, ns=(10**18, 10**18))
    assert lists(repo.changes(snapshot)) == {}

    repo.write("crlf.txt", b"one\r\n2\r\n")
    repo.write("new.txt", b"one\r\n2\r\n")
    between = repo.take()
    assert lists(repo.changes(snapshot)) == {"modified": ["crlf.txt", "new.txt"]}

    repo.write("crlf.txt", b"one\r\n3\r\n")
    repo.take()
    repo.write("crlf.txt", b"one\r\n2\r\n")
    assert lists(repo.changes(between)) == {}
    repo.write("crlf.txt", b"one\r\ntwo\r\n")
    repo.write("new.txt", b"one\r\ntwo\r\n")
    assert lists(repo.changes(snapshot)) == {}


def test_keywords_in_files_are_no_change(repo: Repo) -> None:
    repo.write(".gitattributes", "*.txt ident\n")
    repo.write("k.txt", "$Id$\n")
    repo.commit()
    (repo.path / "k.txt").unlink()
    repo.git("checkout", "-q", "k.txt")
    snapshot = repo.take()
    os.utime(repo.path / "k.txt", ns=(10**18, 10**18))

    assert lists(repo.changes(snapshot)) == {}


def test_modes_are_ignored_where_the_repository_says_so(repo: Repo) -> None:
    (repo.path / "a.txt").chmod(0o755)
    repo.commit()
    repo.git("config", "core.fileMode", "false")
    (repo.path / "a.txt").chmod(0o644)
    snapshot = repo.take()
    os.utime(repo.path / "a.txt", ns=(10**18, 10**18))

    assert lists(repo.changes(snapshot)) == {}


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_marks_in_the_index_hide_nothing(repo: Repo, mark: str) -> None:
    repo.git("update-index", mark, "a.txt", "b.txt", "src/c.txt")
    repo.write("src/c.txt", "edited before\n")
    snapshot = repo.take()
    repo.write("a.txt", "edited\n")
    (repo.path / "b.txt").unlink()

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"], "deleted": ["b.txt"]}


@pytest.mark.parametrize("sparse_index", ["--sparse-index", "--no-sparse-index"])
def test_a_sparse_checkout_holds_what_is_checked_out(repo: Repo, sparse_index: str) -> None:
    repo.write("other/d.txt", "d\n")
    repo.write("other/deep/e.txt", "e\n")
    repo.commit()
    repo.git("sparse-checkout", "init", "--cone", sparse_index)
    repo.git("sparse-checkout", "set", "src")
    snapshot = repo.take()
    assert lists(repo.changes(snapshot)) == {}

    repo.write("other/d.txt", "d\n")
    repo.write("src/new.txt")
    assert lists(repo.changes(snapshot)) == {"added": ["other/d.txt", "src/new.txt"]}


def test_a_file_that_is_only_meant_to_be_added_counts_as_it_is(repo: Repo) -> None:
    repo.write("new.txt", "new\n")
    snapshot = repo.take()
    repo.git("add", "--intent-to-add", "new.txt")
    assert lists(repo.changes(snapshot)) == {}

    between = repo.take()
    repo.write("new.txt", "newer\n")
    assert lists(repo.changes(between)) == {"modified": ["new.txt"]}
    (repo.path / "new.txt").unlink()
    assert lists(repo.changes(between)) == {"deleted": ["new.txt"]}


def test_files_in_conflict_count_as_they_are(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(**{"a.txt": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit(**{"a.txt": "main\n"})
    before = repo.take()
    repo.git("merge", "side", check=False)
    assert lists(repo.changes(before)) == {"modified": ["a.txt"]}

    during = repo.take()
    repo.write("a.txt", "both\n")
    repo.commit("merged")
    assert lists(repo.changes(during)) == {"modified": ["a.txt"]}


def test_a_held_index_lock_is_no_error(repo: Repo) -> None:
    (repo.path / ".git" / "index.lock").touch()
    snapshot = repo.take()
    repo.write("a.txt", "edited\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"]}


@pytest.mark.parametrize(
    "setup",
    [
        ["update-index", "--split-index"],
        ["update-index", "--index-version", "4"],
        ["update-index", "--force-untracked-cache"],
        ["config", "core.fsmonitor", "true"],
        ["config", "core.preloadIndex", "false"],
        ["config", "index.threads", "1"],
        ["config", "feature.manyFiles", "true"],
        ["config", "status.showUntrackedFiles", "no"],
        ["config", "core.checkStat", "minimal"],
    ],
    ids=" ".join,
)
def test_forms_of_the_index_make_no_difference(repo: Repo, setup: list[str]) -> None:
    repo.git(*setup)
    repo.commit(**{"d.txt": "d\n"})
    repo.git("status")
    before = everything(repo.path)
    snapshot = repo.take()
    assert everything(repo.path) == before

    repo.write("a.txt", "edited\n")
    repo.write("new.txt")
    (repo.path / "d.txt").unlink()
    assert lists(repo.changes(snapshot)) == {"added": ["new.txt"], "modified": ["a.txt"], "deleted": ["d.txt"]}
    repo.commit()
    assert lists(repo.changes(snapshot)) == {"added": ["new.txt"], "modified": ["a.txt"], "deleted": ["d.txt"]}


def test_a_repository_with_longer_ids_is_compared(tmp_path: Path, repo: Repo) -> None:
    long = repo.at(tmp_path / "long").init("--object-format=sha256")
    long.commit(**{"a.txt": "a\n"})
    snapshot = long.take()
    long.write("a.txt", "b\n")
    long.commit("second")

    changes = long.changes(snapshot)

    assert lists(changes) == {"modified": ["a.txt"]}
    assert len(changes.commits[0].id) == 64


def test_the_work_tree_that_the_configuration_names_is_not_looked_at(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "private.txt").touch()
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    snapshot = repo.take()
    repo.write("a.txt", "edited\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"]}


def test_a_cloned_partial_repository_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.path}", str(tmp_path / "partial"))
    partial = repo.at(tmp_path / "partial")
    snapshot = partial.take()
    shutil.move(repo.path, tmp_path / "moved")
    partial.write("a.txt", "edited\n")
    partial.git("commit", "-q", "-am", "edited")

    changes = partial.changes(snapshot)

    assert lists(changes) == {"modified": ["a.txt"]}
    assert [commit.subject for commit in changes.commits] == ["edited"]


def test_an_index_that_changed_is_read_again(repo: Repo) -> None:
    snapshot = repo.take()
    for number in range(3):
        repo.commit(**{"a.txt": f"{number}\n"})
        repo.take()

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"]}
