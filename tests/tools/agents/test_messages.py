"""Messages, through the gateway."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from mission.domain.errors import AgentNotFound, InvalidInput, NotFound, PermissionDenied, TooLarge
from mission.gateway.caller import Caller
from mission.services.messages import sending as mail
from tests import fault_cases

RANKS = ("low", "normal", "high", "urgent")


@pytest.fixture
def send(call):
    """Write a message; answers its id and its thread's."""

    async def send(sender_id, recipient_id, body="hello", **more):
        arguments = {"sender_id": sender_id, "recipient_id": recipient_id, "message_type": "query", "body": body}
        return await call("message_send", arguments | more)

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


async def test_a_reply_goes_on_in_the_thread_which_each_party_sees(call, send, inbox, make_agent):
    ada, bob, eve = await make_agent("ada"), await make_agent("bob"), await make_agent("eve")
    first = await send(ada, bob, "one")
    second = await send(bob, ada, "two", reply_to_id=first["id"])
    third = await send(ada, eve, "three", reply_to_id=second["id"])
    await call("message_mark_read", {"message_ids": [first["id"]]})

    async def thread(agent, **chosen):
        found = await inbox(agent, thread_id=first["thread_id"], **chosen)
        return [(message["body"], message["reply_to_id"]) for message in found["messages"]]

    assert second["thread_id"] == third["thread_id"] == first["thread_id"]
    assert await thread(ada) == [("three", second["id"]), ("two", first["id"]), ("one", None)]
    assert await thread(bob) == [("two", first["id"]), ("one", None)]
    assert await thread(bob, status="read") == [("one", None)]
    assert await thread(eve) == [("three", second["id"])]
    with pytest.raises(PermissionDenied, match="belongs to another agent"):
        await send(eve, bob, reply_to_id=first["id"])


async def test_a_mailbox_is_filtered_and_read_page_by_page(send, inbox, make_agent, make_workflow, call, clock):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    mission, _ = await make_workflow()
    await send(ada, bob, "0", message_type="status_update")
    await send(ada, bob, "1", priority="urgent")
    clock.advance(seconds=10)
    cut = clock.now.timestamp()
    await send(ada, bob, "2", workflow_id=mission)
    last = await send(ada, bob, "3" * 600, priority="urgent", message_type="response")
    await call("message_get", {"id": last["id"]})

    async def bodies(**chosen):
        return [message["body"][:1] for message in (await inbox(bob, **chosen))["messages"]]

    assert await bodies() == ["2", "1", "0"]
    assert await bodies(status="all") == ["3", "2", "1", "0"]
    assert await bodies(status="read") == ["3"]
    assert await bodies(status="all", priority=["urgent"]) == ["3", "1"]
    assert await bodies(status="all", message_type=["status_update", "response"]) == ["3", "0"]
    assert await bodies(workflow_id=mission) == ["2"]
    assert await bodies(status="all", since=cut) == ["3", "2"]
    pages, cursor = [], None
    while True:
        page = await inbox(bob, status="all", limit=2, **({"cursor": cursor} if cursor else {}))
        pages.append([message["body"][:2] for message in page["messages"]])
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert pages == [["33", "2"], ["1", "0"]]
    assert len((await inbox(bob, status="read"))["messages"][0]["body"]) == 501
    assert (await call("message_get", {"id": last["id"]}))["body"] == "3" * 600


