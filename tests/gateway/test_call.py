"""What a tool can do with its call: read, write, answer inside the commit, and report progress."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest

from mission.domain.errors import Conflict, InternalError, TransientError
from mission.domain.missions.mission import MissionStatus
from mission.gateway.call import Call
from mission.gateway.caller import Caller
from mission.gateway.gateway import Gateway
from mission.gateway.registry import Arguments, Registry, Result, tool
from mission.gateway.retry import Retry


class Start(Arguments):
    name: str


class Started(Result):
    id: str
    token: str = "mca_0123456789abcdefghij"


class Unshowable(Result):
    id: str

    @classmethod
    def of(cls, mission):
        raise KeyError(mission.id)


class Given(Registry):
    """A registry of the tools that a test declares."""

    def __init__(self, *tools):
        self._tools = {each.name: each for each in tools}


class Tries:
    """How often a tool was run, and what it did after its last write."""

    count: ClassVar[int] = 0
    after: ClassVar[list[object]] = []


def moved(tx, *, id, status):
    mission = tx.missions.get(id)
    if mission.status is not status:
        tx.missions.save(mission.move_to(status, at=tx.now))
    return mission


def found(tx, *, id):
    return tx.missions.get(id)


@tool(toolset="mission", result=Started)
async def end_mission(call: Call, args: Start):
    """End a mission in the call's last write."""
    mission = await call.finish(moved, id=args.name, status=MissionStatus.ABANDONED)
    Tries.after.append(mission.name)
    return mission


@tool(toolset="mission", result=Unshowable)
async def end_without_words(call: Call, args: Start):
    """End a mission, with an answer that cannot be made."""
    return await call.finish(moved, id=args.name, status=MissionStatus.ABANDONED)


@tool(toolset="mission", result=Started)
async def end_twice(call: Call, args: Start):
    """End a mission, then fail in passing."""
    Tries.count += 1
    await call.finish(moved, id=args.name, status=MissionStatus.ABANDONED)
    raise TransientError


@tool(toolset="mission", result=Started)
async def two_steps(call: Call, args: Start):
    """Write once, then fail in passing."""
    Tries.count += 1
    await call.write(moved, id=args.name, status=MissionStatus.IN_PROGRESS)
    raise TransientError


@tool(toolset="mission", reads=True, result=Started)
async def look_first(call: Call, args: Start):
    """Read, then fail in passing."""
    Tries.count += 1
    await call.read(found, id=args.name)
    raise TransientError


@tool(toolset="mission", secret="token", result=Started)
async def make_secret(call: Call, args: Start):
    """Answer with a secret."""
    return await call.finish(moved, id=args.name, status=MissionStatus.IN_PROGRESS)


@tool(toolset="mission", reads=True, result=Started)
async def tell_about_itself(call: Call, args: Start) -> Started:
    """Report progress from another thread."""
    for step in ("first", "second"):
        await asyncio.to_thread(call.report, step)
    return Started(id=call.entry_id, token=f"{call.actor} {call.directory} {call.lease.total_seconds():g}")


TOOLS = (end_mission, end_without_words, end_twice, two_steps, look_first, make_secret, tell_about_itself)


@pytest.fixture
def toys(app):
    """A gateway with the tools of this file, on the application's database."""
    Tries.count = 0
    Tries.after = []
    real = app.gateway
    return Gateway(
        agent_calls=real._agent_calls,
        registry=Given(*TOOLS),
        database=app.database,
        ports=real._ports,
        audit=real.audit,
        heartbeats=real._heartbeats,
        signals=real.signals,
        retry=Retry(pause=0),
    )


@pytest.fixture
async def mission(call):
    return (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]


async def status_of(call, mission):
    return (await call.app.database.read(found, id=mission)).status


CALLER = Caller(transport="test")


async def test_an_answer_is_what_was_made_inside_the_commit(toys, mission, call):
    answer = await toys("end_mission", {"name": mission}, CALLER)

    assert answer == {"id": mission, "token": "mca_0123456789abcdefghij"}
    assert await status_of(call, mission) is MissionStatus.ABANDONED
    assert Tries.after == ["x"]


async def test_a_repeated_call_gets_the_stored_answer_and_does_nothing_after_it(toys, mission):
    keyed = Caller(transport="test", key="k")

    first = await toys("end_mission", {"name": mission}, keyed)
    second = await toys("end_mission", {"name": mission}, keyed)

    assert second == first
    assert Tries.after == ["x"]


async def test_a_call_that_has_finished_is_not_tried_again(toys, mission):
    with pytest.raises(TransientError):
        await toys("end_twice", {"name": mission}, CALLER)

    assert Tries.count == 1


async def test_an_answer_that_cannot_be_made_takes_its_write_back(toys, mission, call):
    with pytest.raises(InternalError):
        await toys("end_without_words", {"name": mission}, CALLER)

    assert await status_of(call, mission) is MissionStatus.PLANNING


async def test_a_call_that_has_written_is_not_tried_again(toys, mission):
    with pytest.raises(TransientError):
        await toys("two_steps", {"name": mission}, CALLER)

    assert Tries.count == 1


async def test_a_call_that_has_only_read_is_tried_three_times(toys, mission):
    with pytest.raises(TransientError):
        await toys("look_first", {"name": mission}, CALLER)

    assert Tries.count == 3


async def test_a_secret_is_shown_once_and_kept_nowhere(toys, mission, app):
    keyed = Caller(transport="test", key="once")

    first = await toys("make_secret", {"name": mission}, keyed)
    with pytest.raises(Conflict) as refused:
        await toys("make_secret", {"name": mission}, keyed)

    assert first["token"].startswith("mca_")
    assert refused.value.details == {"id": mission}
    await toys.audit.flush()
    rows = await app.database.read(
        lambda tx: tx.audit.page(agent_id=None, tool="make_secret", status=None, since=None, limit=9, after=None)
    )
    assert [row["status"] for row in rows] == ["error", "ok"]
    assert "mca_" not in str(rows)


async def test_progress_reaches_the_caller_in_order_from_any_thread(toys, app):
    heard = []

    async def progress(step, message):
        heard.append((step, message))

    await toys("tell_about_itself", {"name": "x"}, Caller(transport="test", progress=progress))

    assert heard == [(1, "first"), (2, "second")]


async def test_a_caller_that_wants_no_progress_gets_none_and_the_call_knows_who_calls(toys, app, call):
    ada = (await call("agent_register", {"name": "ada", "runtime": "codex"}))["id"]
    with pytest.raises(Exception, match="not allowed"):
        await toys("tell_about_itself", {"name": "x"}, Caller(transport="test", agent=ada))

    answer = await toys("tell_about_itself", {"name": "x"}, Caller(transport="test", directory="/here"))

    assert answer["id"].startswith("log_")
    assert answer["token"] == f"None /here {app.settings.lease_seconds:g}"
