"""A person's answer: it reaches the agent, is kept with the task, and sends work back as new work."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState
from tests.tools.conftest import planned

REVIEW = {"summary": "Done.", "manual_review_needed": True, "manual_review_reason": "Look at it"}


async def item(call):
    [found] = (await call("queue_list"))["items"]
    return found


async def wants_review(call, task_id, **more):
    await call("start_task", {"task_id": task_id})
    await call("complete_task", {"task_id": task_id, "status": "success", "outcome": REVIEW, **more})
    return (await item(call))["id"]


async def send_back(call, item_id, text="The title is wrong"):
    answered = await call("queue_answer", {"id": item_id, "choice": 2, "text": text})
    return await call("task_get", {"id": answered["follow_up_task_id"]})


async def test_an_answer_to_a_mail_is_a_reply_in_its_thread_and_the_mail_is_read(call, make_agent):
    ada = await make_agent("ada")
    mail = {"sender_id": ada, "recipient_id": "human", "message_type": "query", "subject": "Color", "body": "Which?"}
    sent = await call("message_send", mail)

    await call("queue_answer", {"id": (await item(call))["id"], "text": "Red"})

    [reply] = (await call("message_list", {"agent_id": ada}))["messages"]
    assert (reply["subject"], reply["body"], reply["message_type"]) == ("Re: Color", "Red", "response")
    stored = await call.app.database.read(lambda tx: tx.messages.get(sent["id"]))
    answer = await call.app.database.read(lambda tx: tx.messages.get(reply["id"]))
    assert (answer.thread_id, str(stored.state)) == (stored.thread_id, "read")


async def test_an_answer_about_a_task_is_in_its_journal_and_in_its_agents_mailbox(call, make_workflow, make_agent):
    _, tasks = await make_workflow(planned("a"))
    ada = await make_agent("ada")
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    await call("task_update_status", {"id": tasks["a"], "status": "blocked", "error": "no key", "agent_id": ada})

    await call("queue_answer", {"id": (await item(call))["id"], "text": "It is under the mat"})

    found = await call("task_get", {"id": tasks["a"], "include_checkpoints": True})
    assert found["checkpoints"][-1]["summary"] == "no key → It is under the mat"
    assert found["status"] == "in_progress"
    [reply] = (await call("message_list", {"agent_id": ada}))["messages"]
    assert (reply["body"], reply["task_id"]) == ("It is under the mat", tasks["a"])


async def test_work_sent_back_twice_makes_two_tasks_of_different_names(call, make_workflow):
    _, tasks = await make_workflow(planned("a", requires=["rust"]), planned("b"))

    first = await send_back(call, await wants_review(call, tasks["a"]))
    await call("workflow_add_tasks", {"id": first["workflow_id"], "tasks": [planned("Follow up: b")]})
    second = await send_back(call, await wants_review(call, tasks["b"]))

    assert (first["name"], second["name"]) == ("Follow up: a", "Follow up: b (2)")
    assert (first["depends_on"], first["requires"]) == ([tasks["a"]], ["rust"])
    assert first["description"].startswith("The title is wrong\n\nSent back after a review of")
    assert first["sequence"] == second["sequence"] == 1


async def test_work_sent_back_out_of_a_closed_phase_stands_in_the_next_that_takes_tasks(call, make_workflow):
    _, tasks = await make_workflow(planned("a"), planned("b", sequence=2))

    follow_up = await send_back(call, await wants_review(call, tasks["a"]))

    assert follow_up["sequence"] == 2


async def test_work_that_was_accepted_stays_as_it_is_and_cannot_be_answered_again(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    id = await wants_review(call, tasks["a"])

    answered = await call("queue_answer", {"id": id, "choice": 1})

    assert (answered["state"], answered.get("follow_up_task_id")) == ("answered", None)
    with pytest.raises(InvalidState, match="already answered"):
        await call("queue_answer", {"id": id, "choice": 2, "text": "No"})
