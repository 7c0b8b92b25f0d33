"""The evidence of a mission as in-toto Statements."""

from __future__ import annotations

import json

import pytest

from mission.domain.errors import ChecksFailed
from mission.services.evidence import attestations
from tests.tools.conftest import planned
from tests.transports.served_calls import served

CHECK = {"name": "greeting", "run": "grep hello src/app.py"}
OUTCOME = {"summary": "Done."}


@pytest.fixture
async def call(app):
    async with served(app) as front:
        yield front


@pytest.fixture
async def work(call, make_workflow, repository):
    """Do a task of a mission with one check: write this text into the program, or change nothing."""
    call.directory = str(repository)
    id, tasks = await make_workflow(planned("a"), planned("b"), checks=[CHECK])

    async def work(name, text=None, *, during=lambda: None, started=False):
        if not started:
            await call("start_task", {"task_id": tasks[name]})
        if text is not None:
            (repository / "src" / "app.py").write_text(text)
        during()
        await call("complete_task", {"task_id": tasks[name], "status": "success", "outcome": OUTCOME})

    work.mission, work.tasks = id, tasks
    return work


async def test_a_statement_is_about_the_tree_that_was_completed_and_the_commit_that_has_it(
    call, work, repository, git, app
):
    with pytest.raises(ChecksFailed):
        await work("a", "print('goodbye')\n")

    def commit():
        git(repository, "commit", "-qam", "greet")

    await work("a", "print('hello again')\n", during=commit, started=True)
    head = git(repository, "rev-parse", "HEAD")
    found = await attestations.export(app.database, app.trees, mission_id=work.mission)

    [statement] = found.statements
    assert statement["subject"] == [
        {"name": "tree", "digest": {"gitTree": git(repository, "rev-parse", "HEAD^{tree}")}},
        {"name": "commit", "digest": {"gitCommit": head}},
    ]
    predicate = statement["predicate"]
    assert (predicate["result"], predicate["passedTests"], predicate["failedTests"]) == ("PASSED", ["greeting"], [])
    assert predicate["missionControl"]["evidence"][0]["task"] == {"id": work.tasks["a"], "name": "a"}
    assert found.unproved == []
    again = await attestations.export(app.database, app.trees, mission_id=work.mission)
    assert json.dumps(again.statements) == json.dumps(found.statements)


async def test_a_commit_that_was_made_after_the_task_ended_is_named_too(call, work, repository, git):
    await work("a", "print('hello again')\n")
    git(repository, "commit", "-qam", "greet")

    [statement] = (await call("evidence_export", {"mission_id": work.mission}))["statements"]

    assert statement["subject"][1] == {"name": "commit", "digest": {"gitCommit": git(repository, "rev-parse", "HEAD")}}
    [check] = statement["predicate"]["configuration"]
    assert len(check["digest"]["sha256"]) == 64


async def test_a_task_that_was_not_checked_is_named_and_not_attested(work, app):
    await work("b")

    found = await attestations.export(app.database, app.trees, mission_id=work.mission)

    assert found.statements == []
    assert [(each.name, each.reason) for each in found.unproved] == [
        ("b", "nothing changed, so there was nothing to check")
    ]


async def test_an_accepted_task_is_attested_as_failed(call, work, app):
    with pytest.raises(ChecksFailed):
        await work("a", "print('goodbye')\n")
    await call("task_accept", {"task_id": work.tasks["a"], "reason": "It is a farewell."})

    [statement] = (await attestations.export(app.database, app.trees, mission_id=work.mission)).statements

    assert (statement["predicate"]["result"], statement["predicate"]["failedTests"]) == ("FAILED", ["greeting"])


async def test_evidence_is_exported_by_a_tool_also_after_the_repository_is_gone(call, work, repository, git):
    await work("a", "print('hello again')\n", during=lambda: git(repository, "commit", "-qam", "greet"))
    before = await call("evidence_export", {"mission_id": work.mission})
    repository.rename(repository.with_name("moved"))

    after = await call("evidence_export", {"mission_id": work.mission})

    assert (before["mission_id"], before["mission_name"], before["unproved"]) == (work.mission, "W", [])
    assert [each["name"] for each in before["statements"][0]["subject"]] == ["tree", "commit"]
    assert [each["name"] for each in after["statements"][0]["subject"]] == ["tree"]
