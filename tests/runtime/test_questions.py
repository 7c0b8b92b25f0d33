"""A living agent's question holds its task until somebody answers it or the agent goes on by itself."""

from __future__ import annotations

from pathlib import Path

from mission.domain.executions.execution import ExecutionStatus
from tests.runtime.conftest import Control

S = ExecutionStatus


async def test_a_living_agents_question_holds_its_task_and_every_page_says_so(either_control: Control, tmp_path: Path):
    control = either_control
    task = await control.task()
    launched = await control.launch("linger", str(tmp_path / "never"), task=task)

    held = await control.until_task(task, lambda each: each["hold"] is not None)

    assert (held["status"], held["assigned_agent_id"]) == ("paused", launched["agent_id"])
    assert held["hold"] == {"kind": "input", "reason": "Which way?", "by": launched["agent_id"]}
    assert held["lease_until"] is not None
    assert await control.words(task) == ("asks", "waits", "waiting")
    [item] = (await control.call("queue_list", {"task_id": task}))["items"]
    assert (item["kind"], item["holds_tasks"], item["holds_agents"], item["critical"]) == ("question", 1, 1, True)


async def test_an_answer_lets_the_living_agent_and_its_task_go_on(either_control: Control, tmp_path: Path):
    control = either_control
    task = await control.task()
    launched = await control.launch("linger", str(tmp_path / "never"), task=task)
    await control.until_task(task, lambda each: each["hold"] is not None)

    [item] = await control.waiting()
    answered = await control.call("queue_answer", {"id": item["id"], "choice": 1})

    found = await control.call("task_get", {"id": task})
    assert (found["status"], found["hold"], found["assigned_agent_id"]) == ("in_progress", None, launched["agent_id"])
    assert found["attempts"] == 1
    assert await control.words(task) == ("working", "at_work", "running")
    letters = await control.call("message_list", {"agent_id": launched["agent_id"]})
    assert [each["id"] for each in letters["messages"]] == [answered["message_id"]]


async def test_an_answer_is_typed_into_the_terminal_of_an_agent_that_waits(either_control: Control):
    control = either_control
    task = await control.task()
    launched = await control.launch("talk", task=task, interactive=True)
    await control.until_task(task, lambda each: each["hold"] is not None)

    [item] = await control.waiting()
    await control.call("queue_answer", {"id": item["id"], "choice": 1})

    said = await control.until(launched["id"], lambda each: each.progress is not None)
    assert (said.progress or {})["summary"] == "typed: left"


async def test_progress_withdraws_every_question_and_ends_the_hold(either_control: Control, tmp_path: Path):
    control, go, end = either_control, tmp_path / "go", tmp_path / "end"
    task = await control.task()
    await control.launch("hesitate", str(go), str(end), task=task)
    held = await control.until_task(task, lambda each: (each["hold"] or {}).get("reason") == "How far?")
    assert held["status"] == "paused"
    assert len(await control.waiting()) == 2

    go.touch()
    await control.until_task(task, lambda each: each["hold"] is None)

    assert await control.waiting() == []
    assert await control.words(task) == ("working", "at_work", "running")
    closed = (await control.call("queue_list", {"state": ["dismissed"]}))["items"]
    assert {(each["closed_by"], each["answer"]) for each in closed} == {
        ("system", "the agent continued without an answer")
    }


async def test_of_several_questions_the_open_one_still_holds_the_task(either_control: Control, tmp_path: Path):
    control = either_control
    task = await control.task()
    await control.launch("hesitate", str(tmp_path / "never"), str(tmp_path / "end"), task=task)
    await control.until_task(task, lambda each: (each["hold"] or {}).get("reason") == "How far?")
    items = {each["subject"]: each["id"] for each in await control.waiting()}

    await control.call("queue_answer", {"id": items["How far?"], "text": "a mile"})
    held = await control.call("task_get", {"id": task})
    assert (held["status"], held["hold"]["reason"]) == ("paused", "Which way?")
    assert await control.words(task) == ("asks", "waits", "waiting")

    await control.call("queue_answer", {"id": items["Which way?"], "choice": 1})
    assert await control.words(task) == ("working", "at_work", "running")


async def test_a_question_that_is_put_aside_leaves_the_task_with_its_living_agent(
    either_control: Control, tmp_path: Path
):
    control = either_control
    task = await control.task()
    launched = await control.launch("linger", str(tmp_path / "never"), task=task)
    await control.until_task(task, lambda each: each["hold"] is not None)

    [item] = await control.waiting()
    await control.call("queue_dismiss", {"id": item["id"]})
    await control.all_carried_out()

    found = await control.call("task_get", {"id": task})
    assert (found["status"], found["hold"], found["assigned_agent_id"]) == ("in_progress", None, launched["agent_id"])
    assert await control.words(task) == ("working", "at_work", "running")
    letters = (await control.call("message_list", {"agent_id": launched["agent_id"]}))["messages"]
    assert [each["body"] for each in letters] == ["There will be no answer; use your best judgment."]


async def test_an_agent_that_completes_its_task_withdraws_its_question(either_control: Control, tmp_path: Path):
    control = either_control
    task = await control.task()
    launched = await control.launch("linger", str(tmp_path / "never"), task=task)
    await control.until_task(task, lambda each: each["hold"] is not None)

    done = {"task_id": task, "status": "success", "outcome": {"summary": "sorted"}}
    await control.call("complete_task", done, agent=launched["agent_id"])

    assert await control.waiting() == []
    assert (await control.execution(launched["id"])).status is S.RUNNING


async def test_an_agent_that_dies_while_it_waits_keeps_its_task_for_the_answers(
    either_control: Control, tmp_path: Path
):
    control = either_control
    task = await control.task()
    launched = await control.launch("hesitate", str(tmp_path / "never"), str(tmp_path / "end"), task=task)
    await control.until_task(task, lambda each: (each["hold"] or {}).get("reason") == "How far?")
    items = {each["subject"]: each["id"] for each in await control.waiting()}
    follower = control.app.launcher.follower(launched["id"])
    assert follower is not None
    follower.process.stop("lost")
    await control.ended(launched["id"])
    kept = await control.call("task_get", {"id": task})
    assert (kept["status"], kept["lease_until"], kept["assigned_agent_id"]) == ("paused", None, launched["agent_id"])

    await control.call("queue_answer", {"id": items["How far?"], "text": "a mile"})
    await control.all_carried_out()
    assert (await control.newest(task)).id == launched["id"]
    await control.call("queue_dismiss", {"id": items["Which way?"]})

    second = await control.the_next(task, after=launched["id"])
    await control.until(second.id, lambda each: each.started_at is not None)
    assert second.resumes == launched["id"]
