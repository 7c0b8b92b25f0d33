"""Checklists in Markdown."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.plans.importers.checklist import import_checklist
from tests.domain.plans.importers.import_samples import imported, names, order, sample


def test_a_checklist_is_ordered_where_it_is_numbered():
    draft = sample("TODO.md")

    assert [(task.name, task.depends_on) for task in draft.plan.tasks] == [
        ("Remove the old API in src/api/v1/", ()),
        ("New colors in web/theme.css", ()),
        ("Dark mode", ()),
        ("Speed up the start", ()),
        ("Write the notes", ()),
        ("Tag it", ("Write the notes",)),
        ("Upload it", ("Tag it",)),
    ]
    assert draft.plan.tasks[0].description == (
        "**Remove** the old API in `src/api/v1/`\nEverything that nobody called for a year.\n\n"
        "```sh\n- [ ] not an item\n```"
    )
    assert draft.plan.tasks[0].files_likely_affected == ("src/api/v1/",)
    assert draft.plan.tasks[1].description == "New colors in web/theme.css\n\nPart of 'Web page'."


def test_tasks_of_the_same_name_get_numbers():
    assert names(imported("- [ ] test\n- [ ] Test\n- [ ] test\n")) == ["test", "Test", "test (2)"]


def test_a_text_without_checkboxes_is_refused():
    with pytest.raises(InvalidInput, match="no checklist was found"):
        import_checklist("- a", source="s", name="n")


def test_numbered_items_of_different_lists_do_not_wait_for_each_other():
    draft = imported("# A\n1. [ ] a\n   1. [ ] aa\n   2. [ ] ab\n2. [ ] b\n## B\n1. [ ] c\n")

    assert order(draft) == {"aa": [], "ab": ["aa"], "b": ["ab"], "c": []}
