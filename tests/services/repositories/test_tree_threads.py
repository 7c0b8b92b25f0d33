"""Who shares threads with whom, and that a thread which never ends holds up neither others nor the end."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mission.domain.errors import TransientError
from mission.git.repository_guard import repository_of
from mission.services.repositories import tree_threads
from mission.services.repositories.tree_threads import TreeThreads

PATIENCE = 60.0
STANDALONE = """
import sys, threading
from pathlib import Path
from mission.services.repositories import tree_threads, working_trees
from mission.serve import run_standalone
from mission.settings import Settings
from mission.transports.mcp_server.standalone import server as standalone_server

def hang(*_):
    print("hangs", file=sys.stderr, flush=True)
    threading.Event().wait()

tree_threads.END_SECONDS = 0.0
standalone_server.GRACE_SECONDS = 1.0
working_trees.find_tree = hang
run_standalone(Settings(home=Path(sys.argv[1])), toolsets=None, agent=None)
"""
DAEMON = """
import sys, threading, asyncio
from pathlib import Path
from mission import app, serve
from mission.domain.errors import InvalidState
from mission.services.repositories import tree_threads
from mission.settings import Settings

tree_threads.END_SECONDS = 0.0

async def broken(app, listener, *, announce):
    async with app.running(periodic=False):
        asyncio.ensure_future(app.trees.work(Path(sys.argv[1]), threading.Event().wait))
        while not app.trees._makers.is_busy:
            await asyncio.sleep(0.01)
        raise InvalidState("the daemon broke")

serve._serve = broken
serve.run_daemon(Settings(home=Path(sys.argv[1]), port=0), announce=print)
"""
SCAN = """
import sys, threading, time
from pathlib import Path
from mission.git import working_tree
from mission.git.background_threads import in_background
from mission.git.snapshots import repository_facts

hangs = threading.Event()

def hang(_):
    hangs.set()
    threading.Event().wait()

repository_facts.locate = hang
in_background(repository_facts.open_repository, Path(sys.argv[1]))
hangs.wait()
sys.exit(3)
"""


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Let go of every thread that hangs."""
    event = threading.Event()
    yield event
    event.set()


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.001)


async def test_folders_and_worktrees_of_a_hanging_repository_leave_threads_to_others(
    repository: Path, tmp_path: Path, git, monkeypatch: pytest.MonkeyPatch, release: threading.Event
) -> None:
    monkeypatch.setattr(tree_threads, "THREADS", 8)
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    folders = [repository / f"folder-{number}" for number in range(8)]
    for folder in folders:
        folder.mkdir()
    other = tmp_path / "other"
    other.mkdir()
    threads = TreeThreads("trees", workers=4)
    begun = [
        asyncio.create_task(threads.run(tree, lambda: release.wait(PATIENCE)))
        for tree in [repository, tmp_path / "side", *folders]
    ]
    await until(lambda: len(threads._waiting) == 6)

    answer = await asyncio.wait_for(threads.run(other, lambda: "there"), PATIENCE)

    assert answer == "there"
    assert len(threads._running) == 4
    release.set()
    assert await asyncio.gather(*begun) == [True] * 10
    await threads.close(lambda: None)


async def test_trees_whose_file_system_does_not_answer_share_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: threading.Event
) -> None:
    def slow(path: Path) -> Path:
        if path.is_relative_to("/dead"):
            release.wait(PATIENCE)
        return path

    monkeypatch.setattr(tree_threads, "repository_of", slow)
    monkeypatch.setattr(tree_threads, "FIND_SECONDS", 0.01)
    threads = TreeThreads("trees", workers=2)
    begun = [asyncio.create_task(threads.run(f"/dead/{number}", lambda: release.wait(PATIENCE))) for number in range(8)]
    await until(lambda: len(threads._waiting) == 6)

    assert await asyncio.wait_for(threads.run(tmp_path, lambda: "there"), PATIENCE) == "there"
    assert len(threads._running) == 2
    release.set()
    assert all(await asyncio.gather(*begun))
    assert await threads.run("/dead/0", lambda: "answers again") == "answers again"
    await threads.close(lambda: None)


async def test_whoever_waits_for_a_thread_is_told_that_we_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: threading.Event
) -> None:
    monkeypatch.setattr(tree_threads, "END_SECONDS", 0.0)
    threads = TreeThreads("trees", workers=1)
    hanging = asyncio.create_task(threads.run(tmp_path, lambda: release.wait(PATIENCE)))
    waiting = asyncio.create_task(threads.run(tmp_path, lambda: True))
    await until(lambda: bool(threads._running and threads._waiting))

    await threads.close(lambda: None)

    with pytest.raises(TransientError, match="stopping"):
        await waiting
    with pytest.raises(TransientError, match="stopping"):
        await threads.run(tmp_path, lambda: True)
    release.set()
    assert await hanging


async def test_a_caller_that_leaves_while_it_waits_takes_no_place(tmp_path: Path, release: threading.Event) -> None:
    threads = TreeThreads("trees", workers=1)
    hanging = asyncio.create_task(threads.run(tmp_path, lambda: release.wait(PATIENCE)))
    waiting = asyncio.create_task(threads.run(tmp_path, lambda: True))
    await until(lambda: bool(threads._running and threads._waiting))

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    release.set()
    assert await hanging

    assert await asyncio.wait_for(threads.run(tmp_path, lambda: "next"), PATIENCE) == "next"
    await threads.close(lambda: None)


def test_a_repository_is_the_same_from_all_its_folders_and_worktrees(repository: Path, tmp_path: Path, git) -> None:
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "link").symlink_to(repository / "src")

    found = {repository_of(path) for path in (repository, repository / "src", tmp_path / "side", tmp_path / "link")}

    assert found == {repository / ".git"}
    assert repository_of(tmp_path) == tmp_path
    assert repository_of(tmp_path / "not\0there") == tmp_path / "not\0there"


def test_a_git_directory_that_is_a_pipe_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    os.mkfifo(tmp_path / ".git")

    assert repository_of(tmp_path / "src") == repository_of(tmp_path) == tmp_path


def test_a_standalone_server_ends_though_a_tree_never_answers(tmp_path: Path) -> None:
    call = {"name": "start_mission", "arguments": {"name": "M", "objective": "o", "repository_path": str(tmp_path)}}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    said = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    server = subprocess.Popen([sys.executable, "-c", STANDALONE, str(tmp_path)], text=True, **pipes)
    server.stdin.write("".join(json.dumps(each) + "\n" for each in said))
    server.stdin.flush()
    while "hangs" not in server.stderr.readline():
        assert server.poll() is None

    _, problems = server.communicate(timeout=PATIENCE)

    assert server.returncode == 0, problems


def test_a_daemon_that_breaks_says_why_though_a_tree_never_answers(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DAEMON, str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )

    assert done.returncode == 1
    assert "the daemon broke" in done.stderr


def test_a_look_at_a_repository_that_never_ends_holds_up_no_exit(repository: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SCAN, str(repository)], timeout=PATIENCE, check=False)

    assert done.returncode == 3
