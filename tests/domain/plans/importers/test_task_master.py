"""task-master's tasks.json."""

from __future__ import annotations

import json

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.plans.importers.task_master import is_task_master
from mission.domain.plans.plan_file import PlanTask
from tests.domain.plans.importers.import_samples import imported, names, sample


def test_subtasks_of_task_master_replace_their_task():
    draft = sample("task-master-tasks.json")

    assert draft.plan.mission.objective == "The order desk"
    assert draft.plan.tasks == (
        PlanTask(
            name="2.2 Store the rows",
            description=(
                "In batches.\n\n1,000 each.\n\n"
                "Part of '2 Import orders'. Read the nightly CSV file.\n\nRows with errors go to a report."
            ),
        ),
        PlanTask(
            name="2.3 Report the errors",
            description=(
                "Report the errors\n\n"
                "Part of '2 Import orders'. Read the nightly CSV file.\n\nRows with errors go to a report."
            ),
            depends_on=("2.2 Store the rows",),
            acceptance=(
                "One wrong row is one line.",
                "Import the sample file twice; the second time changes nothing.",
            ),
        ),
        PlanTask(name="3 Show orders", description="A page with filters.", depends_on=("2.3 Report the errors",)),
    )
    assert draft.notes == (
        "Only the tag 'master' was imported; --tag chooses another: 'billing'.",
        "Priorities were left out: the order comes from the dependencies.",
        "Left out (done): '1 Create the schema', '2.1 Parse the file'.",
        "Left out (deferred): '4 Dark mode'.",
        "Replaced by their open parts: '2 Import orders'.",
        "'2.3 Report the errors' does not wait for '1.1', which is not in the file.",
        "'3 Show orders' does not wait for '4', which was left out (deferred).",
    )


def test_a_tag_of_task_master_is_chosen_by_its_name():
    draft = sample("task-master-tasks.json", tag="billing")

    assert (draft.plan.mission.name, names(draft)) == ("billing", ["1 Send invoices"])
    with pytest.raises(InvalidInput, match="has no tag 'biling'") as refused:
        sample("task-master-tasks.json", tag="biling")
    assert refused.value.hint == "Did you mean 'billing'?"


def test_tags_without_a_usual_one_must_be_chosen():
    task = {"id": 1, "title": "t", "status": "pending"}

    with pytest.raises(InvalidInput, match="several tags: 'a', 'b'"):
        imported(json.dumps({"a": {"tasks": [task]}, "b": {"tasks": [task]}}))


def test_an_old_task_master_file_has_one_list_and_no_tags():
    old = json.dumps({"tasks": [{"id": 7, "title": "t", "status": "pending", "dependencies": [6]}]})

    assert names(imported(old, source="tasks.json")) == ["7 t"]
    with pytest.raises(InvalidInput, match="has no tag 'x'"):
        imported(old, tag="x")


def test_the_form_of_a_file_is_recognized():
    assert is_task_master({"tasks": []})
    assert is_task_master({"a": {"tasks": []}, "b": 3})
    assert not is_task_master([{"id": 1}])
    assert not is_task_master({"a": {"tasks": 3}})
