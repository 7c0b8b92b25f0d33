"""What passes through the bridge, both ways: a client before it, a real MCP server behind it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from mission.transports.bridge.reader_threads import MAX_IN_FLIGHT
from tests.transports.bridge.bridge_client import (
    BRIDGE,
    MODERN,
    PATIENCE,
    Talk,
    call,
    client,
    environment,
    error_of,
    initialize,
    requests,
    text_of,
    until,
)


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
    ids = [f"slow {number}" for number in range(MAX_IN_FLIGHT + 6)]
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
