"""What the page shows, read through the tools it calls."""

from __future__ import annotations

import json
from datetime import timedelta

PLAN = {
    "summary": "Three steps",
    "approach": "One after another",
    "tasks": [
        {"name": "Read", "description": "d", "sequence": 1},
        {"name": "Write", "description": "d", "sequence": 2, "depends_on": ["Read"]},
        {"name": "Check", "description": "d", "sequence": 2, "depends_on": ["Write"]},
    ],
}


async def planned(call, name="Ledger"):
    mission = await call("workflow_create", {"name": name, "source_type": "prompt", "source_content": "Do it"})
    await call("workflow_set_plan", {"id": mission["id"], "plan": PLAN})
    return mission["id"]


async def begun(call, mission, agent_name="ada"):
    agent = await call("agent_register", {"name": agent_name, "runtime": "codex", "role": "worker"})
    claim = await call("task_claim_next", {"agent_id": agent["id"], "workflow_id": mission})
    await call("task_update_status", {"task_id": claim["task"]["id"], "status": "in_progress", "agent_id": agent["id"]})
    return agent["id"], claim["task"]["id"]


async def test_a_glance_shows_what_runs_who_works_and_what_ended_since(call, clock):
    mission = await planned(call)
    agent, task = await begun(call, mission)
    await call("checkpoint_add", {"task_id": task, "type": "progress", "summary": "Half way", "agent_id": agent})

    seen = await call("overview", {})

    assert (seen["missions_open"], [each["id"] for each in seen["missions"]]) == (1, [mission])
    assert seen["missions"][0]["tasks"] == {
        "proved": 0,
        "accepted": 0,
        "unproved": 0,
        "failing": 0,
        "working": 1,
        "needs": 0,
        "failed": 0,
        "failed_attempts": 0,
        "skipped": 0,
        "total": 3,
    }
    assert [(row["name"], row["state"], row["agent"], row["said"]) for row in seen["running"]] == [
        ("Read", "working", "ada", "Half way")
    ]
    assert [(each["name"], each["state"], each["task_id"]) for each in seen["fleet"]] == [("ada", "at_work", task)]

    left = clock() + timedelta(seconds=1)
    clock.advance(seconds=60)
    await call(
        "complete_task",
        {"task_id": task, "status": "success", "outcome": {"summary": "s"}, "agent_id": agent},
    )
    later = await call("overview", {"since": left.isoformat()})

    assert [(row["name"], row["state"]) for row in later["ended"]] == [("Read", "unproved")]
    assert (later["ended_total"], later["unproved"], later["proved"], later["failed"]) == (1, 1, 0, 0)
    assert (await call("overview", {"since": clock().isoformat()}))["ended_total"] == 0


async def test_an_agent_whose_lease_lapsed_with_a_task_in_hand_is_lost(call, clock):
    mission = await planned(call)
    await begun(call, mission)
    clock.advance(hours=1)

    assert [each["state"] for each in (await call("overview", {}))["fleet"]] == ["lost"]


async def test_missions_are_found_by_words_and_counted_by_status(call):
    ledger = await planned(call, "Double-entry ledger")
    await planned(call, "50% off_sale")
    await planned(call, "Größe des CAFÉ")
    agent, task = await begun(call, ledger)

    found = await call("overview_missions", {"text": "LEDGER double"})
    assert [(each["name"], each["status"], each["at_work"]) for each in found["missions"]] == [
        ("Double-entry ledger", "in_progress", 1)
    ]
    assert [each["name"] for each in (await call("overview_missions", {"text": "0% off_"}))["missions"]] == [
        "50% off_sale"
    ]
    assert [each["name"] for each in (await call("overview_missions", {"text": "GRÖSSE café"}))["missions"]] == []
    for text in ("GRÖß café", "größe CAF", "É"):
        assert (await call("overview_missions", {"text": text}))["missions"][0]["name"] == "Größe des CAFÉ"
    held = {"id": task, "status": "blocked", "error": "No key", "agent_id": agent}
    await call("task_update_status", held)
    (waiting,) = (await call("overview_missions", {"text": "ledger"}))["missions"]
    assert (waiting["at_work"], waiting["tasks"]["needs"], waiting["tasks"]["working"]) == (0, 1, 0)
    assert (await call("overview", {}))["running_total"] == 0
    ready = await call("overview_missions", {"status": ["ready"]})
    assert (ready["total"], ready["counts"]) == (2, {"ready": 2, "in_progress": 1})


