"""The end of a process, noticed at once."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from mission.runtime.checking.process_end import process_end


def cat() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["cat"], stdin=subprocess.PIPE)


def open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def no_pidfd(_: int) -> int:
    raise OSError


@pytest.mark.parametrize("has_pidfd", [True, False])
async def test_the_end_of_a_process_is_noticed(monkeypatch: pytest.MonkeyPatch, has_pidfd: bool):
    if not has_pidfd:
        monkeypatch.setattr(os, "pidfd_open", no_pidfd, raising=False)
    with cat() as process:
        waiting = asyncio.create_task(process_end(process.pid, is_running=lambda: process.poll() is None))
        done, _ = await asyncio.wait([waiting], timeout=0.1)
        assert not done

        process.stdin.close()
        async with asyncio.timeout(60):
            await waiting

        assert process.poll() is not None or process.wait(timeout=60) == 0


async def test_a_process_that_only_has_the_id_of_the_right_one_is_not_waited_for():
    async with asyncio.timeout(60):
        await process_end(os.getpid(), is_running=lambda: False)


async def test_waiting_can_be_cancelled_and_leaves_no_open_file():
    before = open_files()
    waiting = asyncio.create_task(process_end(os.getpid(), is_running=lambda: True))
    await asyncio.wait([waiting], timeout=0.05)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert open_files() == before
