"""Messages, through the gateway."""

from __future__ import annotations

import pytest


@pytest.fixture
def send(call):
    """Write a message; answers its id and its thread's."""

    async def send(sender, recipient, body="hello", **more):
        arguments = {"sender_id": sender, "recipient_id": recipient, "message_type": "query", "body": body, **more}
        return await call("message_send", arguments)

    return send


@pytest.fixture
def inbox(call):
    async def inbox(agent, **chosen):
        return await call("message_list", {"agent_id": agent, **chosen})

    return inbox


async def test_a_message_arrives_unread_and_is_marked_with_its_author(call, send, inbox, make_agent, make_workflow):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    mission, tasks = await make_workflow({"name": "t", "description": "d", "sequence": 1})

    sent = await send(ada, "bob", {"question": "ready?"}, subject="Status", priority="high", task_id=tasks["t"])

    found = await inbox(bob)
    assert (found["unread_count"], found["next_cursor"]) == (1, None)
    assert found["messages"] == [
        {
            "id": sent["id"],
            "sender_id": ada,
            "sender_name": "ada",
            "sender_type": "WORKER",
            "recipient_id": bob,
            "message_type": "query",
            "subject": "Status",
            "body": {"question": "ready?"},
            "priority": "high",
            "status": "unread",
            "thread_id": sent["thread_id"],
            "reply_to_id": None,
            "workflow_id": mission,
            "task_id": tasks["t"],
            "created_at": found["messages"][0]["created_at"],
            "read_at": None,
        }
    ]
    looked = await call("message_get", {"id": sent["id"], "mark_read": False})
    assert looked == found["messages"][0]
    assert (await call("message_get", {"id": sent["id"], "agent_id": ada}))["status"] == "unread"
    read = await call("message_get", {"id": sent["id"]})
    assert (read["status"], read["read_at"] is not None) == ("read", True)
    assert (await inbox(bob))["messages"] == []
    assert (await inbox(bob, status="all"))["messages"] == [read]
    assert (await inbox(ada, status="all"))["messages"] == []