async def test_a_mission_is_seen_whole_with_its_journal(call):
    mission = await planned(call)
    agent, task = await begun(call, mission)
    for number in range(3):
        await call("log_milestone", {"task_id": task, "message": f"step {number}", "progress": 10, "agent_id": agent})

    seen = await call("overview_mission", {"mission_id": mission})

    assert [(each["name"], each["state"], each["waiting_for"]) for each in seen["tasks"]] == [
        ("Read", "working", 0),
        ("Write", "waiting", 1),
        ("Check", "waiting", 1),
    ]
    assert seen["tasks"][1]["depends_on"] == [seen["tasks"][0]["id"]]
    assert [(each["number"], each["tasks"]["total"]) for each in seen["phases"]] == [(1, 1), (2, 2)]
    assert (seen["entries"], seen["files"], seen["counts"]["working"]) == (3, 0, 1)
    assert [each["critical"] for each in seen["tasks"]] == [True, True, True]
    unknown = ("remaining_seconds", "estimated_range", "critical_seconds", "typical_seconds")
    assert [seen[name] for name in unknown] == [None] * 4

    first = await call("overview_journal", {"mission_id": mission, "limit": 2})
    rest = await call("overview_journal", {"mission_id": mission, "limit": 2, "cursor": first["next_cursor"]})
    assert [entry["summary"] for entry in first["entries"] + rest["entries"]] == ["step 2", "step 1", "step 0"]
    assert (first["entries"][0]["author"], rest["next_cursor"]) == ("ada", None)


async def test_changed_files_name_the_tasks_that_changed_them(call, repository):
    mission = (await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)}))[
        "mission_id"
    ]
    task = (await call("start_task", {"mission_id": mission, "name": "Edit", "goal": "g"}))["task_id"]
    (repository / "README.md").rename(repository / "INTRO.md")
    (repository / "new.txt").write_text("new\n")
    (repository / "src" / "app.py").write_text("changed\n")
    await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})

    changes = await call("overview_changes", {"mission_id": mission})

    assert [(file["path"], [by["how"] for by in file["tasks"]]) for file in changes["files"]] == [
        ("INTRO.md", ["R"]),
        ("README.md", ["D"]),
        ("new.txt", ["A"]),
        ("src/app.py", ["M"]),
    ]
    seen = await call("overview_mission", {"mission_id": mission})
    assert (seen["files"], [each["files"] for each in seen["tasks"]]) == (4, [4])


async def test_a_mission_is_exported_as_markdown_html_and_json_and_words_stay_words(call):
    mission = await planned(call, "Ledger <script>")
    agent, task = await begun(call, mission)
    await call(
        "log_decision",
        {
            "task_id": task,
            "category": "trade_off",
            "question": "Which?",
            "options_considered": ["a", "<b>"],
            "chosen": "<b>",
            "reasoning": "# fast \\d+",
            "agent_id": agent,
        },
    )

    made = {
        name: await call("mission_export", {"mission_id": mission, "format": name})
        for name in ("markdown", "html", "json")
    }

    assert [each["filename"] for each in made.values()] == [
        "ledger-script.md",
        "ledger-script.html",
        "ledger-script.json",
    ]
    markdown = made["markdown"]["content"]
    assert markdown.startswith("# Ledger \\<script\\>\n")
    assert "- Read: in progress, by ada\n" in markdown
    assert "- Chosen: \\<b\\>\n" in markdown
    assert "<script>" not in made["html"]["content"]
    assert "<li>Chosen: &lt;b&gt;</li>\n<li>Reasoning: # fast \\d+</li>" in made["html"]["content"]
    document = json.loads(made["json"]["content"])
    assert [task["state"] for task in document["tasks"]] == ["working", "waiting", "waiting"]
    assert document["journal"][0]["chosen"] == "<b>"


async def test_the_course_tells_how_many_tasks_were_worked_on_and_what_waited_over_time(call, clock):
    mission = await planned(call)
    before = clock()
    clock.advance(seconds=600)
    agent, task = await begun(call, mission)
    clock.advance(seconds=600)
    blocked = {"id": task, "status": "blocked", "error": "No slot left", "agent_id": agent}
    await call("task_update_status", blocked)
    clock.advance(seconds=600)

    seen = await call("overview_course", {"since": before.isoformat()})

    quarters = [(seen["at_work"][place], seen["waiting"][place]) for place in (16, 48, 80)]
    assert quarters == [(0, 0), (1, 0), (0, 1)]
    assert (len(seen["at"]), seen["unanswered_since"][:19]) == (97, seen["at"][64][:19])
