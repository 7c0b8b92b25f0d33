"""Waits for the end of a process, whether or not this process started it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

SHORTEST_PAUSE = 0.002
LONGEST_PAUSE = 0.02


async def process_end(pid: int, *, is_running: Callable[[], bool]) -> None:
    """Return as soon as the process has ended; `is_running` makes sure that the id still belongs to it."""
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not on Linux, or the process is gone
        await _poll(is_running)
        return
    try:
        if is_running():  # otherwise another process may have the id by now
            await _readable(descriptor)
    finally:
        os.close(descriptor)


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)


async def _poll(is_running: Callable[[], bool]) -> None:
    pause = SHORTEST_PAUSE
    while is_running():
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE)
