"""spec-kit's tasks.md."""

from __future__ import annotations

from mission.domain.plans.importers.spec_kit import import_spec_kit
from mission.domain.plans.plan_file import PlanTask
from tests.domain.plans.importers.import_samples import imported, order, sample


def test_tasks_of_spec_kit_keep_their_phases_and_order():
    draft = sample("spec-kit-tasks.md")

    assert order(draft) == {
        "T003": [],
        "T004": ["T003"],
        "T005": ["T003"],
        "T006": ["T003", "T005"],
        "T007": ["T004", "T006"],
        "T008": ["T007"],
        "T009": ["T004", "T006"],
        "T010": ["T004", "T006"],
        "T011": ["T008", "T009", "T010"],
    }
    assert [task.sequence for task in draft.plan.tasks] == [1, 1, 1, 1, 2, 2, 3, 3, 4]
    assert draft.plan.tasks[2] == PlanTask(
        name="T005 Add a clock that tests can set in src/tokens/clock.py",
        description="Add a clock that tests can set in src/tokens/clock.py\n- its resolution is a second",
        depends_on=("T003 Create the Token model in src/tokens/model.py",),
        files_likely_affected=("src/tokens/clock.py",),
        sequence=1,
    )
    assert draft.plan.tasks[-1].files_likely_affected == ("docs/login.md",)
    assert draft.notes[1:] == (
        "Left out because they have no task number: 'Run the quickstart by hand'.",
        "Left out (done): 'T001 Create the package in src/tokens/', 'T002 Add pyjwt to pyproject.toml'.",
    )


def test_a_spec_kit_task_may_name_a_range_and_hold_steps():
    draft = imported(
        "- [ ] T001 a\n- [ ] T002 b\n- [ ] T003 c\n"
        "- [ ] T004 [P] d\n  Depends on: T001-T003 and T009\n  - [ ] a step\n    - [x] inside\n"
    )

    assert order(draft)["T004"] == ["T001", "T002", "T003"]
    assert draft.plan.tasks[3].description.endswith("- [ ] a step\n  - [x] inside")
    assert "'T004 d' does not wait for 'T009', which is not in the file." in draft.notes


def test_a_story_waits_for_the_phase_before_it_even_if_it_states_something_done():
    text = "## Phase 1: Setup\n- [x] T001 a\n- [ ] T002 b\n## Phase 2: User Story 1\n- [ ] T003 c (depends on T001)\n"

    assert order(imported(text)) == {"T002": [], "T003": ["T002"]}


def test_a_file_without_a_heading_is_named_by_its_caller():
    assert import_spec_kit("- [ ] T001 a", source="s", name="n").plan.mission.name == "n"
