"""Launched programs: their output, their limits, their end, and what is left after each kind of violent death."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mission.runtime.runner import process_group, transcript
from mission.runtime.running.runner_process import Chunk, Exit, Process, ProgramLimits, Start, Terminal

STANDIN = str(Path(__file__).parents[1] / "fake_agent.py")
PATIENCE = 60.0
Launch = Callable[..., Any]
_numbers = iter(range(10_000))


@pytest.fixture
def start(tmp_path: Path) -> Launch:
    async def start(*arguments: str, **options: Any) -> Process:
        execution_id = f"x_{os.getpid():06}{next(_numbers):04}"
        process = Process(execution_id, tmp_path / execution_id)
        argv = options.pop("argv", [sys.executable, "-u", STANDIN, *arguments])
        environment = options.pop("environment", {"PATH": os.environ["PATH"], "SECRET": "s3cret"})
        options.setdefault("directory", tmp_path)
        await process.start(Start(execution_id=execution_id, argv=argv, environment=environment, **options))
        return process

    return start


async def read_until(process: Process, text: bytes) -> bytes:
    """The output up to a text, taken."""
    seen = b""
    async with asyncio.timeout(PATIENCE):
        while text not in seen:
            event = await process.read()
            assert isinstance(event, Chunk), (event, seen)
            seen += event.data
            process.take(event.end)
    return seen


async def finish(process: Process) -> tuple[dict[str, bytes], Exit]:
    """Everything a program still says, and its end."""
    said = {"out": b"", "err": b""}
    async with asyncio.timeout(PATIENCE):
        while not isinstance(event := await process.read(), Exit):
            said[event.stream] += event.data
            process.take(event.end)
    return said, event


def left(process: Process) -> list[str]:
    """What is left of an execution: files beside its transcript, and processes."""
    files = [path.name for path in process.folder.iterdir() if not path.name.startswith("transcript.")]
    return [*files, *map(str, process_group.members(process.execution_id, group=None))]


async def test_output_and_exit_code_arrive_and_only_the_transcript_stays(start: Launch):
    process = await start("hello", "world")

    said, end = await finish(process)
    await process.release()

    assert said == {"out": b"hello world\n", "err": b"oops\n"}
    assert (end.code, end.signal, end.reason, end.left_over) == (3, None, None, 0)
    assert left(process) == []
    header, *events = [json.loads(line) for line in (process.folder / transcript.FILE).read_text().splitlines()]
    assert (header["version"], header["width"]) == (2, 120)
    assert sorted("".join(text for _, kind, text in events if kind == "o")) == sorted("hello world\noops\n")


async def test_a_program_gets_the_environment_and_folder_it_was_given_and_nothing_else(start: Launch, tmp_path: Path):
    said, _ = await finish(process := await start("environment"))
    await process.release()

    found = json.loads(said["out"])
    assert found["environment"].pop("LC_CTYPE", "C.UTF-8") == "C.UTF-8"
    assert found == {
        "environment": {
            "PATH": os.environ["PATH"],
            "SECRET": "s3cret",
            "OPEN_MISSION_AGENT_EXECUTION_ID": process.execution_id,
        },
        "directory": str(tmp_path),
        "terminal": False,
    }
    assert not any(b"s3cret" in path.read_bytes() for path in process.folder.iterdir() if path.suffix != ".cast")


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ({"argv": ["/nowhere/agent"]}, "No such file or directory"),
        ({"directory": Path("/nowhere")}, "its working directory cannot be used: No such file or directory"),
    ],
)
async def test_a_program_or_folder_that_is_missing_ends_it_at_once_and_says_why(
    start: Launch, missing: dict[str, Any], says: str
):
    process = await start("hello", **missing)

    _, end = await finish(process)
    await process.release()

    assert (end.reason, end.error) == ("not-started", says)
    assert left(process) == []


async def test_a_program_that_leaves_its_terminal_may_come_back_to_it(start: Launch):
    process = await start("away", terminal=Terminal())

    said, end = await finish(process)
    await process.release()

    assert said["out"] == b"leaving\r\nback\r\n"
    assert (end.code, end.signal) == (0, None)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[None]:
    """The folder is a file system that is soon full."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(tmp_path)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("this user may not mount a file system")
    yield
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@pytest.mark.usefixtures("small_disk")
async def test_a_full_disk_ends_no_program_and_what_its_transcript_lacks_is_counted(start: Launch):
    process = await start("flood", "10000")

    said, end = await finish(process)
    await process.release()

    shown = (process.folder / transcript.FILE).read_text().splitlines()
    assert len(said["out"]) > 610_000
    assert (end.code, end.reason) == (0, None)
    assert end.missing > 0
    assert len([json.loads(line) for line in shown]) > 1


