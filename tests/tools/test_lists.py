"""Every list tool pages: each row comes exactly once, and the end is said. The tools are found in the registry."""

from __future__ import annotations

from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

import mission.tools
from mission.domain.errors import InvalidInput
from mission.gateway.registry import Registry, Tool
from tests.fake_executions import FakeExecutions
from tests.tools.conftest import planned

ROWS = 5
"""How many rows each list has at least; pages of 1, 2 and ROWS are walked, so that the last one is full at times."""

NOT_LISTS = {
    "candidate_get": "one candidate with its evidence",
    "run_get": "one run with all its tasks",
    "run_list": "walked in tests/tools/control/test_runs.py",
    "run_report": "the report of one run",
    "adapter_list": "the few clients that this program knows",
    "audit_get": "one entry and its lines",
    "client_list": "the few clients that this program knows",
    "client_preview": "the files that connecting one client would change",
    "costs": "sums of the last days",
    "overview_find": "the best matches while somebody types",
    "overview_running_changes": "the running tasks of one mission",
    "overview_workspace_sizes": "one row for each workspace that was asked for",
    "checks_list": "the checks of one repository, mission or task",
    "evidence_export": "the attestations of one mission",
    "execution_get": "one execution, with the last messages to it",
    "get_context": "a mission with several sections: tests/tools/missions/test_journal_and_context.py walks them",
    "overview": "what the page's first view shows, with totals",
    "overview_changes": "all changed files of one mission",
    "overview_files": "the files of one task, with how many there are",
    "overview_mission": "one mission with all its tasks",
    "overview_proof": "the checks of one task",
    "overview_proposed_checks": "the commands that one item asks about",
    "overview_spending": "one row for each agent that was asked for",
    "overview_task": "one task and its moves",
    "permission_show": "the rules for one agent",
    "task_check_dependencies": "the dependencies of one task",
    "task_get": "one task",
    "task_load_context": "one task within a budget",
    "template_get": "one template with all its tasks",
    "wait_for_events": "news, with a cursor of its own kind",
    "workflow_get": "one workflow; its tasks have next_offset and tasks_total",
    "workflow_progress": "figures of one workflow",
}
"""Tools that read rows and are no lists, with the reason."""


def rows_of(tool: Tool) -> list[str]:
    """The fields of a tool's answer that hold rows."""
    return [name for name, field in tool.result.model_fields.items() if _has_rows(field.annotation)]


def _has_rows(annotation: Any) -> bool:
    if get_origin(annotation) is list:
        return any(isinstance(each, type) and issubclass(each, BaseModel) for each in _parts(annotation))
    return any(_has_rows(part) for part in get_args(annotation))


def _parts(annotation: Any) -> list[Any]:
    return [part for each in get_args(annotation) for part in (each, *_parts(each))]


TOOLS = {tool.name: tool for tool in Registry(mission.tools)}
LISTS = sorted(name for name, tool in TOOLS.items() if tool.reads and rows_of(tool) and name not in NOT_LISTS)


