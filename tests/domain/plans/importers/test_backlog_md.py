"""The tasks of Backlog.md."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.plans.importers.backlog_md import is_backlog_task
from mission.domain.plans.importers.front_matter import read_front_matter
from mission.domain.plans.importers.plan_import import import_plan
from mission.domain.plans.plan_file import PlanTask
from tests.domain.plans.importers.import_samples import SAMPLES, backlog, imported, names, order


def test_files_of_backlog_md_are_tasks():
    draft = backlog()

    assert draft.plan.tasks == (
        PlanTask(
            name="task-2 Password reset: by mail",
            description=(
                "People forget their passwords. Send them a link that works once.\n\n"
                "```sh\n# not a heading\nmake mail\n```"
            ),
            acceptance=("A link works once", "A link works for an hour"),
        ),
        PlanTask(
            name="task-10 Delete an account",
            description="Everything of a person goes, within a day.",
            depends_on=("task-2 Password reset: by mail",),
        ),
    )
    assert draft.notes == (
        "Left out because they are not tasks: 'readme.md'.",
        "Left out (done): 'task-1 Sign in'.",
        "'task-10 Delete an account' does not wait for 'task-11', which is not in the file.",
    )


def test_one_file_of_backlog_md_is_enough_and_a_folder_without_tasks_is_not():
    text = (SAMPLES / "backlog" / "tasks" / "task-10_-_Delete-account.md").read_text()

    assert names(imported(text)) == ["task-10 Delete an account"]
    with pytest.raises(InvalidInput, match="no file has id, title and status"):
        import_plan({"a.md": "# a", "b.md": "# b"}, source="backlog")
    with pytest.raises(InvalidInput, match="no file has id, title and status"):
        import_plan({}, source="backlog")


def test_a_task_has_an_id_a_title_and_a_status():
    assert is_backlog_task(read_front_matter("---\nid: a\ntitle: b\nstatus: c\n---\n"))
    assert not is_backlog_task(read_front_matter("---\nid: a\ntitle: b\n---\n"))
    assert not is_backlog_task(None)


def test_a_task_with_open_subtasks_is_replaced_by_them():
    files = {
        f"task-{id}.md": f"---\nid: task-{id}\ntitle: {title}\nstatus: To Do\ndependencies: [{wanted}]\n---\n{body}"
        for id, title, wanted, body in [
            ("4", "All", "task-4.1, task-4.2", "The whole.\n\n## Acceptance Criteria\n- [ ] it works\n"),
            ("4.1", "First", "", "x"),
            ("4.2", "Second", "task-4.1", "y"),
            ("5", "Next", "task-4", "z"),
        ]
    }
    draft = import_plan(files, source="backlog")

    assert order(draft) == {"task-4.1": [], "task-4.2": ["task-4.1"], "task-5": ["task-4.2"]}
    assert [task.acceptance for task in draft.plan.tasks] == [(), ("it works",), ()]