async def test_a_terminal_can_be_typed_into_and_resized(start: Launch):
    process = await start("echo", terminal=Terminal(rows=30, columns=90))
    await read_until(process, b"size 90 30")

    process.resize(Terminal(rows=20, columns=70))
    process.type("größe\rsize\r".encode())
    seen = await read_until(process, b"size 70 20")
    process.type(b"bye\r")
    _, end = await finish(process)
    await process.release()

    assert "you said größe" in seen.decode()
    assert end.code == 0
    lines = (process.folder / transcript.FILE).read_text().splitlines()[1:]
    assert {kind for _, kind, _ in map(json.loads, lines)} == {"o", "i", "r"}


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (ProgramLimits(seconds=0.1, grace_seconds=0.1), "time-limit"),
        (ProgramLimits(output_bytes=10, grace_seconds=0.1), "output-limit"),
        (ProgramLimits(), "stopped"),
    ],
)
async def test_a_program_that_will_not_end_is_killed(start: Launch, limits: ProgramLimits, reason: str):
    process = await start("wait", limits=limits)
    if reason == "stopped":
        await read_until(process, b"waiting")
        process.stop("stopped", grace=0.1)

    _, end = await finish(process)
    await process.release()

    assert end.reason == reason
    if reason != "time-limit":  # which may come before the program has closed its ears
        assert end.signal == "SIGKILL"
    assert left(process) == []


async def test_a_program_is_stopped_whose_runner_was_not_on_the_line_yet(start: Launch):
    process = await start("wait")
    process.stop("stopped", grace=0.1)

    _, end = await finish(process)
    await process.release()

    assert end.reason == "stopped"
    assert left(process) == []


async def test_what_a_program_leaves_behind_is_ended_with_it(start: Launch):
    said, end = await finish(process := await start("forks"))
    await process.release()

    assert b"parent gone" in said["out"]
    assert (end.code, end.left_over) == (0, 2)
    assert left(process) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a runner cannot adopt orphans")
async def test_a_process_that_hides_from_its_agents_end_is_ended_too(start: Launch):
    said, end = await finish(process := await start("escapes"))
    await process.release()

    assert (end.code, end.left_over) == (0, 1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(said["out"].split()[1]), 0)


async def test_a_million_lines_pass_without_being_kept_in_memory_or_filling_the_disk(start: Launch):
    process = await start("flood", "1000000")
    total, last = 0, b""
    async with asyncio.timeout(PATIENCE * 3):
        while not isinstance(event := await process.read(), Exit):
            total, last = total + len(event.data), event.data
            process.take(event.end)
    await process.release()

    assert total > 61_000_000
    assert b"the end of the flood" in last
    sizes = [Path(path).stat().st_size for path in transcript.pieces(str(process.folder))]
    assert len(sizes) == transcript.PIECES
    assert max(sizes) < transcript.PIECE_BYTES * 1.1


async def test_the_next_daemon_finds_a_running_program_and_what_was_not_taken(start: Launch):
    first = await start("echo", terminal=Terminal())
    await read_until(first, b"size")
    first.type(b"one\r")
    async with asyncio.timeout(PATIENCE):
        seen = b""
        while b"you said one" not in seen:
            event = await first.read()
            assert isinstance(event, Chunk)
            seen += event.data
    first.leave()  # as a killed daemon would, with nothing of it taken

    second = Process(first.execution_id, first.folder)
    assert not second.give_up()
    assert b"one" in await read_until(second, b"you said one")
    second.type(b"bye\r")
    _, end = await finish(second)
    await second.release()

    assert end.code == 0
    assert left(second) == []


