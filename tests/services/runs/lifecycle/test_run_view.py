"""A run as people read it: stages, the queue, spending, questions and lists of runs."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.decisions.starts import next_start
from mission.domain.timestamps import format_time
from mission.services.runs.lifecycle import run_view
from mission.services.runs.view_reader import ProcessFacts, read_view
from tests.services.conftest import fake_executions as fake_executions
from tests.started_runs import runs as runs
from tests.started_runs import task

KEYS = {
    "run_id", "mission_id", "mission_name", "state", "reason", "branch", "base_commit", "tip", "target", "host_id",
    "foreign_commits", "agents", "options", "budget", "spent", "warning", "counts", "tasks", "queue", "questions",
    "preflight", "unproved_allowed", "waivers", "merging_stopped", "final", "landing", "created_at", "updated_at",
    "first_launch_at", "ended_at",
}  # fmt: skip


async def test_a_new_run_shows_every_task_waiting(runs):
    await runs.start(task("one"), task("two", depends_on=["one"]))

    shown = await runs.get()

    assert set(shown) == KEYS
    assert shown["spent"] == {"usd": 0.0, "tokens": 0, "minutes": 0.0, "launches": 0}
    assert (shown["counts"]["waiting"], sum(shown["counts"].values()), len(shown["counts"])) == (2, 2, 10)
    one, two = shown["tasks"]
    assert one == {
        "task_id": one["task_id"],
        "name": "one",
        "stage": "waiting",
        "reason": "The run has not begun yet.",
        "attempts": 0,
        "revisions": 0,
        "retry_at": None,
        "execution_id": None,
        "candidate_id": None,
        "client": None,
        "proof_state": None,
        "depends_on": [],
        "denied": [],
    }
    assert (two["reason"], two["depends_on"]) == ("Waits for 'one'.", [one["task_id"]])


async def test_a_launched_agent_works_and_one_that_ends_without_a_report_is_an_attempt(runs, fake_executions, clock):
    await runs.running()
    id = (await runs.tasks())["one"].id
    made = await fake_executions.launch(id)
    await fake_executions.start(made.execution.id)

    working = (await runs.get())["tasks"][0]
    assert (working["stage"], working["client"], working["execution_id"]) == ("working", "command", made.execution.id)

    await fake_executions.end(made.execution.id, "completed")
    shown = await runs.get()
    again = shown["tasks"][0]
    assert (again["attempts"], again["revisions"]) == (1, 0)
    assert (shown["spent"]["launches"], shown["spent"]["usd"]) == (1, None)


async def test_the_next_try_is_shown_as_the_run_decides_it_from_a_persons_last_answer_on(
    call, runs, fake_executions, clock
):
    await runs.running(retry_minutes=[1, 4, 16])
    id = (await runs.tasks())["one"].id

    async def ends_without_a_report():
        made = await fake_executions.launch(id)
        await fake_executions.start(made.execution.id)
        await fake_executions.end(made.execution.id, "completed")
        clock.advance(seconds=1)

    async def decided():
        view = await runs.read(lambda tx: read_view(tx, run_id=runs.id, facts=ProcessFacts()))
        later = next_start(view, view.tasks[0], view.run.wanted)
        return format_time(later.at)

    await ends_without_a_report()
    await ends_without_a_report()
    second = (await runs.get())["tasks"][0]
    assert (second["reason"], second["retry_at"]) == ("Attempt 2 of 3 ended without a report.", await decided())
    item = await runs.ask(f"task:{id}", "retry", "skip", task_id=id)
    await call("queue_answer", {"id": item.id, "choice": 1})
    clock.advance(seconds=1)
    assert (await runs.get())["tasks"][0]["retry_at"] is None

    await ends_without_a_report()
    shown = (await runs.get())["tasks"][0]

    assert (shown["reason"], shown["attempts"]) == ("Attempt 1 of 3 ended without a report.", 3)
    assert shown["retry_at"] == await decided()


async def test_candidates_are_listed_in_the_order_of_merging(runs, clock):
    await runs.running(task("one"), task("two"))
    first = await runs.candidate("one", state=CandidateState.BUILT, commit="c1", tree="t1")
    clock.advance(seconds=1)
    second = await runs.candidate("two", state=CandidateState.QUEUED, commit="c2", tree="t2")
    clock.advance(seconds=1)
    await runs.candidate("one", state=CandidateState.WITHDRAWN)

    shown = await runs.get()

    assert [(each["candidate_id"], each["name"], each["position"], each["state"]) for each in shown["queue"]] == [
        (first.id, "one", 1, "built"),
        (second.id, "two", 2, "queued"),
    ]
    assert shown["tasks"][1]["reason"] == "1 result will be merged first."


async def test_results_that_were_sent_back_are_revisions(runs, clock):
    await runs.running()
    await runs.candidate("one", state=CandidateState.FAILED, reason="lint failed")
    clock.advance(seconds=1)
    last = await runs.candidate("one", state=CandidateState.CONFLICTED, reason="a.py conflicts")

    shown = (await runs.get())["tasks"][0]

    assert (shown["revisions"], shown["stage"], shown["candidate_id"]) == (2, "retrying", last.id)
    assert shown["reason"] == "Sent back: a.py conflicts"


async def test_open_questions_are_shown_with_their_choices(runs):
    await runs.running()
    id = (await runs.tasks())["one"].id
    item = await runs.ask(f"task:{id}", "retry", "skip", subject="'one' failed three times", task_id=id)

    shown = await runs.get()

    assert [(each["item_id"], each["task_id"]) for each in shown["questions"]] == [(item.id, id)]
    assert [choice["value"] for choice in shown["questions"][0]["choices"]] == ["retry", "skip"]
    assert (shown["tasks"][0]["stage"], shown["tasks"][0]["reason"]) == ("asking", "'one' failed three times")


async def test_a_budget_warns_at_four_fifths(runs, fake_executions):
    await runs.running(budget={"launches": 1})
    await fake_executions.launch((await runs.tasks())["one"].id)

    assert (await runs.get())["warning"] == "100% of the launches is spent."


async def test_runs_are_listed_newest_first_in_pages(call, runs, clock):
    ids = []
    for name in ("a", "b", "c"):
        ids.append((await runs.start(name=name))["run_id"])
        clock.advance(seconds=1)

    first = await call("run_list", {"limit": 2})
    rest = await call("run_list", {"limit": 2, "cursor": first["next_cursor"]})

    assert [row["run_id"] for row in first["runs"]] == [ids[2], ids[1]]
    assert [row["run_id"] for row in rest["runs"]] == [ids[0]]
    assert rest["next_cursor"] is None
    assert (first["runs"][0]["mission_name"], first["runs"][0]["tasks_total"]) == ("c", 1)


async def test_runs_are_listed_by_mission_and_state(call, runs):
    await runs.start()
    await call("run_stop", {"run_id": runs.id})
    stopped, mission = runs.id, runs.mission_id
    await runs.start(name="other")

    assert [row["run_id"] for row in (await call("run_list", {"mission_id": mission}))["runs"]] == [stopped]
    assert [row["run_id"] for row in (await call("run_list", {"state": ["ready"]}))["runs"]] == [runs.id]


async def test_ids_of_other_things_and_unknown_ids_are_named(call, runs):
    await runs.start()
    task_id = (await runs.tasks())["one"].id

    with pytest.raises(InvalidInput, match="run_id"):
        await call("run_get", {"run_id": task_id})
    with pytest.raises(NotFound, match="there is no run run_0000000000"):
        await call("run_get", {"run_id": "run_0000000000"})
    with pytest.raises(NotFound):
        await call("run_get", {"mission_id": "m_0000000000"})
    with pytest.raises(InvalidInput, match="either run_id or mission_id"):
        await call("run_get", {})
    with pytest.raises(InvalidInput, match="either run_id or mission_id"):
        await call("run_get", {"run_id": runs.id, "mission_id": runs.mission_id})
    with pytest.raises(InvalidInput, match="cursor"):
        await call("run_list", {"cursor": "nonsense"})
    with pytest.raises(NotFound):
        await call("run_list", {"mission_id": "m_0000000000"})
    with pytest.raises(InvalidInput):
        await call("run_list", {"limit": 0})


async def test_a_mission_without_a_run_says_how_to_start_one(call):
    made = await call("workflow_create", {"name": "W", "source_type": "prompt", "source_content": "x"})

    with pytest.raises(NotFound, match="has no run") as refused:
        await call("run_get", {"mission_id": made["id"]})

    assert "mission run" in (refused.value.hint or "")


async def test_the_newest_run_of_a_mission_is_found(call, runs, clock):
    await runs.start()
    await call("run_stop", {"run_id": runs.id})
    clock.advance(seconds=1)
    again = await call("run_start", {"mission_id": runs.mission_id, "agents": runs.plan()["agents"]})

    found = await runs.read(lambda tx: run_view.find_run(tx, mission_id=runs.mission_id))

    assert found.id == again["run_id"]
