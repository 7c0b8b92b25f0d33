"""What an agent asked before it ended: the answers decide whether its task waits for it."""

from __future__ import annotations

import pytest

from tests.fake_executions import FakeExecutions


async def asked(fake_executions: FakeExecutions, *questions: str):
    """An execution that ended with questions; their items, in the order they were asked."""
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)
    for number, question in enumerate(questions):
        await fake_executions.signal(created.execution.id, f"q{number}", "needs_input", question=question)
    await fake_executions.end(created.execution.id)
    items = {item["subject"]: item["id"] for item in (await fake_executions.call("queue_list"))["items"]}
    return created, [items[question] for question in questions]


async def stored(fake_executions, created):
    return await fake_executions.app.database.read(lambda tx: tx.tasks.get(created.task.id))


@pytest.mark.parametrize("answered_first", [True, False])
async def test_one_answer_among_dismissed_questions_keeps_the_task_for_its_agent(fake_executions, call, answered_first):
    created, items = await asked(fake_executions, "Which port?", "Which host?")
    answer, dismiss = items if answered_first else reversed(items)

    for item in items:
        if item == answer:
            await call("queue_answer", {"id": item, "text": "8080"})
        else:
            await call("queue_dismiss", {"id": dismiss})

    task = await stored(fake_executions, created)
    assert (str(task.status), task.owner_id) == ("in_progress", created.agent.id)


async def test_questions_that_are_all_dismissed_set_the_task_free(fake_executions, call):
    created, items = await asked(fake_executions, "Which port?", "Which host?")

    await call("queue_dismiss", {"id": items[0]})
    held = await stored(fake_executions, created)
    await call("queue_dismiss", {"id": items[1]})

    free = await stored(fake_executions, created)
    assert (str(held.status), held.owner_id) == ("paused", created.agent.id)
    assert (str(free.status), free.owner_id) == ("pending", None)


async def test_a_question_before_the_last_progress_is_not_open_any_more(fake_executions, call):
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.signal(created.execution.id, "p1", "progress", summary="Found it")

    await fake_executions.end(created.execution.id)

    assert (await call("queue_list"))["items"] == []
    assert (await stored(fake_executions, created)).owner_id is None
