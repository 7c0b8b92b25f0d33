"""Daemons that die under a bridge, are started by it, or are not what they should be."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio

from mission import __version__
from tests.transports.bridge.bridge_client import (
    PATIENCE,
    Talk,
    call,
    client,
    described,
    error_of,
    initialize,
    requests,
    start_daemon,
    text_of,
    until,
)


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


@contextmanager
def called(home: Path, talk: Callable[..., Talk]) -> Iterator[tuple[Talk, socket.socket]]:
    """A bridge whose call has come to a server of ours, which listens no longer afterwards; and the line to it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        found = {"url": url, "token": "t", "pid": os.getpid(), "version": __version__}
        (home / "daemon.json").write_text(json.dumps(found))
        bridge = talk(home)
        bridge.send(call(1, "echo"))
        peer, _ = server.accept()
        peer.recv(65536)
        yield bridge, peer


def test_a_connection_that_breaks_after_the_answer_brings_no_second_answer(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    event = b'data: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    with called(quiet_home, talk) as (bridge, peer):
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
    with called(quiet_home, talk) as (bridge, peer):
        pass
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
    assert bridge.errors() == "mission: starting Mission Control\n"


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
    key = {"mission/key": "once"}
    start = call(1, "start_mission", meta=key, name="One", objective="Only one")

    before = bridge.ask(start)
    first = described(real_home)["pid"]
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
    assert again.errors() == f"mission: the daemon is version 99.0, this program {__version__}; using it anyway\n"


def test_a_call_that_kills_every_server_is_given_up(quiet_home: Path, talk: Callable[..., Talk]) -> None:
    (quiet_home / "standin.json").write_text('{"die_when_called": true}')

    error = error_of(talk(quiet_home).ask(call(1, "echo")))

    assert error["code"] == "TRANSIENT_ERROR"
    assert "repeatedly" in error["message"]
    assert "outcome is unknown" in error["message"]


def test_a_bad_setting_is_explained_when_the_daemon_must_be_started(
    quiet_home: Path, talk: Callable[..., Talk]
) -> None:
    error = talk(quiet_home, MISSION_PORT="many").ask(initialize())["error"]

    assert "MISSION_PORT: port must be a whole number" in error["message"]
