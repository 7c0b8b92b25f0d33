"""The hooks of agent clients: they keep Mission Control informed and never get in the client's way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mission import __version__

SESSION = "0bc917dd-cee5-41ef-beb7-f0160d3953fc"

STARTS = {
    "claude-code": ("SessionStart", {"session_id": SESSION, "cwd": "/src/shop", "source": "startup"}),
    "codex": ("SessionStart", {"session_id": SESSION, "cwd": "/src/shop", "model": "x"}),
    "opencode": ("session.start", {"session_id": SESSION, "cwd": "/src/shop"}),
    "copilot-cli": ("sessionStart", {"sessionId": SESSION, "cwd": "/src/shop", "source": "new"}),
    "gemini-cli": ("SessionStart", {"session_id": SESSION, "cwd": "/src/shop", "source": "startup"}),
    "cursor": ("sessionStart", {"conversation_id": SESSION, "workspace_roots": ["/src/shop"]}),
}
ENDS = {"opencode": "session.end", "copilot-cli": "sessionEnd", "cursor": "sessionEnd"}
SIGNS_OF_LIFE = [
    ("claude-code", "PostToolUse"),
    ("claude-code", "Stop"),
    ("codex", "Stop"),
    ("opencode", "tool.execute.after"),
    ("copilot-cli", "agentStop"),
    ("gemini-cli", "AfterAgent"),
    ("cursor", "stop"),
]


class Daemon:
    """A stand-in for the daemon: it notes the calls and answers them."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.unknown: set[str] = set()
        self.refuses = False
        self.answers = threading.Event()
        self.answers.set()

    def answer(self, name: str, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.calls.append((name, arguments))
        self.answers.wait(20)
        if self.refuses:
            return 403, {"error": {"code": "PERMISSION_DENIED", "message": "no"}}
        if arguments.get("agent_id") in self.unknown:
            return 404, {"error": {"code": "AGENT_NOT_FOUND", "message": "no such agent"}}
        return 200, {"id": f"a_{len(self.calls):010}", "success": True}

    @contextmanager
    def listening(self, home: Path) -> Iterator[None]:
        daemon = self

        class Door(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._write(200, {"status": "ok", "pid": os.getpid(), "version": __version__, "executions": 0})

            def do_POST(self) -> None:
                arguments = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self._write(*daemon.answer(self.path.rpartition("/")[2], arguments))

            def _write(self, status: int, answer: dict[str, Any]) -> None:
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return None

        server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        home.mkdir(parents=True)
        (home / "daemon.json").write_text(
            json.dumps({"url": url, "token": "t", "pid": os.getpid(), "version": __version__})
        )
        try:
            yield
        finally:
            self.answers.set()
            server.shutdown()
            server.server_close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "mission"


@pytest.fixture
def daemon(home: Path) -> Iterator[Daemon]:
    daemon = Daemon()
    with daemon.listening(home):
        yield daemon


def hook(home: Path, *arguments: str, given: Any = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a hook as a client does; whatever happens it prints nothing and its exit code is 0."""
    text = given if isinstance(given, str) else json.dumps(given)
    result = subprocess.run(
        [sys.executable, "-m", "mission", "hook", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=30,
        env={"PATH": os.environ["PATH"], "HOME": str(home.parent), "MISSION_HOME": str(home), **environment},
    )
    assert (result.returncode, result.stdout) == (0, "")
    if "MISSION_HOOK_DEBUG" not in environment:
        assert result.stderr == ""
    return result


def session_file(home: Path) -> Path:
    return home / "sessions" / f"{SESSION}.json"


def let_time_pass(home: Path, seconds: float = 60) -> None:
    os.utime(session_file(home), (time.time() - seconds,) * 2)


@pytest.mark.parametrize("client", STARTS)
def test_a_session_is_registered_at_its_start_and_released_at_its_end(client: str, home: Path, daemon: Daemon) -> None:
    event, given = STARTS[client]

    hook(home, client, event, given=given)

    assert daemon.calls == [
        (
            "agent_register",
            {
                "name": f"{client}-0bc917",
                "runtime": "custom" if client == "cursor" else client.replace("-", "_"),
                "role": "coordinator",
                "workspace_path": "/src/shop",
                "metadata": {"session_id": SESSION, "client": client},
            },
        )
    ]
    assert json.loads(session_file(home).read_text()) == {"agent_id": "a_0000000001"}
    assert session_file(home).stat().st_mode & 0o777 == 0o600

    hook(home, client, ENDS.get(client, "SessionEnd"), given=given)

    assert daemon.calls[1:] == [("agent_unregister", {"id": "a_0000000001"})]
    assert not session_file(home).exists()


@pytest.mark.parametrize(("client", "event"), SIGNS_OF_LIFE)
def test_what_happens_in_between_is_a_sign_of_life(client: str, event: str, home: Path, daemon: Daemon) -> None:
    start, given = STARTS[client]
    hook(home, client, start, given=given)
    let_time_pass(home)

    hook(home, client, event, given=given)

    assert daemon.calls[1:] == [("agent_heartbeat", {"agent_id": "a_0000000001"})]


def test_signs_of_life_are_sent_at_most_every_ten_seconds(home: Path, daemon: Daemon) -> None:
    hook(home, "claude-code", "SessionStart", given={"session_id": SESSION})
    let_time_pass(home)

    for _ in range(3):
        hook(home, "claude-code", "PostToolUse", given={"session_id": SESSION})

    assert [name for name, _ in daemon.calls] == ["agent_register", "agent_heartbeat"]


def test_a_session_that_starts_again_is_the_same_agent(home: Path, daemon: Daemon) -> None:
    hook(home, "claude-code", "SessionStart", given={"session_id": SESSION, "source": "startup"})
    let_time_pass(home)
    hook(home, "claude-code", "SessionStart", given={"session_id": SESSION, "source": "compact"})

    assert [name for name, _ in daemon.calls] == ["agent_register", "agent_heartbeat"]


def test_a_sign_of_life_of_an_unknown_session_registers_it(home: Path, daemon: Daemon) -> None:
    hook(home, "gemini-cli", "AfterTool", given={"session_id": SESSION})

    assert [name for name, _ in daemon.calls] == ["agent_register"]
    assert session_file(home).exists()


def test_a_hook_that_comes_after_the_end_does_not_bring_the_agent_back_but_a_new_start_does(
    home: Path, daemon: Daemon
) -> None:
    for event in ("session.start", "session.end", "tool.execute.after", "session.start"):
        hook(home, "opencode", event, given={"session_id": SESSION})

    assert [name for name, _ in daemon.calls] == ["agent_register", "agent_unregister", "agent_register"]


def test_an_agent_that_mission_control_forgot_is_registered_anew(home: Path, daemon: Daemon) -> None:
    hook(home, "codex", "SessionStart", given={"session_id": SESSION})
    let_time_pass(home)
    daemon.unknown.add("a_0000000001")

    hook(home, "codex", "PostToolUse", given={"session_id": SESSION})

    assert [name for name, _ in daemon.calls] == ["agent_register", "agent_heartbeat", "agent_register"]
    assert json.loads(session_file(home).read_text()) == {"agent_id": "a_0000000003"}


def test_several_hooks_at_once_register_one_agent(home: Path, daemon: Daemon) -> None:
    daemon.answers.clear()
    threads = [
        threading.Thread(target=hook, args=(home, "codex", "PostToolUse"), kwargs={"given": {"session_id": SESSION}})
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 20
    while not daemon.calls and time.monotonic() < deadline:
        time.sleep(0.01)
    daemon.answers.set()
    for thread in threads:
        thread.join()

    assert [name for name, _ in daemon.calls] == ["agent_register"]


def test_a_refused_registration_is_not_repeated_by_every_tool_call(home: Path, daemon: Daemon) -> None:
    daemon.refuses = True
    for _ in range(3):
        hook(home, "codex", "PostToolUse", given={"session_id": SESSION})

    assert [name for name, _ in daemon.calls] == ["agent_register"]


@pytest.mark.parametrize(
    ("session", "name"),
    [
        (SESSION, "codex-0bc917"),
        ("01a1e232-ef30-7f50-8174-616f7e60fef6", "codex-60fef6"),
        ("ses_e1dccded7ffe3tPg8ekNkrZTu1", "codex-krZTu1"),
        ("abc", "codex-abc"),
    ],
)
def test_the_name_takes_the_part_of_the_id_that_differs(session: str, name: str, home: Path, daemon: Daemon) -> None:
    hook(home, "codex", "SessionStart", given={"session_id": session})

    assert [arguments["name"] for _, arguments in daemon.calls] == [name]


def test_sessions_that_never_ended_are_forgotten_after_a_week(home: Path, daemon: Daemon) -> None:
    old = home / "sessions" / "old.json"
    old.parent.mkdir()
    old.write_text('{"agent_id": "a_1"}')
    ended = old.with_name("other.ended")
    ended.touch()
    for file, days in ((old, 8), (ended, 1)):
        os.utime(file, (time.time() - days * 24 * 3600,) * 2)

    hook(home, "codex", "SessionStart", given={"session_id": SESSION})

    assert [file.name for file in old.parent.iterdir()] == [session_file(home).name]


def test_a_daemon_that_hangs_holds_the_client_up_for_three_seconds_at_most(home: Path, daemon: Daemon) -> None:
    daemon.answers.clear()
    begin = time.monotonic()

    hook(home, "claude-code", "SessionStart", given={"session_id": SESSION})

    assert time.monotonic() - begin < 12  # with room for the start of Python on a busy machine


def test_an_input_that_never_ends_is_given_up(home: Path) -> None:
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "mission", "hook", "codex", "Stop"],
        stdin=subprocess.PIPE,
        env={"MISSION_HOME": str(home)},
    )
    try:
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
    assert time.monotonic() - begin < 12


@pytest.mark.parametrize("event", ["PostToolUse", "Stop", "SessionEnd"])
def test_without_a_daemon_nothing_happens_and_none_is_started(event: str, home: Path) -> None:
    hook(home, "claude-code", event, given={"session_id": SESSION})

    assert not home.exists()


@pytest.mark.parametrize(
    "given",
    ["", "not json", "[]", "{}", '{"session_id": "../../etc/passwd"}', '{"session_id": ".."}', '{"session_id": 7}'],
)
def test_bad_input_is_passed_over(given: str, home: Path, daemon: Daemon) -> None:
    for event in ("SessionStart", "PostToolUse", "SessionEnd"):
        hook(home, "claude-code", event, given=given)

    assert daemon.calls == []
    assert [file.name for file in home.iterdir()] == ["daemon.json"]


def test_an_agent_that_mission_control_launched_needs_no_hook(home: Path, daemon: Daemon) -> None:
    hook(home, "claude-code", "SessionStart", given={"session_id": SESSION}, MISSION_TOKEN="of an agent")

    assert daemon.calls == []


def test_what_went_wrong_is_one_line_when_asked_for(home: Path) -> None:
    result = hook(home, "claude-code", "SessionStart", given="{}", MISSION_HOOK_DEBUG="1")

    assert result.stderr == "mission hook: the hook's input has no session id\n"
    assert (
        hook(home, "claude-code", MISSION_HOOK_DEBUG="1").stderr == "mission hook: usage: mission hook CLIENT EVENT\n"
    )
