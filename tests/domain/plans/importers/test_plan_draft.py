"""Items of other tools as tasks of a plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.domain.missions.plan_graph import check_plan
from mission.domain.plans.importers.plan_draft import (
    DONE,
    ImportedItem,
    ImportedMission,
    ImportFormat,
    PlanDraft,
    build_draft,
)


def drafted(*items: ImportedItem) -> PlanDraft:
    return build_draft(items, format=ImportFormat.BEADS, mission=ImportedMission(name="m"), source="s")


def item(id: str, *depends_on: str, **more: object) -> ImportedItem:
    return ImportedItem(id=id, title=id, depends_on=depends_on, **more)


def order(draft: PlanDraft) -> dict[str, tuple[str, ...]]:
    return {task.name: task.depends_on for task in draft.plan.tasks}


def test_parts_wait_for_what_their_whole_waits_for_and_others_wait_for_the_last_of_them():
    draft = drafted(
        item("first"),
        item("whole", "first"),
        item("a", parent="whole"),
        item("b", "a", parent="whole"),
        item("c", parent="whole"),
        item("next", "whole"),
    )

    assert order(draft) == {
        "first": (),
        "a": ("first",),
        "b": ("a", "first"),
        "c": ("first",),
        "next": ("b", "c"),
    }


def test_parts_of_something_closed_are_closed_and_a_whole_without_open_parts_is_a_task():
    draft = drafted(
        item("closed", closed="deferred"),
        item("a", parent="closed"),
        item("open"),
        item("b", parent="open", closed=DONE),
    )

    assert list(order(draft)) == ["open"]
    assert draft.notes == ("Left out (deferred): 'closed', 'a'.", "Left out (done): 'b'.")


def test_a_part_that_waits_for_its_own_whole_would_never_start():
    draft = drafted(item("whole", "a"), item("a", "whole", "a", parent="whole"))

    assert order(draft) == {"a": ()}
    assert "'a' does not wait for 'whole', which is the task itself or contains it." in draft.notes


def test_parents_in_a_circle_end():
    assert order(drafted(item("a", parent="b"), item("b", parent="a"), item("c"))) == {"c": ()}


def test_many_remarks_are_counted():
    notes = drafted(*(item(f"t{number}", "x") for number in range(5))).notes

    assert notes[-1] == "2 more remarks like these."
    assert len(notes) == 4


def test_a_long_description_is_cut_and_said_so():
    draft = drafted(item("a", description="x" * 200_000))

    assert len(draft.plan.tasks[0].description) == 100_000
    assert draft.notes == ("The description of 'a' was cut after 100,000 characters.",)


def test_a_mission_always_has_a_name():
    plan = ImportedMission(name="\x00").plan(())

    assert (plan.mission.name, plan.mission.objective) == ("Imported plan", "Imported plan")


IDS = st.sampled_from("abcdef")
ITEMS = st.builds(
    lambda id, wanted, parent, closed: item(id, *wanted, parent=parent, closed=closed),
    IDS,
    st.lists(IDS, max_size=3),
    st.none() | IDS,
    st.sampled_from([None, None, DONE, "deferred"]),
)


@given(st.lists(ITEMS, max_size=6, unique_by=lambda each: each.id))
def test_a_draft_can_be_followed_or_is_refused(items):
    try:
        draft = drafted(*items)
    except InvalidInput as refused:
        draft = None
        words = refused.message
    if draft is not None:
        check_plan([(task.name, task.depends_on) for task in draft.plan.tasks])
    else:
        assert any(known in words for known in ("nothing is left to do", "form a cycle"))


def test_an_id_is_used_once():
    with pytest.raises(InvalidInput, match="more than one item has the id 'a'"):
        drafted(item("a"), item("a"))
