"""How a bridge ends, and what it says about what it cannot do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.transports.bridge.bridge_client import (
    BRIDGE,
    PATIENCE,
    Talk,
    call,
    described,
    environment,
    error_of,
    text_of,
    until,
)


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


def test_what_is_wrong_ends_a_standalone_server_without_a_traceback() -> None:
    setting = run_bridge("--standalone", MISSION_PORT="many")
    toolset = run_bridge("--standalone", "--toolsets", "taks")

    assert (setting.returncode, toolset.returncode) == (2, 2)
    assert setting.stderr == "mission: MISSION_PORT: port must be a whole number, not 'many'\n"
    assert toolset.stderr.startswith("mission: toolsets: 'taks' is unknown; did you mean 'tasks'?\n  Choose from: ")


def test_the_bridge_loads_nothing_slow() -> None:
    program = (
        "import sys; from mission.transports import bridge; "
        "print(*({'typing', 'pathlib', 'dataclasses', 'http.client', 'asyncio', 'logging', 'subprocess',"
        " 'argparse', 'urllib.parse', 'encodings.idna', 'mission.settings'} & set(sys.modules)))"
    )

    shown = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == []
