"""The standalone server as its client sees it: greeted at once, ordinary calls without the SDK, the rest with it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.transports.mcp_server.standalone_process import HELLO, Json, standalone

NEW = {"name": "n", "objective": "o"}
TOLD_MODULES = """
import atexit, sys
atexit.register(lambda: print("SDK" if "mcp" in sys.modules else "no SDK", file=sys.stderr))
sys.argv = ["mission", "mcp", "--standalone"]
from mission.__main__ import main
main()
"""


@pytest.fixture
def home(tmp_path: Path, _sqlite_template: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "mission.db").write_bytes(_sqlite_template.read_bytes())
    return home


@pytest.fixture
def stored(home: Path) -> Path:
    """The list of tools that a first session stored."""
    with standalone(home) as session:
        session.greet()
        session.listed()
        session.end()
    return home / "cache" / "tools-mission"


@pytest.mark.parametrize("modern", [False, True])
def test_an_ordinary_session_needs_no_sdk(home: Path, modern: bool) -> None:
    with standalone(home, program=("-c", TOLD_MODULES)) as session:
        if not modern:
            session.greet()
        assert len(session.ask("tools/list", modern=modern)["result"]["tools"]) == 13
        session.ask("prompts/list", modern=modern)
        session.ask("resources/list", modern=modern)
        session.ask("resources/templates/list", modern=modern)
        mission = session.call("start_mission", NEW, modern=modern)["structuredContent"]["mission_id"]
        assert session.call("get_context", {"mission_id": mission, "include": ["tasks"]}, modern=modern)
        _, problems = session.end()

    assert "no SDK" in problems
    assert session.process.returncode == 0


@pytest.mark.parametrize("modern", [False, True])
def test_the_sdk_takes_over_what_is_unusual_and_ordinary_calls_go_on(home: Path, modern: bool) -> None:
    with standalone(home) as session:
        if not modern:
            session.greet()
        before = session.call("start_mission", NEW, modern=modern)
        prompt = session.ask("prompts/get", {"name": "orchestrate", "arguments": {"goal": "g"}}, modern=modern)
        unknown = session.ask("no/such/method", modern=modern)
        after = session.call("start_mission", NEW, modern=modern)
        rest, problems = session.end()

    assert "Reach this goal" in json.dumps(prompt["result"])
    assert unknown["error"]["code"] == -32601
    assert {before["isError"], after["isError"]} == {False}
    assert session.others == []
    assert (rest, session.process.returncode) == ("", 0), problems


def test_the_first_request_decides_the_era_also_for_the_sdk(home: Path) -> None:
    with standalone(home) as legacy, standalone(home) as modern:
        legacy.greet()
        refused = legacy.ask("tools/list", modern=True)
        assert legacy.ask("tools/list")["result"]["tools"]
        modern.call("start_mission", NEW, modern=True)
        modern.tell(HELLO)
        greeted_late = modern.read()
        assert modern.ask("tools/list", modern=True)["result"]["tools"]

    assert "handshake protocol era" in refused["error"]["message"]
    assert "2026-07-28" in greeted_late["error"]["message"]


def test_a_client_that_begins_in_an_unusual_way_is_left_to_the_sdk(home: Path) -> None:
    with standalone(home) as session:
        early = session.ask("tools/list")
        answer = session.greet()
        listed = session.listed()
        started = session.call("start_mission", NEW)

    assert "error" in early
    assert answer["result"]["serverInfo"]["name"] == "mission"
    assert len(listed) == 13
    assert started["isError"] is False


def test_many_first_calls_at_once_are_all_answered(home: Path, stored: Path) -> None:
    """Nothing is imported yet, and each of the tools is in another module."""
    names = ["start_mission", "workflow_list", "agent_list", "search", "queue_list", "template_list", "repository_list"]
    arguments: dict[str, Json] = {"start_mission": NEW, "search": {"query": "x"}}
    with standalone(home) as session:
        session.tell(HELLO)
        for number in range(70):
            tool = names[number % len(names)]
            params = {"name": tool, "arguments": arguments.get(tool, {})}
            session.tell({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        answers = [session.read() for _ in range(71)]
        session.end()

    results = {answer["id"]: answer["result"] for answer in answers if answer["id"] != "hello"}
    assert set(results) == set(range(70))
    assert [result for result in results.values() if result["isError"]] == []
    assert len({result["structuredContent"].get("mission_id") for result in results.values()}) == 11


def test_a_canceled_call_gets_no_answer(home: Path) -> None:
    with standalone(home) as session:
        session.greet()
        params = {"name": "wait_for_events", "arguments": {"since": 10**9, "timeout_seconds": 50}}
        session.tell({"jsonrpc": "2.0", "id": "poll", "method": "tools/call", "params": params})
        session.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "poll"}})
        assert session.ask("ping")["result"] == {}
        assert session.call("start_mission", NEW)["isError"] is False
        rest, _ = session.end()

    assert session.others == []
    assert rest == ""


def test_progress_is_reported_before_the_answer(home: Path, repository: Path) -> None:
    (repository / "new.txt").write_text("new\n")
    with standalone(home) as session:
        session.greet()
        mission = session.call("start_mission", NEW)["structuredContent"]["mission_id"]
        arguments = {"mission_id": mission, "name": "t", "goal": "g", "repository_path": str(repository)}
        params = {"name": "start_task", "arguments": arguments, "_meta": {"progressToken": "p-1"}}
        assert session.ask("tools/call", params)["result"]["isError"] is False

    assert [each["method"] for each in session.others] == ["notifications/progress"]
    assert session.others[0]["params"]["progressToken"] == "p-1"


def test_a_large_answer_reaches_a_client_that_reads_late(home: Path) -> None:
    text = "long " * 30_000
    with standalone(home) as session:
        session.greet()
        mission = session.call("start_mission", {"name": "n", "objective": text})["structuredContent"]["mission_id"]
        for number in range(20):
            params = {"name": "get_context", "arguments": {"mission_id": mission, "include": ["tasks"]}}
            session.tell({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        answers = [session.read() for _ in range(20)]
        session.end()

    assert {answer["id"] for answer in answers} == set(range(20))
    assert {answer["result"]["structuredContent"]["objective"] for answer in answers} == {text.strip()}


def test_a_client_is_greeted_before_the_database_is_open(home: Path, stored: Path) -> None:
    with standalone(home, MISSION_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none") as session:
        greeting = session.greet()
        listed = session.listed()
        _, problems = session.end()

    assert greeting["result"]["protocolVersion"] == "2025-11-25"
    assert len(listed) == 13
    assert "the database cannot be opened" in problems
    assert session.process.returncode == 2


def test_the_list_of_tools_is_stored_for_its_owner_only(stored: Path) -> None:
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert stat.S_IMODE(stored.parent.stat().st_mode) == 0o700
    assert {path.name for path in stored.parent.iterdir()} == {"tools-mission", "tool-modules"}


def _shortened(text: str) -> str:
    return text[: len(text) // 2]


def _of_another_program(text: str) -> str:
    return "0" * 64 + text[64:]


def _empty(_: str) -> str:
    return ""


@pytest.mark.parametrize("damage", [_shortened, _of_another_program, _empty])
def test_a_damaged_list_is_ignored_and_written_again(home: Path, stored: Path, damage: Any) -> None:
    modules = stored.with_name("tool-modules")
    whole = {path: path.read_text() for path in (stored, modules)}
    for path, text in whole.items():
        path.write_text(damage(text))

    with standalone(home) as session:
        session.greet()
        listed = session.listed()
        started = session.call("start_mission", NEW)
        session.end()

    assert len(listed) == 13
    assert started["isError"] is False
    assert {path: path.read_text() for path in whole} == whole


def test_a_cache_that_cannot_be_written_does_no_harm(home: Path) -> None:
    (home / "cache").write_text("not a folder")

    with standalone(home) as session:
        session.greet()
        assert len(session.listed()) == 13
        assert session.call("start_mission", NEW)["isError"] is False


def test_two_servers_that_start_at_once_without_a_cache_both_list_and_leave_a_whole_one(home: Path) -> None:
    with standalone(home) as one, standalone(home) as two:
        for session in (one, two):
            session.greet()
        assert len(one.listed()) == len(two.listed()) == 13
        for session in (one, two):
            session.end()
    with standalone(home, MISSION_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none") as third:
        third.greet()
        assert len(third.listed()) == 13, "from the cache, because there is no database"


def test_an_agents_list_is_its_own_and_is_not_stored(home: Path, stored: Path) -> None:
    with standalone(home, "--toolsets", "agents") as operator:
        operator.greet()
        operator.call("agent_register", {"name": "eve", "runtime": "codex"})
        operator.end()
    before = stored.read_text()

    with standalone(home, "--agent", "eve") as eve:
        eve.greet()
        listed = eve.listed()
        eve.end()
    with standalone(home, "--agent", "nobody") as unknown:
        unknown.greet()
        refused = unknown.ask("tools/list")

    assert "start_task" in listed
    assert "start_mission" not in listed
    assert stored.read_text() == before
    assert "nobody" in refused["error"]["message"]


def test_requests_with_their_own_meta_are_still_ordinary(home: Path) -> None:
    with standalone(home, program=("-c", TOLD_MODULES)) as session:
        session.greet()
        params = {"name": "start_mission", "arguments": NEW, "_meta": {"client/id": {"a": [1]}, "progressToken": 7}}
        assert session.ask("tools/call", params)["result"]["isError"] is False
        _, problems = session.end()

    assert "no SDK" in problems


def test_stray_output_does_not_reach_the_client(home: Path) -> None:
    program = TOLD_MODULES.replace(
        "import atexit, sys", "import atexit, os, sys; atexit.register(os.system, 'echo stray')"
    )
    with standalone(home, program=("-c", program)) as session:
        session.greet()
        rest, problems = session.end()

    assert rest == ""
    assert "stray" in problems
