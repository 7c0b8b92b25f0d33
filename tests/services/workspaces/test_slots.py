"""Slots: what keeps two worktrees of a host apart."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from mission.git.worktrees.setup import WorktreeSetup
from mission.services.work import BackgroundWork
from mission.services.workspaces import slots


@pytest.fixture
def slot_of(app, tmp_path):
    async def ask(name: str):
        return await slots.slot_of(BackgroundWork(app.database), app.trees, path=str(tmp_path / name))

    return ask


async def test_a_worktree_keeps_its_slot_and_another_gets_its_own(slot_of):
    first, again, other = await slot_of("a"), await slot_of("a"), await slot_of("b")

    assert first == again
    assert {first.slot, other.slot} == {0, 1}
    assert abs(first.port_base - other.port_base) >= 10
    assert first.name != other.name


async def test_worktrees_that_ask_at_once_get_different_ports(slot_of):
    found = await asyncio.gather(*(slot_of(f"w{number}") for number in range(5)))

    bases = sorted(each.port_base for each in found)
    assert all(later - earlier >= 10 for earlier, later in pairwise(bases))
    assert sorted(each.slot for each in found) == list(range(5))


async def test_a_link_to_a_worktree_is_the_same_worktree(slot_of, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert await slot_of("link") == await slot_of("real")


async def test_a_freed_slot_is_given_again(app, slot_of, tmp_path):
    first = await slot_of("a")
    await slot_of("b")
    await app.database.write(slots.free, host_id=first.host_id, path=first.path)

    assert (await slot_of("c")).slot == first.slot


async def test_a_slot_in_use_is_kept_and_one_that_is_long_unused_is_not(slot_of, clock):
    used, unused = await slot_of("used"), await slot_of("unused")
    for _ in range(3):
        clock.advance(days=3)
        assert replace(await slot_of("used"), used_at=used.used_at) == used

    assert (await slot_of("new")).slot == unused.slot


async def test_only_a_setup_that_runs_a_command_gets_variables(app, tmp_path):
    work = BackgroundWork(app.database)

    bare = await slots.with_variables(work, app.trees, WorktreeSetup(copy=(".env",)), path=str(tmp_path))
    setup = await slots.with_variables(work, app.trees, WorktreeSetup(setup="make"), path=str(tmp_path))

    assert bare.variables == {}
    assert set(setup.variables) == {"MISSION_SLOT", "MISSION_PORT_BASE", "MISSION_NAME"}
