"""What is kept only for a time goes when that is over, a little at a time."""

from __future__ import annotations

from datetime import timedelta

from mission.services.upkeep import retention
from mission.services.upkeep.retention import Keep
from mission.services.work import BackgroundWork

DAY = timedelta(days=1)


async def kept(call):
    """How many calls, events and answers there are."""
    await call.app.gateway.audit.flush()

    def count(tx):
        answers = [key for key in "abcde" if tx.calls.recall(caller="operator", key=key) is not None]
        entries = tx.audit.page(agent_id=None, tool=None, status=None, since=None, limit=100, after=None)
        return len(entries), len(tx.events.since(0, limit=100)), len(answers)

    return await call.app.database.read(count)


async def test_old_events_calls_and_answers_go_in_short_steps_and_new_ones_stay(call, clock, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    for key in "abcde":
        await call("start_mission", {"name": key, "objective": "o"}, key=key)
    assert await kept(call) == (5, 5, 5)
    clock.advance(days=2)
    await call("start_mission", {"name": "new", "objective": "o"})
    work = BackgroundWork(call.app.database)

    await retention.tidy(work, keep=Keep(audit=DAY))
    assert await kept(call) == (1, 6, 0)

    await retention.tidy(work, keep=Keep(events=DAY, audit=DAY))
    assert await kept(call) == (1, 6, 0), "it is nobody's turn again so soon"

    clock.advance(minutes=11)
    await retention.tidy(work, keep=Keep(events=DAY, audit=DAY))
    assert await kept(call) == (1, 1, 0)


async def test_of_too_many_calls_the_oldest_go_however_young(call, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    for number in range(6):
        await call("start_mission", {"name": f"m{number}", "objective": "o"})

    await retention.tidy(BackgroundWork(call.app.database), keep=Keep(audit=DAY, audit_rows=3))

    left = (await call("audit_list", {"tool": "start_mission"}))["entries"]
    assert [entry["arguments"]["name"] for entry in left] == ["m5", "m4", "m3"]
