"""What is killed at every point of a run: a lie, a conflict, final checks, landing, answers, and an early stop."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from tests.kill_points.proof_scenarios import DONE
from tests.kill_points.scene import Json, Scene

WORKER = str(Path(__file__).resolve().parents[1] / "scripted_worker.py")
UNEXPECTED_SECONDS = 15.0
"""So long a question may stay open that is withdrawn by itself."""


def landed(scene: Scene) -> Json:
    """Run two agents on three tasks: one lies, two conflict; the result passes its final check and lands."""
    there = {"name": "there", "run": "test -f honest.txt"}
    before = scene.git("rev-parse", "HEAD")
    run = start(
        scene,
        does("first", "write same.txt first"),
        does("second", "write same.txt second"),
        does("honest", "lie-once honest.txt", checks=[there]),
        final_checks=["test -f honest.txt && test -f same.txt"],
        setup="date +%N > .prepared",
        land=True,
    )
    found = until_state(scene, run, "finished")
    found = scene.until("run_get", lambda seen: (seen["landing"] or {}).get("state") == "landed", run_id=run)
    assert {each["stage"] for each in found["tasks"]} == {"merged"}, found["tasks"]
    return {"run": run, "base": before, "merged": ["first", "second", "honest"], "landed": True, "proved": ids(found)}


def answered(scene: Scene) -> Json:
    """A person answers an agent's question, skips what failed, pauses and resumes, and lands by hand."""
    before = scene.git("rev-parse", "HEAD")
    run = start(
        scene,
        does("asks", "ask-once Which way?", "answer way.txt"),
        does("fails", "fail no network"),
        does("after", "write .netrc x", "write after.txt x", depends_on=["asks"]),
        final_checks=["test -f after.txt"],
    )
    answer(scene, run, "no network", "Skip it; dependents start without it")
    scene.call("run_pause", run_id=run, reason="Lunch.")
    answer(scene, run, "Which way?", "Left")
    scene.call("run_resume", run_id=run)
    answer(scene, run, "be committed", "Commit them")
    found = until_state(scene, run, "finished")
    stages = {each["name"]: each["stage"] for each in found["tasks"]}
    assert stages == {"asks": "merged", "fails": "skipped", "after": "merged"}, stages
    assert scene.call("run_land", run_id=run)["commit"]
    merged = [each for each in found["tasks"] if each["stage"] == "merged"]
    return {"run": run, "base": before, "merged": ["asks", "after"], "landed": True, "proved": ids({"tasks": merged})}


def stopped(scene: Scene) -> Json:
    """Let a run go without a check, stop the daemon, and stop the run once its agents work."""
    before = scene.git("rev-parse", "HEAD")
    run = start(scene, does("hangs", "hang"), does("other", "hang"), checks=[])
    answer(scene, run, "Before the first launch", "Go")
    scene.stop()
    scene.until("run_get", lambda seen: all(each["stage"] == "working" for each in seen["tasks"]), run_id=run)
    scene.call("run_stop", run_id=run)
    until_state(scene, run, "stopped")
    return {"run": run, "base": before, "merged": [], "landed": False, "proved": []}


def repaired(scene: Scene) -> Json:
    """Run an existing mission; a person does one task, a final check fails and is repaired, and the target moves."""
    made = scene.call("start_mission", name="Shop", objective="o", repository_path=str(scene.repository))
    mission = made["mission_id"]
    go = scene.notes / "go"
    final = "test -f repaired.txt || { echo 'DO write repaired.txt x'; exit 1; }"
    scene.call("checks_set", scope="mission", id=mission, checks=["true"], final_checks=[final])
    tasks = [does("theirs", f"wait {go}", "write theirs.txt x", sequence=1), does("mine", "nothing", sequence=1)]
    added = scene.call("workflow_add_tasks", workflow_id=mission, tasks=tasks)
    theirs, mine = added["task_ids"]
    run = start_existing(scene, mission)
    scene.until("run_get", lambda seen: stage_of(seen, theirs) == "working", run_id=run)
    place = Path(scene.call("start_task", mission_id=mission, task_id=mine)["repository_path"])
    (place / "mine.txt").write_text("mine\n")
    scene.until("complete_task", lambda told: told["status"] != "checking", task_id=mine, **DONE)
    commit_on_branch(scene, run)
    go.touch()
    found = until_state(scene, run, "finished")
    (scene.repository / "README.md").write_text("moved\n")
    scene.git("commit", "-qam", "theirs")
    assert scene.call("run_land", run_id=run, squash=True)["commit"]
    names = [str(each["name"]) for each in found["tasks"]]
    assert len(names) == 3, names
    return {"run": run, "merged": names, "landed": True, "squashed": True, "proved": ids(found)}


