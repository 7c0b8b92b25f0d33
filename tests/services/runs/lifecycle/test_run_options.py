"""The options of a run: given ones replace earlier ones, and wrong ones are named by their field."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.executions.signals import Delivery
from mission.domain.plans.plan_file import parse_plan
from mission.domain.runs.options import AgentMix, Limits, RunOptions
from mission.services.runs.lifecycle.run_options import check_clients, given_by, with_given

PLAN = """
[mission]
name = "M"
review = "none"
setup = "make deps"
attempts = 5
target = "main"
[[agents]]
client = "command"
command = ["./agent.sh", "-v"]
delivery = "mcp-tool"
[budget]
usd = 20.0
per_task = {usd = 2.0}
[[tasks]]
name = "a"
description = "d"
"""


def test_what_is_not_given_stays():
    before = RunOptions(attempts=7, budget=Limits(usd=5.0, minutes=9.0))

    after = with_given(before, {"revisions": 1, "budget": {"usd": 6}, "land": None})

    assert (after.attempts, after.revisions, after.land) == (7, 1, False)
    assert after.budget == Limits(usd=6.0, minutes=9.0)


def test_options_survive_being_stored():
    given = {"agents": [{"client": "codex", "delivery": Delivery.MCP_TOOL}], "overlap": "allow", "retry_minutes": [1]}
    options = with_given(RunOptions(), given)

    assert RunOptions.from_dict(options.as_dict()).as_dict() == options.as_dict()
    assert (options.agents[0].delivery, options.overlap) == ("mcp-tool", "allow")


def test_a_plan_says_what_a_run_needs():
    given = given_by(parse_plan(PLAN, source="plan.toml"), folder="/plans/here")

    options = with_given(RunOptions(), given)

    assert (options.review, options.setup, options.attempts, given["target"]) == ("none", "make deps", 5, "main")
    assert list(options.agents[0].command) == ["/plans/here/agent.sh", "-v"]
    assert (options.budget.usd, options.budget_per_task.usd) == (20.0, 2.0)


@pytest.mark.parametrize(
    ("agents", "words"),
    [
        ([], "at least one agent"),
        ([AgentMix(client="cdex")], "'cdex' is not a known client"),
        ([AgentMix(client="command")], "needs the program"),
        ([AgentMix(client="codex", command=["x"])], "only the client 'command'"),
        ([AgentMix(client="codex")], "only for pi"),
    ],
)
def test_agents_that_cannot_work_are_named(agents, words):
    with pytest.raises(InvalidInput, match=words):
        check_clients(agents, clients=["codex", "command", "pi"], wanted=["pi", None])
