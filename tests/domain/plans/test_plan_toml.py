"""Plans written as TOML."""

from __future__ import annotations

import tomllib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mission.domain.checks.check import parse_check
from mission.domain.plans.plan_file import PlanFile, PlanMission, PlanTask, parse_plan
from mission.domain.plans.plan_toml import format_plan
from mission.domain.plans.toml_values import format_key, format_pair, format_value
from tests.domain.plans.plan_samples import LETTERS, plans
from tests.fault_cases import examples


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(plans(), st.lists(st.text(LETTERS)))
def test_a_written_plan_is_read_as_the_same_plan(plan, notes):
    assert parse_plan(format_plan(plan, notes=notes), source="plan.toml") == plan


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_every_text_survives(key, text):
    for written in (format_pair(key, text), f"{format_key(key)} = {format_value(text)}"):
        assert tomllib.loads(written) == {key: text}


def test_a_plan_is_written_for_people():
    plan = PlanFile(
        mission=PlanMission(name="Login", objective="Login", checks=(parse_check("make test", field="c"),)),
        tasks=(
            PlanTask(name="page", description='Say "no".\nThen stop.', acceptance=("a" * 60, "b" * 60)),
            PlanTask(name="tests", description="d", depends_on=("page",)),
        ),
    )

    assert format_plan(plan, notes=["Imported from x."]) == (
        "# Imported from x.\n"
        "\n"
        "[mission]\n"
        'name = "Login"\n'
        'repository = "."\n'
        'checks = ["make test"]\n'
        "\n"
        "[[tasks]]\n"
        'name = "page"\n'
        'description = """\n'
        'Say "no".\n'
        'Then stop."""\n'
        "acceptance = [\n"
        f'    "{"a" * 60}",\n'
        f'    "{"b" * 60}",\n'
        "]\n"
        "\n"
        "[[tasks]]\n"
        'name = "tests"\n'
        'description = "d"\n'
        'depends_on = ["page"]\n'
    )


def test_a_note_cannot_end_its_comment():
    written = format_plan(
        PlanFile(mission=PlanMission(name="m", objective="m")), notes=['a\n[mission]\r\nname = "x"\x00']
    )

    assert tomllib.loads(written) == {"mission": {"name": "m", "repository": "."}}
