"""What an agent gets to go on with a task: the whole of what matters, never more tokens than it asked for."""

from __future__ import annotations

import base64
import json
import random

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.token_count import Utf8Bytes, tokenizer
from mission.tools.tasks import load_context as recall
from tests import fault_cases
from tests.tools.conftest import planned

PLAN = {"approach": "carefully", "steps": [f"step {number}: look, change, test" for number in range(30)]}


def tokens(answer):
    return tokenizer().count(json.dumps(answer, ensure_ascii=False, separators=(",", ":")), limit=1_000_000)


@pytest.fixture
def load(call):
    async def load(task, **more):
        answer = await call("task_load_context", {"task_id": task, **more})
        budget = more.get("max_tokens", 8_000)
        if answer["tokenizer"] == "o200k_base":
            assert tokens(answer) <= budget
            assert answer["token_estimate"] == pytest.approx(tokens(answer), abs=2)
        else:
            assert len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()) <= budget
        assert (answer["current_task"]["id"], bool(answer["next_step"])) == (task, True)
        return answer

    return load


@pytest.fixture
def note(call):
    async def note(task, summary, **more):
        return await call("checkpoint_add", {"task_id": task, "type": "progress", "summary": summary, **more})

    return note


@pytest.fixture
async def scene(call, make_workflow, make_agent):
    """Task b in hand: it depends on a, which is done, and stands beside c."""
    ada = await make_agent("ada")
    id, tasks = await make_workflow(
        planned("a"), planned("b", sequence=2, after=["a"]), planned("c", sequence=2), source_content="Build  it\nwell"
    )
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    await call("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": "A works", "agent_id": ada})
    await call("task_set_plan", {"id": tasks["b"], "plan": PLAN, "context": {"hint": "see a.py"}, "agent_id": ada})
    await call("task_update_status", {"id": tasks["b"], "status": "in_progress", "agent_id": ada})
    return id, tasks, ada


async def test_everything_that_is_needed_to_go_on_is_there(load, note, call, scene):
    id, tasks, ada = scene
    for number in range(8):
        await note(tasks["b"], f"note {number}", agent_id=ada, detail={"n": number})

    found = await load(tasks["b"])

    assert found["workflow"] == {
        "id": id,
        "name": "W",
        "source_type": "prompt",
        "source_summary": "Build it well",
        "plan_summary": "s",
        "plan": {"approach": "a"},
        "status": "in_progress",
        "max_parallel_tasks": 100,
    }
    task = found["current_task"]
    whole = await call("task_get", {"id": tasks["b"], "include_checkpoints": True, "checkpoint_limit": 5})
    assert {**task, "checkpoints": None} == {
        **{name: whole[name] for name in ("id", "name", "status", "description", "plan", "context")},
        "checkpoints": None,
        "assigned_agent_id": ada,
        "fence": 1,
    }
    assert task["checkpoints"] == whole["checkpoints"]
    assert {each["author"] for each in task["checkpoints"]} == {ada}
    a = {"outcome": "A works", "author": ada}
    assert found["prior_tasks"] == [{"id": tasks["a"], "name": "a", "status": "completed", **a}]
    assert found["dependency_outcomes"] == [{"task_id": tasks["a"], "task_name": "a", **a}]
    assert found["sibling_tasks"] == [{"id": tasks["c"], "name": "c", "status": "pending"}]
    assert found["next_step"] == f'Continue after: "note 7" (says {ada}).'
    assert found["omitted"] == [
        {
            "what": "current_task.checkpoints: 5 of 9 here",
            "tool": "checkpoint_list",
            "arguments": {"task_id": tasks["b"]},
        }
    ]


