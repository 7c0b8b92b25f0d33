"""Shortened ids: which ids begin so, on both databases."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput


async def test_the_ids_that_begin_so_are_listed_in_order(call):
    made = [(await call("start_mission", {"name": "m", "objective": "o"}))["mission_id"] for _ in range(3)]

    for whole in made:
        assert (await call("overview_ids", {"prefix": whole[:-1]}))["ids"] == [whole]
    shared = sorted(each for each in made if each.startswith(made[0][:3]))
    assert (await call("overview_ids", {"prefix": made[0][:3]}))["ids"] == shared
    assert (await call("overview_ids", {"prefix": "t_0"}))["ids"] == []


async def test_a_kind_lists_its_ids_with_their_names(call):
    made = (await call("start_mission", {"name": "Auth", "objective": "o"}))["mission_id"]

    assert await call("overview_ids", {"prefix": "m_"}) == {"ids": [made], "names": {made: "Auth"}}


async def test_missions_tasks_and_agents_are_named(call):
    mission = (await call("start_mission", {"name": "Auth", "objective": "o"}))["mission_id"]
    task = (await call("start_task", {"mission_id": mission, "name": "Token check", "goal": "g"}))["task_id"]
    agent = (await call("agent_register", {"name": "ada", "runtime": "codex"}))["id"]

    found = await call("overview_names", {"ids": [mission, task, agent, "t_0000000000", "x_0000000000", "nonsense"]})

    assert found == {"names": {mission: "Auth", task: "Token check", agent: "ada"}}


async def test_wildcards_of_the_database_are_plain_characters(call):
    await call("start_mission", {"name": "m", "objective": "o"})

    for prefix in ("m_%", "m__"):
        assert (await call("overview_ids", {"prefix": prefix}))["ids"] == []


@pytest.mark.parametrize("prefix", ["", "m", "zz_1", "p_1", "_1"])
async def test_what_begins_no_id_is_refused(call, prefix):
    with pytest.raises(InvalidInput):
        await call("overview_ids", {"prefix": prefix})
