"""Skipping a task of a run: its agent is told to stop, its result is withdrawn, and its checks end."""

from __future__ import annotations

import asyncio
import shlex

from mission.domain.runs.steps import SkipTasks
from tests.merged_runs import PATIENCE
from tests.merged_runs import merged as merged


async def until_checked(merged, task):
    """Drive the run until checks of the task's result run."""
    async with asyncio.timeout(PATIENCE):
        while not await merged.has_open_rounds():
            if not await merged.look():
                await asyncio.sleep(0.01)
    assert await merged.states(task) == ["built"]


async def test_skipping_a_task_withdraws_its_result_while_it_is_checked(merged, tmp_path):
    free = tmp_path / "free"
    await merged.check(f"while [ ! -e {shlex.quote(str(free))} ]; do sleep 0.05; done")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.submit(task)
    await until_checked(merged, task)

    await merged.do(SkipTasks(task_ids=[task]))

    assert await merged.states(task) == ["withdrawn"]
    assert not await merged.has_open_rounds()
    (withdrawn,) = await merged.candidates(task)
    assert withdrawn.reason == "its task was skipped"
    assert str((await merged.row(task)).status) == "skipped"

    free.touch()
    await merged.settle()

    assert (await merged.merges(), await merged.shown("a.txt")) == ([], None)


async def test_skipping_twice_changes_nothing_and_another_result_is_merged(merged):
    task = await merged.task("add", {"a.txt": "a\n"})
    other = await merged.task("more", {"b.txt": "b\n"})
    await merged.submit(task)
    await merged.submit(other)

    await merged.do(SkipTasks(task_ids=[task]))
    once = (await merged.candidates(task), await merged.row(task))
    await merged.do(SkipTasks(task_ids=[task]))
    assert (await merged.candidates(task), await merged.row(task)) == once
    await merged.settle()

    assert await merged.states(task, other) == ["withdrawn", "merged"]
    assert (await merged.shown("a.txt"), await merged.shown("b.txt")) == (None, "b\n")
