"""An agent's token at every door: it binds the connection, and a worthless one opens none."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from tests.transports.live_server import Live


@pytest.fixture(scope="module")
def ada(live: Live) -> dict[str, str]:
    return live.call("mcp__agent__create", {"type": "WORKER", "name": "ada"})


@pytest.fixture(scope="module")
def bob(live: Live) -> dict[str, str]:
    return live.call("mcp__agent__create", {"type": "WORKER", "name": "bob"})


@pytest.fixture(scope="module")
def victim(live: Live) -> str:
    return str(live.call("agent_register", {"name": "victim", "runtime": "custom"})["id"])


def bearer(agent: dict[str, str]) -> str:
    return f"Bearer {agent['token']}"


def mcp(live: Live, method: str, params: dict, *, token: str, query: str = "", **headers: str) -> dict:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    answer = live.request(
        "POST",
        f"/mcp{query}",
        body,
        headers={
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
            **headers,
        },
    )
    assert answer.status == 200, answer.body
    return answer.json["result"]


def test_the_token_says_who_acts_and_no_header_or_argument_changes_that(live, ada, bob):
    mine = live.post("agent_heartbeat", {"agent_id": ada["id"]}, Authorization=bearer(ada))
    as_bob = live.post("agent_heartbeat", {"agent_id": bob["id"]}, Authorization=bearer(ada))
    named = live.post("agent_list", Authorization=bearer(ada), Mission_Agent="bob")
    over_mcp = mcp(
        live, "tools/call", {"name": "agent_heartbeat", "arguments": {"agent_id": bob["id"]}}, token=ada["token"]
    )

    assert mine.status == 200
    assert [as_bob.status, named.status, over_mcp["isError"]] == [403, 403, True]
    assert as_bob.error["code"] == "PERMISSION_DENIED"
    assert "cannot act as" in over_mcp["content"][0]["text"]


@pytest.mark.parametrize(
    "name",
    [
        "operator\u200b",
        "\u043eperator",
        "\uff4f\uff50\uff45\uff52\uff41\uff54\uff4f\uff52",
        "\u041d\u03c5man",
        "0perator",
        "\u1d0fperator",
        "oper\u0430t\u03bfr\ufe0f",
        "@operator",
        "a\nb",
        "a\tb",
        "a\x7fb",
        "a\u2028b",
        "\u202eadam",
        "--help",
        "-x",
        "\uff0dx",
        "you",
        "ME",
        "user",
        "all",
        "@all",
        "*",
        "\u3164",
    ],
    ids=ascii,
)
def test_a_worker_cannot_register_a_name_that_misleads(live, ada, name):
    refused = live.post("agent_register", {"name": name, "runtime": "custom"}, Authorization=bearer(ada))

    assert (refused.status, refused.error["code"]) == (400, "INVALID_INPUT")
    assert (refused.error["details"], bool(refused.error["hint"])) == ({"field": "name"}, True)
    assert name not in [each["name"] for each in live.call("agent_list")["agents"]]


@pytest.mark.parametrize(
    "name", ["Victim", "VICTIM", "victim\ufe0f", "vi\u0441tim", "\uff56ictim", "v\u0131ctim"], ids=ascii
)
def test_a_worker_cannot_register_a_name_that_looks_like_that_of_a_living_agent(live, ada, victim, name):
    refused = live.post("agent_register", {"name": name, "runtime": "custom"}, Authorization=bearer(ada))

    assert (refused.status, refused.error["code"]) == (409, "INVALID_STATE")
    assert victim in refused.error["message"]


@pytest.mark.parametrize(
    "name",
    [
        "\u043e\u043f\u0435\u0440\u0430\u0442\u043e\u0440-2",
        "\u30c6\u30b9\u30c8",
        "G\u00f6del",
        "\u2699\ufe0f builder",
        "me-too",
        "all tests",
    ],
    ids=ascii,
)
def test_names_in_any_script_are_fine(live, ada, name):
    assert live.call("agent_register", {"name": name, "runtime": "custom"}, Authorization=bearer(ada))["name"] == name


def test_a_worker_sees_the_tools_of_its_role_and_none_it_may_not_call(live, ada):
    def listed(query: str = "") -> set[str]:
        return {tool["name"] for tool in mcp(live, "tools/list", {}, token=ada["token"], query=query)["tools"]}

    assert {"start_task", "task_claim_next", "checkpoint_add"} <= listed()
    assert not {"start_mission", "workflow_create", "mission_delete"} & listed("?toolsets=all")
    assert "agent_heartbeat" in listed("?toolsets=agents")
    rest = live.get("/api/tools", Authorization=bearer(ada)).json["tools"]
    assert not {"start_mission", "audit_list", "token_rotate"} & {tool["name"] for tool in rest}
    for tool in ("start_mission", "audit_list", "token_rotate", "no_such_tool"):
        assert live.post(tool, Authorization=bearer(ada)).status == 403


def test_a_revoked_an_expired_and_an_invented_token_open_no_door(live, bob):
    gone = live.call("mcp__agent__create", {"type": "WORKER", "name": "gone", "toolsets": "agents"})
    live.call("token_revoke", {"agent_id": gone["id"]})
    late = live.call("mcp__agent__create", {"type": "WORKER", "name": "late", "expiresAt": "2999-01-01T00:00:00Z"})
    assert live.get("/api/tools", Authorization=bearer(late)).status == 200
    live.run(live.app.database.write(_let_expire))

    worthless = {
        gone["token"]: "was revoked",
        late["token"]: "expired at",
        "mca_invented": "not valid",
        "x": "not valid",
    }
    for token, words in worthless.items():
        for path in ("/api/missions", "/api/tools", "/api/events", "/mcp"):
            answer = live.request("POST" if path == "/mcp" else "GET", path, b"{}", headers={
                "Authorization": f"Bearer {token}"
            })  # fmt: skip
            assert (answer.status, answer.error["code"]) == (401, "UNAUTHENTICATED"), path
            assert words in answer.error["message"]
    assert live.get("/api/agents", Authorization=bearer(bob)).status == 200


def _let_expire(tx):
    """Time passes: tokens that had an end have reached it."""
    tx.connection.execute(text("UPDATE agent_tokens SET expires_at = 0 WHERE expires_at IS NOT NULL"))
