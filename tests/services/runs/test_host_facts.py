"""What a run knows of its host: room, disk space, clients that cannot be launched, and variables that are gone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.services.runs import host_facts
from mission.services.runs.host_facts import GIGABYTE, HostFacts, has_space, slots
from tests.conftest import ManualClock
from tests.started_runs import StartedRuns
from tests.started_runs import runs as runs


@given(cores=st.integers(1, 256), memory=st.none() | st.integers(0, 2**42))
def test_slots_are_the_smaller_of_twice_the_cores_and_memory_for_each_agent_and_never_none(cores, memory):
    found = slots(cores=cores, memory=memory)

    assert 1 <= found <= cores * 2
    assert memory is None or found == 1 or found * 1.5 * GIGABYTE <= memory


@pytest.mark.parametrize(("cores", "memory", "expected"), [(8, 64, 16), (8, 6, 4), (2, 1, 1), (4, None, 8)])
def test_slots_by_cores_and_memory(cores, memory, expected):
    assert slots(cores=cores, memory=None if memory is None else memory * GIGABYTE) == expected


def test_free_memory_and_space_that_the_system_does_not_tell_keep_nobody_waiting(tmp_path: Path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")

    assert host_facts.free_memory(tmp_path / "meminfo") == 2048 * 1024
    assert host_facts.free_memory(tmp_path / "nothing") is None
    assert has_space(tmp_path / "nothing", gigabytes=1e9)
    assert not has_space(tmp_path, gigabytes=1e9)


async def facts(runs: StartedRuns, **context: Any) -> Any:
    looks = HostFacts(replace(runs.context, **context))
    return await looks.of(await runs.run(), live=[], launching={}, stopping=frozenset())


async def test_settings_override_what_the_machine_says(runs: StartedRuns):
    await runs.start()

    assert (await facts(runs, agent_slots=3)).slots == 3
    assert (await facts(runs, agent_slots=0)).slots >= 1
    assert (await facts(runs, min_free_gb=0.0)).has_disk
    assert not (await facts(runs, min_free_gb=1e9)).has_disk


async def test_a_client_that_is_not_there_is_a_problem_and_one_of_several_commands_is_enough(runs: StartedRuns):
    def commands(*programs: str) -> list[dict[str, Any]]:
        return [{"client": "command", "command": [program]} for program in programs]

    await runs.start(agents=[{"client": "pi"}, *commands("/nowhere/agent")])
    found = (await facts(runs)).clients
    assert "'pi' is not installed" in found["pi"].problem
    assert "'/nowhere/agent' does not exist" in found["command"].problem

    await runs.start(agents=commands("/nowhere/agent", "/bin/true"))
    assert (await facts(runs)).clients["command"].problem is None


def hand_over(runs: StartedRuns, variables: Mapping[str, str]) -> str:
    folder = runs.call.app.settings.home / "handover"
    folder.mkdir(exist_ok=True)
    (folder / "given.json").write_text(json.dumps(variables))
    return "given.json"


async def test_variables_that_a_shell_handed_over_are_missed_by_name_once_they_are_gone(
    runs: StartedRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    claude = tmp_path / "claude"
    claude.write_text("#!/bin/sh\n")
    claude.chmod(0o755)
    shell = {"PATH": f"{tmp_path}:/usr/bin:/bin", "ANTHROPIC_API_KEY": "sk-secret"}
    plan = runs.plan(agents=[{"client": "claude-code"}])
    given = {"plan": plan, "folder": str(runs.repository), "handover": hand_over(runs, shell)}

    runs.id = (await runs.call("run_start", given))["run_id"]

    assert (await facts(runs)).clients["claude-code"].problem is None
    assert (await runs.run()).wanted.variables == {"claude-code": ["ANTHROPIC_API_KEY"]}
    assert "sk-secret" not in json.dumps(await runs.get())
    assert not (runs.call.app.settings.home / "handover" / "given.json").exists()

    runs.context.launcher.forget_variables(runs.id)  # as after a restart
    lost = (await facts(runs)).clients["claude-code"]
    assert lost.lost == ("ANTHROPIC_API_KEY",)
    assert lost.problem == "the daemon no longer has ANTHROPIC_API_KEY"

    await runs.call("run_resume", {"run_id": runs.id, "handover": hand_over(runs, shell)})
    assert (await facts(runs)).clients["claude-code"].problem is None


async def test_signs_of_life_are_read_each_time(runs: StartedRuns, monkeypatch: pytest.MonkeyPatch, clock: ManualClock):
    await runs.start()
    active, since = clock(), clock()
    monkeypatch.setattr(runs.context.launcher, "active_at", {"x_1": active}.get)
    monkeypatch.setattr(runs.context.launcher, "in_tool_since", {"x_1": since}.get)

    looks = HostFacts(runs.context)
    found = await looks.of(await runs.run(), live=["x_1", "x_2"], launching={}, stopping=frozenset())

    assert found.active == {"x_1": active, "x_2": None}
    assert found.in_tool == {"x_1": since, "x_2": None}


async def test_what_was_found_is_used_for_a_while_and_found_again_after_a_change(runs: StartedRuns):
    await runs.start(agents=[{"client": "command", "command": ["/bin/true"]}])
    looks = HostFacts(runs.context)

    async def problem() -> str | None:
        found = await looks.of(await runs.run(), live=[], launching={}, stopping=frozenset())
        return found.clients["command"].problem

    assert await problem() is None
    agents = [{"client": "command", "command": ["/nowhere/agent"]}]
    await runs.call("run_update", {"run_id": runs.id, "agents": agents})
    assert await problem() is not None