@pytest.fixture
async def filled(app, call, make_agent, make_workflow, repository):
    """A store in which every list has some rows. Answers the arguments with which each list is asked."""
    fake_executions = FakeExecutions(app, call)
    boss = (await call("mcp__agent__create", {"type": "SUPERVISOR", "name": "boss"}))["id"]
    agents = [await make_agent(f"agent {number}") for number in range(ROWS)]
    plan = [planned(f"step {number}", sequence=number % 2 + 1) for number in range(ROWS + 1)]
    mission, tasks = await make_workflow(*plan, repository_path=str(repository))
    task = tasks["step 0"]
    await call("start_task", {"task_id": task})
    for number in range(ROWS):
        await make_workflow(name=f"W{number}")
        await call("checkpoint_add", {"task_id": task, "type": "progress", "summary": f"note {number}"})
        await call("template_create", {"name": f"Template {number % 2}", "from_workflow_id": mission})
        await call("token_rotate", {"agent_id": boss})
        mail = {"toAgentId": agents[0], "subject": f"Note {number}", "body": "Look at this note"}
        await call("mcp__mail__send", mail, agent=boss)
        await call("log_issue", {"task_id": task, "type": "bug_encountered", "description": f"Bug {number}",
                                 "resolution": "none", "requires_human_review": True})  # fmt: skip
        folder = repository.parent / f"folder {number}"
        folder.mkdir()
        await call("repository_register", {"path": str(folder), "name": "same"})
        place = {"workflow_id": mission, "path": str(repository.parent / f"wt{number}"), "branch": f"b{number}"}
        await call("workspace_create", {**place, "create": True})
        (repository / ".mission" / "templates").mkdir(parents=True, exist_ok=True)
        one = f'{{"tasks": [{{"name": "a", "description": "d", "sequence": 1}}], "name": "File {number % 2}"}}'
        (repository / ".mission" / "templates" / f"{number}.json").write_text(one)
    proved = await proved_mission(call, repository, make_workflow)
    executions = [(await fake_executions.launch()).execution.id for _ in range(ROWS)]
    for number in range(ROWS):
        await fake_executions.signal(executions[0], f"e{number}", "progress", summary=f"at {number}")
    return {
        "checkpoint_list": {"task_id": task},
        "evidence_list": {"mission_id": proved},
        "execution_observations": {"execution_id": executions[0]},
        "mcp__epic__list_tasks": {"epicId": mission, "agentId": boss},
        "mcp__mail__list_inbox": {"agentId": agents[0]},
        "mcp__orchestrator__list_epics": {"agentId": boss},
        "mcp__supervisor__list_agents": {"agentId": boss},
        "message_list": {"agent_id": agents[0], "status": "all"},
        "overview_journal": {"mission_id": mission},
        "search": {"query": "note"},
        "task_get_available": {"workflow_id": mission, "agent_id": agents[1]},
        "token_list": {"agent_id": boss},
        "workflow_next_tasks": {"workflow_id": mission},
        "audit_list": {"tool": "checkpoint_add"},
    }


async def proved_mission(call, repository, make_workflow):
    """A mission whose task was checked with several commands."""
    checks = [f"test {number} -lt 9" for number in range(ROWS)]
    id, tasks = await make_workflow(planned("checked"), repository_path=str(repository), checks=checks)
    await call("start_task", {"task_id": tasks["checked"]})
    await call("task_checks", {"task_id": tasks["checked"], "run": True})
    return id


async def walk(call, name, arguments, *, limit, between=None):
    """All rows of a list in the order of its pages, and the answers that held them."""
    tool, (field, *_) = TOOLS[name], rows_of(TOOLS[name])
    answers = [await call(name, {**arguments, "limit": limit})]
    while True:
        last, seen = answers[-1], sum(len(answer[field]) for answer in answers)
        assert len(last[field]) <= limit
        cursor = last.get("next_cursor", last.get("nextCursor"))
        if "cursor" in tool.arguments.model_fields:
            more = {"cursor": cursor} if cursor is not None else None
        else:
            more = {"offset": seen} if seen < last["total"] else None
        if more is None:
            return [_key(row) for answer in answers for row in answer[field]], answers
        assert last[field], "a page that is not the last one has rows"
        if between is not None:
            await between()
        answers.append(await call(name, {**arguments, **more, "limit": limit}))


def _key(row: dict[str, Any]) -> str:
    return str(row.get("id", row.get("created_at", row)))


@pytest.mark.parametrize("name", LISTS)
def test_every_list_says_how_to_get_the_next_page(name):
    tool = TOOLS[name]
    asks, answers = tool.arguments.model_fields.keys(), tool.result.model_fields.keys()

    by_cursor = "cursor" in asks and bool({"next_cursor", "nextCursor"} & answers)
    by_offset = "offset" in asks and "total" in answers
    assert "limit" in asks
    assert by_cursor or by_offset


