"""The stdio bridge as a client meets it: a process of its own, in front of a real MCP server."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from mission import __version__
from mission.transports.carriers import MOST_IN_FLIGHT

SERVER = Path(__file__).with_name("sdk_server.py")
STANDIN = Path(__file__).with_name("standin_daemon.py")
BRIDGE = [sys.executable, "-m", "mission", "mcp"]
MODERN = "2026-07-28"
PATIENCE = 60.0
Json = dict[str, Any]


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
    return value


def environment(home: Path, **more: str) -> dict[str, str]:
    ours = ("MISSION_", "CLAUDE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "MISSION_HOME": str(home), "MISSION_PORT": "0", **more}


def make_home(path: Path, program: Path) -> Path:
    """A MISSION_HOME in which `mission up` runs that program."""
    (path / "mission").mkdir(parents=True)
    (path / "mission" / "__init__.py").write_text(f"__version__ = {__version__!r}\n")
    run = f"import runpy\nrunpy.run_path({str(program)!r}, run_name='__main__')\n"
    (path / "mission" / "__main__.py").write_text(run)
    return path


def start_daemon(home: Path) -> subprocess.Popen[bytes]:
    daemon = subprocess.Popen([sys.executable, "-m", "mission", "up"], cwd=home, env=environment(home))
    until(lambda: described(home).get("pid") == daemon.pid)
    return daemon


def described(home: Path) -> Json:
    try:
        return cast(Json, json.loads((home / "daemon.json").read_text()))
    except (OSError, ValueError):
        return {}


def end_daemon(home: Path) -> None:
    """End the daemon that the home describes, also one that a bridge started."""
    pid = described(home).get("pid", os.getpid())
    if pid != os.getpid():  # tests may describe themselves
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def requests(home: Path) -> list[Json]:
    path = home / "requests.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a running server that all tests share."""
    home = make_home(tmp_path_factory.mktemp("bridge") / "home", SERVER)
    daemon = start_daemon(home)
    yield home
    daemon.kill()
    daemon.wait(PATIENCE)


@pytest.fixture
def quiet_home(tmp_path: Path) -> Iterator[Path]:
    """A home without a daemon, where a stand-in starts in a blink."""
    home = make_home(tmp_path / "home", STANDIN)
    yield home
    end_daemon(home)


@pytest.fixture
def mortal_home(tmp_path: Path) -> Iterator[Path]:
    """A home with a server of its own, which the test may kill."""
    home = make_home(tmp_path / "home", SERVER)
    daemon = start_daemon(home)
    yield home
    daemon.kill()
    daemon.wait(PATIENCE)
    end_daemon(home)


@pytest.fixture
def real_home(tmp_path: Path) -> Iterator[Path]:
    """A home without a daemon, where our own starts."""
    yield tmp_path / "home"
    end_daemon(tmp_path / "home")


