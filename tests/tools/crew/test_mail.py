"""The crew's mail, through the gateway: the same mailbox as the messages."""

from __future__ import annotations

import pytest

from mission.domain.errors import AgentNotFound, InvalidAgentState, InvalidInput, NotFound, PermissionDenied
from mission.gateway.caller import Caller


@pytest.fixture
def crew(call):
    """Call a mail tool as an agent."""

    async def crew(agent, tool, **arguments):
        return await call.app.gateway(f"mcp__mail__{tool}", arguments, Caller(transport="test", agent=agent))

    return crew


async def test_mail_is_sent_listed_read_and_answered(call, crew, make_agent):
    ada, boss = await make_agent("ada"), await make_agent("boss", role="coordinator")
    since = call.app.events.last

    sent = await crew(ada, "send", toAgentId=boss, subject="Task Blocked", body="I need help")

    mail = {
        "id": sent["mailId"],
        "fromAgentId": ada,
        "fromAgentType": "WORKER",
        "subject": "Task Blocked",
        "body": "I need help",
        "isRead": False,
        "createdAt": sent["timestamp"],
        "readAt": None,
    }
    inbox = await crew(boss, "list_inbox")
    assert inbox == {"count": 1, "unreadCount": 1, "mails": [mail], "nextCursor": None}
    read = await crew(boss, "read", mailId=sent["mailId"])
    assert read == {**mail, "isRead": True, "readAt": read["readAt"]}
    assert await crew(boss, "list_inbox") == {"count": 0, "unreadCount": 0, "mails": [], "nextCursor": None}
    assert (await crew(boss, "list_inbox", includeRead=True))["mails"] == [read]
    answer = await crew(boss, "reply", originalMailId=sent["mailId"], body="On my way")
    again = await crew(ada, "reply", originalMailId=answer["mailId"], body="Thanks")
    [got] = (await crew(ada, "list_inbox"))["mails"]
    assert (got["subject"], got["fromAgentType"]) == ("Re: Task Blocked", "ORCHESTRATOR")
    thread = await call("message_get", {"id": again["mailId"]})
    assert (thread["subject"], thread["reply_to_id"]) == ("Re: Task Blocked", answer["mailId"])
    told = await call.app.database.read(lambda tx: tx.events.since(since, limit=100))
    assert [event.data for event in told if event.type == "mail.sent"] == [
        {"mailId": sent["mailId"], "toAgentId": boss, "isForHuman": False, "subject": "Task Blocked"},
        {"mailId": answer["mailId"], "toAgentId": ada, "isForHuman": False, "subject": "Re: Task Blocked"},
        {"mailId": again["mailId"], "toAgentId": boss, "isForHuman": False, "subject": "Re: Task Blocked"},
    ]


async def test_who_sends_mail_was_active_at_its_date(call, crew, make_agent, clock):
    ada = await make_agent("ada")
    await crew(ada, "list_inbox")
    clock.advance(seconds=3)

    sent = await crew(ada, "send", toHuman=True, subject="s", body="b")

    status = await call("mcp__agent__get_status", {"agentId": ada})
    assert status["lastActiveAt"] == sent["timestamp"]


async def test_mail_and_messages_are_one_mailbox_and_the_human_has_one(call, crew, make_agent):
    ada = await make_agent("ada")
    asked = await crew(ada, "send", toHuman=True, subject="Which port?", body="Please say")

    [seen] = (await call("message_list", {"agent_id": "human"}))["messages"]
    assert (seen["id"], seen["sender_id"], seen["subject"]) == (asked["mailId"], ada, "Which port?")
    assert [item["kind"] for item in (await call("queue_list", {}))["items"]] == ["mail"]
    message = {"sender_id": "human", "recipient_id": ada, "message_type": "response", "body": {"port": 6477}}
    await call("message_send", {**message, "reply_to_id": asked["mailId"]})
    [got] = (await crew(ada, "list_inbox"))["mails"]
    assert (got["fromAgentId"], got["fromAgentType"], got["body"]) == ("human", "HUMAN", '{\n "port": 6477\n}')
    assert (await call("queue_list", {}))["items"] == []
    thanks = await crew(ada, "reply", originalMailId=got["id"], body="Thanks")
    assert (await call("message_get", {"id": thanks["mailId"]}))["recipient_id"] == "human"


async def test_what_the_crew_may_not_do_has_the_codes_of_its_protocol(call, crew, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    mail = (await crew(ada, "send", toAgentId=bob, subject="s", body="b"))["mailId"]
    text = {"subject": "s", "body": "b"}

    for error, agent, tool, arguments in [
        (InvalidInput, ada, "send", text),
        (InvalidInput, ada, "send", {**text, "toHuman": False}),
        (InvalidInput, ada, "send", {**text, "toAgentId": bob, "toHuman": True}),
        (InvalidInput, ada, "send", {"toAgentId": bob, "subject": "s"}),
        (AgentNotFound, ada, "send", {**text, "toAgentId": "a_0000000000"}),
        (InvalidInput, ada, "send", {**text, "toAgentId": "m_0000000000"}),
        (NotFound, ada, "read", {"mailId": "msg_0000000000"}),
        (NotFound, ada, "reply", {"originalMailId": "msg_0000000000", "body": "b"}),
        (PermissionDenied, ada, "read", {"mailId": mail}),
        (PermissionDenied, ada, "reply", {"originalMailId": mail, "body": "b"}),
        (PermissionDenied, ada, "list_inbox", {"agentId": bob}),
        (InvalidAgentState, None, "list_inbox", {}),
    ]:
        with pytest.raises(error):
            await crew(agent, tool, **arguments)
    assert (await crew(None, "list_inbox", agentId=bob))["unreadCount"] == 1
    assert (await call("message_list", {"agent_id": "human"}))["messages"] == []