async def test_unread_messages_are_counted_until_they_are_read_or_archived(call, send, inbox, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    ids = [(await send(ada, bob, priority=rank))["id"] for rank in ("low", "normal", "urgent", "urgent")]

    async def counted(**chosen):
        found = await call("message_count_unread", {"agent_id": bob, **chosen})
        assert found["count"] == sum(found["by_priority"].values())
        return found["by_priority"]

    assert await counted() == {"low": 1, "normal": 1, "high": 0, "urgent": 2}
    assert await counted(priority=["urgent", "high"]) == {"urgent": 2, "high": 0}
    for _ in range(2):
        assert await call("message_mark_read", {"message_ids": [ids[0], ids[2]]}) == {"success": True}
        assert await call("message_archive", {"message_ids": [ids[0], ids[1]]}) == {"success": True}
    assert await counted() == {"low": 0, "normal": 0, "high": 0, "urgent": 1}
    found = await inbox(bob, status="all")
    assert ([message["id"] for message in found["messages"]], found["unread_count"]) == ([ids[3], ids[2]], 1)
    archived = (await inbox(bob, status="archived"))["messages"]
    assert [(message["id"], message["read_at"] is None) for message in archived] == [(ids[1], True), (ids[0], False)]
    with pytest.raises(NotFound, match="msg_0000000000"):
        await call("message_mark_read", {"message_ids": [ids[3], "msg_0000000000"]})
    assert (await counted())["urgent"] == 1


async def test_a_broadcast_reaches_all_others_that_fit(call, make_agent, monkeypatch):
    boss = await make_agent("boss", role="coordinator")
    ada, bob = await make_agent("ada", runtime="codex"), await make_agent("bob")
    gone = await make_agent("gone")
    await call("agent_unregister", {"id": gone})
    await call("agent_heartbeat", {"agent_id": bob, "status": "busy"})

    async def reached(sender, **chosen):
        arguments = {"sender_id": sender, "message_type": "notification", "body": "all", "recipient_filter": chosen}
        sent = await call("message_broadcast", arguments)
        assert sent["sent_count"] == len(sent["message_ids"])
        found = [await call("message_get", {"id": id, "mark_read": False}) for id in sent["message_ids"]]
        assert len({message["thread_id"] for message in found}) <= 1
        return {message["recipient_id"] for message in found}

    assert await reached(boss) == {ada, bob}
    assert await reached(ada) == {boss, bob}
    assert await reached("human", role="worker") == {ada, bob}
    assert await reached("human", status="busy") == {bob}
    assert await reached(boss, status="online", runtime="codex") == {ada}
    assert await reached(ada, role="coordinator", status="busy") == set()
    monkeypatch.setattr(mail, "MAX_BROADCAST_LENGTH", 5)
    with pytest.raises(TooLarge, match=r"2 copies take 6 characters \(limit 5\)"):
        await reached(boss)
    monkeypatch.setattr(mail, "MAX_RECIPIENTS", 2)
    with pytest.raises(InvalidInput, match=r"3 agents match \(limit 2\)"):
        await reached("human")


async def test_nobody_reads_or_moves_the_mail_of_others(call, send, make_agent):
    ada, bob, eve = await make_agent("ada"), await make_agent("bob"), await make_agent("eve")
    sent = await send(ada, bob)

    async def as_eve(tool, arguments):
        return await call.app.gateway(tool, arguments, Caller(transport="test", agent=eve))

    for tool, arguments in [
        ("message_get", {"id": sent["id"]}),
        ("message_get", {"id": sent["id"], "mark_read": False}),
        ("message_get", {"id": sent["id"], "agent_id": bob}),
        ("message_mark_read", {"message_ids": [sent["id"]]}),
        ("message_archive", {"message_ids": [sent["id"]]}),
        ("message_list", {"agent_id": bob}),
        ("message_list", {"agent_id": "human"}),
        ("message_count_unread", {"agent_id": bob}),
        ("message_send", {"sender_id": ada, "recipient_id": bob, "message_type": "query", "body": "x"}),
        ("message_send", {"sender_id": "human", "recipient_id": bob, "message_type": "query", "body": "x"}),
    ]:
        with pytest.raises(PermissionDenied):
            await as_eve(tool, arguments)
    with pytest.raises(PermissionDenied):  # its own sender does not mark it as read
        await call("message_mark_read", {"message_ids": [sent["id"]], "agent_id": ada})
    assert (await as_eve("message_list", {"agent_id": eve, "thread_id": sent["thread_id"]}))["messages"] == []
    assert (await call("message_get", {"id": sent["id"], "mark_read": False}))["status"] == "unread"


async def test_mail_to_the_person_waits_in_their_queue_until_they_reply(call, send, inbox, make_agent):
    ada = await make_agent("ada")
    asked = await send(ada, "human", {"which": "port"}, subject="Which port?")

    [item] = (await call("queue_list", {}))["items"]
    assert (item["kind"], item["subject"], item["agent_id"]) == ("mail", "Which port?", ada)
    assert (await inbox("human"))["messages"][0]["id"] == asked["id"]
    await send("human", ada, "6477", message_type="response", reply_to_id=asked["id"])

    [answer] = (await inbox(ada))["messages"]
    assert (answer["sender_id"], answer["sender_type"], answer["body"]) == ("human", "HUMAN", "6477")
    assert (await inbox("human"))["unread_count"] == 0
    assert (await call("queue_list", {}))["items"] == []
    assert (await call("queue_get", {"id": item["id"]}))["answer"] == "6477"


async def test_what_cannot_be_sent_is_named_and_nothing_arrives(call, send, inbox, make_agent, make_workflow):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    mission, tasks = await make_workflow({"name": "t", "description": "d", "sequence": 1})
    other, _ = await make_workflow()

    for error, words, arguments in [
        (AgentNotFound, "a_0000000000", {"recipient_id": "a_0000000000"}),
        (NotFound, "msg_0000000000", {"reply_to_id": "msg_0000000000"}),
        (NotFound, "m_0000000000", {"workflow_id": "m_0000000000"}),
        (InvalidInput, mission, {"workflow_id": other, "task_id": tasks["t"]}),
        (InvalidInput, "message_type: 'chat' is not one of", {"message_type": "chat"}),
        (InvalidInput, "body: must not be empty", {"body": " "}),
        (InvalidInput, "body: must be text or an object", {"body": 7}),
        (TooLarge, "body: too long: 5,000,000 characters", {"body": "x" * 5_000_000}),
        (TooLarge, "body: too long: 5,0.* characters", {"body": {str(n): "x" * 1000 for n in range(5_000)}}),
    ]:
        with pytest.raises(error, match=words):
            await send(**{"sender_id": ada, "recipient_id": bob, **arguments})
    assert (await inbox(bob, status="all"))["messages"] == []


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=1, many=25))
async def test_threads_and_counts_stay_true_whatever_happens_at_once(call, send, inbox, make_agent, seed):
    """A model of the rules beside random operations, in rounds of many at once."""
    dice = random.Random(seed)
    agents = [await make_agent(name) for name in ("ada", "bob", "eve")]
    known: dict[str, dict] = {}

    async def write():
        reply_to = dice.choice(sorted(known)) if known and dice.random() < 0.5 else None
        parties = [known[reply_to]["sender"], known[reply_to]["recipient"]] if reply_to else agents
        sender, recipient, rank = dice.choice(parties), dice.choice(agents), dice.choice(RANKS)
        sent = await send(sender, recipient, priority=rank, **({"reply_to_id": reply_to} if reply_to else {}))
        assert reply_to is None or sent["thread_id"] == known[reply_to]["thread"]
        known[sent["id"]] = {
            "sender": sender,
            "recipient": recipient,
            "rank": rank,
            "thread": sent["thread_id"],
            "status": "unread",
        }

    async def move(tool, status, ids):
        await call(tool, {"message_ids": ids})
        for id in ids:
            if known[id]["status"] != "archived":
                known[id]["status"] = status

    for _ in range(5):
        await asyncio.gather(*(write() for _ in range(12)))
        some = [dice.sample(sorted(known), 4) for _ in range(6)]
        await asyncio.gather(*(move("message_mark_read", "read", ids) for ids in some[:4]))
        await asyncio.gather(*(move("message_archive", "archived", ids) for ids in some[3:]))

    for agent in agents:
        mine = [message for message in known.values() if message["recipient"] == agent]
        counted = await call("message_count_unread", {"agent_id": agent})
        unread = Counter(message["rank"] for message in mine if message["status"] == "unread")
        assert counted == {"count": unread.total(), "by_priority": {rank: unread[rank] for rank in RANKS}}
        for status in ("unread", "read", "archived"):
            listed = {message["id"] for message in (await inbox(agent, status=status, limit=200))["messages"]}
            wanted = {id for id, each in known.items() if (each["recipient"], each["status"]) == (agent, status)}
            assert listed == wanted
        thread = dice.choice([message["thread"] for message in mine])
        seen = {message["id"] for message in (await inbox(agent, thread_id=thread, limit=200))["messages"]}
        assert seen == {
            id
            for id, each in known.items()
            if each["thread"] == thread and agent in (each["sender"], each["recipient"])
        }
