"""Reading what is known about checks."""

from __future__ import annotations

from mission.services.checks import reading
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


async def test_the_last_try_of_each_check_on_the_reported_tree_counts(checked, signals):
    shaky = f"{signals.note('runs')}; test $(wc -l < {signals.path('runs')}) -gt 1"
    await checked.check({"name": "shaky", "run": shaky, "retries": 1}, {"name": "old", "run": "exit 1"})
    task = await checked.started()
    await checked.report(task)

    found = await checked.call.app.database.read(reading.of_task, task_id=task)

    shown = {row.name: (str(row.state), str(row.role)) for row in reading.results(found.evidence)}
    assert shown == {"shaky": ("passed", "result"), "old": ("failed", "result")}
    assert not found.is_running


async def test_checks_are_those_in_effect_now(checked):
    await checked.check("true")
    task = await checked.started()
    await checked.report(task)
    await checked.check("make other")

    found = await checked.call.app.database.read(reading.of_task, task_id=task)

    assert [each.check.name for each in found.checks] == ["make other"]
