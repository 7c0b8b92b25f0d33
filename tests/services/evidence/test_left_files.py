"""Files that checks left in a tree: no task is credited with them, and no check fails over them."""

from __future__ import annotations

from tests.checked_tasks import checked as checked

STAMP = {"name": "stamp", "run": "mkdir -p out; date +%s%N > out/stamp", "reuse": False}


async def test_a_check_writes_again_what_it_left_in_an_earlier_task(checked):
    await checked.check(STAMP)
    first = await checked.started()
    await checked.report(first)
    second = await checked.started(edited="src/second.py")
    await checked.call("task_checks", {"task_id": second, "run": True})

    done = await checked.report(second)

    assert done["evidence"]["state"] == "proved"
    assert done["files_changed"] == {"added": ["src/second.py"], "modified": [], "deleted": [], "renamed": []}


async def test_a_task_without_checks_is_not_credited_with_what_checks_left(checked):
    await checked.check(STAMP)
    first = await checked.started()
    await checked.report(first)
    await checked.check()
    second = await checked.started(edited="src/second.py")

    done = await checked.report(second)

    assert done["files_changed"]["added"] == ["src/second.py"]


async def test_an_accepted_task_is_not_credited_with_what_its_checks_left(checked):
    await checked.check({**STAMP, "run": f"{STAMP['run']}; test ! -f src/new.py"})
    task = await checked.started()
    await checked.refused(task)

    accepted = await checked.call("task_accept", {"task_id": task, "reason": "Good enough."})
    shown = await checked.call("task_get", {"id": task})

    assert accepted["files_changed"]["added"] == ["src/new.py"]
    assert shown["evidence"]["state"] == "accepted"


async def test_what_a_check_left_is_not_shown_as_changed_while_the_task_runs(checked):
    await checked.check(STAMP)
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})

    shown = await checked.call("overview_files", {"task_id": task})

    assert [each["path"] for each in shown["files"]] == ["src/new.py"]