SCENARIOS = {"landed": landed, "answered": answered, "stopped": stopped, "repaired": repaired}
SETTINGS: dict[str, Json] = {}


def does(name: str, *lines: str, **more: Any) -> Json:
    """Return a task whose agent carries out these lines."""
    return {"name": name, "description": "\n".join(f"DO {line}" for line in lines), **more}


def start(scene: Scene, *tasks: Json, **mission: Any) -> str:
    """Start a run of these tasks with two agents that are tried again at once."""
    agent = {"client": "command", "count": 2, "command": [sys.executable, "-u", WORKER, str(scene.notes)]}
    about = {"name": "Shop", "objective": "Everything is sorted", "repository": ".", "review": "none"}
    options = {"checks": [f"{scene.phase()}; true"], "retry_minutes": [0.001], **mission}
    plan = {"mission": {**about, **options}, "agents": [agent], "tasks": list(tasks)}
    return str(scene.call("run_start", plan=plan, folder=str(scene.repository))["run_id"])


def start_existing(scene: Scene, mission: str) -> str:
    """Start a run of a mission that exists, with one agent."""
    agent = {"client": "command", "count": 1, "command": [sys.executable, "-u", WORKER, str(scene.notes)]}
    started = scene.call("run_start", mission_id=mission, agents=[agent], review="none", retry_minutes=[0.001])
    return str(started["run_id"])


def commit_on_branch(scene: Scene, run: str) -> None:
    """Commit a file on the integration branch, as somebody else."""
    place = scene.home.parent / "foreign"
    scene.git("worktree", "add", "-q", "--detach", str(place), scene.call("run_get", run_id=run)["branch"])
    (place / "foreign.txt").write_text("theirs\n")
    scene.git("add", "-A", folder=place)
    scene.git("commit", "-qm", "foreign", folder=place)
    branch = scene.call("run_get", run_id=run)["branch"]
    scene.git("update-ref", f"refs/heads/{branch}", scene.git("rev-parse", "HEAD", folder=place))
    scene.git("worktree", "remove", "--force", str(place))


def stage_of(run: Json, task: str) -> str:
    return str(next(each["stage"] for each in run["tasks"] if each["task_id"] == task))


def until_state(scene: Scene, run: str, state: str) -> Json:
    """Return the run once it is in that state; a question that stays and that nobody expected ends the wait."""
    since: dict[str, float] = {}

    def is_over(seen: Json) -> bool:
        asked = {each["item_id"] for each in seen["questions"]}
        for id in list(since.keys() - asked):
            del since[id]
        for id in asked:
            since.setdefault(id, time.monotonic())
        waits = any(time.monotonic() - at > UNEXPECTED_SECONDS for at in since.values())
        return seen["state"] == state or waits

    found = scene.until("run_get", is_over, run_id=run)
    assert found["state"] == state, (found["state"], found["questions"], found["tasks"], scene.log())
    return found


def answer(scene: Scene, run: str, words: str, label: str) -> None:
    """Answer the question with these words in its subject."""

    def asked(seen: Json) -> bool:
        return any(words in each["subject"] for each in seen["questions"])

    found = scene.until("run_get", asked, run_id=run)
    item = next(each for each in found["questions"] if words in each["subject"])
    labels = [each["label"] for each in item["choices"]]
    scene.call("queue_answer", id=item["item_id"], choice=labels.index(label) + 1)


def ids(found: Json) -> list[str]:
    return [str(each["task_id"]) for each in found["tasks"]]
