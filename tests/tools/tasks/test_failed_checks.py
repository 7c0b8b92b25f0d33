"""The agent that continues with a task starts at what failed last."""

from __future__ import annotations

import pytest

from mission.domain.errors import ChecksFailed
from tests.tools.conftest import planned
from tests.transports.served_calls import served

CHECK = "printf '%03000d' 0; echo; echo 'app.py must say hello'; grep -q hello src/app.py"
OUTCOME = {"summary": "Done."}


@pytest.fixture
async def call(app):
    async with served(app) as front:
        yield front


@pytest.fixture
async def refused(call, make_workflow, make_agent, repository):
    """A task that ada reported done, and that its check did not let through."""
    call.directory = str(repository)
    ada = await make_agent("ada")
    id, tasks = await make_workflow(planned("a"), checks=[{"name": "greeting", "run": CHECK}])
    await call("task_claim", {"task_id": tasks["a"], "agent_id": ada})
    await call("start_task", {"task_id": tasks["a"], "agent_id": ada})
    (repository / "src" / "app.py").write_text("print('good')\n")
    with pytest.raises(ChecksFailed):
        await call("complete_task", {"task_id": tasks["a"], "agent_id": ada, "status": "success", "outcome": OUTCOME})
    return id, tasks["a"], ada


async def test_the_recovery_packet_says_what_failed_last(call, refused, make_agent):
    _, task, ada = refused
    bob = await make_agent("bob")
    await call("task_release", {"task_id": task, "agent_id": ada})

    claimed = await call("task_claim", {"task_id": task, "agent_id": bob})

    [failed] = claimed["recovery"]["failed_checks"]
    assert (failed["name"], failed["check"], failed["exit_code"]) == ("greeting", CHECK, 1)
    assert failed["output"].endswith("app.py must say hello\n")
    assert failed["failed_before_too"] is None


@pytest.mark.parametrize("budget", [8_000, 900])
async def test_a_loaded_context_says_what_failed_last_within_its_budget(call, refused, budget):
    _, task, _ = refused

    loaded = await call("task_load_context", {"task_id": task, "max_tokens": budget})

    [failed] = loaded["current_task"]["failed_checks"]
    assert failed["output"].endswith("app.py must say hello\n")
    assert "Fix what its checks found ('greeting')" in loaded["next_step"]
    assert loaded["token_estimate"] <= budget


async def test_a_mission_says_how_much_of_it_is_proved(call, refused, repository):
    id, task, ada = refused

    before = await call("get_context", {"mission_id": id, "include": ["phase_summary"]})
    (repository / "src" / "app.py").write_text("print('hello again')\n")
    await call("complete_task", {"task_id": task, "agent_id": ada, "status": "success", "outcome": OUTCOME})
    after = await call("get_context", {"mission_id": id, "include": ["phase_summary"]})
    listed = await call("workflow_list", {})

    assert before["evidence"] == {"proved": 0, "unproved": 0, "accepted": 0, "failing": 1}
    assert after["evidence"] == {"proved": 1, "unproved": 0, "accepted": 0, "failing": 0}
    assert [row["evidence"] for row in listed["workflows"] if row["id"] == id] == [after["evidence"]]
    shown = (await call("overview_mission", {"mission_id": id}))["tasks"][0]
    assert (shown["state"], shown["proof_state"]) == ("proved", "proved")
