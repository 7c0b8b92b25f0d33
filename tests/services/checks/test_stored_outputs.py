"""The stored output of checks: kept as long as its evidence, and not forever."""

from __future__ import annotations

from tests.checked_tasks import checked as checked


async def test_output_is_deleted_when_its_mission_is(app, call, checked):
    mission = checked
    await mission.check("echo seen")
    await mission.report(await mission.started())
    (kept,) = app.check_runner.stored()

    await app._forget_outputs()
    assert app.check_runner.stored() == [kept]

    await call("complete_mission", {"mission_id": mission.id, "status": "completed", "summary": "s"})
    await call("mission_delete", {"mission_id": mission.id})
    await app._forget_outputs()

    assert app.check_runner.stored() == []


async def test_old_output_is_deleted_and_its_end_stays_in_the_row(app, call, checked, clock):
    mission = checked
    await mission.check("echo seen")
    task = await mission.started()
    answer = await mission.report(task)
    (check,) = answer["evidence"]["checks"]

    clock.advance(days=app.settings.keep_observations_days + 1)
    await app._forget_outputs()

    assert app.check_runner.stored() == []
    assert (await call("evidence_get", {"id": check["evidence_id"]}))["output"] == "seen\n"


async def test_a_command_that_still_runs_keeps_its_files(app, call, checked, tmp_path):
    mission = checked
    await mission.check("echo seen")
    hold = tmp_path / "hold"
    hold.touch()
    await mission.check(f"while [ -e {hold} ]; do sleep 0.05; done")
    task = await mission.started()
    asked = await call("task_checks", {"task_id": task, "run": True, "wait_seconds": 0})
    assert asked["state"] == "running"

    await app._forget_outputs()
    hold.unlink()
    ended = await call("task_checks", {"task_id": task})

    assert ended["state"] == "passed"
