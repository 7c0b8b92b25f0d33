"""Evidence as programs read it: lists, one piece, its output, over REST and over the crew's envelope."""

from __future__ import annotations

import json

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import CheckFinal, Move
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals
from tests.started_runs import runs as runs
from tests.transports.conftest import live_on_both as live_on_both


async def test_evidence_is_listed_newest_first_and_filtered(checked):
    await checked.check(
        "echo one", {"name": "two", "run": "test ! -f src/new.py"}, {"name": "g", "changed": ["src/**"]}
    )
    task = await checked.started()
    await checked.refused(task)

    everything = (await checked.call("evidence_list", {"task_id": task}))["evidence"]
    failed = (await checked.call("evidence_list", {"mission_id": checked.id, "state": ["failed"]}))["evidence"]

    assert {(each["name"], each["role"]) for each in everything} == {
        ("echo one", "result"),
        ("two", "result"),
        ("two", "start"),
        ("g", "result"),
    }
    assert [each["created_at"] for each in everything] == sorted((e["created_at"] for e in everything), reverse=True)
    assert [each["name"] for each in failed] == ["two"]


async def test_evidence_about_a_whole_run_belongs_to_no_task(call, runs):
    await runs.running(final_checks=["echo the end"])
    await runs.merge("one", {"one.txt": "one\n"})
    await runs.step(Move(state=RunState.FINISHING))
    await runs.settled((await runs.step(CheckFinal())).final["round_id"])

    (row,) = (await call("evidence_list", {"mission_id": runs.mission_id}))["evidence"]
    found = await call("evidence_get", {"id": row["id"]})

    assert (row["task_id"], row["place"], row["state"]) == (None, "fresh", "passed")
    assert (found["task_id"], found["output"]) == (None, "the end\n")


async def test_pages_of_evidence_follow_each_other(checked):
    await checked.check(*({"name": f"g{number}", "changed": ["src/**"]} for number in range(5)))
    task = await checked.started()
    await checked.report(task)
    names, cursor = [], None
    while True:
        page = await checked.call("evidence_list", {"task_id": task, "limit": 2, "cursor": cursor})
        names += [each["name"] for each in page["evidence"]]
        if (cursor := page["next_cursor"]) is None:
            break

    assert names == ["g4", "g3", "g2", "g1", "g0"]


async def test_one_piece_of_evidence_has_the_end_of_its_output(checked):
    await checked.check("echo the end")
    task = await checked.started()
    done = await checked.report(task)
    id = done["evidence"]["checks"][0]["evidence_id"]

    found = await checked.call("evidence_get", {"id": id})
    output = await checked.call("evidence_output", {"id": id})

    assert (found["output"], found["output_bytes"], found["exit_code"]) == ("the end\n", 8, 0)
    assert (found["tree"], found["place"], found["role"]) == (done["evidence"]["tree"], "task", "result")
    assert (output["text"], output["ended"]) == ("the end\n", True)


async def test_the_output_of_a_running_check_is_read_as_it_grows(checked, signals):
    await checked.check({"name": "slow", "run": f"echo begun; {signals.pause('slow')}"})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("slow")
    (row,) = await checked.evidence(task)

    async def begun():
        return (await checked.call("evidence_output", {"id": row.id}))["text"] == "begun\n"

    await checked.until(begun)
    assert (await checked.call("evidence_output", {"id": row.id}))["ended"] is False
    await signals.let_through("slow")
    await checked.until_status(task, "completed")


@pytest.mark.parametrize("tool", ["evidence_get", "evidence_output"])
@pytest.mark.parametrize("id", ["ev_aaaaaaaaaa", "t_aaaaaaaaaa", "../../etc/passwd", ""])
async def test_evidence_that_does_not_exist_is_not_found(checked, tool, id):
    with pytest.raises((NotFound, InvalidInput)):
        await checked.call(tool, {"id": id})


async def test_events_tell_of_evidence_from_its_first_to_its_last_state(checked):
    await checked.check("true")
    before = await checked.read(lambda tx: tx.events.newest())
    await checked.report(await checked.started())

    events = await checked.read(lambda tx: tx.events.since(before, limit=1_000))

    told = [(each.type, each.data["state"]) for each in events if each.type.startswith("evidence:")]
    assert told == [("evidence:created", "queued"), ("evidence:updated", "running"), ("evidence:updated", "passed")]


async def test_a_missions_evidence_is_counted(checked):
    await checked.check({"name": "unit", "run": "! grep -q wrong src/*.py"})
    await checked.report(await checked.started(name="proved"))
    await checked.report(await checked.start(name="unproved"))
    failing, accepted = await checked.start(name="failing"), await checked.start(name="accepted")
    checked.write("src/new.py", "wrong\n")
    for task in (failing, accepted):
        await checked.refused(task)
    await checked.call("task_accept", {"task_id": accepted, "reason": "fine"})

    counts = await checked.read(lambda tx: tx.evidence.proof_counts(checked.id))

    assert counts == {"proved": 1, "unproved": 1, "accepted": 1, "failing": 1}


def test_every_transport_completes_through_the_gate(live_on_both, repository):
    """The crew's envelope gets the error with its status, and REST reads the evidence."""
    live = live_on_both
    made = live.call("start_mission", {"name": "M", "objective": "o", "repository_path": str(repository)})
    live.call("checks_set", {"scope": "mission", "id": made["mission_id"], "checks": ["! grep -q wrong src/new.py"]})
    agent = live.call("agent_register", {"name": "ada", "runtime": "custom"})["id"]
    new = {"mission_id": made["mission_id"], "name": "t", "goal": "g", "agent_id": agent}
    task = live.call("start_task", {**new, "repository_path": str(repository)})["task_id"]
    (repository / "src" / "new.py").write_text("wrong\n")
    moved = {"agentId": agent, "toolName": "mcp__task__update_status", "input": {"taskId": task, "status": "COMPLETED"}}

    refused = live.request("POST", "/mcp/execute", json.dumps(moved).encode())
    (repository / "src" / "new.py").write_text("right\n")
    done = live.request("POST", "/mcp/execute", json.dumps(moved).encode())
    listed = live.request("GET", f"/api/evidence?task_id={task}&state=passed")

    assert (refused.status, refused.json["error"]["code"]) == (409, "CHECKS_FAILED")
    assert (done.status, done.json["success"]) == (200, True)
    assert live.call("task_get", {"id": task})["evidence"]["state"] == "proved"
    passed = [each for each in listed.json["evidence"] if each["role"] == "result"]
    assert len(passed) == 1
    output = live.request("GET", f"/api/evidence/{passed[0]['id']}/output")
    assert output.status == 200
