"""Commands that an agent proposed: they run only after a person has approved their exact text."""

from __future__ import annotations

import pytest

from mission.domain.errors import MissionError
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


@pytest.fixture
async def proposed(checked, signals, make_agent):
    """A changed task, the agent that owns it, and the inbox item about its proposed command."""
    ada = await make_agent("ada")
    task = await checked.started(agent_id=ada)
    wanted = {"scope": "task", "id": task, "checks": [{"name": "mine", "run": signals.note("runs")}], "agent_id": ada}
    await checked.call("checks_set", wanted)
    (item,) = await checked.items("checks")
    checked.wait_at_most(0.05)
    return task, ada, item["id"]


async def test_a_task_is_checking_with_the_reason_while_a_check_awaits_approval(checked, signals, proposed):
    task, ada, _ = proposed

    told = await checked.report(task, agent_id=ada)

    async def says_why():
        return (await checked.row(task)).hold.reason == "waiting for a person to approve mine"

    await checked.until(says_why)
    assert (told["status"], told["evidence"]["state"]) == ("checking", "running")
    assert signals.notes("runs") == []


async def test_an_approved_command_runs_and_proves(checked, signals, proposed):
    task, ada, item = proposed
    await checked.report(task, agent_id=ada)

    await checked.call("queue_answer", {"id": item, "choice": 1})

    await checked.until_status(task, "completed")
    assert (signals.notes("runs"), str((await checked.row(task)).proof_state)) == (["x"], "proved")


async def test_a_proposed_command_that_is_not_required_holds_nothing_up(checked, signals, make_agent):
    ada = await make_agent("ada")
    await checked.check({"name": "unit", "run": "test -f src/new.py"})
    task = await checked.started(agent_id=ada)
    extra = {"name": "extra", "run": signals.note("runs"), "required": False}
    await checked.call("checks_set", {"scope": "task", "id": task, "checks": [extra], "agent_id": ada})

    done = await checked.report(task, agent_id=ada)

    assert [(each["name"], each["state"]) for each in done["evidence"]["checks"]] == [("unit", "passed")]
    assert (done["evidence"]["state"], signals.notes("runs")) == ("proved", [])


@pytest.mark.parametrize("way", ["refuse", "dismiss"])
async def test_a_refused_command_is_dropped_and_never_runs(checked, signals, proposed, way):
    task, ada, item = proposed
    await checked.report(task, agent_id=ada)

    if way == "refuse":
        await checked.call("queue_answer", {"id": item, "choice": 2})
    else:
        await checked.call("queue_dismiss", {"id": item})

    await checked.until_status(task, "completed")
    assert signals.notes("runs") == []
    assert (await checked.row(task)).proof_state == "unproved"
    assert (await checked.call("checks_list", {"scope": "task", "id": task}))["checks"] == []


async def test_an_agent_does_not_approve_commands(checked, signals, proposed):
    task, ada, item = proposed

    for tool, given in (("queue_answer", {"id": item, "choice": 1}), ("queue_dismiss", {"id": item})):
        with pytest.raises(MissionError):
            await checked.call(tool, given, agent=ada)

    found = await checked.call("checks_list", {"scope": "task", "id": task})
    assert [each["approval"] for each in found["checks"]] == ["pending"]


async def test_advice_waits_for_approval_too(checked, signals, proposed):
    task, ada, _ = proposed

    asked = await checked.call("task_checks", {"task_id": task, "run": True, "wait_seconds": 0, "agent_id": ada})

    assert (asked["state"], signals.notes("runs")) == ("running", [])


async def test_an_approved_text_is_not_asked_about_again_in_its_mission(checked, signals, proposed):
    _, ada, item = proposed
    await checked.call("queue_answer", {"id": item, "choice": 1})
    other = await checked.start(name="other", agent_id=ada)

    found = await checked.call(
        "checks_set",
        {"scope": "task", "id": other, "checks": [{"name": "same", "run": signals.note("runs")}], "agent_id": ada},
    )

    assert [each["approval"] for each in found["checks"]] == ["approved"]
    assert await checked.items("checks") == []


async def test_an_answer_to_another_question_approves_nothing(checked, signals, proposed):
    """One item for each cause: the answer to a broken check is not an approval."""
    task, _, _ = proposed
    await checked.check({"name": "gone", "run": "no-such-command-here"})
    other = await checked.started(name="other", edited="src/other.py")
    checked.wait_at_most(45)
    await checked.refused(other)
    broken = next(each for each in await checked.items("checks") if "cannot run" in each["subject"])

    await checked.call("queue_dismiss", {"id": broken["id"]})

    found = await checked.call("checks_list", {"scope": "task", "id": task})
    assert [each["approval"] for each in found["checks"] if each["name"] == "mine"] == ["pending"]
