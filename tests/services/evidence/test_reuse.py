"""Reuse of evidence: a check that passed on the same tree is not run again."""

from __future__ import annotations

import pytest

from mission.services.evidence import reuse
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


async def asked_then_reported(checked, task):
    await checked.call("task_checks", {"task_id": task, "run": True})
    return await checked.report(task)


async def test_a_check_that_passed_on_the_same_tree_proves_the_report_without_running(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()

    done = await asked_then_reported(checked, task)

    assert (done["evidence"]["state"], len(signals.notes("runs"))) == ("proved", 1)
    advice, report = await checked.evidence(task)
    assert report.reused_from == advice.id


async def test_another_tree_is_checked_again(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})
    checked.write("src/new.py", "other\n")

    await checked.report(task)

    assert len(signals.notes("runs")) == 2


async def test_another_command_is_run_although_the_name_is_the_same(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})
    await checked.check({"name": "unit", "run": f"true; {signals.note('runs')}"})

    await checked.report(task)

    assert len(signals.notes("runs")) == 2


async def test_a_check_that_must_not_be_reused_runs_each_time(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs"), "reuse": False})
    task = await checked.started()

    await asked_then_reported(checked, task)

    assert len(signals.notes("runs")) == 2
    assert [row.reused_from for row in await checked.evidence(task)] == [None, None]


async def test_old_evidence_is_not_used(checked, signals, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reuse, "REUSED_FOR", -reuse.REUSED_FOR)  # the limit lies behind whatever has just passed
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()

    await asked_then_reported(checked, task)

    assert len(signals.notes("runs")) == 2
