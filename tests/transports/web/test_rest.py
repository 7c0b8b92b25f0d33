"""REST: the tools under their names, read tools under addresses, events for those who poll, and their description."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from sqlalchemy import text

from tests.transports.live_server import Json, Live, until

SECTIONS = ["phase_summary", "tasks", "decisions", "milestones", "blockers"]


@pytest.fixture(scope="module")
def mission(live: Live) -> str:
    """A mission with something of everything in it."""
    mission = live.mission("Everything")
    task = live.task(mission, "one")
    live.call("log_decision", {"task_id": task, "category": "other", "question": "q", "chosen": "c", "reasoning": "r"})
    live.call("log_milestone", {"task_id": task, "message": "half"})
    live.call(
        "log_issue",
        {
            "task_id": task,
            "type": "bug_encountered",
            "description": "d",
            "resolution": "r",
            "requires_human_review": True,
        },
    )
    return mission


@pytest.fixture
def agent(live: Live) -> str:
    return str(live.call("agent_register", {"name": "ada", "runtime": "codex"})["id"])


def events(live: Live, **query: Any) -> Json:
    answer = live.get("/api/events?" + "&".join(f"{name}={value}" for name, value in query.items()))
    assert answer.status == 200, answer.body
    found: Json = answer.json
    return found


def test_all_tools_are_listed_with_everything_a_caller_needs(live: Live) -> None:
    listed = live.get("/api/tools").json["tools"]

    assert {"start_mission", "get_context", "agent_register", "audit_list"} <= {tool["name"] for tool in listed}
    for tool in listed:
        assert tool.keys() == {"name", "toolset", "description", "annotations", "input_schema", "output_schema"}
        Draft202012Validator.check_schema(tool["input_schema"])
        Draft202012Validator.check_schema(tool["output_schema"])


def test_toolsets_choose_what_is_listed(live: Live) -> None:
    def toolsets(choice: str) -> set[str]:
        return {tool["toolset"] for tool in live.get(f"/api/tools?toolsets={choice}").json["tools"]}

    assert toolsets("mission") == {"mission"}
    assert toolsets("agents,control") == {"agents", "control"}
    assert toolsets("all") == toolsets("supervisor")
    assert toolsets("worker") <= {"mission", "tasks", "messages"}


def test_an_unknown_toolset_is_named_with_the_known_ones(live: Live) -> None:
    answer = live.get("/api/tools?toolsets=missions")

    assert (answer.status, answer.error["code"]) == (400, "INVALID_INPUT")
    assert "missions" in answer.error["message"]
    assert "mission, workflow" in answer.error["hint"]


def test_an_agent_sees_only_what_it_may_call(live: Live, agent: str) -> None:
    names = {tool["name"] for tool in live.get("/api/tools", Mission_Agent=agent).json["tools"]}

    assert {"start_task", "agent_heartbeat"} <= names
    assert not names & {"start_mission", "mission_delete", "audit_list"}


def test_a_tool_is_called_by_its_name(live: Live) -> None:
    answer = live.post("start_mission", {"name": "Rest", "objective": "Works"})

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["mission_id"].startswith("m_")


def test_without_a_body_a_tool_is_called_without_arguments(live: Live) -> None:
    assert live.request("POST", "/api/tools/workflow_list").status == 200


def test_an_unknown_tool_is_named_with_one_like_it(live: Live) -> None:
    answer = live.post("start_misson")

    assert (answer.status, answer.error["code"]) == (404, "TOOL_NOT_FOUND")
    assert answer.error["hint"] == "Did you mean 'start_mission'?"


def test_an_agent_learns_nothing_of_tools_it_may_not_call(live: Live, agent: str) -> None:
    forbidden = live.post("mission_delete", {"mission_id": 5}, Mission_Agent=agent)
    unknown = live.post("mission_vanish", {"mission_id": 5}, Mission_Agent=agent)

    for answer in (forbidden, unknown):
        assert (answer.status, answer.error["code"]) == (403, "PERMISSION_DENIED")
        assert "mission_id" not in answer.body.decode()


def test_a_mission_is_read_whole_under_its_address(live: Live, mission: str) -> None:
    found = live.get(f"/api/missions/{mission}").json

    same = live.call("get_context", {"mission_id": mission, "include": SECTIONS})
    assert found.keys() == same.keys()
    assert found["tasks"] == same["tasks"]
    assert [len(found[section]) for section in SECTIONS] == [1, 1, 1, 1, 1]


def test_lists_are_given_by_commas_or_by_repeating(live: Live, mission: str) -> None:
    commas = live.get(f"/api/missions/{mission}?include=tasks,decisions").json
    repeated = live.get(f"/api/missions/{mission}?include=tasks&include=decisions").json

    assert commas == repeated
    assert commas["tasks"]
    assert "milestones" not in commas


def test_a_filter_is_given_by_its_parts(live: Live, mission: str) -> None:
    assert live.get(f"/api/missions/{mission}?filter.phase=1").json["tasks"]
    assert live.get(f"/api/missions/{mission}?filter.phase=2").json["tasks"] == []


def test_missions_are_paged_and_filtered(live: Live, mission: str) -> None:
    live.call("start_mission", {"name": "another", "objective": "o"})
    everything = live.get("/api/missions?limit=200").json
    page = live.get("/api/missions?limit=1&offset=1&status=planning,in_progress").json

    assert everything["total"] == len(everything["workflows"])
    assert [row["id"] for row in page["workflows"]] == [everything["workflows"][1]["id"]]
    assert live.get("/api/missions?status=completed").json == {"workflows": [], "total": 0}
    assert live.get("/api/missions?archived=true").json["total"] == 0


def test_tasks_agents_and_audit_have_addresses(live: Live, agent: str, mission: str) -> None:
    (task,) = live.get(f"/api/tasks?mission_id={mission}&status=in_progress,paused&limit=5").json["tasks"]
    assert live.get(f"/api/tasks/{task['id']}").json["name"] == task["name"] == "one"
    assert live.get(f"/api/tasks?agent_id={agent}").json == {"tasks": [], "next_cursor": None}
    assert live.get(f"/api/agents/{agent}").json["id"] == agent
    assert agent in [row["id"] for row in live.get("/api/agents?status=online&limit=5").json["agents"]]
    until(lambda: live.get("/api/audit?tool=agent_get&limit=1").json["entries"])


BAD_QUERIES = [
    "/api/missions?limit=0",
    "/api/missions?limit=many",
    "/api/missions?status=done",
    "/api/missions?limmit=5",
    "/api/missions?archived=perhaps",
    "/api/missions?offset=-1",
    "/api/missions/m_1?include=everything",
    "/api/missions/m_1?filter=x&filter.phase=1",
    "/api/missions/m_1?filter.phase=x",
    "/api/missions/t_0000000000",
    "/api/missions/m_%00",
    "/api/agents?status=gone",
    "/api/tasks?status=done",
    "/api/audit?cursor=nonsense",
    "/api/audit?since=yesterday",
    "/api/events?since=-1",
    "/api/events?since=x",
    "/api/events?since=²",
    "/api/events?since=99999999999999999999",
    "/api/events?limit=0",
    "/api/events?limit=-5",
    "/api/events?wait=x",
    "/api/events?topic=nothing",
    "/api/events?topic=mission:",
    "/api/events?topic=mission:%00",
    "/api/events?topic=agent:%ED%A0%80",
    "/api/events?topic=",
]


@pytest.mark.parametrize("path", BAD_QUERIES)
def test_a_bad_query_is_a_clear_error(live: Live, path: str) -> None:
    answer = live.get(path.replace("²", "%C2%B2"))

    assert (answer.status, answer.error["code"]) == (400, "INVALID_INPUT"), answer.body
    assert answer.error["message"]
    assert answer.error["hint"]


@pytest.mark.parametrize(
    ("path", "code"),
    [("/api/missions/m_0000000000", "RESOURCE_NOT_FOUND"), ("/api/agents/a_0000000000", "AGENT_NOT_FOUND")],
)
def test_what_does_not_exist_is_not_found(live: Live, path: str, code: str) -> None:
    answer = live.get(path)

    assert (answer.status, answer.error["code"]) == (404, code)


def test_events_are_read_from_a_number_on_in_pages_without_gap(live_on_both: Live) -> None:
    live = live_on_both
    mission = live.mission()
    for number in range(7):
        live.task(mission, f"t{number}")

    everything = events(live)
    seen: list[int] = []
    at = 0
    while (page := events(live, since=at, limit=3))["events"]:
        assert len(page["events"]) <= 3
        at = page["seq"]
        seen += [event["seq"] for event in page["events"]]

    assert seen == [event["seq"] for event in everything["events"]] == list(range(1, len(seen) + 1))
    assert everything["seq"] == seen[-1]
    assert everything["reset"] is False
    assert everything["events"][0].keys() == {"seq", "type", "at", "mission_id", "data"}


def test_topics_narrow_the_events(live_on_both: Live) -> None:
    live = live_on_both
    one, other = live.mission("one"), live.mission("other")
    agent = live.call("agent_register", {"name": "ada", "runtime": "codex"})["id"]
    live.call("start_task", {"mission_id": one, "name": "t", "goal": "g", "agent_id": agent})
    live.task(other)

    of_one = events(live, topic=f"mission:{one}")["events"]
    of_agent = events(live, topic=f"agent:{agent}")["events"]

    assert {event["mission_id"] for event in of_one} == {one}
    assert [event["type"] for event in of_agent][:1] == ["agent:created"]
    assert {"task:created"} <= {event["type"] for event in of_agent}
    assert events(live, topic="mission:m_0000000000")["events"] == []


def test_pages_of_a_topic_hold_all_of_it_whatever_lies_between(live: Live) -> None:
    mission, noise = live.mission("sparse"), live.mission("noise")
    for _ in range(5):
        live.task(mission)
        for _ in range(3):
            live.task(noise)

    whole = [event["seq"] for event in events(live, topic=f"mission:{mission}", limit=1000)["events"]]
    seen: list[int] = []
    at, newest = 0, events(live, limit=1000)["seq"]
    while at < newest:
        page = events(live, topic=f"mission:{mission}", since=at, limit=2)
        at = page["seq"]
        seen += [event["seq"] for event in page["events"]]

    assert seen == whole


def test_a_reader_that_must_begin_anew_is_given_the_newest_number_however_few_events_it_asks_for(
    live_on_both: Live,
) -> None:
    live = live_on_both
    mission = live.mission()
    for number in range(7):
        live.task(mission, f"t{number}")
    newest = events(live)["seq"]

    def forget(tx: Any) -> None:
        tx.connection.execute(text("DELETE FROM events WHERE seq <= 3"))

    live.run(live.app.database.write(forget))

    for topic in ("global", f"mission:{mission}"):
        answer = events(live, since=1, limit=2, topic=topic)
        assert answer == {"events": [], "reset": True, "oldest": 4, "seq": newest}
    assert [each["seq"] for each in events(live, since=3, limit=2)["events"]] == [4, 5]


def test_a_number_that_was_never_given_means_reset(live: Live) -> None:
    live.mission()
    newest = events(live, limit=1000)["seq"]

    answer = events(live, since=newest + 1)

    assert answer == {"events": [], "reset": True, "oldest": 1, "seq": newest}


def test_waiting_for_a_number_that_was_never_given_means_reset_at_once(live: Live) -> None:
    live.mission()
    begun = time.monotonic()

    assert events(live, since=10**9, wait=30)["reset"] is True
    assert time.monotonic() - begun < 10


def test_waiting_ends_with_the_first_event(live: Live) -> None:
    newest = events(live, limit=1000)["seq"]
    answers: list[Json] = []
    waiting = threading.Thread(target=lambda: answers.append(events(live, since=newest, wait=30)))
    waiting.start()
    until(lambda: live.app.events._waiters)

    mission = live.mission("awaited")
    waiting.join(10)

    assert [event["mission_id"] for event in answers[0]["events"]] == [mission]


def test_waiting_for_a_topic_does_not_end_with_the_events_of_another(live: Live) -> None:
    mission = live.mission("quiet")
    newest = events(live, limit=1000)["seq"]
    answers: list[Json] = []
    topic = f"mission:{mission}"
    waiting = threading.Thread(target=lambda: answers.append(events(live, since=newest, wait=30, topic=topic)))
    waiting.start()
    until(lambda: live.app.events._waiters)

    live.mission("loud")
    task = live.task(mission)
    waiting.join(10)

    assert task in {event["data"].get("id") for event in answers[0]["events"]}


def test_waiting_ends_when_nothing_comes(live: Live) -> None:
    newest = events(live, limit=1000)["seq"]

    assert events(live, since=newest, wait=1) == {"events": [], "reset": False, "oldest": 1, "seq": newest}


def test_clients_that_leave_end_their_waits(live: Live) -> None:
    newest = events(live, limit=1000)["seq"]
    head = f"GET /api/events?since={newest}&wait=55 HTTP/1.1\r\nHost: localhost\r\n"
    waiting = [socket.create_connection((live.host, live.port)) for _ in range(10)]
    for connection in waiting:
        connection.sendall(f"{head}Authorization: Bearer {live.token}\r\n\r\n".encode())
    until(lambda: len(live.app.events._waiters) >= 10)

    for connection in waiting:
        connection.close()

    until(lambda: len(live.app.events._waiters) < 10)  # the daemon's own readers wait as well


def test_two_hundred_waiting_clients_leave_a_call_free_to_run(live: Live) -> None:
    newest = events(live, limit=1000)["seq"]
    head = f"GET /api/events?since={newest}&wait=55 HTTP/1.1\r\nHost: localhost\r\n"
    waiting = [socket.create_connection((live.host, live.port)) for _ in range(200)]
    for connection in waiting:
        connection.sendall(f"{head}Authorization: Bearer {live.token}\r\n\r\n".encode())
    until(lambda: len(live.app.events._waiters) >= 200)

    found = live.call("workflow_list", {"limit": 1})
    live.mission()

    assert found["total"] >= 0
    for connection in waiting:
        connection.settimeout(10)
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        connection.close()


def test_the_description_is_an_openapi_document(live: Live) -> None:
    document = live.get("/api/openapi.json").json

    assert document["openapi"].startswith("3.1")
    assert document["info"].keys() >= {"title", "version"}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            assert method in {"get", "post"}, path
            assert operation["operationId"]
            assert operation["responses"]
            named = {each["name"] for each in operation.get("parameters", []) if each["in"] == "path"}
            assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}
    ids = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    assert len(ids) == len(set(ids))
    for reference in _references(document):
        assert _target(document, reference) is not None


def test_every_address_we_answer_is_described(live: Live) -> None:
    described = set(live.get("/api/openapi.json").json["paths"])

    assert {
        "/api/health",
        "/api/tools",
        "/api/events",
        "/api/missions",
        "/api/missions/{id}",
        "/api/agents",
        "/api/agents/{id}",
        "/api/audit",
        "/api/tools/start_task",
    } <= described


def test_real_answers_fit_the_description(live: Live, mission: str, agent: str) -> None:
    document = live.get("/api/openapi.json").json
    calls: dict[str, Json] = {
        "start_mission": {"name": "x", "objective": "y"},
        "start_task": {"mission_id": mission, "name": "n", "goal": "g"},
        "get_context": {"mission_id": mission, "include": SECTIONS},
        "workflow_list": {},
        "agent_get": {"id": agent},
        "agent_list": {},
        "agent_heartbeat": {"agent_id": agent},
        "audit_list": {},
    }

    for tool, arguments in calls.items():
        operation = document["paths"][f"/api/tools/{tool}"]["post"]
        _validate(document, operation["requestBody"]["content"], arguments)
        _validate(document, operation["responses"]["200"]["content"], live.call(tool, arguments))
    addresses = {
        "/api/health": "/api/health",
        "/api/tools": "/api/tools",
        "/api/events": "/api/events?limit=1000",
        "/api/missions": "/api/missions",
        "/api/missions/{id}": f"/api/missions/{mission}",
        "/api/agents": "/api/agents",
        "/api/agents/{id}": f"/api/agents/{agent}",
        "/api/audit": "/api/audit",
    }
    for address, path in addresses.items():
        _validate(document, document["paths"][address]["get"]["responses"]["200"]["content"], live.get(path).json)


def test_errors_fit_the_description(live: Live) -> None:
    document = live.get("/api/openapi.json").json
    error = document["components"]["responses"]["Error"]["content"]

    _validate(document, error, live.post("start_mission").json)
    _validate(document, error, live.get("/api/nothing").json)
    assert not Draft202012Validator(error["application/json"]["schema"]).is_valid({"oops": 1})


def test_the_document_describes_itself_as_the_committed_reference_does(live: Live) -> None:
    """Whoever generates a client finds each tool of the contract in it."""
    contract = Path(__file__).parents[2] / "contract" / "tools"
    described = {path.rsplit("/", 1)[1] for path in live.get("/api/openapi.json").json["paths"]}

    assert {file.stem for file in contract.glob("*.json")} <= described


def _validate(document: Json, content: Json, value: Any) -> None:
    schema = content["application/json"]["schema"]
    Draft202012Validator({**schema, "components": document["components"]}).validate(value)


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        return own + [found for value in node.values() for found in _references(value)]
    return [found for value in node for found in _references(value)] if isinstance(node, list) else []


def _target(document: Json, reference: str) -> Any:
    node: Any = document
    for part in reference.removeprefix("#/").split("/"):
        node = node.get(part) if isinstance(node, dict) else None
    return node
