"""What is killed at every point until a task is proved: reports, reuse, red then green, approval, a launched agent."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from mission.transports.bridge.daemon_process import ToolFailed
from tests.kill_points.scene import PATIENCE, POLL, Json, Scene

WORKER = str(Path(__file__).resolve().parents[1] / "scripted_worker.py")
DONE = {"status": "success", "outcome": {"summary": "Did it."}}
SETTLED = {"passed", "failed", "error", "void", "withdrawn", "none"}


def report(scene: Scene) -> Json:
    """Report a task with a wrong result, correct it, and report again."""
    mission = new_mission(scene)
    note = scene.notes / "seen"
    phase = scene.phase()
    right = {"name": "right", "run": f"{phase}; cat answer.txt >> {note}; {phase}; ! grep -q wrong answer.txt"}
    leaves = {"name": "leaves", "run": "mkdir -p build; date +%N > build/output", "required": False}
    write(scene, "answer.txt", "nothing yet\n")
    scene.call("checks_set", scope="mission", id=mission, checks=[right, leaves])
    task = start_task(scene, mission, "answer")
    write(scene, "answer.txt", "wrong\n")

    refused = finish(scene, task)
    assert refused["code"] == "CHECKS_FAILED", refused
    assert state_of(scene, task)["status"] == "in_progress", state_of(scene, task)
    write(scene, "answer.txt", "right\n")
    done = finish(scene, task)
    assert done.get("evidence", {}).get("state") == "proved", done
    assert "right\n" in note.read_text()
    return {"mission": mission, "proved": [task]}


def red(scene: Scene) -> Json:
    """Report a task whose new test must fail without the change."""
    mission = new_mission(scene)
    check = {"name": "red", "run": "sh tests/run.sh", "before": "fail", "tests": ["tests/**"]}
    scene.call("checks_set", scope="mission", id=mission, checks=[check])
    task = start_task(scene, mission, "tested")
    write(scene, "answer.txt", "right\n")
    write(scene, "tests/run.sh", "grep -q right answer.txt\n")
    done = finish(scene, task)
    assert done.get("evidence", {}).get("state") == "proved", done
    return {"mission": mission, "proved": [task]}


def reuse(scene: Scene) -> Json:
    """Report a task whose checks have passed on its tree before, with nothing to run; and one whose tree is away."""
    mission = new_mission(scene)
    note = scene.notes / "seen"
    scene.call("checks_set", scope="mission", id=mission, checks=[{"name": "seen", "run": f"cat README.md >> {note}"}])
    task = start_task(scene, mission, "reused")
    write(scene, "answer.txt", "right\n")
    settle_advice(scene, task)
    done = finish(scene, task)
    assert done.get("evidence", {}).get("state") == "proved", done

    other = start_task(scene, mission, "away")
    write(scene, "other.txt", "other\n")
    away = scene.repository.rename(scene.repository.with_name("away"))
    refused = finish(scene, other, gives_up=True)
    assert refused["code"] in {"CHECKS_ERROR", "INVALID_STATE", "INVALID_INPUT"}, refused
    away.rename(scene.repository)
    back = finish(scene, other)
    assert back.get("evidence", {}).get("state") == "proved", back
    dismiss_all(scene)
    return {"mission": mission, "proved": [task, other]}


def withdrawn(scene: Scene) -> Json:
    """Accept a task while its check runs, which ends it; stop the daemon while another one runs, which goes on."""
    mission = new_mission(scene)
    go = scene.notes / "go"
    wait = {"name": "waits", "run": f"while [ ! -e {go} ]; do sleep 0.02; done; test -s README.md"}
    scene.call("checks_set", scope="mission", id=mission, checks=[wait])
    accepted = start_task(scene, mission, "accepted")
    write(scene, "answer.txt", "right\n")
    told = scene.call("complete_task", task_id=accepted, **DONE)
    assert told["status"] == "checking", told
    scene.call("task_accept", task_id=accepted, reason="It is good enough.")

    task = start_task(scene, mission, "stopped")
    write(scene, "answer.txt", "right again\n")
    told = scene.call("complete_task", task_id=task, **DONE)
    assert told["status"] == "checking", told
    scene.stop()
    go.touch()
    until_completed(scene, task)
    return {"mission": mission, "proved": [task], "accepted": [accepted]}


def approval(scene: Scene) -> Json:
    """Report a task with a check that its agent proposed; a person approves the command."""
    mission = new_mission(scene)
    agent = scene.call("agent_register", name="ada", runtime="custom")["id"]
    task = start_task(scene, mission, "proposed", agent_id=agent)
    write(scene, "answer.txt", "right\n")
    note = scene.notes / "seen"
    mine = {"name": "mine", "run": f"cat README.md >> {note}"}
    scene.call("checks_set", scope="task", id=task, checks=[mine], agent_id=agent)
    item = scene.call("queue_list")["items"][0]
    told = scene.call("complete_task", task_id=task, agent_id=agent, **DONE)
    assert told["status"] == "checking", told
    assert not note.exists()
    scene.call("queue_answer", id=item["id"], choice=1)
    until_completed(scene, task)
    assert "hello" in note.read_text()
    return {"mission": mission, "proved": [task]}


def void(scene: Scene) -> Json:
    """Report a task whose check changes a tracked file, complete it unproved; a person accepts another one."""
    mission = new_mission(scene)
    scene.call("checks_set", scope="mission", id=mission, checks=[{"name": "edits", "run": "date +%s%N >> README.md"}])
    task = start_task(scene, mission, "void")
    write(scene, "answer.txt", "right\n")
    refused = finish(scene, task)
    assert refused["code"] == "CHECKS_VOID", refused
    done = finish(scene, task, unproved=True)
    if scene.kills("check") and "evidence" not in done:  # it counts as a failure, past which nobody gets
        done = scene.call("task_accept", task_id=task, reason="It was killed.")
    state = done["evidence"]["state"]
    assert state == "unproved" or (scene.kills("check") and state == "accepted"), done
    scene.call("checks_set", scope="mission", id=mission, checks=[{"name": "no", "run": "test ! -f other.txt"}])
    other = start_task(scene, mission, "accepted")
    write(scene, "other.txt", "other\n")
    refused = finish(scene, other)
    assert refused["code"] == "CHECKS_FAILED", refused
    accepted = scene.call("task_accept", task_id=other, reason="It is good enough.")
    assert accepted["evidence"]["state"] == "accepted", accepted
    dismiss_all(scene)
    return {"mission": mission, state: [task], "accepted": [other, *([task] if state == "accepted" else [])]}


def launched(scene: Scene) -> Json:
    """Launch an agent that reports without having done it; it is started again with the failure, and does it."""
    mission = new_mission(scene)
    done = {"name": "done", "run": "test ! -e notes.txt || grep -q really done.txt"}  # passes before the task
    scene.call("checks_set", scope="mission", id=mission, checks=[done])
    made = scene.call(
        "workflow_add_tasks",
        workflow_id=mission,
        tasks=[{"name": "lie", "description": "DO write notes.txt begun\nDO lie-once done.txt", "sequence": 1}],
    )
    task = str(made["task_ids"][0])
    deadline = time.monotonic() + PATIENCE
    while (state := state_of(scene, task))["status"] != "completed":
        assert time.monotonic() < deadline, (state, scene.log())
        if state["status"] == "pending" and not is_busy(scene, task):
            launch(scene, task)
        dismiss_all(scene)  # an agent that the kill ended is launched again by hand
        time.sleep(POLL)
    return {"mission": mission, "proved": [task]}


SCENARIOS = {
    "report": report,
    "red": red,
    "reuse": reuse,
    "withdrawn": withdrawn,
    "approval": approval,
    "void": void,
    "launched": launched,
}
SETTINGS: dict[str, Json] = {"approval": {"check_wait_seconds": 0.1}, "withdrawn": {"check_wait_seconds": 0.1}}
"""Settings of the daemon for a scenario."""


def dismiss_all(scene: Scene) -> None:
    """Close what a person was told."""
    for item in scene.call("queue_list")["items"]:
        scene.call("queue_dismiss", id=item["id"])


def launch(scene: Scene, task: str) -> None:
    command = [sys.executable, "-u", WORKER, str(scene.notes)]
    try:
        scene.call(
            "execution_launch",
            task_id=task,
            adapter="command",
            arguments=command,
            repository_path=str(scene.repository),
        )
    except ToolFailed as error:  # the repeated call finds that the first one has launched it, or that it failed
        if error.error["code"] not in {"CONFLICT", "INVALID_STATE", "NOT_OWNER"}:
            raise


def is_busy(scene: Scene, task: str) -> bool:
    """Return whether an agent works on the task or is about to be started again."""
    found = scene.call("execution_list", task_id=task)["executions"]
    return any(each["status"] not in {"completed", "failed", "stopped", "lost"} for each in found)


def new_mission(scene: Scene) -> str:
    made = scene.call("start_mission", name="M", objective="o", repository_path=str(scene.repository))
    return str(made["mission_id"])


def start_task(scene: Scene, mission: str, name: str, **more: str) -> str:
    made = scene.call(
        "start_task", mission_id=mission, name=name, goal="g", repository_path=str(scene.repository), **more
    )
    return str(made["task_id"])


def write(scene: Scene, name: str, text: str) -> None:
    path = scene.repository / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def finish(scene: Scene, task: str, *, gives_up: bool = False, **more: object) -> Json:
    """Report a task as an agent does, until it is completed or refused; return the answer, or the error.

    It tries again if its checks were killed, and if they could not run, unless it `gives_up`.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < deadline, scene.log()
        try:
            told = scene.call("complete_task", task_id=task, **DONE, **more)
        except ToolFailed as error:
            could_not_run = error.error["code"] == "CHECKS_ERROR" and not gives_up
            was_killed = scene.kills("check") and "SIGKILL" in str(error.error)  # as if it had failed by itself
            if could_not_run or was_killed:
                continue
            return error.error
        if told["status"] != "checking":
            return told
        scene.call("task_checks", task_id=task, wait_seconds=5)


def settle_advice(scene: Scene, task: str) -> None:
    """Run the checks before reporting, as advice."""
    told = scene.call("task_checks", task_id=task, run=True, wait_seconds=45)
    deadline = time.monotonic() + PATIENCE
    while told["state"] not in SETTLED:
        assert time.monotonic() < deadline, told
        told = scene.call("task_checks", task_id=task, wait_seconds=5)


def until_completed(scene: Scene, task: str) -> None:
    """Wait until checks that are under way complete the task; if one was killed, it is reported again."""
    found = scene.until("task_get", lambda it: it["status"] == "completed" or it["state"] == "working", id=task)
    if found["status"] != "completed":
        assert scene.kills("check"), found
        assert finish(scene, task)["evidence"]["state"] == "proved"


def state_of(scene: Scene, task: str) -> Json:
    return scene.call("task_get", id=task)
