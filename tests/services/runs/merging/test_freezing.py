"""Freezing: what is committed, what is asked about, and what is refused."""

from __future__ import annotations

from dataclasses import replace

from mission.domain.runs.candidate import CandidateState
from mission.services.runs.merging import freezing
from tests.merged_runs import merged as merged

KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{'MIIEpAIBAAKCAQEA0Z3VS5JJcds3' * 2}\n-----END RSA PRIVATE KEY-----\n"


async def test_ignored_files_are_not_part_of_the_candidate(merged):
    task = await merged.task("add", {".gitignore": "build/\n", "build/out.txt": "x\n", "a.txt": "a\n"})

    done = await merged.report(task)

    assert done["files_changed"]["added"] == [".gitignore", "a.txt"]


async def test_a_likely_secret_asks_once_and_is_committed_when_a_person_allows_it(merged):
    task = await merged.task("add", {"key.pem": KEY})
    candidate = await merged.submit(task)
    assert candidate.state is CandidateState.REPORTED
    (item,) = await merged.items("run")
    assert "key.pem" in item["body"]
    await merged.settle()
    assert len(await merged.items("run")) == 1

    await merged.answer(item, "Commit them")
    await merged.settle()

    assert await merged.shown("key.pem") == KEY
    assert await merged.states(task) == ["merged"]


async def test_a_likely_secret_that_a_person_does_not_allow_goes_back_with_the_words(merged):
    task = await merged.task("add", {"key.pem": KEY})
    await merged.submit(task)
    (item,) = await merged.items("run")

    await merged.answer(item, "Send back", "read it from the environment")

    (candidate,) = await merged.candidates(task)
    assert candidate.state is CandidateState.FAILED
    assert "key.pem" in candidate.reason
    assert "read it from the environment" in candidate.reason
    assert str((await merged.row(task)).status) == "pending"


async def test_conflict_markers_are_refused_and_the_agent_is_told_where(merged):
    task = await merged.task("add", {"a.txt": "<<<<<<< one\na\n=======\nb\n>>>>>>> two\n"})

    error = await merged.refused(task)

    assert error["code"] == "INVALID_STATE"
    assert "a.txt" in error["message"]
    assert await merged.states(task) == ["failed"]


async def test_work_in_the_users_own_checkout_is_never_committed(merged, repository, git):
    made = await merged.call(
        "workflow_add_tasks",
        {"workflow_id": merged.mission_id, "tasks": [{"name": "t", "description": "d", "sequence": 1}]},
    )
    (task,) = made["task_ids"]
    await merged.call("start_task", {"mission_id": merged.mission_id, "task_id": task})
    before_the_run = {"workspace_id": None, "tree": str(repository)}
    await merged.write_rows(lambda tx: tx.tasks.save(replace(tx.tasks.get(task), **before_the_run)))
    (repository / "mine.txt").write_text("mine\n")

    error = await merged.refused(task)

    assert "not in a worktree of the run" in error["message"]
    assert git(repository, "status", "--porcelain") == "?? mine.txt"


def test_the_choices_have_values_that_a_controller_can_read():
    assert freezing.COMMIT["value"] == "go"
