"""Statements that go straight to the driver behave as SQLAlchemy's own."""

from __future__ import annotations

import pytest
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from mission.store.sql.prepared_statements import Bulk, Prepared, run_text
from mission.store.tables import dependencies, events, incidents, tasks
from tests.store.rows import NOW, undone


def test_values_are_converted_as_their_columns_want_and_missing_ones_are_null(tx, rows):
    add = Prepared(insert(events))
    row = {"seq": 9_001, "type": "x", "at": NOW, "agent_ids": ["ä"], "data": {"b": 1, "a": None}}

    assert add.run(tx.connection, row) == []

    found = tx.connection.execute(select(events).where(events.c.seq == 9_001)).one()
    assert (found.at, found.agent_ids, found.data, found.mission_id) == (NOW, ["ä"], {"b": 1, "a": None}, None)


def test_constants_of_the_statement_stay_and_what_it_returns_comes_back(tx):
    Prepared(insert(incidents)).run(tx.connection, *({"key": key, "told_at": NOW, "times": 1} for key in "ab"))
    count = Prepared(
        update(incidents)
        .where(incidents.c.key == bindparam("wanted"))
        .values(times=incidents.c.times + 41)
        .returning(incidents.c.times)
    )

    assert [tuple(row) for row in count.run(tx.connection, {"wanted": "a"})] == [(42,)]
    assert count.run(tx.connection, {"wanted": "nowhere"}) == []
    assert tx.incidents.get("b").times == 1


def test_a_broken_rule_is_raised_as_sqlalchemy_would(tx):
    row = {"key": "a", "told_at": NOW, "times": 1}

    with pytest.raises(IntegrityError), undone(tx):
        Prepared(insert(incidents)).run(tx.connection, row, row)

    assert tx.incidents.get("a") is None


def test_many_rows_break_rules_the_same_way_as_one(tx, rows):
    task = rows.task(rows.mission())
    bulk = Bulk(dependencies, ("task_id", "depends_on"))

    with pytest.raises(IntegrityError), undone(tx):
        bulk.run(tx.connection, [{"task_id": task.id, "depends_on": task.id}] * 2)

    assert tx.plans.dependencies([task.id]) == {task.id: []}


def test_many_rows_take_only_the_columns_they_name(tx, rows):
    mission = rows.mission()
    phase = rows.phase(mission)
    columns = ["id", "mission_id", "phase_id", "phase_number", "name", "goal", "areas", "status", "fence", "attempts"]
    columns += ["created_at", "updated_at"]
    row = dict.fromkeys(columns, 1) | {
        "mission_id": mission.id,
        "phase_id": phase.id,
        "name": "tab\there",
        "goal": "back\\slash\nline",
        "areas": ["a"],
        "status": "pending",
        "created_at": NOW,
        "updated_at": NOW,
    }

    Bulk(tasks, columns).run(tx.connection, [{**row, "id": f"t_{n}"} for n in range(3)])

    found = tx.tasks.get("t_2")
    assert (found.name, found.goal, found.areas, found.position) == ("tab\there", "back\\slash\nline", ["a"], 0)


def test_text_of_the_drivers_own_language_returns_rows_and_raises_alike(tx):
    assert [tuple(row) for row in run_text(tx.connection, "SELECT 1")] == [(1,)]
    with pytest.raises(DBAPIError, match="nowhere"), undone(tx):
        run_text(tx.connection, "SELECT * FROM nowhere")
