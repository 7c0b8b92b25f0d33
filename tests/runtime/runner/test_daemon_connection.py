"""Between a runner and its daemon: output kept until it is taken, and a socket for one daemon at a time."""

from __future__ import annotations

import base64
import json
import socket
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.runtime.runner import daemon_connection
from mission.runtime.runner.daemon_connection import DaemonConnection, ProgramOutput

PIECES = st.lists(st.tuples(st.sampled_from(["out", "err"]), st.binary(min_size=1, max_size=5)), max_size=10)


@given(pieces=PIECES, taken=st.integers(0, 60))
def test_output_waits_in_order_until_it_is_taken_and_frames_say_where_they_stand(pieces, taken):
    output = ProgramOutput()
    for stream, data in pieces:
        output.add(data, stream=stream)

    output.take(taken)

    total, expected, seen = 0, [], {"out": b"", "err": b""}
    for stream, data in pieces:
        total += len(data)
        start = not seen[stream] or seen[stream].endswith(b"\n")
        expected.append((stream, len(seen[stream]), start, total, data))
        seen[stream] += data
    waiting = [frame["output"] for frame in output.waiting()]
    assert [
        (each["stream"], each["offset"], each["line_start"], each["end"], base64.b64decode(each["data"]))
        for each in waiting
    ] == [each for each in expected if each[3] > taken]
    assert output.total == total
    assert output.is_taken is (not waiting)


def test_output_is_full_at_its_window_and_has_room_once_some_is_taken(monkeypatch):
    monkeypatch.setattr(daemon_connection, "WINDOW_BYTES", 6)
    output = ProgramOutput()
    output.add(b"abc", stream="out")
    assert not output.is_full

    frame = output.add(b"def", stream="err")
    assert output.is_full

    output.take(frame["output"]["end"])
    assert not output.is_full


@pytest.fixture
def line(tmp_path):
    made = DaemonConnection(str(tmp_path / "socket"))
    yield made
    made.close()


def connect(line):
    daemon = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    daemon.connect(line.listener.getsockname())
    line.listener.setblocking(True)
    assert line.accept() is line.peer
    line.peer.setblocking(True)
    return daemon


def test_the_socket_is_its_owners_and_replaces_one_that_was_left(tmp_path):
    path = tmp_path / "socket"
    path.write_text("left by a runner that was killed")

    line = DaemonConnection(str(path))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    line.close()
    line.close()
    assert not path.exists()


def test_nobody_connected_means_nothing_is_kept_to_be_sent(line):
    assert line.accept() is None
    line.send({"a": 1})
    assert not line.wants_to_write
    assert line.flush() is False


def test_frames_go_both_ways_and_half_a_frame_waits_for_its_rest(line):
    with connect(line) as daemon:
        line.send({"output": "ä"})
        assert line.wants_to_write
        assert line.flush() is True
        assert json.loads(daemon.recv(1000)) == {"output": "ä"}

        daemon.sendall(b'{"a": 1}\n[2]\n{"b"')
        assert line.receive() == [{"a": 1}]
        daemon.sendall(b": 2}\n")
        assert line.receive() == [{"b": 2}]
        line.peer.setblocking(False)
        assert line.receive() == []


def test_the_latest_daemon_takes_the_place_of_the_one_before(line):
    with connect(line) as first:
        line.send({"old": 1})
        with connect(line) as second:
            line.send({"new": 1})
            line.flush()

            assert json.loads(second.recv(1000)) == {"new": 1}
            assert first.recv(1000) == b""


@pytest.mark.parametrize("nonsense", [b"nonsense\n", b"", b"x" * 40])
def test_a_daemon_that_leaves_or_talks_nonsense_is_hung_up_on(line, nonsense, monkeypatch):
    monkeypatch.setattr(daemon_connection, "MAX_FRAME_BYTES", 30)
    with connect(line) as daemon:
        daemon.sendall(nonsense)
        daemon.shutdown(socket.SHUT_WR)

        assert line.receive() is None