async def test_only_what_was_asked_for_is_there(load, note, call, scene):
    _, tasks, ada = scene
    for number in range(12):
        await note(tasks["b"], f"note {number}", agent_id=ada)
    nothing = {
        "workflow_plan": False,
        "workflow_summary": False,
        "prior_task_outcomes": False,
        "sibling_status": False,
        "dependency_outcomes": False,
        "recent_checkpoints": 0,
    }

    least = await load(tasks["b"], include=nothing)
    most = await load(tasks["b"], include={"prior_task_full": True, "all_checkpoints": True})

    assert (least["workflow"]["plan_summary"], least["workflow"]["source_summary"]) == ("", "")
    assert {"prior_tasks", "sibling_tasks", "dependency_outcomes"}.isdisjoint(least)
    assert least["current_task"]["checkpoints"] == []
    assert [each["sequence"] for each in most["current_task"]["checkpoints"]] == list(range(1, 14))
    assert most["omitted"] == []


async def test_a_cursor_gives_only_what_is_new(load, note, call, scene):
    _, tasks, ada = scene
    await note(tasks["b"], "before", agent_id=ada)
    first = await load(tasks["b"])

    nothing_new = await load(tasks["b"], since=first["cursor"])
    for number in range(7):
        await note(tasks["b"], f"after {number}", agent_id=ada)
    await call("start_task", {"task_id": tasks["c"], "agent_id": ada})
    later = await load(tasks["b"], since=nothing_new["cursor"])

    assert nothing_new["current_task"].keys().isdisjoint({"description", "plan", "context"})
    assert (
        nothing_new["current_task"]["checkpoints"] == nothing_new["prior_tasks"] == nothing_new["sibling_tasks"] == []
    )
    assert nothing_new["omitted"] == []
    assert [each["summary"] for each in later["current_task"]["checkpoints"]] == [f"after {n}" for n in range(7)]
    assert later["sibling_tasks"] == [{"id": tasks["c"], "name": "c", "status": "in_progress"}]
    assert later["dependency_outcomes"] == []
    with pytest.raises(InvalidInput, match="since"):
        await load(tasks["b"], since="yesterday")


async def test_a_budget_below_two_hundred_and_an_unknown_task_are_refused(call, load):
    with pytest.raises(NotFound):
        await load("t_0000000000")
    with pytest.raises(InvalidInput, match=r"max_tokens.*200"):
        await call("task_load_context", {"task_id": "t_0000000000", "max_tokens": 199})


async def test_at_the_default_budget_plan_dependencies_and_last_checkpoints_are_whole(load, note, call, make_workflow):
    long = "Ein langer Text. " * 58_000
    names = [f"d{number}" for number in range(5)]
    _, tasks = await make_workflow(
        *(planned(name) for name in names),
        planned("b", sequence=2, after=names) | {"description": long},
        *(planned(f"s{number}", sequence=2) for number in range(60)),
        source_content=long,
    )
    for name in names:
        await call("start_task", {"task_id": tasks[name]})
        outcome = {"summary": f"{name} is done. " * 30 + "End."}
        await call("complete_task", {"task_id": tasks[name], "status": "success", "outcome": outcome})
    await call("task_set_plan", {"id": tasks["b"], "plan": PLAN, "context": {"log": long}})
    for number in range(6):
        await note(
            tasks["b"], f"note {number}: " + "we found out that it is so. " * 40, detail={"numbers": [number] * 50}
        )

    found = await load(tasks["b"])

    whole = await call("task_get", {"id": tasks["b"], "include_checkpoints": True, "checkpoint_limit": 5})
    assert found["current_task"]["plan"] == whole["plan"]
    assert found["current_task"]["checkpoints"] == whole["checkpoints"]
    assert [each["outcome"] for each in found["dependency_outcomes"]] == [f"{n} is done. " * 30 + "End." for n in names]
    cut = {each["what"].partition(":")[0]: each["tool"] for each in found["omitted"]}
    assert cut["current_task.description"] == cut["current_task.context"] == "task_get"
    assert found["current_task"]["description"].endswith("…")