class Talk:
    """A bridge and the lines it has written."""

    def __init__(self, home: Path, *arguments: str, cwd: Path | None = None, **more: str) -> None:
        self.process = subprocess.Popen(
            [*BRIDGE, *arguments],
            env=environment(home, **more),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin
        assert self.process.stdout
        self._input = self.process.stdin
        self._output = self.process.stdout
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._output:
            self._lines.put(line)

    def send(self, message: Json | bytes) -> None:
        self._input.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self._input.flush()

    def next(self, seconds: float = PATIENCE) -> Json:
        return cast(Json, json.loads(self._lines.get(timeout=seconds)))

    def ask(self, message: Json | bytes) -> Json:
        self.send(message)
        return self.next()

    def end_input(self) -> int:
        self._input.close()
        return self.process.wait(PATIENCE)

    def errors(self) -> str:
        assert self.process.stderr
        return self.process.stderr.read().decode()

    def silent(self) -> bool:
        return self._lines.empty()


@pytest.fixture
def talk() -> Iterator[Callable[..., Talk]]:
    talks: list[Talk] = []

    def start(*arguments: Any, **more: Any) -> Talk:
        talks.append(Talk(*arguments, **more))
        return talks[-1]

    yield start
    for each in talks:
        each.process.kill()
        each.process.wait(PATIENCE)


def initialize(identifier: int | str = 0, version: str = "2025-06-18") -> Json:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return {"jsonrpc": "2.0", "id": identifier, "method": "initialize", "params": params}


def call(identifier: int | str, name: str, /, *, meta: Json | None = None, **arguments: Any) -> Json:
    """A tools/call of the stateless era."""
    era = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": name, "arguments": arguments, "_meta": {**era, **(meta or {})}}
    return {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}


def text_of(answer: Json) -> str:
    return cast(str, answer["result"]["content"][0]["text"])


def error_of(answer: Json) -> Json:
    assert answer["result"]["isError"] is True
    return cast(Json, json.loads(text_of(answer))["error"])


def client(home: Path, *arguments: str, mode: Any = "auto") -> Client:
    command, *rest = [*BRIDGE, *arguments]
    return Client(StdioServerParameters(command=command, args=rest, env=environment(home)), mode=mode)


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", MODERN), (MODERN, MODERN)])
async def test_the_sdk_client_is_served_in_both_eras(home: Path, mode: str, version: str) -> None:
    with anyio.fail_after(60):
        async with client(home, mode=mode) as session:
            tools = await session.list_tools()
            answer = await session.call_tool("echo", {"text": "grüße"})

            assert session.protocol_version == version
            assert "echo" in [tool.name for tool in tools.tools]
            assert [getattr(item, "text", None) for item in answer.content] == ["grüße"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_passes_through_before_the_answer(home: Path, mode: str) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    with anyio.fail_after(60):
        async with client(home, mode=mode) as session:
            await session.call_tool("progress", {}, progress_callback=note)

    assert seen == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


def test_twenty_slow_calls_run_side_by_side(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    for number in range(20):
        bridge.send(call(number, "meet", people=20))

    answers = [bridge.next() for _ in range(20)]

    assert sorted(answer["id"] for answer in answers) == list(range(20))
    assert {text_of(answer) for answer in answers} == {"met"}


def test_a_hundred_messages_are_answered_once_each(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    bridge.send(b"".join(json.dumps(call(str(n), "echo", text=str(n))).encode() + b"\n" for n in range(100)))

    answers = {answer["id"]: text_of(answer) for answer in (bridge.next() for _ in range(100))}

    assert answers == {str(number): str(number) for number in range(100)}
    assert bridge.silent()


def test_a_client_that_says_all_before_it_reads_the_first_answer_holds_up_nothing(home: Path) -> None:
    long = "x" * 3000
    everything = b"".join(json.dumps(call(n, "echo", text=long)).encode() + b"\n" for n in range(200))
    bridge = subprocess.Popen(BRIDGE, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert bridge.stdin
    assert bridge.stdout
    bridge.stdin.write(json.dumps(call("first", "echo")).encode() + b"\n")
    bridge.stdin.flush()
    bridge.stdout.readline()  # a connection waits now: the next one is sent by the thread that reads

    saying = threading.Thread(target=bridge.stdin.write, args=[everything], daemon=True)
    saying.start()
    saying.join(60)

    assert not saying.is_alive()
    bridge.stdin.flush()
    assert sorted(json.loads(bridge.stdout.readline())["id"] for _ in range(200)) == list(range(200))
    bridge.kill()
    bridge.communicate()


def test_the_headers_say_what_the_message_says(home: Path, talk: Callable[..., Talk], tmp_path: Path) -> None:
    directory = tmp_path / "-grüße an alle"
    directory.mkdir()
    bridge = talk(home, "--toolsets", "tasks,crew", "--agent=a_ada", cwd=directory)

    bridge.ask(call(1, "echo"))

    sent = requests(home)[-1]
    assert sent["query"] == "toolsets=tasks,crew"
    assert sent["authorization"] == "Bearer operator-token"
    assert sent["mcp-protocol-version"] == MODERN
    assert sent["mcp-method"] == "tools/call"
    assert sent["mcp-name"] == "echo"
    assert sent["mission-agent"] == "a_ada"
    assert sent["mission-directory"].endswith("/-gr%C3%BC%C3%9Fe%20an%20alle")
    assert len(sent["idempotency-key"]) == 32


def test_the_negotiated_version_is_named_after_initialize(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)

    assert bridge.ask(initialize())["result"]["protocolVersion"] == "2025-06-18"
    bridge.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})

    first, second = requests(home)[-2:]
    assert "mcp-protocol-version" not in first
    assert second["mcp-protocol-version"] == "2025-06-18"
    assert "mcp-method" not in second
    assert "idempotency-key" not in second


def test_connections_are_kept_for_the_next_request(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    for number in range(5):
        bridge.ask(call(number, "echo"))

    connections = Path(f"/proc/{bridge.process.pid}/fd")
    if not connections.exists():
        pytest.skip("needs /proc")
    assert sum(str(fd.readlink()).startswith("socket:") for fd in connections.iterdir()) == 1


def test_a_tool_name_that_fits_no_header_is_wrapped(home: Path, talk: Callable[..., Talk]) -> None:
    answer = talk(home).ask(call(1, "grüße"))

    assert requests(home)[-1]["mcp-name"].startswith("=?base64?")
    assert answer["id"] == 1
    assert "header" not in json.dumps(answer)


def test_the_key_of_the_caller_is_used(home: Path, talk: Callable[..., Talk]) -> None:
    talk(home).ask(call(1, "echo", meta={"mission/key": "my-key"}))

    assert requests(home)[-1]["idempotency-key"] == "my-key"


def test_the_project_directory_of_the_client_outranks_the_working_directory(
    home: Path, talk: Callable[..., Talk], tmp_path: Path
) -> None:
    talk(home, CLAUDE_PROJECT_DIR=str(tmp_path)).ask(call(1, "echo"))
    talk(home, CLAUDE_PROJECT_DIR=str(tmp_path / "nowhere"), cwd=tmp_path.parent).ask(call(1, "echo"))

    assert [sent["mission-directory"] for sent in requests(home)[-2:]] == [str(tmp_path), str(tmp_path.parent)]


def test_the_agent_of_the_session_is_looked_up_for_each_call(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home, CLAUDE_CODE_SESSION_ID="0b-1f")
    bridge.ask(call(1, "echo"))
    (home / "sessions").mkdir(exist_ok=True)
    (home / "sessions" / "0b-1f.json").write_text('{"agent_id": "a_hooked"}')
    bridge.ask(call(2, "echo"))

    assert [sent.get("mission-agent") for sent in requests(home)[-2:]] == [None, "a_hooked"]


def test_a_working_directory_that_was_removed_is_left_out(home: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = f"import os; os.rmdir({str(gone)!r}); os.execv({sys.executable!r}, {BRIDGE!r})"
    message = json.dumps(call(1, "echo", text="here")).encode() + b"\n"

    shown = subprocess.run(
        [sys.executable, "-c", program],
        cwd=gone,
        env=environment(home),
        input=message,
        capture_output=True,
        timeout=PATIENCE,
    )

    assert text_of(json.loads(shown.stdout)) == "here"
    assert "mission-directory" not in requests(home)[-1]


def test_a_session_id_that_is_a_path_is_not_followed(home: Path, talk: Callable[..., Talk]) -> None:
    (home / "evil.json").write_text('{"agent_id": "a_evil"}')

    talk(home, CLAUDE_CODE_SESSION_ID="../evil").ask(call(1, "echo"))

    assert "mission-agent" not in requests(home)[-1]


def test_lines_that_are_no_messages_are_refused_and_the_bridge_goes_on(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    wrong = [b"nonsense\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"[]\n", b'"text"\n', b"{}\n"]
    wrong.append(b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}\n')
    wrong.append(b'{"jsonrpc": "2.0", "id": 1, "method": ["tools/list"]}\n')

    answers = [bridge.ask(line) for line in wrong]

    assert [answer["error"]["code"] for answer in answers] == [-32700] * 3 + [-32600] * 5
    assert [answer["id"] for answer in answers] == [None] * 7 + [1]
    bridge.send(b"\n  \r\n")
    assert text_of(bridge.ask(call(1, "echo", text="still here"))) == "still here"


def test_a_message_of_several_mebibytes_passes(home: Path, talk: Callable[..., Talk]) -> None:
    text = "ü" * (1024 * 1024)

    assert text_of(talk(home).ask(call(1, "echo", text=text))) == text


def test_a_line_above_ten_mebibytes_is_refused_without_being_sent(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    long = "x" * (30 * 1024 * 1024)
    before = len(requests(home))
    id_last = {"method": "tools/call", "params": {"name": "echo", "arguments": {"id": 5, "text": long}}, "id": "last"}
    unknown = {"params": {"text": long}, "id": 1, "method": "tools/list", "more": {}}

    first = bridge.ask(call(7, "echo", text=long))
    last = bridge.ask(id_last)
    nameless = bridge.ask(unknown)

    assert (first["id"], error_of(first)["code"]) == (7, "TOO_LARGE")
    assert (last["id"], error_of(last)["code"]) == ("last", "TOO_LARGE")
    assert (nameless["id"], nameless["error"]["data"]["code"]) == (None, "TOO_LARGE")
    assert len(requests(home)) == before
    assert text_of(bridge.ask(call(8, "echo", text="still here"))) == "still here"
    assert peak_memory(bridge) < 80 * 1024


def peak_memory(bridge: Talk) -> int:
    """In KiB; nothing where the system does not say."""
    try:
        lines = Path(f"/proc/{bridge.process.pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def test_a_cancelled_request_is_closed_and_not_answered(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    for marker in ("hang.started", "client.left"):
        (home / marker).unlink(missing_ok=True)
    bridge.send(call("slow", "hang"))
    until(lambda: (home / "hang.started").exists())

    bridge.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})

    until(lambda: (home / "client.left").exists())
    assert bridge.ask(call(2, "echo", text="next"))["id"] == 2
    assert bridge.silent()


def test_cancellations_are_heard_though_as_many_requests_hang_as_may(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    ids = [f"slow {number}" for number in range(MOST_IN_FLIGHT + 6)]
    for id in ids:
        bridge.send(call(id, "hang"))

    for id in ids:
        bridge.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})

    assert text_of(bridge.ask(call("after", "echo", text="next"))) == "next"


def test_a_cancellation_of_an_answered_request_is_ignored(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    bridge.ask(call(1, "echo"))
    before = len(requests(home))
    bridge.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    bridge.send(b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}\n')

    assert text_of(bridge.ask(call(2, "echo", text="next"))) == "next"
    assert len(requests(home)) == before + 1


def test_notifications_are_forwarded_and_not_answered(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    bridge.ask(initialize())
    before = len(requests(home))

    bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    until(lambda: len(requests(home)) > before)
    assert bridge.end_input() == 0
    assert bridge.silent()
    assert bridge.errors() == ""


def test_what_runs_at_the_end_of_input_is_still_answered(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home)
    bridge.send(json.dumps(call(1, "echo", text="last")).encode())  # without a line break

    assert bridge.end_input() == 0
    assert text_of(bridge.next()) == "last"


def test_a_request_that_does_not_end_holds_the_exit_only_for_a_moment(home: Path, talk: Callable[..., Talk]) -> None:
    (home / "hang.started").unlink(missing_ok=True)
    bridge = talk(home)
    bridge.send(call(1, "hang"))
    until(lambda: (home / "hang.started").exists())
    began = time.monotonic()

    assert bridge.end_input() == 0
    assert time.monotonic() - began < 3
    assert bridge.errors() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_bridge_without_a_trace(
    home: Path, talk: Callable[..., Talk], number: signal.Signals
) -> None:
    bridge = talk(home)
    bridge.ask(call(1, "echo"))

    bridge.process.send_signal(number)

    assert bridge.process.wait(PATIENCE) in (-number, 128 + number)
    assert bridge.errors() == ""


def test_a_client_that_no_longer_reads_ends_the_bridge_quietly(home: Path) -> None:
    read, write = os.pipe()
    bridge = subprocess.Popen(
        BRIDGE, env=environment(home), stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    os.close(read)

    _, errors = bridge.communicate(json.dumps(call(1, "echo")).encode() + b"\n", timeout=PATIENCE)

    assert (bridge.returncode, errors) == (0, b"")


def test_a_token_that_does_not_fit_is_explained(home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(home, MISSION_TOKEN="wrong")

    called = error_of(bridge.ask(call(1, "echo")))
    listed = bridge.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})["error"]

    assert called["code"] == "UNAUTHENTICATED"
    assert "MISSION_TOKEN" in called["message"]
    assert called["hint"]
    assert listed["code"] == -32000
    assert "MISSION_TOKEN" in listed["message"]


@pytest.mark.parametrize("token", ["a\r\nX-Injected: 1", "grüße"])
def test_a_token_that_no_header_can_hold_is_explained(home: Path, talk: Callable[..., Talk], token: str) -> None:
    assert error_of(talk(home, MISSION_TOKEN=token).ask(call(1, "echo")))["code"] == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (413, {}, "TOO_LARGE"),
        (500, "oops", "INTERNAL_ERROR"),
        (503, {"error": {"code": "TRANSIENT_ERROR", "message": "busy", "hint": "wait"}}, "TRANSIENT_ERROR"),
        (202, {}, "INTERNAL_ERROR"),
    ],
)
def test_a_status_without_a_message_becomes_an_error(
    quiet_home: Path, talk: Callable[..., Talk], status: int, body: Any, code: str
) -> None:
    (quiet_home / "standin.json").write_text(json.dumps({"answer": [status, body]}))
    bridge = talk(quiet_home)

    called = bridge.ask(call(1, "echo"))
    listed = bridge.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})

    assert (called["id"], error_of(called)["code"]) == (1, code)
    assert called["result"]["resultType"] == "complete"
    assert (listed["id"], listed["error"]["code"], listed["error"]["data"]["code"]) == (2, -32000, code)


def test_a_refusal_in_the_protocols_words_gets_the_id_of_the_request(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}}
    (quiet_home / "standin.json").write_text(json.dumps({"answer": [400, refusal]}))

    assert talk(quiet_home).ask(call("mine", "echo")) == {**refusal, "id": "mine"}


def test_a_token_that_was_renewed_is_picked_up(quiet_home: Path, talk: Callable[..., Talk], home: Path) -> None:
    found = described(home)
    (quiet_home / "daemon.json").write_text(json.dumps({**found, "token": "outdated"}))
    bridge = talk(quiet_home)
    assert error_of(bridge.ask(call(1, "echo")))["code"] == "UNAUTHENTICATED"

    (quiet_home / "daemon.json").write_text(json.dumps(found))

    assert text_of(bridge.ask(call(2, "echo", text="in"))) == "in"
    (quiet_home / "daemon.json").unlink()


def test_a_call_whose_server_dies_is_repeated_with_its_key_and_answered_once(
    mortal_home: Path, talk: Callable[..., Talk]
) -> None:
    bridge = talk(mortal_home)
    first = described(mortal_home)["pid"]

    answer = bridge.ask(call(1, "die_once"))

    assert text_of(answer) == "survived"
    assert described(mortal_home)["pid"] != first
    keys = [sent["idempotency-key"] for sent in requests(mortal_home)]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert bridge.ask(call(2, "echo"))["id"] == 2
    assert bridge.silent()


def test_twenty_calls_in_flight_survive_the_death_of_the_server(mortal_home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(mortal_home)
    first = described(mortal_home)["pid"]
    for number in range(19):
        bridge.send(call(number, "meet", people=20))
    until(lambda: len(requests(mortal_home)) == 19)

    os.kill(first, signal.SIGKILL)
    bridge.send(call(19, "meet", people=20))

    answers = [bridge.next() for _ in range(20)]
    assert sorted(answer["id"] for answer in answers) == list(range(20))
    assert {text_of(answer) for answer in answers} == {"met"}
    assert len({sent["idempotency-key"] for sent in requests(mortal_home)}) == 20
    assert bridge.silent()


def test_a_connection_that_breaks_after_the_answer_brings_no_second_answer(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    event = b'data: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        found = {"url": url, "token": "t", "pid": os.getpid(), "version": __version__}
        (quiet_home / "daemon.json").write_text(json.dumps(found))
        bridge = talk(quiet_home)
        bridge.send(call(1, "echo"))
        peer, _ = server.accept()
        peer.recv(65536)
        peer.sendall(head + f"{len(event):x}\r\n".encode() + event + b"\r\n")
        assert bridge.next()["id"] == 1
        peer.close()

        assert bridge.end_input() == 0
        assert bridge.silent()
        assert bridge.errors() == ""
    (quiet_home / "daemon.json").unlink()


def test_a_call_that_was_sent_before_the_server_went_for_good_has_an_unknown_outcome(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    (quiet_home / "standin.json").write_text('{"die": "no more"}')
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        found = {"url": url, "token": "t", "pid": os.getpid(), "version": __version__}
        (quiet_home / "daemon.json").write_text(json.dumps(found))
        bridge = talk(quiet_home)
        bridge.send(call(1, "echo"))
        peer, _ = server.accept()
        peer.recv(65536)
    peer.close()

    error = error_of(bridge.next())
    assert "no more" in error["message"]
    assert "outcome is unknown" in error["message"]
    (quiet_home / "daemon.json").unlink()


def test_a_call_without_a_usable_key_is_not_repeated(mortal_home: Path, talk: Callable[..., Talk]) -> None:
    error = error_of(talk(mortal_home).ask(call(1, "die_once", meta={"mission/key": 5})))

    assert error["code"] == "TRANSIENT_ERROR"
    assert "outcome is unknown" in error["message"]
    assert len(requests(mortal_home)) == 1


def test_a_bridge_starts_the_daemon_when_none_runs(quiet_home: Path, talk: Callable[..., Talk]) -> None:
    bridge = talk(quiet_home)

    answer = bridge.ask(initialize())

    assert answer["result"]["pid"] == described(quiet_home)["pid"]
    assert bridge.end_input() == 0
    assert bridge.errors() == "mission: starting the daemon\n"


def test_the_first_answers_are_waited_for_when_the_input_ends_while_the_daemon_starts(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    (quiet_home / "standin.json").write_text('{"start_seconds": 2}')
    bridge = talk(quiet_home)
    bridge.send(initialize())

    assert bridge.end_input() == 0
    assert bridge.next()["id"] == 0


async def test_the_real_daemon_is_started_and_served_in_both_eras(real_home: Path) -> None:
    mission = {"name": "Grüße", "objective": "See that it works"}
    with anyio.fail_after(60):
        for mode, number in [("legacy", 1), ("auto", 2)]:
            async with client(real_home, "--toolsets", "all", mode=mode) as session:
                tools = await session.list_tools()
                started = await session.call_tool("start_mission", mission)
                found = await session.call_tool("workflow_list", {})

            assert "start_mission" in [tool.name for tool in tools.tools]
            assert not started.is_error
            assert found.structured_content is not None
            assert found.structured_content["total"] == number


def test_a_write_is_done_once_though_the_real_daemon_is_killed_around_it(
    real_home: Path, talk: Callable[..., Talk]
) -> None:
    bridge = talk(real_home)
    bridge.ask(initialize())
    first = described(real_home)["pid"]
    key = {"mission/key": "once"}
    start = call(1, "start_mission", meta=key, name="One", objective="Only one")

    before = bridge.ask(start)
    os.kill(first, signal.SIGKILL)
    after = bridge.ask({**start, "id": 2})

    assert described(real_home)["pid"] != first
    assert before["result"] == after["result"]
    assert not before["result"].get("isError")


def test_two_bridges_at_once_start_one_daemon(quiet_home: Path, talk: Callable[..., Talk]) -> None:
    (quiet_home / "standin.json").write_text('{"start_seconds": 0.2}')
    bridges = [talk(quiet_home) for _ in range(2)]
    for bridge in bridges:
        bridge.send(initialize())

    pids = [bridge.next()["result"]["pid"] for bridge in bridges]

    assert [str(pid) for pid in pids] == (quiet_home / "starts").read_text().split() * 2


def test_a_stale_description_does_not_get_the_token(quiet_home: Path, talk: Callable[..., Talk], home: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (quiet_home / "daemon.json").write_text(json.dumps({**described(home), "pid": dead.pid}))
    before = len(requests(home))

    assert talk(quiet_home).ask(initialize())["result"]["pid"] == described(quiet_home)["pid"]
    assert len(requests(home)) == before


def test_a_daemon_that_was_killed_between_two_calls_is_started_again(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    bridge = talk(quiet_home)
    first = bridge.ask(initialize())["result"]["pid"]
    os.kill(first, signal.SIGKILL)

    assert bridge.ask(initialize(1))["result"]["pid"] != first


def test_a_server_that_is_down_for_good_gives_errors_that_say_why(quiet_home: Path, talk: Callable[..., Talk]) -> None:
    (quiet_home / "standin.json").write_text('{"die": "the disk is full"}')
    bridge = talk(quiet_home)

    called = error_of(bridge.ask(call(1, "echo")))
    listed = bridge.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})["error"]

    assert called["code"] == "TRANSIENT_ERROR"
    assert "the disk is full" in called["message"]
    assert "daemon.log" in called["hint"]
    assert called["details"] == {}
    assert listed["code"] == -32000
    assert "the disk is full" in listed["message"]
    (quiet_home / "standin.json").unlink()
    assert bridge.ask(initialize(3))["result"]["pid"]


def test_an_older_daemon_is_replaced_and_a_newer_one_is_used(quiet_home: Path, talk: Callable[..., Talk]) -> None:
    (quiet_home / "standin.json").write_text('{"version": "0.0.1"}')
    old = start_daemon(quiet_home)
    (quiet_home / "standin.json").write_text('{"version": "99.0"}')

    newer = talk(quiet_home).ask(initialize())["result"]["pid"]
    again = talk(quiet_home)

    assert old.wait(PATIENCE) == 0
    assert again.ask(initialize())["result"]["pid"] == newer
    again.end_input()
    assert again.errors() == f"mission: the daemon is version 99.0, this program {__version__}: using it as it is\n"


def test_a_call_that_kills_every_server_is_given_up(quiet_home: Path, talk: Callable[..., Talk]) -> None:
    (quiet_home / "standin.json").write_text('{"die_when_called": true}')

    error = error_of(talk(quiet_home).ask(call(1, "echo")))

    assert error["code"] == "TRANSIENT_ERROR"
    assert "again and again" in error["message"]
    assert "outcome is unknown" in error["message"]


def test_a_bad_setting_is_explained_when_the_daemon_must_be_started(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    error = talk(quiet_home, MISSION_PORT="many").ask(initialize())["error"]

    assert "MISSION_PORT: port must be a whole number" in error["message"]


def run_bridge(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BRIDGE, *arguments],
        env={**os.environ, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_help_is_plain_text() -> None:
    shown = run_bridge("--help")

    assert shown.returncode == 0
    assert shown.stdout.startswith("Usage: mission mcp [--toolsets LIST]")
    assert shown.stderr == ""


@pytest.mark.parametrize("arguments", [["--wrong"], ["extra"], ["--agent"], ["--standalone=1"]])
def test_an_unknown_option_shows_the_usage(arguments: list[str]) -> None:
    shown = run_bridge(*arguments)

    assert shown.returncode == 2
    assert shown.stdout == ""
    assert "Usage: mission mcp" in shown.stderr
    assert arguments[0].partition("=")[0] in shown.stderr


def test_a_bad_setting_ends_a_standalone_server_without_a_traceback() -> None:
    shown = run_bridge("--standalone", MISSION_PORT="many")

    assert shown.returncode == 2
    assert shown.stderr == "mission: MISSION_PORT: port must be a whole number, not 'many'\n"


def test_the_bridge_loads_nothing_slow() -> None:
    program = (
        "import sys; from mission.transports import bridge; "
        "print(*({'typing', 'pathlib', 'dataclasses', 'http.client', 'asyncio', 'logging', 'subprocess',"
        " 'argparse', 'urllib.parse', 'encodings.idna', 'mission.settings'} & set(sys.modules)))"
    )

    shown = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == []
