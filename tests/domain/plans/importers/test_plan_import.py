"""Plans from other tools: which format a text has, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, MissionError, TooLarge
from mission.domain.plans.importers.plan_draft import ImportFormat
from mission.domain.plans.importers.plan_import import import_plan, mission_name
from mission.domain.plans.plan_file import parse_plan
from mission.domain.plans.plan_toml import format_plan
from tests.domain.plans.importers.import_samples import backlog, imported, names, sample


@pytest.mark.parametrize(
    ("draft", "format", "name"),
    [
        (lambda: sample("spec-kit-tasks.md"), ImportFormat.SPEC_KIT, "Expiring Login Tokens"),
        (lambda: sample("task-master-tasks.json"), ImportFormat.TASK_MASTER, "task master tasks"),
        (lambda: sample("beads-issues.jsonl"), ImportFormat.BEADS, "Search"),
        (backlog, ImportFormat.BACKLOG_MD, "shop"),
        (lambda: sample("TODO.md"), ImportFormat.CHECKLIST, "Release 2.0"),
    ],
)
def test_the_format_is_known_by_its_content_and_the_plan_can_be_run(draft, format, name):
    found = draft()

    assert (found.format, found.plan.mission.name) == (format, name)
    assert parse_plan(format_plan(found.plan, notes=found.notes), source="plan.toml") == found.plan


def test_a_cycle_is_an_error_that_shows_it():
    tasks = [{"id": 1, "title": "a", "dependencies": [2]}, {"id": 2, "title": "b", "dependencies": [1]}]

    with pytest.raises(InvalidInput, match="form a cycle: 1 a → 2 b → 1 a") as refused:
        imported(json.dumps({"tasks": tasks}))
    assert refused.value.hint


def test_what_is_done_altogether_is_an_error():
    with pytest.raises(InvalidInput, match=r"nothing is left to do: 2 items"):
        imported("- [x] a\n- [X] b\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ("Just prose.", "no task list was found"),
        ("- a\n- b", "no task list was found"),
        ("{}", "not a known kind of task list"),
        ("[1, 2]", "not a known kind of task list"),
        ('{"name": "x"}', "not a known kind of task list"),
        ('{"tasks": [{"title": "x"}]}', r"tasks\[0\] has no id or no title"),
        ('{"tasks": [{"id": 1, "title": "x", "subtasks": [7]}]}', r"tasks\[0\].subtasks\[0\] has no id"),
        ('[mission]\nname = "x"', "already a plan"),
        ("{" * 100_000, "not JSON"),
        ("[" * 100_000, "no task list"),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(text, words):
    with pytest.raises(InvalidInput, match=words) as refused:
        imported(text)
    assert refused.value.hint


def test_a_tag_is_only_for_task_master():
    for files in ({"a.md": "- [ ] x"}, {"a.jsonl": '{"id": "a", "title": "t", "status": "open"}'}, {"a": "", "b": ""}):
        with pytest.raises(InvalidInput, match="has no tags"):
            import_plan(files, source="a", tag="x")


def test_more_items_than_a_plan_can_have_are_refused():
    with pytest.raises(TooLarge, match="10,001 items"):
        imported("- [ ] a\n" * 10_001)
    with pytest.raises(TooLarge, match="items"):
        imported('{"id": "a", "title": "t", "status": "open"}\n' * 10_001)


def test_more_dependencies_than_a_plan_can_have_are_refused():
    phase = "".join(f"- [ ] T{number:04} [P] x\n" for number in range(1, 1_002))

    with pytest.raises(TooLarge, match="too many dependencies"):
        imported(f"## Phase 1\n{phase}## Phase 2\n- [ ] T5000 y\n")


def test_endless_nesting_is_cut():
    nested = "".join(f"{' ' * level}- [ ] {'T001 ' if level == 0 else ''}x{level}\n" for level in range(3_000))
    chain = [{"id": f"a-{n}", "title": "t", "status": "open", "dependencies": [edge(n)]} for n in range(3_000)]

    assert len(names(imported(nested))) == 1
    assert 0 < len(names(imported("\n".join(map(json.dumps, chain))))) <= 3_000


def edge(number: int) -> dict[str, str]:
    return {"depends_on_id": f"a-{number + 1}", "type": "parent-child"}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("specs/004-login/tasks.md", "004 login"),
        ("/home/ada/shop/.taskmaster/tasks/tasks.json", "shop"),
        ("shop/.beads/issues.jsonl", "shop"),
        ("release_plan.md", "release plan"),
        ("tasks.md", "Imported plan"),
        ("../todo.md", "Imported plan"),
    ],
)
def test_a_mission_is_named_after_its_file_or_folder(source, name):
    assert mission_name(source) == name


LINES = st.sampled_from(
    [
        *("- [ ] T001 a", "- [x] T002 b", "  - [ ] c", "1. [ ] d", "\t- [ ] e", "## Phase 1: x", "(depends on T001)"),
        *("---", "id: a", "title: b", "status: c", "dependencies: [a, 'b']", "tracker:", "  kind: x", "hooks:"),
        *("```", "<!--", "-->", "{", '{"id":"a","title":"b","status":"open"}', "[mission]", "\x00\x1b", "\u2028"),
    ]
)


@given(st.lists(LINES | st.text(max_size=10), max_size=12).map("\n".join))
def test_no_text_is_more_than_refused_and_what_is_imported_can_be_run(text):
    try:
        draft = imported(text)
    except MissionError:
        return
    if draft.plan.tasks:
        assert parse_plan(format_plan(draft.plan, notes=draft.notes), source="plan.toml") == draft.plan


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "title", "type"]), inner),
    max_leaves=5,
)


FIELDS = ["id", "title", "status", "dependencies", "subtasks", "description", "issue_type", "acceptance_criteria"]


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), VALUES), max_size=4))
def test_no_json_is_more_than_refused(issues):
    for text in (json.dumps({"tasks": issues}), json.dumps(issues), "\n".join(map(json.dumps, issues))):
        try:
            draft = imported(text)
        except MissionError:
            continue
        assert parse_plan(format_plan(draft.plan, notes=draft.notes), source="plan.toml") == draft.plan
