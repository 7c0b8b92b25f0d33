"""The issues of beads."""

from __future__ import annotations

import json

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.plans.importers.beads import is_beads, read_json_lines
from mission.domain.plans.plan_file import PlanTask
from tests.domain.plans.importers.import_samples import imported, order, sample


def test_issues_of_beads_wait_for_what_blocks_them_and_epics_are_groups():
    draft = sample("beads-issues.jsonl")

    assert order(draft) == {"shop-a1.1": [], "shop-a1.2": ["shop-a1.1"], "shop-b7": ["shop-a1.2"]}
    assert draft.plan.tasks[0] == PlanTask(
        name="shop-a1.1 Build the index",
        description=(
            "One row per word.\n\nUse the database's own full text.\n\n"
            "Part of 'shop-a1 Search'. Find products by words."
        ),
        acceptance=("100,000 products in a minute", "updates within a second"),
    )
    assert draft.plan.tasks[2].acceptance == ("It works with the keyboard alone.",)
    assert draft.notes == (
        "Priorities were left out: the order comes from the dependencies.",
        "Left out (done): 'shop-c2 Choose a database'.",
        "Left out (of type message): 'shop-m1 Handover to the next shift'.",
        "Replaced by their open parts: 'shop-a1 Search'.",
        "'shop-b7 Search page' does not wait for 'shop-zz', which is not in the file.",
    )


def test_a_broken_line_of_beads_is_named():
    good = '{"id": "a-1", "title": "t", "status": "open"}\n'

    with pytest.raises(InvalidInput, match=r"x\.md:2: this line is not JSON") as cut:
        imported(good + '{"id": "a-2", "tit\n')
    with pytest.raises(InvalidInput, match=":2: this line is not JSON") as conflict:
        imported(good + "<<<<<<< HEAD\n" + good)
    with pytest.raises(InvalidInput, match="more than one item has the id 'a-1'"):
        imported(good + good)

    assert cut.value.hint == "Repair the line."
    assert conflict.value.hint == "Resolve the merge conflict first."


def test_the_list_that_beads_prints_is_read_too():
    issues = [
        {"id": "a-1", "title": "one", "status": "open", "issue_type": "task"},
        {"id": "a-2", "title": "two", "status": "open", "dependencies": [{"id": "a-1", "dependency_type": "blocks"}]},
    ]

    assert order(imported(json.dumps(issues, indent=1))) == {"a-1": [], "a-2": ["a-1"]}


def test_the_form_of_an_issue_is_recognized():
    assert is_beads([{"id": "a", "title": "t", "priority": 1}])
    assert not is_beads([{"id": "a", "title": "t"}])
    assert not is_beads([])
    assert read_json_lines("\n1\n\n2\n", source="s") == [1, 2]