async def test_what_a_program_said_while_no_daemon_ran_is_there_for_the_next(start: Launch):
    process = await start("hello", "later")
    async with asyncio.timeout(PATIENCE):
        await process._runner.wait()

    said, end = await finish(later := Process(process.execution_id, process.folder))
    await later.release()

    assert (said["out"], end.code) == (b"hello later\n", 3)
    assert left(later) == []


async def test_a_program_that_no_daemon_could_find_again_is_ended(start: Launch):
    process = await start("patient")
    await read_until(process, b"waiting")

    shutil.rmtree(process.folder)
    _, end = await finish(process)
    await process.release()

    assert end.reason == "folder-gone"
    assert not process_group.members(process.execution_id, group=None)


@pytest.mark.usefixtures("small_disk")
async def test_what_a_program_said_on_a_full_disk_while_no_daemon_ran_is_there_for_the_next(
    start: Launch, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
):
    may_begin = tmp_path_factory.mktemp("gate") / "may-begin"
    process = await start("late", str(may_begin))
    async with asyncio.timeout(PATIENCE):
        while not (process.folder / "state.json").exists():  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
    with suppress(OSError), (tmp_path / "ballast").open("wb", buffering=0) as ballast:
        while ballast.write(bytes(512)):
            pass

    may_begin.touch()
    async with asyncio.timeout(PATIENCE):
        while process_group.members(process.execution_id, group=None):  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
    said, end = await finish(later := Process(process.execution_id, process.folder))
    await later.release()

    assert b"all done" in said["out"]
    assert end.code == 0
    assert left(later) == []


@pytest.mark.parametrize("victim", ["program", "runner"])
async def test_after_kill_9_nothing_is_left_and_the_end_is_true(start: Launch, victim: str):
    process = await start("family")
    await read_until(process, b"waiting")
    state = json.loads((process.folder / "state.json").read_text())

    os.kill(state[victim], signal.SIGKILL)
    _, end = await finish(process)
    await process.release()

    assert (end.signal, end.reason) == (("SIGKILL", None) if victim == "program" else (None, "lost"))
    assert left(process) == []


def test_without_proc_the_processes_are_found_by_ps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = subprocess.Popen(["sleep", "600"], start_new_session=True)
    marked = f"{process_group.EXECUTION_VARIABLE}=x_1"
    rows = [
        f"    1     1 Ss   /sbin/launchd A=b {process_group.EXECUTION_VARIABLE}=x_12",
        f"{program.pid} {program.pid} S+ sleep 600 HOME=/Users/ada {marked} TERM=dumb",
        f"999999 {program.pid} Z (sleep)",
        f"{os.getpid()} 7 R python {marked}",
        "999998 7 S",
        "a line of a variable",
    ]
    (tmp_path / "rows").write_text("\n".join(rows) + "\n")
    monkeypatch.setattr(process_group, "PROC", str(tmp_path))
    monkeypatch.setattr(process_group, "PS", ("/bin/cat", str(tmp_path / "rows")))

    by_id = process_group.members("x_1", group=None)
    by_group = process_group.members("x_2", group=program.pid)
    process_group.send("x_1", signal.SIGKILL, group=None)

    assert by_id == by_group == {program.pid}
    assert program.wait(timeout=60) == -signal.SIGKILL


async def test_a_launch_that_was_given_up_never_begins(start: Launch, tmp_path: Path):
    process = Process("x_0000000000", tmp_path / "x")
    process.folder.mkdir()
    (process.folder / "plan.json").write_text("{}")

    assert process.give_up()

    runner = await asyncio.create_subprocess_exec(sys.executable, "-m", "mission.runtime.runner", str(process.folder))
    assert await runner.wait() == 1
    assert await process.read() == Exit(reason="lost")
