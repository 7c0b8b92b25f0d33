"""Tasks of a run as its view shows them: trees that keep returning, and open tool calls."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.decisions.stalls import SAME_FAILURES, same_again
from mission.services.runs.view_reader import ProcessFacts, read_view
from tests.services.conftest import fake_executions as fake_executions
from tests.started_runs import runs as runs


async def viewed(runs, **facts):
    view = await runs.read(lambda tx: read_view(tx, run_id=runs.id, facts=ProcessFacts(**facts)))
    return view.tasks[0]


async def sent_back(runs, clock, *trees):
    """Let the task be sent back with each of these trees, each time for another reason."""
    for number, tree in enumerate(trees):
        clock.advance(seconds=1)
        await runs.candidate("one", state=CandidateState.FAILED, tree=tree, reason=f"reason {number} {tree}")


@pytest.mark.parametrize(
    ("trees", "is_circle"),
    [
        ("ABAB", True),
        ("ABCACB", True),
        ("ABA", False),
        ("ABCD", False),
        ("AAAA", False),
    ],
)
async def test_a_tree_that_returns_twice_to_an_earlier_one_goes_in_circles(runs, clock, trees, is_circle):
    await runs.running(revisions=10)

    await sent_back(runs, clock, *trees)

    task = await viewed(runs)
    assert task.revisions == len(trees)
    assert task.same_failure == (SAME_FAILURES if is_circle else 1)
    assert (same_again(task, (await runs.run()).wanted) is not None) is is_circle


async def test_a_persons_answer_begins_a_new_count_of_returns(call, runs, clock):
    await runs.running(revisions=10)
    await sent_back(runs, clock, *"ABAB")
    id = (await runs.tasks())["one"].id
    item = await runs.ask(f"task:{id}", "retry", "skip", task_id=id)
    await call("queue_answer", {"id": item.id, "choice": 1})

    await sent_back(runs, clock, *"AB")

    task = await viewed(runs)
    assert (task.revisions, task.same_failure) == (2, 1)


async def test_an_open_tool_call_is_shown_to_the_controller(runs, fake_executions, clock):
    await runs.running()
    made = await fake_executions.launch((await runs.tasks())["one"].id)
    await fake_executions.start(made.execution.id)
    since = clock() - timedelta(minutes=20)

    found = await viewed(runs, active={made.execution.id: clock()}, in_tool={made.execution.id: since})

    assert found.live.in_tool_since == since
