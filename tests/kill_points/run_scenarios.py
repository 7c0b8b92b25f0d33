"""What is killed at every point of a run: a lie, a conflict, final checks, landing, answers, and an early stop."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

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
        does("after", "write after.txt x", depends_on=["asks"]),
        final_checks=["test -f after.txt"],
    )
    answer(scene, run, "no network", "Skip it; dependents start without it")
    scene.call("run_pause", run_id=run, reason="Lunch.")
    answer(scene, run, "Which way?", "Left")
    scene.call("run_resume", run_id=run)
    found = until_state(scene, run, "finished")
    stages = {each["name"]: each["stage"] for each in found["tasks"]}
    assert stages == {"asks": "merged", "fails": "skipped", "after": "merged"}, stages
    assert scene.call("run_land", run_id=run)["commit"]
    merged = [each for each in found["tasks"] if each["stage"] == "merged"]
    return {"run": run, "base": before, "merged": ["asks", "after"], "landed": True, "proved": ids({"tasks": merged})}


def stopped(scene: Scene) -> Json:
    """Stop a run whose agents work."""
    before = scene.git("rev-parse", "HEAD")
    run = start(scene, does("hangs", "hang"), does("other", "hang"))
    scene.until("run_get", lambda seen: all(each["stage"] == "working" for each in seen["tasks"]), run_id=run)
    scene.call("run_stop", run_id=run)
    until_state(scene, run, "stopped")
    return {"run": run, "base": before, "merged": [], "landed": False, "proved": []}


SCENARIOS = {"landed": landed, "answered": answered, "stopped": stopped}
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
