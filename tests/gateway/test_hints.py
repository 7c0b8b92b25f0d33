"""Hints name a tool that the calling agent can see, and for people a command or the page: never a tool."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import mission
from mission import tools
from mission.domain.actions import Action
from mission.domain.errors import MissionError
from mission.gateway.caller import Caller
from mission.gateway.hints import WORDINGS, for_agent, for_person, tools_in
from mission.gateway.registry import Registry
from mission.transports.cli.main import COMMANDS

REGISTRY = Registry(tools)
COMMON = frozenset({"search", "overview"})
"""Tools that are called like a word of the language."""
NAMES = frozenset(tool.name for tool in REGISTRY) - COMMON
NAMED = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(NAMES, key=len, reverse=True))})(?!\w)")
SOURCE = Path(mission.__file__).parent
FOR_MODELS = {
    "gateway/hints.py",
    "runtime/launching/preparation.py",
    "runtime/launching/prompt.py",
    "runtime/message_delivery.py",
    "tools/missions/tasks.py",
    "tools/page/mission.py",
    "tools/tasks/next_step.py",
    "transports/mcp_server/prompts.py",
    "transports/mcp_server/signal_endpoint.py",
    "transports/web/execute_endpoint.py",
}
"""Modules whose texts only models or programs read: prompts, instructions, and the wordings of this very module."""

WRONG = [
    ("get_context", {"mission_id": "m_0000000000", "include": ["tasks"]}),
    ("start_task", {"name": "t", "goal": "g"}),
    ("task_get", {"id": "t_0000000000"}),
    ("complete_phase", {"phase_id": "p_0000000000", "status": "COMPLETED", "summary": "s"}),
    ("agent_get", {"id": "a_0000000000"}),
    ("workspace_get", {"id": "w_0000000000"}),
    ("template_get", {"id": "tpl_0000000000"}),
    ("message_get", {"id": "msg_0000000000"}),
    ("message_mark_read", {"message_ids": ["msg_0000000000"]}),
    ("queue_get", {"id": "q_0000000000"}),
    ("execution_get", {"id": "x_0000000000"}),
    ("audit_get", {"id": "log_0000000000"}),
    ("mcp__mail__list_inbox", {}),
    ("start_task", {"goal": 3}),
    ("start_taks", {}),
]


@pytest.mark.parametrize("action", Action)
def test_a_next_step_is_worded_for_everybody_and_names_a_tool_only_to_an_agent_that_sees_it(action):
    error = MissionError("wrong", action=action)
    wording = WORDINGS[action]

    person = for_person(error).hint
    told = {sentence: set(tools_in(sentence)) for sentence in wording.agent}

    assert not NAMED.search(error.hint)
    assert not NAMED.search(person)
    assert set(re.findall(r"'mission (\w+)", person)) <= set(COMMANDS)
    assert all(told.values())
    assert set().union(*told.values()) <= NAMES
    for seen in (*told.values(), set(), NAMES):
        hint = for_agent(error, lambda name, seen=seen: name in seen).hint
        assert set(NAMED.findall(hint)) <= seen
        assert bool(NAMED.search(hint)) is bool(seen)


def test_no_text_below_the_transports_names_a_tool_to_a_person():
    """What errors and warnings say is written here, in sentences; a name alone is an argument."""
    naming = [
        f"{file.relative_to(SOURCE)}:{line}: {text}"
        for file in sorted(SOURCE.rglob("*.py"))
        if str(file.relative_to(SOURCE)) not in FOR_MODELS
        for line, text in sentences(file)
        if NAMED.search(text)
    ]

    assert naming == []


def sentences(file):
    """Texts of several words in a module, docstrings apart."""
    tree = ast.parse(file.read_text())
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in documents:
            continue
        if " " in node.value.strip():
            yield node.lineno, node.value


@pytest.mark.parametrize(("tool", "arguments"), WRONG)
async def test_a_person_who_makes_a_mistake_is_told_no_tool(call, tool, arguments):
    for transport in ("cli", "page"):
        hint = await hint_of(call, tool, arguments, transport=transport)
        assert not NAMED.search(hint.replace("'mission call start_task'", "")), hint


async def test_an_agent_is_told_a_tool_that_it_has_listed_and_may_call(call):
    worker = (await call("mcp__agent__create", {"type": "WORKER", "name": "bee"}))["id"]
    unknown = {"mission_id": "m_0000000000", "include": ["tasks"]}

    operator = await hint_of(call, "get_context", unknown, transport="mcp", toolsets="mission,workflow")
    narrow = await hint_of(call, "get_context", unknown, transport="mcp", toolsets="mission")
    messages = await hint_of(call, "get_context", unknown, transport="mcp", toolsets="messages")
    denied = await hint_of(call, "get_context", unknown, transport="rest", agent=worker)

    assert operator == "List missions with workflow_list, or start one with start_mission."
    assert narrow == "Give the id of one that exists, or start one with start_mission."
    assert messages == denied == Action.FIND_MISSION.value


async def hint_of(call, tool, arguments, **caller):
    with pytest.raises(MissionError) as caught:
        await call.app.gateway(tool, arguments, Caller(**caller))
    return caught.value.hint or ""