def test_what_is_excepted_from_paging_still_exists():
    assert set(NOT_LISTS) <= set(TOOLS)


async def test_each_row_of_each_list_comes_exactly_once(call, filled):
    while not (await call("search", {"query": "note"}))["complete"]:
        pass
    for name in LISTS:
        arguments = filled.get(name, {})
        whole, _ = await walk(call, name, arguments, limit=100)
        assert len(whole) >= ROWS, name
        for limit in (1, 2, len(whole)):
            rows, answers = await walk(call, name, arguments, limit=limit)
            assert rows == whole, (name, limit)
            assert len(set(rows)) == len(rows), (name, limit)
            assert len(answers) == -(-len(whole) // limit), (name, limit)


async def test_a_walk_by_cursor_meets_each_row_once_while_rows_are_added(call, filled, make_agent, make_workflow):
    mission = filled["overview_journal"]["mission_id"]
    agents = filled["message_list"]["agent_id"]
    boss, task = filled["token_list"]["agent_id"], filled["checkpoint_list"]["task_id"]

    async def add():
        agent = await make_agent("late")
        await call("agent_heartbeat", {"agent_id": agents})
        await call("checkpoint_add", {"task_id": task, "type": "progress", "summary": "late note"})
        await call("template_create", {"name": "A late one", "from_workflow_id": mission})
        await call("token_rotate", {"agent_id": boss})
        await call("mcp__mail__send", {"toAgentId": agents, "subject": "s", "body": "b"}, agent=agent)
        new = {"workflow_id": mission, "tasks": [planned(f"late {agent}", sequence=1)]}
        await call("workflow_add_tasks", new)

    for name in [each for each in LISTS if "cursor" in TOOLS[each].arguments.model_fields]:
        before, _ = await walk(call, name, filled.get(name, {}), limit=100)
        if name == "token_list":
            before = [row.replace("None", "") for row in before][
                :0
            ]  # a new token revokes the others: they look changed

        during, _ = await walk(call, name, filled.get(name, {}), limit=3, between=_once_each(add, most=2))

        assert len(set(during)) == len(during), name
        assert set(before) <= set(during), name


def _once_each(act, *, most):
    """Acts between the first pages only: else lists that grow at their end have none."""
    left = [most]

    async def between():
        if left[0]:
            left[0] -= 1
            await act()

    return between


async def test_what_is_no_cursor_is_refused_by_every_list(call, filled):
    bad = ("", "nonsense", "-1", "99999999999", "2026-01-15T10:00:00Z", "soon t_0000000000")

    for name in [each for each in LISTS if "cursor" in TOOLS[each].arguments.model_fields]:
        for cursor in bad:
            with pytest.raises(InvalidInput, match="not a cursor from this list") as refused:
                await call(name, {**filled.get(name, {}), "cursor": cursor})
            assert (name, refused.value.details["field"]) == (name, "cursor")
            assert refused.value.hint


async def test_a_cursor_of_another_list_is_refused(call, filled):
    agents = await call("agent_list", {"limit": 1})

    for name in ("task_list", "execution_list", "audit_list", "message_list", "template_list"):
        with pytest.raises(InvalidInput, match="not a cursor from this list"):
            await call(name, {**filled.get(name, {}), "cursor": agents["next_cursor"]})


async def test_no_agent_is_missed_while_agents_show_life(call, make_agent):
    agents = [await make_agent(f"agent {number}") for number in range(7)]

    async def live():
        for agent in agents:
            await call("agent_heartbeat", {"agent_id": agent})

    for name in ("agent_list", "mcp__supervisor__list_agents"):
        seen, _ = await walk(call, name, {}, limit=2, between=live)
        assert seen == agents[::-1]
    online, _ = await walk(call, "agent_list", {"status": ["online"]}, limit=2, between=live)
    assert online == agents[::-1]
    assert await walk(call, "agent_list", {"status": ["offline"]}, limit=2) == (
        [],
        [{"agents": [], "next_cursor": None}],
    )
