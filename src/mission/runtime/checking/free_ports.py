"""Finds ports for a worktree: ten in a row that are free now and that the system never assigns by itself."""

from __future__ import annotations

import errno
import random
import socket
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from mission.domain.errors import InvalidState

PORTS = 10
FIRST = 20_000
LAST = 65_530
EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
EPHEMERAL_DEFAULT = (49_152, 65_535)
"""The range of macOS and of the standard."""
_ADDRESSES = (
    (socket.AF_INET, "0.0.0.0"),
    (socket.AF_INET, "127.0.0.1"),
    (socket.AF_INET6, "::1"),
)


def find_port_base(taken: Collection[int]) -> int:
    """Return the first of ten free ports; `taken` has the first ports of other worktrees."""
    for base in _candidates():
        if all(abs(base - other) >= PORTS for other in taken) and _are_free(base):
            return base
    raise InvalidState(
        "could not find ten free ports in a row",
        hint="Close workspaces or programs that listen on ports, then try again.",
    )


def _candidates() -> Iterator[int]:
    """Yield possible first ports in random order, so that other users' daemons choose other ports."""
    first, last = _ephemeral()
    bases = range(FIRST, LAST, PORTS)
    outside = [base for base in bases if base + PORTS <= first or base > last]
    inside = [base for base in bases if not (base + PORTS <= first or base > last)]
    for choice in (outside, inside):
        random.shuffle(choice)
        yield from choice


def _ephemeral() -> tuple[int, int]:
    """Return the range from which the system takes ports for outgoing connections."""
    with suppress(OSError, ValueError):
        first, last = map(int, EPHEMERAL.read_text().split())
        return first, last
    return EPHEMERAL_DEFAULT


def _are_free(base: int) -> bool:
    return all(_is_free(port) for port in range(base, base + PORTS))


def _is_free(port: int) -> bool:
    return all(_can_bind(family, address, port) for family, address in _ADDRESSES)


def _can_bind(family: int, address: str, port: int) -> bool:
    try:
        probe = socket.socket(family, socket.SOCK_STREAM)
    except OSError:
        return True  # a host without IPv6
    with probe:
        try:
            probe.bind((address, port))
        except OSError as problem:
            return _is_absent(problem)
    return True


def _is_absent(problem: OSError) -> bool:
    """Return whether the host does not have this address at all."""
    return problem.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
