"""A merged tree that passed: what it proves, and when a person looks first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.runs.options import RunOptions
from mission.domain.runs.steps import Build, MarkChecked
from mission.services.runs.merging import verdicts
from tests.merged_runs import start_run


@pytest.fixture
async def risky(call, repository):
    return await start_run(call, repository, options=RunOptions(review="risk"))


async def test_a_proved_result_without_a_risk_is_merged_without_a_person(risky):
    await risky.check("true")

    assert (await risky.report(await risky.task("add", {"a.txt": "a\n"})))["status"] == "success"


@pytest.mark.parametrize(
    ("files", "more", "reason"),
    [
        ({"b.txt": "b\n"}, {"areas": ["src"]}, "outside the task's areas"),
        ({"big.txt": "x\n" * 401}, {}, "401 lines changed"),
        ({}, {}, "The agent changed nothing"),
    ],
    ids=["unexpected files", "many lines", "nothing"],
)
async def test_a_named_risk_asks_a_person(risky, files, more, reason):
    await risky.check("true")
    task = await risky.task("add", files)
    await risky.write_rows(lambda tx: tx.tasks.save(replace(tx.tasks.get(task), **more)))

    assert (await risky.report(task))["status"] == "review"
    (item,) = await risky.items("review")
    assert reason in item["body"]


async def test_what_nothing_proves_is_merged_only_if_a_person_said_so(call, repository):
    run = await start_run(call, repository, options=RunOptions(review="none"))
    task = await run.task("add", {"a.txt": "a\n"})

    await run.submit(task)
    await run.settle()

    (item,) = await run.items("run")
    assert "no required check" in item["subject"]
    assert await run.merges() == []
    await run.answer(item, "Go")
    await run.settle()
    assert str((await run.row(task)).proof_state) == "unproved"
    assert await run.merges() == ["Merge 'add'"]


async def test_without_a_round_nothing_is_marked_unless_a_person_allowed_it(call, repository):
    run = await start_run(call, repository)
    candidate = await run.submit(await run.task("add", {"a.txt": "a\n"}))
    await run.do(Build(candidate_ids=[candidate.id]))

    await run.do(MarkChecked(candidate_ids=[candidate.id], round_id=None))

    assert await run.states(candidate.task_id) == ["built"]


async def test_approving_holds_the_task_again_until_it_is_merged(risky):
    await risky.check("true")
    task = await risky.task("add")
    await risky.report(task)
    (item,) = await risky.items("review")

    await risky.answer(item, "Approve")

    (candidate,) = await risky.candidates(task)
    assert candidate.review["verdict"] == verdicts.APPROVE
    assert (await risky.row(task)).is_checking
