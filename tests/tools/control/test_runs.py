"""The tools of runs: who may call them, and where REST finds them."""

from __future__ import annotations

import pytest

from mission.domain.agents.agent import AgentType
from mission.domain.errors import PermissionDenied
from mission.domain.permissions import PermissionPolicy
from mission.domain.plans.option_fields import OPTIONS
from mission.domain.plans.plan_file import AGENT_KEYS
from mission.tools.control.runs import AgentKind, OptionArguments
from tests.started_runs import runs as runs

STEERING = ("run_start", "run_update", "run_pause", "run_resume", "run_stop", "run_land")
READING = ("run_get", "run_list", "run_report", "candidate_get")


@pytest.mark.parametrize("tool", STEERING)
async def test_an_agent_cannot_steer_a_run(call, runs, make_agent, tool):
    await runs.start()
    agent = await make_agent()

    with pytest.raises(PermissionDenied):
        await call(tool, {"run_id": runs.id}, agent=agent)


@pytest.mark.parametrize("kind", list(AgentType))
def test_agents_of_every_type_read_runs_and_none_steers_them(kind):
    policy = PermissionPolicy()

    assert not any(policy.decide(kind, tool).allowed for tool in STEERING)
    assert all(policy.decide(kind, tool).allowed for tool in READING)


async def test_a_worker_reads_a_run(call, runs, make_agent):
    await runs.start()
    agent = await make_agent()

    assert (await call("run_get", {"run_id": runs.id}, agent=agent))["run_id"] == runs.id
    assert len((await call("run_list", {}, agent=agent))["runs"]) == 1
    assert (await call("run_report", {"run_id": runs.id}, agent=agent))["markdown"]


def test_runs_and_candidates_have_addresses(app):
    found = {path: tool.name for path, (tool, _) in app.gateway.registry.addresses().items()}

    assert {path: name for path, name in found.items() if "/runs" in path or "/candidates" in path} == {
        "/api/runs": "run_list",
        "/api/runs/{id}": "run_get",
        "/api/runs/{id}/report": "run_report",
        "/api/candidates/{id}": "candidate_get",
    }


def test_a_run_takes_the_options_and_agents_of_a_plan():
    assert OPTIONS.keys() == OptionArguments.model_fields.keys() - {"agents", "review", "setup"}
    assert set(AGENT_KEYS) == AgentKind.model_fields.keys()
