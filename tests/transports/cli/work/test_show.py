"""A mission stays readable after every kind of answer, and after an upgrade from a version that stored them wrongly."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from mission.domain.inbox.item import APPROVE_RESULT, SEND_BACK
from tests.transports.cli.program import PATIENCE, Program
from tests.transports.cli.work.test_launch import call, launch, new_task, status
from tests.transports.live_server import until


def open_review(mission: Program, subject: str) -> tuple[str, str]:
    """A mission with ended work that wants a review, and the item that asks for it."""
    started = call(mission, "start_mission", name=subject, objective="o")["mission_id"]
    task = call(mission, "start_task", mission_id=started, name="The task", goal="g")["task_id"]
    outcome = {"summary": "Done.", "manual_review_needed": True, "manual_review_reason": subject}
    call(mission, "complete_task", task_id=task, status="success", outcome=outcome)
    return started, open_item(mission, started)


def open_blocker(mission: Program, subject: str) -> tuple[str, str]:
    started = call(mission, "start_mission", name=subject, objective="o")["mission_id"]
    task = call(mission, "start_task", mission_id=started, name="The task", goal="g")["task_id"]
    issue = {"type": "other", "description": subject, "resolution": "asked", "requires_human_review": True}
    call(mission, "log_issue", task_id=task, **issue)
    return started, open_item(mission, started)


def open_item(mission: Program, mission_id: str) -> str:
    items = call(mission, "queue_list")["items"]
    return str(next(item["id"] for item in items if item["mission_id"] == mission_id))


def shown(mission: Program, id: str) -> str:
    """What a person reads."""
    found = mission.run("show", id)
    assert (found.code, found.err) == (0, "")
    assert mission.does("show", id)
    return found.out


def got(mission: Program, path: str) -> dict[str, Any]:
    """What REST answers."""
    running = mission.running()
    assert running is not None
    request = Request(running.url + path, headers={"Authorization": f"Bearer {running.token}"})
    with urlopen(request, timeout=PATIENCE) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_a_mission_is_shown_after_every_kind_of_answer(mission: Program, repository: Path) -> None:
    mission.does("missions")  # starts the daemon
    asked = new_task(mission, repository)
    execution = launch(mission, asked, "--", "talk")
    until(lambda: status(mission, execution) != "running", PATIENCE)
    question = call(mission, "task_get", id=asked)["workflow_id"]
    asks = [
        (*open_blocker(mission, "Which region?"), ["answer", "eu west"], "Which region? → eu west"),
        (*open_blocker(mission, "Which color?"), ["dismiss"], "Which color?"),
        (*open_review(mission, "Read the copy"), ["answer", "--choice", "1"], "Read the copy → Approve"),
        (*open_review(mission, "Read it twice"), ["answer", "--choice", "1", "fine"], "Read it twice → Approve: fine"),
        (*open_review(mission, "Read it again"), ["answer", "-c", "2", "Fix the title"], "→ Send back: Fix the title"),
        (*open_review(mission, "Read the end"), ["answer", "All good"], "Read the end → All good"),
        (question, open_item(mission, question), ["answer", "--choice", "1"], "Which way? → Left"),
    ]

    for mission_id, item, (verb, *words), expected in asks:
        assert mission.run(verb, item, *words).code == 0
        assert expected in shown(mission, mission_id)

    for mission_id, *_ in asks:
        decisions = got(mission, f"/api/missions/{mission_id}")["decisions"]
        assert all(isinstance(option, str) for row in decisions for option in row["options_considered"])


def test_a_mission_whose_answers_an_older_version_stored_is_shown_after_the_upgrade(fresh: Program) -> None:
    fresh.does("missions")
    started, item = open_review(fresh, "Read the copy")
    fresh.run("answer", item, "--choice", "1")
    fresh.run("down")
    with sqlite3.connect(fresh.home / "mission.db") as store:
        ((id, detail),) = store.execute("SELECT id, detail FROM journal WHERE kind = 'decision'").fetchall()
        old = {**json.loads(detail), "options_considered": [APPROVE_RESULT, SEND_BACK], "chosen": "accept"}
        store.execute("UPDATE journal SET detail = ? WHERE id = ?", (json.dumps(old), id))
    store.close()
    fresh.does("up", "--detach")

    assert "Read the copy → Approve" in shown(fresh, started)
    backup = fresh.home.parent / "backup.mission"
    fresh.does("backup", str(backup))
    fresh.run("down")
    assert fresh.run("restore", str(backup), "--yes").code == 0
    fresh.does("up", "--detach")
    assert "Read the copy → Approve" in shown(fresh, started)


def test_a_review_is_wanted_until_it_was_answered(mission: Program) -> None:
    mission.does("missions")
    for words in (["--choice", "1"], ["--choice", "2", "Fix the title"]):
        started, item = open_review(mission, "Read the copy")
        assert "review requested for 'The task' (t_" in shown(mission, started)
        assert "): Read the copy" in shown(mission, started)

        mission.run("answer", item, *words)

        assert "review requested" not in shown(mission, started)
        assert mission.does("show", started)["reviews"] == []
