"""The audit trail, and answers kept for repeated calls."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from mission.domain.errors import NotFound
from tests.store.rows import IN_TRANSACTION, NOW, at, undone

EVERYTHING = {"agent_id": None, "tool": None, "status": None, "since": None, "limit": 99, "after": None}
TOOLS = ["mcp__mail__send", "mcp__mail__read", "task_get", "task_claim"]


def entry(id, tool="task_get", *, minute=0, **fields):
    return {
        "id": id,
        "at": at(minute),
        "finished_at": at(minute),
        "transport": "test",
        "caller": "operator",
        "agent_id": None,
        "tool": tool,
        "status": "ok",
        "mission_id": None,
        "task_id": None,
        "arguments": {},
        "result": None,
        "error": None,
        "trace": None,
        **fields,
    }


def test_an_unknown_entry_is_an_error_that_names_it(tx):
    with pytest.raises(NotFound, match="log_nowhere"):
        tx.audit.get("log_nowhere")


def test_an_entry_that_ends_a_call_fills_in_the_row_that_began_it(tx):
    tx.audit.add([entry("log_1", status="running", arguments={"id": "t_1"})])
    ended = entry("log_1", status="error", error={"code": "NOT_FOUND"}, finished_at=at(2), arguments={"other": 1})

    tx.audit.add([{**ended, "ends": True}, entry("log_2")])

    found = tx.audit.get("log_1")
    assert (found["status"], found["error"], found["finished_at"]) == ("error", {"code": "NOT_FOUND"}, at(2))
    assert found["arguments"] == {"id": "t_1"}
    assert tx.audit.count() == 2


CALLS = st.lists(
    st.tuples(
        st.integers(0, 4), st.sampled_from(TOOLS), st.sampled_from([None, "a_1"]), st.sampled_from(["ok", "error"])
    ),
    max_size=10,
)


@IN_TRANSACTION
@given(
    calls=CALLS,
    tool=st.sampled_from([None, "*", "task_get", "mcp__mail__*", "*_claim", "nothing*"]),
    agent_id=st.sampled_from([None, "a_1"]),
    status=st.sampled_from([None, "ok", "error"]),
    since=st.sampled_from([None, 2]),
    limit=st.integers(1, 4),
)
def test_every_filter_and_page_shows_what_a_plain_search_would(tx, calls, tool, agent_id, status, since, limit):
    with undone(tx):
        rows = [
            entry(f"log_{n}", name, minute=minute, agent_id=agent, status=outcome)
            for n, (minute, name, agent, outcome) in enumerate(calls)
        ]
        tx.audit.add(rows)
        fits = {
            None: lambda _: True,
            "*": lambda _: True,
            "mcp__mail__*": lambda name: name.startswith("mcp__mail__"),
            "*_claim": lambda name: name.endswith("_claim"),
        }.get(tool, lambda name: name == tool)
        expected = [
            row["id"]
            for row in sorted(rows, key=lambda row: (row["at"], row["id"]), reverse=True)
            if fits(row["tool"])
            and agent_id in (None, row["agent_id"])
            and status in (None, row["status"])
            and (since is None or row["at"] >= at(since))
        ]
        wanted = {"tool": tool, "agent_id": agent_id, "status": status, "since": since and at(since), "limit": limit}

        found, after = [], None
        while page := tx.audit.page(**EVERYTHING | wanted | {"after": after}):
            found += [row["id"] for row in page]
            after = page[-1]["at"], page[-1]["id"]

        assert found == expected


def test_calls_of_one_transport_can_be_left_out(tx):
    tx.audit.add([entry("log_1"), entry("log_2", transport="page")])

    assert [row["id"] for row in tx.audit.page(**EVERYTHING, except_transport="page")] == ["log_1"]


def test_calls_of_some_tools_can_be_left_out_unless_they_failed(tx):
    calls = [("log_1", "read", "ok"), ("log_2", "read", "error"), ("log_3", "write", "ok")]
    tx.audit.add([entry(id, tool=tool, status=status) for id, tool, status in calls])

    assert {row["id"] for row in tx.audit.page(**EVERYTHING, except_ok=["read"])} == {"log_2", "log_3"}


def test_old_entries_go_oldest_first_and_no_more_than_asked(tx):
    tx.audit.add([entry(f"log_{minute}", minute=minute) for minute in (3, 1, 2)])

    assert tx.audit.remove_before(at(3), limit=1) == 1
    assert [row["id"] for row in tx.audit.page(**EVERYTHING)] == ["log_3", "log_2"]
    assert tx.audit.remove_before(at(3), limit=9) == 1


def test_a_kept_answer_is_found_by_its_caller_and_key_only(tx):
    tx.calls.remember(caller="a_1", key="k", digest="d", answer='{"a":1}', now=NOW)

    assert tx.calls.recall(caller="a_1", key="k") == ("d", '{"a":1}')
    assert tx.calls.recall(caller="a_2", key="k") is None
    assert tx.calls.recall(caller="a_1", key="other") is None
    with pytest.raises(IntegrityError), undone(tx):
        tx.calls.remember(caller="a_1", key="k", digest="other", answer="", now=NOW)


def test_kept_answers_are_forgotten_once_they_are_old(tx):
    for minute in (1, 2, 3):
        tx.calls.remember(caller="a_1", key=str(minute), digest="d", answer="", now=at(minute))

    assert tx.calls.remove_before(at(3), limit=9) == 2
    assert tx.calls.recall(caller="a_1", key="3") is not None
    assert tx.calls.remove_before(at(3) + timedelta(microseconds=1), limit=9) == 1
