"""The audit trail: what a row says of its call, and that no row is lost on the way."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, PermissionDenied, TransientError, Unauthenticated
from mission.gateway.audit import audit_trail as audit
from mission.gateway.audit.audit_trail import AuditEntry, AuditTrail
from mission.gateway.audit.masking import Masker
from mission.gateway.caller import Identity
from tests.domain.samples import NOW, after, agent


def entry(arguments=None, tool="start_task"):
    return AuditEntry(tool=tool, transport="test", arguments=arguments or {}, at=NOW, masker=Masker())


async def rows(app):
    found = await app.database.read(
        lambda tx: tx.audit.page(agent_id=None, tool=None, status=None, since=None, limit=100, after=None)
    )
    return [(row["tool"], row["status"]) for row in found[::-1]]


def raised(error):
    try:
        raise error
    except type(error) as caught:
        return caught


@pytest.mark.parametrize(
    ("error", "status", "traced"),
    [
        (None, "ok", False),
        (InvalidInput("wrong"), "error", False),
        (PermissionDenied("no"), "denied", False),
        (Unauthenticated("no"), "denied", False),
        (TransientError("later"), "error", True),
        (KeyError("x"), "error", True),
    ],
)
def test_a_row_tells_how_a_call_ended_and_traces_only_what_the_caller_did_not_cause(error, status, traced):
    row = entry().finished(raised(error) if error else None, after(seconds=1))

    assert (row["status"], row["at"], row["finished_at"]) == (status, NOW, after(seconds=1))
    assert ("Traceback" in (row["trace"] or "")) is traced
    assert (row["error"] is None) is (error is None)


def test_an_error_nobody_foresaw_is_named_and_its_secrets_are_masked():
    row = entry().finished(raised(ValueError("password=hunter2 was wrong")), NOW)

    assert row["error"]["message"].startswith("ValueError: password=***")
    assert "hunter2" not in str(row)


@pytest.mark.parametrize(
    ("arguments", "result", "mission_id", "task_id"),
    [
        ({"mission_id": "m_1"}, None, "m_1", None),
        ({"workflow_id": "m_2", "task_id": "t_2"}, None, "m_2", "t_2"),
        ({"epicId": "m_3", "taskId": "t_3"}, None, "m_3", "t_3"),
        ({"id": "t_4"}, None, None, "t_4"),
        ({"id": "m_5"}, None, "m_5", None),
        ({}, {"mission_id": "m_6", "task_id": "t_6"}, "m_6", "t_6"),
        ({"mission_id": "t_7", "task_id": 8}, None, None, None),
        ({"mission_id": "m_" + "x" * 99}, None, "m_" + "x" * 38, None),
    ],
)
def test_a_row_is_found_by_the_mission_and_the_task_of_its_call(arguments, result, mission_id, task_id):
    one = entry(arguments)
    one.result = result

    row = one.finished(None, NOW)

    assert (row["mission_id"], row["task_id"]) == (mission_id, task_id)


def test_a_row_names_the_agent_the_operator_or_nobody():
    names = []
    for identity in (None, Identity(agent=None), Identity(agent=agent())):
        one = entry()
        one.identity = identity
        row = one.finished(None, NOW)
        names.append((row["caller"], row["agent_id"]))

    assert names == [("unknown", None), ("operator", None), ("a_1", "a_1")]


def test_the_result_of_a_read_is_only_outlined():
    one = entry()
    one.result = {"total": 2, "items": [1, 2]}
    whole = one.finished(None, NOW)["result"]
    one.reads = True

    assert whole == {"total": 2, "items": [1, 2]}
    assert one.finished(None, NOW)["result"] == {"total": 2, "items": "2 items"}


def test_arguments_that_are_no_object_and_long_texts_are_kept_as_far_as_they_help():
    long = entry({"text": "x" * 5_000})

    assert entry("nonsense").finished(None, NOW)["arguments"] == {"?": "nonsense"}
    assert len(long.finished(None, NOW)["arguments"]["text"]) < 2_100
    long.whole = True
    assert long.finished(None, NOW)["arguments"]["text"] == "x" * 5_000


def test_a_failure_that_may_pass_leaves_no_row_in_the_commit():
    assert entry().row(TransientError(), NOW) is None
    assert entry().row(InvalidInput("x"), NOW)["status"] == "error"
    assert entry().row(None, NOW)["status"] == "ok"


async def test_a_call_that_acts_outside_is_on_record_before_it_acts(app):
    trail = AuditTrail(app.database)
    one = trail.start(tool="execution_launch", transport="test", arguments={})

    await trail.write_invocation(one)
    assert await rows(app) == [("execution_launch", "invoked")]

    trail.add(one.finished(None, app.database.clock()))
    await trail.flush()
    assert await rows(app) == [("execution_launch", "ok")]


async def test_rows_are_gathered_and_a_flush_writes_them_all(app):
    trail = AuditTrail(app.database)
    for number in range(5):
        one = trail.start(tool=f"tool {number}", transport="test", arguments={})
        trail.add(one.finished(None, app.database.clock()))

    await trail.flush()

    assert sorted(await rows(app)) == [(f"tool {number}", "ok") for number in range(5)]
    await trail.flush()


@pytest.fixture
def failing(app, monkeypatch):
    """Let so many of the next writes fail."""
    write = app.database.write

    def fail(*errors):
        left = list(errors)

        async def attempt(function, **arguments):
            if left:
                raise left.pop(0)
            return await write(function, **arguments)

        monkeypatch.setattr(app.database, "write", attempt)

    return fail


async def test_rows_survive_a_store_that_fails_for_a_moment(app, failing, monkeypatch):
    monkeypatch.setattr(audit, "FLUSH_SECONDS", 0)
    trail = AuditTrail(app.database)
    failing(TransientError(), TransientError())

    trail.add(trail.start(tool="kept", transport="test", arguments={}).finished(None, app.database.clock()))
    while trail._flushing is not None:
        await trail._flushing

    assert await rows(app) == [("kept", "ok")]


async def test_the_last_flush_gives_up_with_a_word_in_the_log(app, failing, caplog):
    trail = AuditTrail(app.database)
    failing(TransientError())

    trail.add(trail.start(tool="lost", transport="test", arguments={}).finished(None, app.database.clock()))
    await trail.flush()

    assert await rows(app) == []
    assert [record.levelname for record in caplog.records if record.name == audit.__name__] == ["ERROR"]
