"""`mission up`, `down`, `status`, `logs`: the daemon's life as a person leads it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import stat
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from mission.app import App
from mission.domain.errors import TransientError
from mission.domain.timestamps import format_time, utc_now
from mission.settings import Settings
from mission.transports.bridge import daemon_process
from mission.transports.cli import daemon_client as client
from mission.transports.cli.main import cli
from mission.transports.cli.system.daemon import JUST_NOW, at_work, down, status
from tests import fault_cases
from tests.test_home import UNUSABLE_TOKENS
from tests.transports.cli.program import PROGRAM, Program, program
from tests.transports.live_server import until

HALF_UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nContent-Length: 5\r\n\r\n"
)


def test_from_nothing_to_running_and_back(tmp_path: Path) -> None:
    with program(tmp_path / "not" / "yet" / "there") as mission:
        before = mission.run("status", "--json")
        started = mission.does("up", "--detach")
        again = mission.does("up")
        elsewhere = mission.refuses("up", "--port", "1")
        beyond = mission.refuses("up", "--detach", "--host", "0.0.0.0")
        running = mission.does("status")
        words = mission.run("status")
        log = mission.does("logs", "-n", "5")
        stopped = mission.does("down")
        after = mission.does("down")
        gone = mission.run("status")

    assert (before.code, before.json) == (1, {"running": False, "home": str(mission.home)})
    assert again == started
    assert beyond["message"] == elsewhere["message"]
    assert elsewhere["message"] == f"Mission Control is already running at {started['url']}"
    assert running["url"] == started["url"]
    assert running["pid"] == started["pid"]
    assert (running["running"], running["open_missions"], running["agents_online"]) == (True, 0, 0)
    assert started["url"] in words.out
    assert 0 < len(log["lines"]) <= 5
    assert (stopped, after) == ({"stopped": True}, {"stopped": False})
    assert gone.code == 1
    assert "stopped with 'mission down'" in gone.out
    assert not (mission.home / "daemon.json").exists()
    for name in ("token", "daemon.log"):
        assert stat.S_IMODE((mission.home / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(mission.home.stat().st_mode) == 0o700


def test_in_the_foreground_it_says_where_it_runs_and_ends_on_ctrl_c(fresh: Program) -> None:
    fresh.environment["MISSION_PROT"] = "1"
    process = fresh.start()
    running = fresh.running()
    assert running is not None
    assert stat.S_IMODE((fresh.home / "daemon.json").stat().st_mode) == 0o600

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert process.returncode == 0, err
    assert f"Mission Control is running at {running.url}" in out
    assert "did you mean MISSION_PORT?" in err
    assert not (fresh.home / "daemon.json").exists()


def test_a_log_file_names_the_address_without_instructions(fresh: Program, tmp_path: Path) -> None:
    log = tmp_path / "mission.log"
    with log.open("w") as out:
        process = fresh.start(stdout=out)
        running = fresh.running()
        assert running is not None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    assert log.read_text() == f"Mission Control is running at {running.url} (process {running.pid})\n"


def test_a_second_ctrl_c_and_a_request_that_never_ends_leave_no_traceback(fresh: Program) -> None:
    process = fresh.start()
    running = fresh.running()
    assert running is not None
    host, port = running.url.removeprefix("http://").split(":")
    head = f"POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {running.token}\r\nContent-Length: 9\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(f"GET /api/health HTTP/1.1\r\nHost: {host}\r\n\r\n{head}".encode())
        assert b"200 OK" in line.recv(65536)

        process.send_signal(signal.SIGINT)
        until(lambda: is_refused(host, int(port)))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    log = (fresh.home / "daemon.log").read_text()
    assert (process.returncode, "Traceback" in f"{out}{err}{log}") == (0, False)
    assert log.rstrip().endswith("stopped")


def is_refused(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=60).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_database_that_was_emptied_is_not_taken_for_a_new_one(fresh: Program, tmp_path: Path) -> None:
    fresh.does("up", "--detach")
    mission = fresh.call("start_mission", name="Auth", objective="It works")["mission_id"]
    fresh.does("down")
    kept = str(tmp_path / "kept.zip")
    fresh.does("backup", kept)
    for left in fresh.home.glob("mission.db-*"):
        left.unlink()
    fresh.settings.sqlite_path.write_bytes(b"")

    refused = [fresh.refuses("up"), fresh.refuses("up", "--detach")]
    [found] = [each for each in fresh.run("doctor", "--json").json["findings"] if each["check"] == "database"]
    for error in refused:
        assert f"{fresh.settings.sqlite_path} is empty, but it contained data before" in error["message"]
        assert "mission restore" in f"{error['message']} {error['hint']}"
        assert "remove the file" in f"{error['message']} {error['hint']}"
    assert (found["status"], "is empty" in found["message"]) == ("problem", True)
    assert fresh.settings.sqlite_path.stat().st_size < 10_000

    fresh.does("restore", kept, "--yes")
    fresh.does("up", "--detach")
    assert fresh.call("get_context", mission_id=mission, include=["tasks"])["mission_name"] == "Auth"
    fresh.does("down")
    fresh.settings.sqlite_path.unlink()
    fresh.does("up", "--detach")
    assert fresh.call("workflow_list")["workflows"] == []


def test_a_first_start_that_was_cut_off_and_a_restore_that_failed_leave_a_home_that_starts(
    fresh: Program, tmp_path: Path
) -> None:
    fresh.home.mkdir(exist_ok=True)
    fresh.settings.sqlite_path.touch()
    (tmp_path / "bad.zip").write_bytes(b"nothing")
    fresh.refuses("restore", str(tmp_path / "bad.zip"), "--yes")

    assert fresh.does("up", "--detach")["url"]


@pytest.mark.faults
@pytest.mark.parametrize(("content", "reason"), fault_cases.sample(UNUSABLE_TOKENS, size=2))
def test_a_token_that_cannot_be_read_is_named_with_what_to_do(fresh: Program, content: bytes, reason: str) -> None:
    fresh.home.mkdir(exist_ok=True)
    file = fresh.settings.token_path
    file.write_bytes(content)

    refused = [fresh.refuses("up"), fresh.refuses("up", "--detach"), fresh.refuses("token", "show")]
    for error in refused:
        assert f"{file} is {reason}" in error["message"]
        assert "mission token rotate" in f"{error['message']} {error['hint']}"
        assert "delete the file" in f"{error['message']} {error['hint']}"
    assert file.read_bytes() == content

    fresh.does("token", "rotate")
    assert fresh.does("up", "--detach")["url"]


def test_a_token_file_that_was_removed_is_made_again(fresh: Program) -> None:
    first = fresh.does("token", "show")["token"]
    fresh.settings.token_path.unlink()

    assert fresh.does("token", "show")["token"] not in ("", first)


@pytest.mark.parametrize("damage", ["overwritten", "removed"])
def test_a_list_of_signed_out_sessions_that_cannot_be_read_is_named_and_stops_nothing(
    fresh: Program, damage: str
) -> None:
    fresh.does("token", "show")
    if damage == "removed":
        fresh.settings.sessions_path.unlink()
    else:
        fresh.settings.sessions_path.write_bytes(b"\xff\xfe\x00")

    fresh.does("up", "--detach")
    log = fresh.settings.log_path.read_text()
    assert f"{fresh.settings.sessions_path} cannot be read" in log
    assert "sign in again, with 'mission open'" in log


def test_a_first_start_and_a_new_token_lose_no_sessions(fresh: Program) -> None:
    fresh.does("up", "--detach")
    fresh.does("token", "rotate")

    assert "sign in again" not in fresh.settings.log_path.read_text()


@pytest.mark.faults
@pytest.mark.parametrize(
    ("soft", "hard", "allowed"),
    fault_cases.sample([(256, 4096, 4096), (256, 100_000, 65_536), (300, 300, 300)], size=1),
)
def test_a_daemon_opens_as_many_files_as_its_user_may(fresh: Program, soft: int, hard: int, allowed: int) -> None:
    hard = min(hard, resource.getrlimit(resource.RLIMIT_NOFILE)[1])

    fresh.does("up", "--detach", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))

    running = fresh.running()
    assert running is not None
    assert resource.prlimit(running.pid, resource.RLIMIT_NOFILE) == (min(allowed, hard), hard)


@pytest.mark.faults
@pytest.mark.parametrize(
    "sent", fault_cases.sample([b"", b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", HALF_UPGRADE], size=1)
)
def test_connections_of_strangers_never_take_all_files_of_a_daemon(fresh: Program, sent: bytes) -> None:
    fresh.does("up", "--detach", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))
    running = fresh.running()
    assert running is not None
    where = urlsplit(running.url)

    with ExitStack() as stack:
        for _ in range(400):
            line = stack.enter_context(socket.create_connection((where.hostname, where.port), timeout=60))
            with suppress(ConnectionResetError, BrokenPipeError):
                line.sendall(sent)
        assert fresh.call("workflow_list")["workflows"] == []


def test_a_taken_port_is_named(fresh: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        refused = fresh.refuses("up", "--port", port)
        detached = fresh.refuses("up", "--port", port, "--detach")

    assert refused["code"] == "INVALID_STATE"
    assert f"127.0.0.1:{port}" in refused["message"]
    assert "--port" in refused["hint"]
    assert port in detached["message"]


def test_a_second_daemon_of_the_same_home_is_refused_even_when_the_first_is_not_found(fresh: Program) -> None:
    """The lock decides. Under --json the first daemon says where it runs, and nothing else."""
    process = fresh.start("--json")
    running = fresh.running()
    assert running is not None
    (fresh.home / "daemon.json").unlink()

    refused = fresh.refuses("up")
    process.terminate()
    out, _ = process.communicate(timeout=60)

    assert "already running" in refused["message"]
    assert json.loads(out) == {"url": running.url, "pid": running.pid}


def test_down_asks_while_agents_have_tasks_in_hand(fresh: Program) -> None:
    ada = fresh.call("agent_register", name="ada", runtime="codex")["id"]
    mission = fresh.call("start_mission", name="m", objective="o")["mission_id"]
    fresh.call("start_task", mission_id=mission, name="t", goal="g", agent_id=ada)

    refused = fresh.refuses("down")
    words = fresh.run("down")

    assert refused["code"] == "INVALID_STATE"
    assert "ada" in refused["message"]
    assert "--force" in refused["hint"]
    assert words.code == 1
    assert "ada" in words.err
    assert fresh.running() is not None
    assert fresh.does("down", "--force") == {"stopped": True}
    assert fresh.running() is None


def test_down_returns_while_a_repository_gives_no_answer(fresh: Program, repository: Path) -> None:
    os.mkfifo(repository / "src" / ".gitignore")
    mission = fresh.call("start_mission", name="m", objective="o")["mission_id"]
    running = fresh.running()
    assert running is not None
    wish = {"mission_id": mission, "name": "t", "goal": "g", "repository_path": str(repository)}
    calls = [fresh.begin("call", "start_task", json.dumps(wish)) for _ in range(5)]
    until(lambda: b"git" in b"".join(path.read_bytes() for path in children(running.pid)))

    stopped = fresh.does("down")
    answers = [call.wait(60) for call in calls]

    assert stopped == {"stopped": True}
    assert fresh.running() is None
    assert 0 not in answers


def children(pid: int) -> list[Path]:
    """Where the system tells the names of the programs that a process started."""
    listed = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [path for ids in listed for id in ids if (path := Path(f"/proc/{id}/comm")).exists()]


def test_a_command_starts_the_daemon_it_needs_also_after_it_was_killed(fresh: Program) -> None:
    listed = fresh.does("missions")
    first = fresh.running()
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: fresh.running() is None)

    again = fresh.does("missions")
    second = fresh.running()

    assert listed == again == {"workflows": [], "total": 0}
    assert second is not None
    assert second.pid != first.pid


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["logs", "-n", "-1"],
        ["agent", "create", "--type", "worker", "--name", "x", "--expires", "5y"],
        ["up", "--port", "many"],
        ["missions", "--limit", "0"],
        ["call", "start_mission", "{"],
        ["call", "start_mission", "[]"],
        ["delete", "m_1", "--json"],
        ["tools", "nonsense"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_apart_from_refusal(mission: Program, arguments: list[str]) -> None:
    run = CliRunner().invoke(cli, arguments, env=mission.environment)

    assert (run.exit_code, run.stdout) == (2, "")
    assert run.stderr


def test_wrong_usage_ends_the_process_with_a_code_of_its_own(mission: Program) -> None:
    run = mission.run("nonsense")

    assert (run.code, run.out) == (2, "")
    assert run.err


def test_a_database_that_cannot_be_opened_is_explained(fresh: Program) -> None:
    fresh.environment["MISSION_DATABASE_URL"] = "postgresql://ada:pa55word@127.0.0.1:1/mission"

    error = fresh.refuses("up")

    assert error["code"] == "TRANSIENT_ERROR"
    assert "port 1 failed: Connection refused" in error["message"]
    assert "database_url" in error["hint"]
    assert "pa55word" not in str(error)


def test_a_bad_setting_is_explained(fresh: Program) -> None:
    too_high = fresh.refuses("up", "--port", "70000")
    (fresh.home / "settings.toml").write_text("prot = 5\n")
    error = fresh.refuses("up")

    assert error["code"] == "INVALID_INPUT"
    assert "65535" in too_high["message"]
    assert "prot" in error["message"]
    assert "port" in error["message"]


def test_a_daemon_without_its_database_is_seen_to_run_and_stops_when_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise daemon_process.ToolFailed(
            TransientError("the database cannot be reached right now").as_dict(), status=503
        )

    def hang(*_: Any, timeout: float, **__: Any) -> None:
        raise daemon_process.DaemonUnavailable(f"no answer in {timeout:.0f} seconds", hint="Wait.")

    stopped: list[int] = []
    running = daemon_process.Daemon(url="http://127.0.0.1:1", token="t", pid=1, version="1")
    monkeypatch.setattr(daemon_process, "find", lambda _: running)
    monkeypatch.setattr(daemon_process, "stop", lambda _, daemon: stopped.append(daemon.pid))
    monkeypatch.setattr(client, "call", refuse)

    shown = CliRunner().invoke(status, [])
    refused = CliRunner().invoke(down, [])
    forced = CliRunner().invoke(down, ["--force"])
    monkeypatch.setattr(client, "call", hang)
    hanging = CliRunner().invoke(down, [])
    monkeypatch.setattr(daemon_process, "find", lambda _: None)
    monkeypatch.setattr(daemon_process, "holder", lambda _: running)
    silent = CliRunner().invoke(down, ["--force"])

    assert [run.exit_code for run in (shown, refused, forced, hanging, silent)] == [0, 1, 0, 1, 0]
    assert "is running at http://127.0.0.1:1" in shown.output
    assert "the database cannot be reached" in shown.output
    assert "Use --force to stop the daemon anyway" in refused.output
    assert "no answer in 10 seconds" in hanging.output
    assert "Use --force to stop the daemon anyway" in hanging.output
    assert stopped == [1, 1]


def test_a_daemon_that_was_suspended_is_stopped_too(sqlite_settings: Settings) -> None:
    suspended = subprocess.Popen(["sleep", "600"])
    suspended.send_signal(signal.SIGSTOP)

    daemon_process.stop(
        sqlite_settings, daemon_process.Daemon(url="http://127.0.0.1:1", token="t", pid=suspended.pid, version="1")
    )

    assert suspended.wait(timeout=60) == -signal.SIGTERM


async def test_a_daemon_tells_that_it_lives_while_its_database_is_out_of_reach(
    sqlite_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: Any, **__: Any) -> None:
        raise TransientError("the database cannot be reached right now")

    app = App(sqlite_settings, role="a test")
    monkeypatch.setattr(app.database, "read", refuse)

    assert await app.health() == {"executions": None}
    app.backend.close()


def test_only_what_an_agent_does_makes_it_at_work() -> None:
    now = utc_now()
    idle = {
        "state": "IDLE",
        "currentTaskId": None,
        "tmuxSessionName": None,
        "lastActiveAt": format_time(now - JUST_NOW),
    }
    agents = [
        {**idle, "name": "done for now"},
        {**idle, "name": "just called", "lastActiveAt": format_time(now)},
        {**idle, "name": "has a task", "state": "BUSY", "currentTaskId": "t_1"},
        {**idle, "name": "says it is busy", "state": "BUSY"},
        {**idle, "name": "runs", "state": "WAITING", "currentTaskId": "t_2", "tmuxSessionName": "x_1"},
        {**idle, "name": "asked and ended", "state": "WAITING", "currentTaskId": "t_3"},
        {**idle, "name": "lost its lease", "state": "FAILED", "currentTaskId": "t_4"},
    ]

    assert at_work(agents, now=now) == ["just called", "has a task", "runs"]


def test_what_a_person_stopped_stays_stopped_until_they_start_it(fresh: Program) -> None:
    fresh.does("up", "--detach")
    fresh.does("down")

    refused = fresh.refuses("missions")
    bridge = fresh.run("mcp", stdin='{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
    words, facts = fresh.run("status"), fresh.run("status", "--json").json
    assert fresh.running() is None
    fresh.does("up", "--detach")

    assert refused["message"] == "Mission Control was stopped with 'mission down'."
    assert "mission up" in refused["hint"]
    assert "stopped with 'mission down'" in bridge.json["error"]["message"]
    assert words.out.startswith("Mission Control was stopped with 'mission down' (just now).\n")
    assert facts.keys() == {"running", "home", "stopped_at"}
    assert fresh.does("missions")["total"] == 0


def test_an_agent_that_polls_does_not_bring_back_a_daemon_that_a_person_stopped(fresh: Program) -> None:
    fresh.does("up", "--detach")
    with subprocess.Popen(
        [*PROGRAM, "mcp"], env=fresh.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        asked = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'
        bridge.stdin.write(asked)
        bridge.stdin.flush()
        before = json.loads(bridge.stdout.readline())
        fresh.does("down", "--force")
        bridge.stdin.write(asked)
        bridge.stdin.close()
        after = json.loads(bridge.stdout.readline())

    assert "result" in before
    assert "mission up" in after["error"]["message"]
    assert fresh.running() is None


def test_a_daemon_that_was_killed_is_started_by_the_next_command_and_status_says_so(fresh: Program) -> None:
    words = fresh.run("status")

    assert words.code == 1
    assert words.out.startswith("Mission Control is not running.\n  The next agent or command that needs it starts it.")
