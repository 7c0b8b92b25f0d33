"""The report of a run: it names what was merged and how it was proved, and never more than the rows say."""

from __future__ import annotations

from mission.domain.runs.run import RunState
from mission.domain.runs.steps import CheckFinal, Finish, Move
from mission.services.runs.lifecycle import report
from tests.services.conftest import fake_executions as fake_executions
from tests.started_runs import runs as runs
from tests.started_runs import task


async def test_a_finished_run_reports_its_tasks_files_evidence_and_answers(call, runs, fake_executions):
    await runs.running(task("one"), task("two"), final_checks=[{"name": "e2e", "run": "true"}])
    item = await runs.ask("client:codex", "retry", subject="codex cannot be launched")
    await call("queue_answer", {"id": item.id, "choice": 1, "text": "signed in"})
    one = (await runs.tasks())["one"].id
    made = await fake_executions.launch(one)
    await call("log_decision", decision(runs, one))
    await fake_executions.end(made.execution.id, "failed")
    await runs.merge("one", {"src/a.py": "a\n"})
    await call("task_update_status", {"id": (await runs.tasks())["two"].id, "status": "skipped"})
    await runs.step(Move(state=RunState.FINISHING))
    run = await runs.step(CheckFinal())
    await runs.settled(run.final["round_id"])
    await runs.step(Finish())

    answer = await call("run_report", {"mission_id": runs.mission_id})

    found = answer["report"]
    assert found["counts"] == {
        "tasks": 2, "merged": 1, "proved": 1, "accepted": 0, "unproved": 0, "skipped": 1, "open": 0
    }  # fmt: skip
    first = found["tasks"][0]
    assert (first["stage"], first["proof_state"], first["files"]) == ("merged", "proved", ["src/a.py"])
    assert [each["name"] for each in first["evidence"]] == ["true"]
    assert [(each["subject"], each["answer"]) for each in found["questions"]] == [
        ("codex cannot be launched", "Retry: signed in")
    ]
    assert [each["summary"] for each in found["decisions"]] == ["Which algorithm? → Use RS256"]
    assert (found["final"]["state"], found["final"]["checks"][0]["name"]) == ("passed", "e2e")
    assert found["cost"]["launches"] == 1
    assert found["left"] == ["'two' was skipped.", f"It has not landed: mission land {runs.mission_id}"]
    for words in ("# JWT login", "src/a.py", "Use RS256", "signed in", "e2e: passed", "'two' was skipped."):
        assert words in answer["markdown"]


def decision(runs, task_id):
    return {
        "mission_id": runs.mission_id,
        "task_id": task_id,
        "category": "architecture",
        "question": "Which algorithm?",
        "options_considered": ["RS256", "HS256"],
        "chosen": "Use RS256",
        "reasoning": "keys rotate",
    }


async def test_an_answer_is_told_once_although_it_is_also_a_decision(call, runs, fake_executions):
    await runs.running()
    made = await fake_executions.launch((await runs.tasks())["one"].id)
    await fake_executions.start(made.execution.id)
    await fake_executions.signal(made.execution.id, "e1", "needs_input", question="Which port?")
    item = (await call("queue_list"))["items"][0]
    await call("queue_answer", {"id": item["id"], "text": "8080"})

    found = (await call("run_report", {"run_id": runs.id}))["report"]

    assert [each["answer"] for each in found["questions"]] == ["8080"]
    assert found["decisions"] == []


async def test_a_run_that_goes_on_reports_what_is_left(call, runs):
    await runs.running(task("one"), task("two", depends_on=["one"]))
    await runs.ask("budget", "raise", subject="The budget is spent")

    answer = await call("run_report", {"run_id": runs.id})

    assert answer["state"] == "running"
    assert answer["report"]["left"] == [
        "'one': Waits for a free agent.",
        "'two': Waits for 'one'.",
        "A question is open: The budget is spent",
    ]


async def test_waivers_and_commits_of_others_are_in_the_report(runs):
    await runs.running()
    await runs.set(
        waivers=[{"check": "lint", "reason": "it was red before"}],
        foreign_commits=[{"commit": "abcdef1234567890", "subject": "a hot fix"}],
        preflight={"notes": ["1 uncommitted file"], "problems": [], "round_id": None},
    )

    markdown = (await runs.read(lambda tx: report.get(tx, run_id=runs.id)))["markdown"]

    for words in ("lint: it was red before", "`abcdef123456` a hot fix", "1 uncommitted file"):
        assert words in markdown
