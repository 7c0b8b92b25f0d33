"""`mission audit`: a table that a person can read."""

from __future__ import annotations

import re

from tests.transports.cli.program import Program
from tests.transports.live_server import until


def test_calls_have_a_header_local_times_names_and_what_they_were_about(mission: Program) -> None:
    agent = mission.call("agent_register", name="ada", runtime="codex")["id"]
    made = mission.call("start_mission", name="Login", objective="o")["mission_id"]
    task = mission.call("start_task", mission_id=made, name="Token check", goal="g", agent_id=agent)["task_id"]

    head, *lines = mission.run("audit").out.splitlines()

    assert head.split() == ["TIME", "STATUS", "CALLER", "TOOL", "TARGET"]
    [started] = [line for line in lines if "start_task" in line]
    assert re.fullmatch(rf"\d\d:\d\d:\d\d +ok +ada +start_task +{task} Token check", started)
    [named] = [line for line in lines if "start_mission" in line]
    assert named.endswith(f"operator  start_mission   {made} Login")


def test_calls_that_only_read_are_folded_unless_they_failed_or_are_asked_for(mission: Program) -> None:
    mission.does("missions")
    mission.refuses("show", "m_0000000000")
    until(lambda: "get_context" in mission.run("audit", "--all").out)

    folded, everything = mission.run("audit").out, mission.run("audit", "--all").out

    assert "workflow_list" not in folded
    assert re.search(r"error +operator +get_context +m_0000000000 · RESOURCE_NOT_FOUND", folded)
    assert "--all includes them" in folded
    assert "workflow_list" in everything
    assert "workflow_list" in mission.run("audit", "--tool", "workflow_list").out


def test_one_entry_is_named_by_the_beginning_of_its_id(mission: Program) -> None:
    entry = mission.does("audit", "--limit", "1")["entries"][0]

    assert mission.does("audit", entry["id"][:-1])["id"] == entry["id"]
