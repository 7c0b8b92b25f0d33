"""Slow work on trees must not hold up an end."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

import mission.git.snapshots.plain_folder
from mission.domain.errors import TransientError
from mission.git.snapshot import Snapshots
from mission.git.worktrees.creation import WorktreeMaker
from mission.git.worktrees.start_tree import Overlay
from mission.services.repositories.working_trees import Trees


async def test_closing_ends_a_git_that_still_runs(tmp_path, repository, monkeypatch):
    started = tmp_path / "started"
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    trees = _trees(tmp_path)
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
    trees = _trees(tmp_path)
    place = await trees.named(str(tmp_path / "plain"))
    looking = asyncio.create_task(trees.snapshot(place))
    deadline = time.monotonic() + 60
    while not mission.git.snapshots.plain_folder._running:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)

    await asyncio.wait_for(trees.close(), 60)

    with pytest.raises(TransientError):
        await looking


async def test_a_tree_is_identified_and_examined_off_the_event_loop(tmp_path, repository):
    trees = _trees(tmp_path)
    place = await trees.named(str(repository))
    start = (await trees.snapshot(place)).as_dict()
    before = await trees.identify(place)
    (repository / "left.txt").write_text("left\n")

    left = (await trees.drift(before.as_dict())).left
    examined = await trees.examine(start, ignore=left)

    assert (set(left), examined.tree.id, examined.changes.paths) == ({"left.txt"}, before.id, [])
    await trees.close()


async def test_the_tree_of_the_start_is_rebuilt_and_removed(tmp_path, repository):
    trees = _trees(tmp_path)
    place = await trees.named(str(repository))
    start = (await trees.snapshot(place)).as_dict()
    before = await trees.identify(place)
    (repository / "test_new.py").write_text("new\n")
    overlay = Overlay(tree=await trees.identify(place), paths=["test_new.py"])

    plain = await trees.rebuild_start(start, name="ev_1")
    overlaid = await trees.rebuild_start(start, name="ev_2", overlay=overlay)

    assert plain.id == await trees.start_tree_id(start) == before.id
    assert overlaid.id == await trees.start_tree_id(start, overlay=overlay) == overlay.tree.id
    assert (overlaid.path / "test_new.py").exists()
    await trees.remove_start("ev_1")
    await trees.clear_starts(keep=[])
    assert not plain.path.exists()
    assert not overlaid.path.exists()
    await trees.close()


def _trees(folder: Path) -> Trees:
    return Trees(
        Snapshots(folder / "snapshots"),
        worktree_maker=WorktreeMaker(folder / "worktrees"),
        host_id="test-host",
        find_ports=min,
    )
