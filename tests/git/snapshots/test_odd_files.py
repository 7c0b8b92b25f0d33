"""Files that are hard to compare: odd names, links, huge and unreadable ones, and some that come and go."""

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

from mission.git import command
from mission.git.changed_files import find_changes
from mission.git.snapshot import Snapshots
from mission.git.working_tree import find_tree
from tests.git.real_repositories import Repo, lists


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
    assert sorted(changes.warnings) == [f"Could not read: {name}" for name in unread]


def test_a_tree_path_that_is_not_utf8_is_compared(tmp_path: Path, repo: Repo) -> None:
    odd = repo.at(tmp_path / os.fsdecode(b"odd\xff:name")).init()
    odd.commit(**{"a.txt": "a\n"})
    snapshot = odd.take()
    odd.commit("edited", **{"a.txt": "b\n"})

    changes = find_changes(odd.snapshots, type(snapshot).from_dict(snapshot.as_dict()))

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


@pytest.mark.parametrize("attributes", ["", "huge text eol=lf\n"])
def test_a_file_larger_than_gits_memory_is_compared(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, attributes: str
) -> None:
    """Git maps a file that it takes as it is; to convert one it would need memory, so such a file goes without git."""
    monkeypatch.setattr(command, "MEMORY", 16 << 20)
    repo.write(".gitattributes", attributes)
    huge = repo.write("huge", "a\r\n")
    os.truncate(huge, 48 << 20)

    taken = repo.take()

    assert any("huge (larger than 1 MB)" in said for said in taken.left_out)
    assert repo.changes(taken).paths == []
    with huge.open("r+") as file:
        file.write("b")
    assert repo.changes(taken).modified == ["huge"]
