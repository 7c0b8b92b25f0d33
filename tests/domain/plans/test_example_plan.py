"""The example that `mission run --example` prints."""

from __future__ import annotations

import re

import pytest

from mission.domain.plans.example_plan import EXAMPLE
from mission.domain.plans.option_fields import OPTIONS, parse_option
from mission.domain.plans.plan_budget import BUDGET_KEYS
from mission.domain.plans.plan_file import AGENT_KEYS, MISSION_KEYS, PLAN_KEYS, TASK_KEYS, parse_plan
from mission.runtime.adapters.launch_adapter import launches

COMPLETE = re.sub(r"^#(?=\w+ = )", "", EXAMPLE, flags=re.MULTILINE)
"""The example with every optional key."""


@pytest.mark.parametrize("text", [EXAMPLE, COMPLETE], ids=["as printed", "with every key"])
def test_the_example_can_be_run(text):
    plan = parse_plan(text, source="example", clients=launches())

    assert [task.name for task in plan.tasks] == ["token-check", "login-page"]


@pytest.mark.parametrize(
    ("place", "keys"),
    [
        ("mission", [key for key in MISSION_KEYS if key != "budget"]),
        ("agents", AGENT_KEYS),
        ("budget", BUDGET_KEYS),
        ("tasks", TASK_KEYS),
    ],
)
def test_every_key_is_in_the_example(place, keys):
    parts = re.split(r"^\[+(\w+)\]+$", COMPLETE, flags=re.MULTILINE)[1:]
    own = "".join(text for name, text in zip(parts[::2], parts[1::2], strict=True) if name == place)

    assert set(re.findall(r"^(\w+) = ", own, re.MULTILINE)) == set(keys)
    assert place in PLAN_KEYS


def test_the_defaults_in_the_example_are_the_real_ones():
    block = COMPLETE.split("These are the defaults.\n")[1].split("\n\n")[0]
    plan = parse_plan(f'[mission]\nname = "m"\n{block}\n[[tasks]]\nname = "a"\ndescription = "d"\n', source="p")

    assert plan.options == {name: OPTIONS[name].default for name in plan.options}
    assert plan.options.keys() == {name for name, option in OPTIONS.items() if option.default is not None}


def test_every_option_says_what_it_does():
    assert all(option.description for option in OPTIONS.values())
    assert parse_option("land", True, field="land") is True
