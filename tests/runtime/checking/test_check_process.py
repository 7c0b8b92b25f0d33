"""Checks as real processes: how they run and end, what they leave, and what they print."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.ids import new_id
from mission.runtime.checking.check_process import Checks
from mission.services.checks.check_runner import CheckExit, CheckStart
from tests.runtime.checking.conftest import PATIENCE, Run, Start, has_printed, marked, plain, until

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a runner cannot adopt orphans")
PYTHON = shlex.quote(sys.executable)
NO_PROGRAM_ACCEPTS = "its command or environment has a character, such as NUL, that no program accepts"
DAEMON = """
import os, sys, time

WAITS = '''
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open("pid", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid", "daemon")
time.sleep(600)
'''
if os.fork():
    while not os.path.exists("daemon"):
        time.sleep(0.001)
    sys.exit(int(sys.argv[1]))
os.setsid()
if os.fork():
    os._exit(0)
os.execve(sys.executable, [sys.executable, "-c", WAITS], {} if sys.argv[2] == "hides" else dict(os.environ))
"""
"""Starts a daemon that ignores TERM, with a new session, no parent, and maybe no environment."""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


async def test_a_command_runs_in_its_directory_and_its_end_and_output_are_kept(
    checks: Checks, start: Start, tree: Path
):
    began = time.time()
    evidence_id = await start("pwd; echo oops >&2; echo done; exit 3")

    end = await checks.wait(evidence_id)

    said = f"{tree}\noops\ndone\n"
    assert plain(end) == CheckExit(exit_code=3, output_bytes=len(said), tail=said)
    assert end.seconds > 0
    assert end.started_at is not None
    assert began <= end.started_at <= time.time()
    assert checks.output(evidence_id).read_text() == said
    assert checks.stored() == [evidence_id]
    await checks.forget(evidence_id)
    assert checks.stored() == []


async def test_only_exit_code_0_passes(run: Run):
    assert (await run("true")).passed
    assert not (await run("false")).passed


async def test_a_check_is_not_an_execution_and_sees_only_its_environment(run: Run, tree: Path):
    end = await run("env", environment={"CI": "1", "SECRET": "x"})

    seen = dict(line.split("=", 1) for line in end.tail.splitlines())
    assert seen.pop("PWD") == str(tree)
    assert seen.pop("OPEN_MISSION_EVIDENCE_ID").startswith("ev_")
    assert not Path(seen.pop("TMPDIR")).exists()
    set_by_shells = {"_", "SHLVL", "OLDPWD"}
    assert {name: value for name, value in seen.items() if name not in set_by_shells} == {
        "PATH": os.environ["PATH"],
        "CI": "1",
        "SECRET": "x",
    }


async def test_a_check_reads_nothing_and_leads_its_own_session(run: Run):
    code = "import os, sys; print(sys.stdin.read() == '', os.getsid(0) == os.getpgid(0) == os.getpid())"

    assert (await run(f"exec {PYTHON} -c {shlex.quote(code)}")).tail == "True True\n"


async def test_the_temporary_folder_is_removed_with_its_content(run: Run):
    end = await run('mkdir "$TMPDIR/a" && touch "$TMPDIR/a/b" && chmod 500 "$TMPDIR/a" && echo "$TMPDIR"')

    assert end.passed
    assert not Path(end.tail.strip()).exists()


@pytest.mark.parametrize(
    ("command", "code"), [("no-such-command-anywhere", 127), ("./plain", 126), ("exit 126", 126), ("kill -9 $$", None)]
)
async def test_the_exit_code_says_what_the_shell_cannot_run(run: Run, tree: Path, command: str, code: int | None):
    (tree / "plain").write_text("not executable")

    end = await run(command)

    assert (end.exit_code, end.signal, end.error) == (code, None if code else "SIGKILL", None)
    assert not end.passed


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"directory": Path("/nowhere")}, "its working directory cannot be used: No such file or directory"),
        ({"directory": Path("/dev/null")}, "its working directory cannot be used: Not a directory"),
        ({"environment": {"A": "\0"}}, NO_PROGRAM_ACCEPTS),
        ({"environment": {"A": "x" * 4_000_000}}, "Argument list too long"),
        ({"command": "true \0 false"}, NO_PROGRAM_ACCEPTS),
        ({"command": "true \ud800"}, NO_PROGRAM_ACCEPTS),
    ],
)
async def test_a_check_that_cannot_start_says_why(run: Run, options: dict[str, Any], error: str):
    end = await run(**{"command": "true", **options})

    assert plain(end) == CheckExit(error=error)
    assert not end.passed


async def test_a_directory_removed_while_the_check_runs_is_an_error_whatever_the_exit_code(run: Run, tree: Path):
    end = await run('cd / && rmdir "$OLDPWD"')

    assert (end.exit_code, end.error) == (None, "its working directory was removed while it ran")
    assert not end.passed


@pytest.mark.parametrize("in_the_way", ["home", "folder"])
async def test_where_no_files_can_be_made_the_check_is_an_error(
    checks: Checks, home: Path, tree: Path, in_the_way: str
):
    evidence_id = new_id("evidence")
    path = home if in_the_way == "home" else home / evidence_id
    path.parent.mkdir(exist_ok=True)
    path.touch()

    await checks.start(CheckStart(evidence_id=evidence_id, command="true", directory=tree, environment={}, seconds=9))
    end = await checks.wait(evidence_id)

    assert plain(end) == CheckExit(error="it could not be started: File exists")
    assert not end.passed
    await checks.forget(evidence_id)
    assert path.exists()


@pytest.mark.parametrize("name", ["x_0000000000", "ev_../../../x", "ev_", "", "."])
async def test_only_an_evidence_id_names_a_folder(checks: Checks, name: str):
    with pytest.raises(InvalidInput):
        await checks.wait(name)
    with pytest.raises(InvalidInput):
        await checks.forget(name)
    with pytest.raises(InvalidInput):
        checks.output(name)


async def test_a_check_is_started_once_however_often_that_is_requested(checks: Checks, tree: Path):
    environment = dict(os.environ)
    start = CheckStart(
        evidence_id=new_id("evidence"), command="echo x >> ran", directory=tree, environment=environment, seconds=60
    )

    await checks.start(start)
    await checks.start(start)
    await checks.wait(start.evidence_id)
    await checks.start(start)
    again = await checks.wait(start.evidence_id)

    assert again.exit_code == 0
    assert (tree / "ran").read_text() == "x\n"


async def test_several_may_wait_for_one_check_and_one_may_leave(checks: Checks, start: Start, tree: Path):
    evidence_id = await start("until [ -e continue ]; do sleep 0.01; done")
    waiting = [asyncio.create_task(checks.wait(evidence_id)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    (tree / "continue").touch()

    ends = await asyncio.gather(*waiting, return_exceptions=True)

    assert isinstance(ends[0], asyncio.CancelledError)
    assert ends[1] == ends[2] == await checks.wait(evidence_id)


async def test_a_check_that_ignores_term_is_killed_after_its_time(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("mission.runtime.checking.check_folder.GRACE_SECONDS", 0.2)

    end = await run("trap '' TERM; (trap '' TERM; sleep 600) & echo started; while :; do sleep 600; done", seconds=0.5)

    assert plain(end) == CheckExit(timed_out=True, output_bytes=8, tail="started\n")
    assert 0.5 <= end.seconds < PATIENCE


async def test_a_check_that_reports_success_when_its_time_is_up_has_not_passed(run: Run):
    end = await run("trap 'exit 0' TERM; sleep 600 & wait", seconds=0.2)

    assert (end.timed_out, end.exit_code, end.passed) == (True, None, False)


@LINUX
@pytest.mark.parametrize("environment", ["hides", "inherits"])
@pytest.mark.parametrize("code", [0, 5])
async def test_a_daemon_that_a_check_leaves_is_ended_with_it(
    run: Run, tree: Path, environment: str, code: int, monkeypatch: pytest.MonkeyPatch
):
    (tree / "fork.py").write_text(DAEMON)

    end = await run(f"{PYTHON} fork.py {code} {environment}")

    assert (end.exit_code, end.left_over) == (code, 1)
    assert not is_alive(int((tree / "daemon").read_text()))


@LINUX
async def test_a_daemon_is_ended_when_the_time_of_its_check_is_up(
    run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mission.runtime.checking.check_folder.GRACE_SECONDS", 0.2)
    (tree / "fork.py").write_text(DAEMON)

    end = await run(f"{PYTHON} fork.py 0 hides; sleep 600", seconds=5)

    assert end.timed_out
    assert not is_alive(int((tree / "daemon").read_text()))


async def test_a_background_process_that_holds_the_output_open_does_not_delay_the_end(run: Run):
    end = await run("sleep 600 & echo done")

    assert (end.exit_code, end.left_over, end.tail) == (0, 1, "done\n")


async def test_a_check_without_any_cpu_use_is_ended(run: Run):
    end = await run("echo waiting; exec sleep 600", idle_seconds=0.5)

    assert plain(end) == CheckExit(idle=True, output_bytes=8, tail="waiting\n")
    assert not end.passed


@pytest.mark.parametrize("busy", ["while :; do :; done", "while :; do sleep 0.05; done", "while echo; do :; done"])
async def test_a_check_that_uses_the_cpu_is_not_idle(run: Run, busy: str):
    end = await run(busy, idle_seconds=1, seconds=3)

    assert (end.idle, end.timed_out) == (False, True)


async def test_an_idle_check_is_left_alone_while_that_is_allowed(checks: Checks, start: Start, tree: Path):
    evidence_id = await start("until [ -e continue ]; do :; done; exec sleep 600", idle_seconds=0.5)
    await checks.allow_idle(evidence_id, allowed=True)
    (tree / "continue").touch()
    waiting = asyncio.create_task(checks.wait(evidence_id))
    done, _ = await asyncio.wait([waiting], timeout=2)
    assert not done

    await checks.allow_idle(evidence_id, allowed=False)

    async with asyncio.timeout(PATIENCE):
        assert (await waiting).idle


async def test_a_check_can_be_stopped(checks: Checks, start: Start, tree: Path):
    evidence_id = await start("touch ready; sleep 600")
    await until((tree / "ready").exists)

    async with asyncio.timeout(PATIENCE):
        end = await checks.stop(evidence_id)

    assert plain(end) == CheckExit(stopped=True)
    assert marked(evidence_id) == set()


async def test_a_check_that_is_stopped_at_once_never_passes_without_having_run(
    checks: Checks, start: Start, tree: Path
):
    evidence_id = await start("touch ran")

    async with asyncio.timeout(PATIENCE):
        end = await checks.stop(evidence_id)

    assert end.passed != end.stopped
    assert end.stopped or (tree / "ran").exists()


async def test_stopping_an_ended_check_returns_its_end(checks: Checks, start: Start):
    ended = await checks.wait(evidence_id := await start("exit 4"))

    assert await checks.stop(evidence_id) == ended
    assert ended.exit_code == 4


async def test_forgetting_a_running_check_ends_it(checks: Checks, start: Start, tree: Path):
    evidence_id = await start("touch ready; sleep 600")
    await until((tree / "ready").exists)

    async with asyncio.timeout(PATIENCE):
        await checks.forget(evidence_id)

    assert marked(evidence_id) == set()
    assert checks.stored() == []


async def test_200_mb_of_output_fill_neither_disk_nor_memory(checks: Checks, start: Start, home: Path):
    line = "x" * 99
    evidence_id = await start(f"echo first; yes {line} | head -n 2000000; echo last")
    largest, waiting = 0, asyncio.create_task(checks.wait(evidence_id))
    while not (await asyncio.wait([waiting], timeout=0.02))[0]:
        largest = max(largest, sum(sizes(home / evidence_id)))
    end = await waiting

    assert (end.exit_code, end.output_bytes) == (0, 200_000_000 + 11)
    assert largest < 6 * 1024 * 1024
    text = checks.output(evidence_id).read_text()
    head, left_out, tail = re.split(r"\n\[… ([\d,]+) bytes left out …\]\n", text)
    assert len(head) + int(left_out.replace(",", "")) + len(tail) == end.output_bytes
    assert head.startswith(f"first\n{line}\n")
    assert tail.endswith(f"{line}\nlast\n")
    assert set(head.splitlines()) | set(tail.splitlines()) == {"first", line, "last"}
    assert end.tail == text[-4_000:]


def sizes(folder: Path) -> Iterator[int]:
    for path in folder.iterdir():
        try:
            yield path.stat().st_size
        except FileNotFoundError:
            continue


async def test_output_is_read_by_whole_lines_while_the_check_runs(checks: Checks, start: Start, home: Path, tree: Path):
    evidence_id = await start(
        "echo one; printf 's3cret-'; touch ready; until [ -e continue ]; do sleep 0.01; done; echo s3cret; echo two"
    )
    await until((tree / "ready").exists)
    await until(lambda: has_printed(home / evidence_id))
    piece = await checks.read_output(evidence_id)
    assert (piece.text, piece.next_offset, piece.ended) == ("one\n", 4, False)
    assert (await checks.read_output(evidence_id, offset=4)).text == ""

    (tree / "continue").touch()
    end = await checks.wait(evidence_id)

    piece = await checks.read_output(evidence_id, offset=4)
    assert (piece.text, piece.ended) == ("one\n***\ntwo\n", True)
    assert end.tail == checks.output(evidence_id).read_text() == "one\n***\ntwo\n"


async def test_no_file_of_an_ended_check_has_a_secret_that_it_printed(checks: Checks, start: Start, home: Path):
    secret = {"TOKEN": "s3cret-s3cret"}
    await checks.wait(evidence_id := await start("echo $TOKEN", environment=secret))

    files = list((home / evidence_id).iterdir())
    assert {path.name for path in files if b"s3cret" in path.read_bytes()} == set()
    assert {path.stat().st_mode & 0o077 for path in files} == {0}
