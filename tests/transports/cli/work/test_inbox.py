"""How the queue looks in a terminal."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from mission.transports.cli import daemon_client as client
from mission.transports.cli.work.inbox import inbox

SUBJECT = "Which of the two databases in the old cluster should the importer write its rows to?"


@pytest.mark.parametrize("option", [[], ["--all"]])
def test_a_narrow_terminal_has_ids_whole_and_lines_of_several_words(option, monkeypatch):
    item = {
        "id": "q_0123456789", "kind": "escalation", "state": "dismissed", "subject": SUBJECT, "count": 12,
        "agent_id": "a_0123456789", "agent_name": "the importer of the old cluster",
        "task_id": "t_0123456789", "task_name": "Move the rows of the old cluster",
        "holds_tasks": 12, "holds_agents": 12, "created_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    monkeypatch.setattr(client, "call", lambda *_: {"items": [item], "total": 1})

    narrow = CliRunner().invoke(inbox, option, env={"COLUMNS": "80"}).output
    wide = CliRunner().invoke(inbox, option, env={"COLUMNS": "160"}).output
    tiny = CliRunner().invoke(inbox, option, env={"COLUMNS": "40"}).output
    piped = CliRunner().invoke(inbox, option, env={"COLUMNS": None}).output

    assert item["id"] in narrow
    assert len(narrow.splitlines()) <= 7, narrow
    assert all(len(line) <= 80 for line in narrow.splitlines())
    assert item["id"] in wide
    assert "FROM" in wide
    assert tiny.splitlines()[0] == item["id"]
    assert f"{SUBJECT} (× 12)" in tiny
    assert len(piped.splitlines()) == 2  # one for the names of the columns: a program reads a line per item
    assert all(word in piped for word in (SUBJECT, item["task_name"], item["agent_name"]))
    assert ("STATE" in narrow) == ("STATE" in wide) == bool(option)