def texts(chance):
    kind = chance.choice(["words", "chinese", "base64", "emoji", "quotes", "empty"])
    length = chance.choice([1, 30, 400, 5_000, 100_000, 1_000_000])
    if kind == "base64":
        return base64.b64encode(chance.randbytes(length * 3 // 4 + 1)).decode()[:length]
    unit = {
        "words": lambda: chance.choice(["task ", "budget ", "über ", "\n"]),
        "chinese": lambda: chr(chance.randrange(0x4E00, 0x9FFF)),
        "emoji": lambda: chance.choice("😀👩‍👩‍👧‍👦🇩🇪🏳️‍🌈 "),
        "quotes": lambda: chance.choice('"\\\n\t{}<|endoftext|>\x01'),
        "empty": lambda: " ",
    }[kind]
    sample = "".join(unit() for _ in range(min(length, 2_000)))
    return ("x" + sample * (length // len(sample) + 1))[:length]


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=1, many=25))
async def test_whatever_was_written_the_answer_stays_within_its_budget(
    load, note, call, make_workflow, seed, monkeypatch
):
    chance = random.Random(seed)
    _, tasks = await make_workflow(
        planned("a") | {"description": texts(chance)},
        planned("b", sequence=2, after=["a"]) | {"name": texts(chance)[:200], "description": texts(chance)},
        planned("c", sequence=2) | {"name": texts(chance)[:199] + "c"},
        source_content=texts(chance),
        name=texts(chance)[:200],
    )
    (b,) = [id for name, id in tasks.items() if name not in ("a", "c") and not name.endswith("c")][:1]
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": texts(chance)})
    plan = {"approach": texts(chance), "steps": [texts(chance)[:5_000] for _ in range(5)]}
    await call("task_set_plan", {"id": b, "plan": plan, "context": {"a": {"b": [texts(chance)]}}})
    for _ in range(6):
        await note(b, texts(chance), detail={texts(chance)[:50]: texts(chance)[:10_000]})
    budgets = [200, 201, 230, 260, 1_000, 20_000, *(chance.randrange(200, 20_000) for _ in range(4))]
    for budget in budgets:
        await load(b, max_tokens=budget, include={"all_checkpoints": chance.random() < 0.5, "prior_task_full": True})
    monkeypatch.setattr(recall, "tokenizer", Utf8Bytes)
    for budget in budgets:
        assert (await load(b, max_tokens=budget))["tokenizer"] == "utf8_bytes"


async def test_the_next_step_follows_from_where_the_task_stands(call, load, make_workflow, make_agent, note):
    ada = await make_agent("ada")
    _, tasks = await make_workflow(planned("a"), planned("b", after=["a"]))

    async def step(task="a"):
        return (await load(tasks[task]))["next_step"]

    said = [await step("b"), await step()]
    await call("task_claim", {"task_id": tasks["a"], "agent_id": ada})
    said.append(await step())
    await call("task_set_plan", {"id": tasks["a"], "plan": {"approach": "x", "steps": ["one"]}, "agent_id": ada})
    said.append(await step())
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    said.append(await step())
    await note(tasks["a"], "half", detail={"next_steps": ["write the test"]}, agent_id=ada)
    said.append(await step())
    await call("task_update_status", {"id": tasks["a"], "status": "blocked", "error": "no key", "agent_id": ada})
    said.append(await step())
    await call("task_update_status", {"id": tasks["a"], "status": "failed", "error": "boom", "agent_id": ada})
    said.append(await step())

    assert said == [
        "Wait until 'a' (pending) is done; work on another task until then.",
        "Claim it with task_claim, then start_task.",
        "Start it with start_task.",
        "Its plan is ready: start it with start_task. First step of its plan: one",
        "First step of its plan: one",
        f'Next: "write the test" (says {ada}).',
        f'It is on hold: "no key" (says {ada}). Resolve that, then start_task.',
        f'It failed: "boom" (says {ada}). Replan it with task_replan.',
    ]
