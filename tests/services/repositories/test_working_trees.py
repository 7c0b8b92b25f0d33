"""Slow work on trees must not hold up an end."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

import mission.git.snapshots.plain_folder
from mission.domain.errors import TransientError
from mission.git.snapshot import Snapshots
from mission.git.worktrees.creation import WorktreeMaker
from mission.services.repositories.working_trees import Trees


async def test_closing_ends_a_git_that_still_runs(tmp_path, repository, monkeypatch):
    started = tmp_path / "started"
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    trees = Trees(
        Snapshots(tmp_path / "snapshots"), workshop=WorktreeMaker(tmp_path / "worktrees"), host_id="test-host"
    )
    looking = asyncio.create_task(trees.named(str(repository)))
    deadline = time.monotonic() + 20
    while not started.exists():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)

    await asyncio.wait_for(trees.close(), 60)

    done, _ = await asyncio.wait([looking], timeout=60)
    assert looking in done
    assert looking.exception() is not None


async def test_closing_ends_a_look_at_a_folder_that_takes_long(tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "large").touch()
    os.truncate(tmp_path / "plain" / "large", 49_000_000_000)
    trees = Trees(
        Snapshots(tmp_path / "snapshots"), workshop=WorktreeMaker(tmp_path / "worktrees"), host_id="test-host"
    )
    place = await trees.named(str(tmp_path / "plain"))
    looking = asyncio.create_task(trees.snapshot(place))
    deadline = time.monotonic() + 60
    while not mission.git.snapshots.plain_folder._running:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)

    await asyncio.wait_for(trees.close(), 60)

    with pytest.raises(TransientError):
        await looking
