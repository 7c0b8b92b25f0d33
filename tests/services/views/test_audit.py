"""The audit trail page by page, and an entry as lines of a decision log."""

from __future__ import annotations

import pytest

from mission.domain.errors import AgentNotFound, InvalidInput
from mission.services.views import audit as trail
from tests.store.rows import at

ENTRY = {
    "transport": "test",
    "caller": "operator",
    "agent_id": None,
    "tool": "task_get",
    "status": "ok",
    "mission_id": None,
    "task_id": None,
    "arguments": {"id": "t_1"},
    "result": {"name": "Sort"},
    "error": None,
    "trace": None,
}
ALL = {"agent_id": None, "tool": None, "status": None, "except_transport": None, "since": None, "cursor": None}


def entry(minute, **fields):
    return {**ENTRY, "id": f"log_{minute}", "at": at(minute), "finished_at": at(minute + 1), **fields}


def test_pages_follow_each_other_to_the_end(tx):
    tx.audit.add([entry(minute) for minute in range(5)])

    found, cursor = [], None
    for _ in range(3):
        page = trail.list_entries(tx, **ALL | {"limit": 2, "cursor": cursor})
        found += [row["id"] for row in page.rows]
        cursor = page.next

    assert found == ["log_4", "log_3", "log_2", "log_1", "log_0"]
    assert cursor is None


def test_an_agent_is_named_by_id_or_name_and_an_unknown_name_is_an_error(tx, rows):
    agent = rows.agent("ada")
    tx.audit.add([entry(1, agent_id=agent.id), entry(2, agent_id="a_other00000")])

    for reference in ("ada", agent.id):
        page = trail.list_entries(tx, **ALL | {"limit": 9, "agent_id": reference})
        assert [row["id"] for row in page.rows] == ["log_1"]
    with pytest.raises(AgentNotFound):
        trail.list_entries(tx, **ALL | {"limit": 9, "agent_id": "nobody"})
    with pytest.raises(InvalidInput, match="cursor"):
        trail.list_entries(tx, **ALL | {"limit": 9, "cursor": "nonsense"})


def test_a_call_that_went_well_is_two_lines():
    before, after = trail.lines(entry(1))

    assert (before["decision"], before["context"], before["at"]) == ("Invoked tool: task_get", {"id": "t_1"}, at(1))
    assert (after["decision"], after["context"], after["at"]) == ("Tool result: task_get", {"name": "Sort"}, at(2))


def test_a_call_that_failed_says_how_and_one_that_still_runs_is_one_line():
    error = {"message": "there is none", "code": "NOT_FOUND"}

    _, failed = trail.lines(entry(1, status="error", error=error, trace="Traceback"))

    assert failed["decision"] == "Tool error: task_get"
    assert failed["context"] == {"message": "there is none", "code": "NOT_FOUND", "stack": "Traceback"}
    assert len(trail.lines(entry(1, status="running", result=None))) == 1


def test_what_an_agent_wrote_down_itself_is_one_line_in_its_own_words():
    arguments = {"title": "Use SQLite", "body": "It is enough"}

    [line] = trail.lines(entry(1, tool=trail.MANUAL, arguments=arguments))

    assert (line["decision"], line["reasoning"], line["context"]) == ("Use SQLite", "It is enough", None)
    refused = entry(1, tool=trail.MANUAL, arguments={}, status="error", error={"message": "m", "code": "c"})
    assert [line["decision"] for line in trail.lines(refused)] == [
        f"Invoked tool: {trail.MANUAL}",
        f"Tool error: {trail.MANUAL}",
    ]
