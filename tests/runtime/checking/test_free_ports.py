"""Ten free ports in a row."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mission.domain.errors import InvalidState
from mission.runtime.checking import free_ports
from mission.runtime.checking.free_ports import find_port_base


@contextmanager
def listening(family: int, address: str, port: int) -> Iterator[None]:
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind((address, port))
        server.listen()
        yield


def can_listen(port: int) -> bool:
    with listening(socket.AF_INET, "127.0.0.1", port):
        return True


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """Leave only two places, of which the first is free; return it."""
    base = find_port_base(())
    monkeypatch.setattr(free_ports, "FIRST", base)
    monkeypatch.setattr(free_ports, "LAST", base + free_ports.PORTS)
    return base


def test_all_ten_ports_can_be_used():
    base = find_port_base(())

    assert all(can_listen(port) for port in range(base, base + 10))


def test_ports_are_outside_of_the_range_for_outgoing_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "range").write_text("20100\t65535\n")
    monkeypatch.setattr(free_ports, "EPHEMERAL", tmp_path / "range")

    assert 20_000 <= find_port_base(()) <= 20_090


def test_without_another_place_they_are_inside_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "range").write_text("1024\t65535\n")
    monkeypatch.setattr(free_ports, "EPHEMERAL", tmp_path / "range")

    assert find_port_base(()) >= 20_000


@pytest.mark.parametrize(
    ("family", "address"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::1"), (socket.AF_INET6, "::")],
)
def test_a_place_with_one_port_in_use_is_passed_over(few: int, family: int, address: str):
    assert find_port_base(()) == few
    try:
        with listening(family, address, few + 7), pytest.raises(InvalidState, match="could not find ten free ports"):
            find_port_base(())
    except OSError:
        pytest.skip(f"this host has no address {address}")


@pytest.mark.parametrize("distance", [0, 9, -9])
def test_ports_of_other_worktrees_are_not_given_again(few: int, distance: int):
    with pytest.raises(InvalidState, match="could not find ten free ports") as refused:
        find_port_base({few + distance})

    assert refused.value.hint
    assert find_port_base({few + 10, few - 10}) == few


def test_many_worktrees_get_different_ports():
    taken: set[int] = set()
    for _ in range(100):
        taken.add(find_port_base(taken))

    assert len(taken) == 100
    assert len({base // 10 for base in taken}) == 100
