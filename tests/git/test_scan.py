"""What makes a worktree hard to read: settings, marks in the index, odd files, nested repositories."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mission.git.snapshot import Snapshots
from mission.git.tree import find_tree
from tests.git.workbench import Repo, everything, lists

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


def test_odd_names_stay_apart_and_readable(repo: Repo) -> None:
    names = [
        b"caf\xe9",
        b"caf\xe8",
        "café".encode(),
        b"line\nbreak",
        b'"quoted"',
        b"-rf",
        b"tab\tx",
        b":(top)y",
        b"*?[",
    ]
    for name in names:
        repo.write(name, "before\n")
    repo.commit()
    snapshot = repo.take()
    for name in names:
        repo.write(name, "after\n")
    repo.write(b"x", "a path that ends like another after its tab\n")

    expected = sorted(
        ['"caf\\351"', '"caf\\350"', "café", "line\nbreak", '"\\"quoted\\""', "-rf", "tab\tx", ":(top)y", "*?["]
    )
    assert lists(repo.changes(snapshot)) == {"added": ["x"], "modified": expected}


def test_special_files_are_left_out(repo: Repo) -> None:
    snapshot = repo.take()
    os.mkfifo(repo.path / "pipe")
    (repo.path / "a.txt").unlink()
    os.mkfifo(repo.path / "a.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(repo.path)  # A socket's address has room for about 100 characters.
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)

        assert lists(repo.changes(snapshot)) == {"deleted": ["a.txt"]}


def test_links_are_compared_by_where_they_point(repo: Repo) -> None:
    (repo.path / "link").symlink_to("a.txt")
    (repo.path / "broken").symlink_to("/no/such/file")
    snapshot = repo.take()
    repo.write("a.txt", "edited\n")
    (repo.path / "broken").unlink()
    (repo.path / "broken").symlink_to("/no/other/file")

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt", "broken"]}


def test_a_folder_replaced_by_a_link_in_a_circle_lost_its_files(repo: Repo) -> None:
    snapshot = repo.take()
    shutil.rmtree(repo.path / "src")
    (repo.path / "src").symlink_to("src")
    circle = repo.take()
    assert lists(repo.changes(snapshot)) == {"added": ["src"], "deleted": ["src/c.txt"]}

    (repo.path / "src").unlink()
    repo.write("src/c.txt", "c\n")
    assert lists(repo.changes(circle)) == {"added": ["src/c.txt"], "deleted": ["src"]}


def test_a_huge_file_is_compared_and_not_stored(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "core.bigFileThreshold", "50m")  # 512m unless told: that much takes seconds to read
    with (repo.path / "huge.bin").open("wb") as file:
        file.truncate(60 << 20)
    snapshot = repo.take()
    with (repo.path / "huge.bin").open("r+b") as file:
        file.seek(30 << 20)
        file.write(b"x")

    assert lists(repo.changes(snapshot)) == {"modified": ["huge.bin"]}
    assert sum(path.stat().st_size for path in tmp_path.rglob("snapshots/**/*") if path.is_file()) < 1 << 20


def test_a_submodule_counts_as_one_path(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    inside = repo.at(repo.path / "lib")
    snapshot = repo.take()
    assert lists(repo.changes(snapshot)) == {}

    inside.write("l.txt", "edited\n")
    dirty = repo.take()
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}

    inside.write("l.txt", "edited more\n")
    assert lists(repo.changes(dirty)) == {"modified": ["lib"]}
    inside.write("l.txt", "l\n")
    assert lists(repo.changes(snapshot)) == {}

    inside.write("l.txt", "edited\n")
    inside.commit("in the library")
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}
    repo.commit("with the newer library")
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}


def test_checking_out_a_submodule_changes_nothing_but_removing_it_does(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    repo.git("submodule", "--quiet", "deinit", "-f", "lib")
    snapshot = repo.take()

    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert lists(repo.changes(snapshot)) == {}
    shutil.rmtree(repo.path / "lib")
    assert lists(repo.changes(snapshot)) == {"deleted": ["lib"]}
    repo.write("lib", "a file\n")
    assert lists(repo.changes(snapshot)) == {"modified": ["lib"]}


def test_a_repository_that_merely_lies_in_the_tree_counts_as_one_path(repo: Repo) -> None:
    snapshot = repo.take()
    nested = repo.at(repo.path / "tools" / "nested").init()
    nested.write("n.txt", "n\n")
    assert lists(repo.changes(snapshot)) == {"added": ["tools/nested"]}

    between = repo.take()
    nested.write("n.txt", "changed\n")
    assert lists(repo.changes(between)) == {"modified": ["tools/nested"]}
    nested.write("n.txt", "n\n")
    assert lists(repo.changes(between)) == {}
    shutil.rmtree(nested.path)
    assert lists(repo.changes(between)) == {"deleted": ["tools/nested"]}


def test_files_that_get_a_repository_of_their_own_stay_what_they_were(repo: Repo) -> None:
    repo.write("tools/t.txt", "t\n")
    snapshot = repo.take()
    repo.at(repo.path / "tools").init()
    assert lists(repo.changes(snapshot)) == {"added": ["tools"]}

    repo.write("tools/t.txt", "changed\n")
    assert lists(repo.changes(snapshot)) == {"added": ["tools"], "modified": ["tools/t.txt"]}


def test_another_worktree_inside_the_tree_is_not_part_of_it(repo: Repo) -> None:
    snapshot = repo.take()
    repo.git("worktree", "add", "-q", "-b", "side", "trees/side")
    side = repo.at(repo.path / "trees" / "side")
    side.write("a.txt", "edited there\n")

    assert lists(repo.changes(snapshot)) == {}


def test_an_index_that_changed_is_read_again(repo: Repo) -> None:
    snapshot = repo.take()
    for number in range(3):
        repo.commit(**{"a.txt": f"{number}\n"})
        repo.take()

    assert lists(repo.changes(snapshot)) == {"modified": ["a.txt"]}


def test_a_file_that_cannot_be_read_is_a_warning() -> None:
    """Root may read everything, so this runs as somebody else where needed."""
    top = Path(tempfile.mkdtemp())
    try:
        if os.geteuid() == 0:
            os.chown(top, 65534, 65534)
            assert _as_nobody(lambda: _try_unreadable(top)) == 0
        else:
            _try_unreadable(top)
    finally:
        shutil.rmtree(top)


def _as_nobody(action: object) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.chdir("/")
            action()  # type: ignore[operator]
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _try_unreadable(top: Path) -> None:
    os.environ["HOME"] = str(top)
    repo = Repo(path=top / "repo", snapshots=Snapshots(top / "snapshots")).init()
    repo.commit(**{"a.txt": "a\n", "b.txt": "b\n", "kept/k.txt": "k\n"})
    repo.write("closed.txt", "x\n").chmod(0)
    (repo.path / "kept").chmod(0)
    (repo.path / "b.txt").chmod(0)
    os.utime(repo.path / "b.txt", ns=(10**18, 10**18))
    repo.write("shut/inner.txt")
    (repo.path / "shut").chmod(0)
    snapshot = repo.take()
    repo.write("a.txt", "edited\n")
    changes = repo.changes(snapshot)
    for name in ("shut", "kept"):
        (repo.path / name).chmod(stat.S_IRWXU)
    assert lists(changes) == {"modified": ["a.txt"]}
    unread = ("b.txt", "closed.txt", "kept/", "kept/k.txt", "shut/")
    assert sorted(changes.warnings) == [f"Could not be read: {name}" for name in unread]


def test_a_tree_path_that_is_not_utf8_is_compared(tmp_path: Path, repo: Repo) -> None:
    odd = repo.at(tmp_path / os.fsdecode(b"odd\xff:name")).init()
    odd.commit(**{"a.txt": "a\n"})
    snapshot = odd.take()
    odd.commit("edited", **{"a.txt": "b\n"})

    changes = odd.snapshots.changes(type(snapshot).from_dict(snapshot.as_dict()))

    assert lists(changes) == {"modified": ["a.txt"]}
    assert [commit.subject for commit in changes.commits] == ["edited"]
    assert find_tree(snapshot.path).path == odd.path


def test_names_that_git_refuses_to_add_are_compared_all_the_same(repo: Repo) -> None:
    for name in (".GIT/x", "git~1/y", "sub/.Git", "fine.txt"):
        repo.write(name, "before\n")
    snapshot = repo.take()
    repo.write(".GIT/x", "after!\n")
    repo.write("git~1/y", "after!\n")
    (repo.path / ".gitmodules").symlink_to("a.txt")

    assert lists(repo.changes(snapshot)) == {"added": [".gitmodules"], "modified": [".GIT/x", "git~1/y"]}


def test_a_lock_that_a_killed_git_left_in_our_files_is_no_obstacle(repo: Repo, tmp_path: Path) -> None:
    repo.write("untracked.txt")
    os.utime(repo.path / "untracked.txt", ns=(10**18, 10**18))
    repo.take()
    for folder in (tmp_path / "snapshots" / "trees").iterdir():
        for name in ("overlay-index.lock", "passing-index.lock"):
            (folder / "git" / name).touch()
    snapshot = repo.take()
    repo.write("untracked.txt", "edited\n")

    assert lists(repo.changes(snapshot)) == {"modified": ["untracked.txt"]}


def test_many_threads_may_ask_at_once(repo: Repo) -> None:
    repo.write("untracked.txt")
    snapshot = repo.take()
    repo.write("a.txt", "edited\n")

    def ask(_: int) -> dict[str, list[str]]:
        other = repo.take()
        try:
            return lists(repo.changes(snapshot))
        finally:
            repo.snapshots.forget(other)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(8))) == [{"modified": ["a.txt"]}] * 8


def test_files_that_come_and_go_during_the_scan_do_no_harm(repo: Repo) -> None:
    for number in range(30):
        repo.write(f"busy/{number}.txt", f"{number}\n")
    snapshot = repo.take()
    done = threading.Event()

    def churn() -> None:
        while not done.is_set():
            shutil.rmtree(repo.path / "busy")
            for number in range(30):
                repo.write(f"busy/{number}.txt", f"{number}\n")

    with ThreadPoolExecutor(1) as pool:
        churning = pool.submit(churn)
        try:
            seen = [repo.changes(snapshot) for _ in range(10)]
        finally:
            done.set()
        churning.result()

    assert all(path.startswith("busy/") for changes in seen for path in changes.paths)
    assert lists(repo.changes(snapshot)) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_nested_repository_of_another_owner_is_compared_by_its_files(repo: Repo) -> None:
    nested = repo.at(repo.path / "nested").init()
    nested.commit(**{"n.txt": "n\n"})
    for path in (nested.path, nested.path / ".git"):
        os.chown(path, 12345, 12345)
    snapshot = repo.take()
    assert lists(repo.changes(snapshot)) == {}

    nested.write("n.txt", "edited\n")
    assert lists(repo.changes(snapshot)) == {"modified": ["nested"]}
