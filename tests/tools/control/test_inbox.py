"""The human's queue: what waits for a person, in the order of what it holds up, and what an answer does."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from mission.domain.errors import InvalidInput, InvalidState, NotFound, PermissionDenied
from mission.domain.inbox import ranking
from mission.domain.inbox.item import APPROVE_RESULT, SEND_BACK
from mission.domain.tasks.states import TaskStatus
from mission.services.inbox import items as inbox
from mission.store.tables import journal
from tests.tools.conftest import planned

WANTS_REVIEW = {
    "status": "success",
    "outcome": {"summary": "Done.", "manual_review_needed": True, "manual_review_reason": "Check the copy"},
    "phase_complete": True,
}


@pytest.fixture
async def task(call):
    mission = (await call("start_mission", {"name": "m", "objective": "o"}))["mission_id"]
    return await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})


async def queue(call, **arguments):
    return (await call("queue_list", arguments))["items"]


async def blockers(call, task):
    found = await call("get_context", {"mission_id": task["mission_id"], "include": ["blockers"]})
    return found["blockers_count"], len(found["blockers"])


async def test_a_blocker_waits_for_a_person_whose_answer_resolves_it(call, task):
    issue = {"task_id": task["task_id"], "type": "other", "description": "Which region?", "resolution": "guessed eu"}
    logged = await call("log_issue", issue | {"requires_human_review": True})
    await call("log_issue", issue)

    (item,) = await queue(call)

    assert (item["kind"], item["subject"], item["body"], item["state"]) == (
        "blocker",
        "Which region?",
        "guessed eu",
        "open",
    )
    assert (item["entry_id"], item["task_name"], item["mission_name"]) == (logged["issue_id"], "t", "m")
    assert await blockers(call, task) == (1, 1)
    answered = await call("queue_answer", {"id": item["id"], "text": "us-east"})
    assert (answered["state"], answered["answer"]) == ("answered", "us-east")
    assert await blockers(call, task) == (0, 0)
    assert await queue(call) == []
    (closed,) = await queue(call, state=["answered", "dismissed"])
    assert (closed["answer"], closed["closed_by"]) == ("us-east", "operator")
    told = await call.app.database.read(lambda tx: tx.events.since(0, limit=100))
    assert [event.data["state"] for event in told if event.type.startswith("queue:")] == ["open", "answered"]


async def test_an_answer_is_among_the_decisions_that_every_agent_reads(call, task):
    issue = {
        "task_id": task["task_id"],
        "type": "unclear_requirement",
        "description": "Which key?",
        "resolution": "asked",
    }
    await call("log_issue", issue | {"requires_human_review": True})
    (item,) = await queue(call)
    await call("queue_answer", {"id": item["id"], "text": "The one in the vault"})

    context = await call("get_context", {"mission_id": task["mission_id"], "include": ["decisions", "blockers"]})

    (decision,) = context["decisions"]
    assert (decision["question"], decision["chosen"]) == ("Which key?", "The one in the vault")
    assert (decision["task_id"], context["blockers"]) == (task["task_id"], [])
    assert "operator" in decision["reasoning"]


async def test_an_answer_by_choice_keeps_the_labels_of_its_choices_among_the_decisions(call, task):
    await call("complete_task", WANTS_REVIEW | {"task_id": task["task_id"]})
    (item,) = await queue(call)

    await call("queue_answer", {"id": item["id"], "choice": 1})

    (decision,) = (await call("get_context", {"mission_id": task["mission_id"], "include": ["decisions"]}))["decisions"]
    assert decision["question"] == "Check the copy"
    assert decision["options_considered"] == ["Approve", "Send back"]
    assert decision["chosen"] == "Approve"


async def test_a_decision_names_the_label_that_was_chosen_and_the_agent_gets_the_value(call, task, make_agent):
    agent = await make_agent("ada")
    choices = ({"kind": "fixed", "label": "Go left", "value": "left"}, {"kind": "fixed", "label": "Go right"})
    about = {"kind": "question", "subject": "Which way?", "task_id": task["task_id"], "agent_id": agent}
    item = await call.app.database.write(inbox.open_item, **about, choices=choices)

    answered = await call("queue_answer", {"id": item.id, "choice": 1, "text": "and slowly"})

    mission = {"mission_id": task["mission_id"]}
    (decision,) = (await call("get_context", mission | {"include": ["decisions"]}))["decisions"]
    (entry,) = (await call("overview_journal", mission))["entries"]
    (letter,) = (await call("message_list", {"agent_id": agent}))["messages"]
    assert (decision["options_considered"], decision["chosen"]) == (["Go left", "Go right"], "Go left: and slowly")
    assert entry["summary"] == "Which way? → Go left: and slowly"
    assert (answered["answer"], letter["body"]) == ("left: and slowly", "left: and slowly")


async def test_the_journal_names_the_operator_who_answered(call):
    mission = (await call("start_mission", {"name": "m", "objective": "o"}))["mission_id"]
    work = {"mission_id": mission, "name": "t", "goal": "g", "caller_type": "subagent", "agent_name": "ada"}
    task = (await call("start_task", work))["task_id"]
    issue = {"type": "other", "description": "Which?", "resolution": "guessed", "requires_human_review": True}
    await call("log_issue", issue | {"task_id": task})
    (item,) = await queue(call)
    await call("queue_answer", {"id": item["id"], "text": "yes"})

    entries = (await call("overview_journal", {"mission_id": mission}))["entries"]
    export = await call("mission_export", {"mission_id": mission})

    assert [(entry["kind"], entry["author"]) for entry in entries] == [("decision", "Operator"), ("issue", "ada")]
    assert "· decision · Operator ·" in export["content"]


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        (None, []),
        ({"kind": "fixed", "label": "Accept", "value": "accept"}, ["Accept"]),
        ({}, []),
        ("SQLite", ["SQLite"]),
        (["SQLite", 3, None], ["SQLite", "3", "None"]),
        (7, ["7"]),
    ],
)
async def test_a_mission_is_read_though_the_options_of_a_decision_are_no_list_of_texts(call, task, stored, read):
    decision = {"category": "other", "question": "Which?", "chosen": "SQLite", "reasoning": "small"}
    await call("log_decision", decision | {"task_id": task["task_id"]})
    await call.app.database.write(_with_options, options=stored)
    mission = {"mission_id": task["mission_id"]}

    found = await call("get_context", mission | {"include": ["tasks", "decisions"]})
    (entry,) = (await call("overview_journal", mission))["entries"]
    exported = await call("mission_export", mission)

    assert [row["options_considered"] for row in found["decisions"]] == [read]
    assert entry["detail"]["options_considered"] == read
    assert "Which?" in exported["content"]


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ("accept", "Approve"),
        ("accept: fine", "Approve: fine"),
        ("acceptable", "acceptable"),
        ("Add tests", "Add tests"),
    ],
)
async def test_a_value_that_an_older_version_kept_is_read_as_the_label_of_its_choice(call, task, stored, read):
    await call("complete_task", WANTS_REVIEW | {"task_id": task["task_id"]})
    (item,) = await queue(call)
    await call("queue_answer", {"id": item["id"], "choice": 1})
    await call.app.database.write(_kept_whole, chosen=stored)

    (decision,) = (await call("get_context", {"mission_id": task["mission_id"], "include": ["decisions"]}))["decisions"]

    assert (decision["options_considered"], decision["chosen"]) == (["Approve", "Send back"], read)


async def test_answers_that_an_older_version_kept_whole_are_read_as_their_labels(call, task):
    await call("complete_task", WANTS_REVIEW | {"task_id": task["task_id"]})
    (item,) = await queue(call)
    await call("queue_answer", {"id": item["id"], "choice": 2, "text": "The title is wrong"})
    await call.app.database.write(_kept_whole)
    about = {"mission_id": task["mission_id"]}

    (decision,) = (await call("get_context", about | {"include": ["decisions"]}))["decisions"]
    (entry,) = [each for each in (await call("overview_journal", about))["entries"] if each["kind"] == "decision"]
    (noted,) = (await call("checkpoint_list", {"task_id": task["task_id"]}))["checkpoints"]
    exports = [await call("mission_export", about | {"format": form}) for form in ("markdown", "html", "json")]
    recovered = await call("task_load_context", {"task_id": task["task_id"]})
    found = await call("search", {"query": "title wrong"})

    for detail in (decision, entry["detail"], noted["detail"]):
        assert detail["options_considered"] == ["Approve", "Send back"]
    assert all("Approve" in made["content"] and "manual" not in made["content"] for made in exports)
    assert "The title is wrong" in str(recovered)
    assert any("The title is wrong" in hit["title"] for hit in found["results"])


async def test_bad_answers_are_refused_and_change_nothing(call, task):
    issue = {"task_id": task["task_id"], "type": "other", "description": "d", "resolution": "r"}
    await call("log_issue", issue | {"requires_human_review": True})
    (item,) = await queue(call)

    for arguments, error, words in (
        ({"text": "  "}, InvalidInput, "must not be empty"),
        ({"choice": 1}, InvalidInput, "no choice 1"),
        ({"id": "q_0000000000", "text": "x"}, NotFound, "no inbox item"),
        ({"id": task["task_id"], "text": "x"}, InvalidInput, "the id of a task"),
    ):
        with pytest.raises(error, match=words):
            await call("queue_answer", {"id": item["id"]} | arguments)
    assert (await call("queue_get", {"id": item["id"]}))["state"] == "open"
    await call("queue_dismiss", {"id": item["id"]})
    with pytest.raises(InvalidState, match="is already dismissed"):
        await call("queue_answer", {"id": item["id"], "text": "too late"})
    assert await blockers(call, task) == (0, 0)


async def test_a_reported_block_holds_its_task_until_a_person_answers(call, make_agent, make_workflow):
    ada = await make_agent("ada")
    _, ids = await make_workflow(planned("base"), planned("top", after=["base"]), planned("crown", after=["top"]))
    move = {"id": ids["base"], "agent_id": ada}
    await call("task_claim", {"task_id": ids["base"], "agent_id": ada})
    await call("task_update_status", move | {"status": "in_progress"})
    for reason in ("No key", "Still no key"):
        await call("task_update_status", move | {"status": "blocked", "error": reason})

    (item,) = await queue(call)

    assert (item["kind"], item["subject"], item["body"], item["count"]) == ("blocker", "No key", "Still no key", 2)
    assert (item["agent_name"], item["holds_tasks"], item["holds_agents"]) == ("ada", 3, 1)
    held = await call("task_get", {"id": ids["base"]})
    assert (held["status"], held["hold"]) == ("blocked", {"kind": "blocked", "reason": "Still no key", "by": ada})
    await call("queue_answer", {"id": item["id"], "text": "It is in the vault"})
    going = await call("task_get", {"id": ids["base"], "include_checkpoints": True})
    assert (going["status"], going["hold"], going["assigned_agent_id"]) == ("in_progress", None, ada)
    assert going["checkpoints"][-1]["summary"] == "No key → It is in the vault"
    assert going["attempts"] == 1
    (reply,) = (await call("message_list", {"agent_id": ada}))["messages"]
    assert (reply["sender_id"], reply["subject"], reply["body"], reply["task_id"]) == (
        "human",
        "Re: No key",
        "It is in the vault",
        ids["base"],
    )


async def test_what_stands_on_the_critical_path_comes_first_then_what_holds_the_most(
    call, make_agent, make_workflow, clock
):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, ids = await make_workflow(
        planned("lonely"),
        planned("wide"),
        *(planned(f"w{number}", after=["wide"]) for number in range(3)),
        planned("deep"),
        planned("d1", after=["deep"]),
        planned("d2", after=["d1"]),
    )
    for name, agent in (("lonely", ada), ("wide", ada), ("deep", bob)):
        clock.advance(seconds=1)
        await call("task_claim", {"task_id": ids[name], "agent_id": agent})
        for status in ("in_progress", "blocked"):
            await call("task_update_status", {"id": ids[name], "agent_id": agent, "status": status, "error": name})

    ranked = [(item["subject"], item["critical"], item["holds_tasks"]) for item in await queue(call)]

    assert ranked == [("deep", True, 3), ("wide", False, 4), ("lonely", False, 1)]
    deep = (await queue(call))[0]["id"]
    assert (await call("queue_get", {"id": deep}))["critical"]
    given = await call("queue_answer", {"id": deep, "text": "Go on"})
    letter = await call("message_get", {"id": given["message_id"], "mark_read": False})
    assert (letter["body"], letter["recipient_id"], letter["read_at"]) == ("Go on", bob, None)


async def test_the_owners_own_word_ends_the_hold_and_withdraws_the_question(call, make_agent, make_workflow):
    ada = await make_agent("ada")
    outcome = {"status": "success", "outcome": {"summary": "s"}}
    ways = {
        "goes on": lambda id: call("task_update_status", {"id": id, "agent_id": ada, "status": "in_progress"}),
        "skips": lambda id: call("task_update_status", {"id": id, "agent_id": ada, "status": "skipped"}),
        "gives back": lambda id: call("task_release", {"task_id": id, "agent_id": ada}),
        "completes": lambda id: call("complete_task", {"task_id": id, "agent_id": ada, **outcome}),
    }
    _, ids = await make_workflow(*map(planned, ways))
    for name, id in ids.items():
        await call("task_claim", {"task_id": id, "agent_id": ada})
        for status in ("in_progress", "blocked"):
            await call("task_update_status", {"id": id, "agent_id": ada, "status": status, "error": name})

    for name, way in ways.items():
        (item,) = [item for item in await queue(call) if item["subject"] == name]
        await way(ids[name])
        closed = await call("queue_get", {"id": item["id"]})
        assert (name, closed["state"], closed["closed_by"]) == (name, "dismissed", "system")
        assert (await call("task_get", {"id": ids[name]}))["hold"] is None


async def test_work_that_wants_a_review_is_accepted_or_sent_back_as_a_new_task(call, task):
    outcome = {"summary": "Done.", "manual_review_needed": True, "manual_review_reason": "Check the copy"}
    ended = {"task_id": task["task_id"], "status": "success", "outcome": outcome, "phase_complete": True}
    await call("complete_task", ended)
    await call("complete_task", ended)

    (item,) = await queue(call)

    assert (item["kind"], item["subject"], item["body"]) == ("review", "Check the copy", "Check the copy\n\nDone.")
    assert [choice["label"] for choice in item["choices"]] == ["Approve", "Send back"]
    assert item["holds_tasks"] == 0
    with pytest.raises(InvalidInput, match="must not be empty"):
        await call("queue_answer", {"id": item["id"], "choice": 2})
    back = await call("queue_answer", {"id": item["id"], "choice": 2, "text": "The title is wrong"})
    follow_up = await call("task_get", {"id": back["follow_up_task_id"]})
    assert (follow_up["name"], follow_up["status"], follow_up["sequence"]) == ("Follow up: t", "pending", 2)
    assert follow_up["description"].startswith("The title is wrong")
    assert follow_up["depends_on"] == [task["task_id"]]
    assert (await call("task_get", {"id": task["task_id"]}))["status"] == "completed"


async def test_a_task_under_review_ends_or_waits_again_by_the_answer(call, make_workflow):
    _, ids = await make_workflow(planned("one"), planned("two"))
    for name, id in ids.items():
        for status in ("in_progress", "paused", "in_progress"):
            await call("task_update_status", {"id": id, "status": status})
        await call.app.database.write(_under_review, task_id=id, subject=name)
    items = {item["subject"]: item["id"] for item in await queue(call)}

    await call("queue_answer", {"id": items["one"], "choice": 1})
    await call("queue_answer", {"id": items["two"], "choice": 2, "text": "Add tests"})

    accepted, again = [
        await call("task_get", {"id": ids[name], "include_checkpoints": True}) for name in ("one", "two")
    ]
    assert (accepted["status"], accepted["outcome"]) == ("completed", "accepted after review")
    assert (again["status"], again["checkpoints"][-1]["summary"]) == ("pending", "two → Send back: Add tests")
    assert await queue(call) == []


async def test_mail_and_failures_are_for_the_person_alone(call, task):
    agents = {}
    for kind in ("SUPERVISOR", "ORCHESTRATOR"):
        agents[kind] = (await call("mcp__agent__create", {"type": kind, "name": kind}))["id"]
    lead = agents["ORCHESTRATOR"]
    issue = {"task_id": task["task_id"], "type": "other", "description": "d", "resolution": "r"}
    await call("log_issue", issue | {"requires_human_review": True})
    await call("mcp__mail__send", {"toHuman": True, "subject": "s", "body": "private"}, agent=lead)
    await call.app.database.write(inbox.open_item, kind="escalation", subject="x", body="trace", agent_id=lead)
    items = {item["kind"]: item["id"] for item in await queue(call)}
    assert set(items) == {"blocker", "mail", "escalation"}

    for kind, seen in (("SUPERVISOR", {"blocker"}), ("ORCHESTRATOR", {"blocker", "mail"})):
        listed = await call("queue_list", {}, agent=agents[kind])
        assert ({item["kind"] for item in listed["items"]}, listed["total"]) == (seen, len(seen))
        for hidden in set(items) - seen:
            with pytest.raises(PermissionDenied, match="only for the operator"):
                await call("queue_get", {"id": items[hidden]}, agent=agents[kind])
    assert (await call("queue_get", {"id": items["mail"]}, agent=lead))["body"] == "private"


async def test_what_holds_up_the_most_comes_first(call, make_agent, make_workflow):
    ada = await make_agent("ada")
    chain = [planned("a"), planned("b", after=["a"]), planned("c", after=["a"]), planned("d", after=["b", "c"])]
    _, ids = await make_workflow(planned("lone"), *chain)
    issue = {"task_id": ids["lone"], "type": "other", "description": "which?", "resolution": "r"}
    await call("log_issue", issue | {"requires_human_review": True})
    for name in ("lone", "a"):
        await call("task_claim", {"task_id": ids[name], "agent_id": ada})
        for status in ("in_progress", "blocked"):
            await call("task_update_status", {"id": ids[name], "status": status, "agent_id": ada, "error": name})

    found = await queue(call)

    assert [(item["subject"], item["holds_tasks"], item["holds_agents"]) for item in found] == [
        ("a", 4, 1),
        ("lone", 1, 1),
        ("which?", 0, 0),
    ]
    assert [item["subject"] for item in await queue(call, limit=1, offset=1)] == ["lone"]
    assert [item["subject"] for item in await queue(call, kind=["review"])] == []


async def test_the_items_of_one_task_are_ranked_without_the_plans_of_others(call, make_workflow, monkeypatch):
    walked = []
    path = ranking.critical_path
    monkeypatch.setattr(ranking, "critical_path", lambda steps, **more: walked.append(1) or path(steps, **more))
    tasks = [(await make_workflow(planned("a")))[1]["a"] for _ in range(3)]
    for number, task in enumerate(tasks):
        await call("start_task", {"task_id": task})
        await call.app.database.write(_under_review, task_id=task, subject=f"item {number}")

    (item,) = await queue(call, task_id=tasks[1])

    assert (item["subject"], item["holds_tasks"], item["critical"]) == ("item 1", 1, True)
    assert len(walked) == 1


def _kept_whole(tx, **more):
    """Rewrite the decisions as versions up to 0.1 kept them: with the choices themselves, not their labels."""
    _with_options(tx, options=[APPROVE_RESULT, SEND_BACK], **more)


def _with_options(tx, *, options, **more):
    rows = tx.connection.execute(select(journal.c.id, journal.c.detail).where(journal.c.kind == "decision")).all()
    for id, detail in rows:
        whole = {**detail, "options_considered": options, **more}
        tx.connection.execute(update(journal).where(journal.c.id == id).values(detail=whole))


def _under_review(tx, *, task_id, subject):
    task = tx.tasks.get(task_id)
    tx.tasks.save(task.move_to(TaskStatus.REVIEW, at=tx.now))
    inbox.open_item(tx, kind="review", subject=subject, task_id=task_id, choices=(APPROVE_RESULT, SEND_BACK))
