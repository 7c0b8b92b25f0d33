"""A plan becomes a mission: its checks, setup and tasks are stored as they were written."""

from __future__ import annotations

from tests.started_runs import runs as runs
from tests.started_runs import task


async def test_everything_that_a_plan_says_about_a_task_is_stored(call, runs):
    written = task(
        "one",
        areas=["src/auth"],
        files_likely_affected=["src/auth/jwt.py"],
        acceptance=["an expired token gets 401"],
        agent="command",
        review="none",
        checks=[{"name": "auth", "run": "pytest", "before": "fail", "tests": ["tests/**"]}],
    )
    await runs.start(written, task("two", depends_on=["one"]))

    row = (await runs.tasks())["one"]

    assert (list(row.areas), list(row.files_likely_affected)) == (["src/auth"], ["src/auth/jwt.py"])
    assert (list(row.acceptance), row.client, row.review) == (["an expired token gets 401"], "command", "none")
    assert (row.phase_number, (await runs.tasks())["two"].phase_number) == (1, 2)
    checks = await call("checks_list", {"scope": "task", "id": row.id})
    assert [(each["name"], each["origin"], each["approval"]) for each in checks["checks"]] == [
        ("true", "mission", "approved"),
        ("auth", "task", "approved"),
    ]


async def test_setup_copies_and_final_checks_belong_to_the_mission(call, runs, repository):
    (repository / ".env").write_text("x\n")
    await runs.start(setup="make deps", copy=[".env"], final_checks=["make e2e"], review="person")

    mission = await runs.read(lambda tx: tx.missions.get(runs.mission_id))

    assert mission.workspace_setup == {"setup": "make deps", "copy": [".env"]}
    assert (mission.review, mission.repository_path) == ("person", str(repository))
    checks = await call("checks_list", {"scope": "mission", "id": mission.id})
    assert [each["name"] for each in checks["final_checks"]] == ["make e2e"]
    assert (await runs.get())["options"]["review"] == "person"


async def test_checks_of_the_repository_can_be_used(call, runs, repository):
    await call("checks_set", {"scope": "repository", "repository_path": str(repository), "checks": ["make test"]})

    await runs.start(checks="repository")

    checks = await call("checks_list", {"scope": "mission", "id": runs.mission_id})
    assert (checks["uses_repository"], [each["name"] for each in checks["checks"]]) == (True, ["make test"])
