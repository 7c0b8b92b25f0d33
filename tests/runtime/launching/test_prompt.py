"""What a launched agent is told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from mission.domain.checks.check import Check, parse_checks
from mission.domain.executions.execution import Execution, Mode, Protocol
from mission.domain.executions.signals import Delivery
from mission.domain.missions.mission import Family, Mission
from mission.domain.tasks.task import Task
from mission.runtime.launching.prompt import brief

NOW = datetime(2026, 1, 15, tzinfo=UTC)


def told(delivery: Delivery, *, checks: Sequence[Check] = (), failure: str | None = None, **mission: str) -> str:
    scope = {"mission_id": "m_1", "task_id": "t_1", "tree": None}
    execution = Execution(
        id="x_0123456789",
        mission_id="m_1",
        task_id="t_1",
        agent_id="a_1",
        adapter="codex",
        mode=Mode.HEADLESS,
        delivery=delivery,
        protocol=Protocol.of_task(**scope, delivery=delivery).as_dict(),
        host_id="h",
        created_at=NOW,
        updated_at=NOW,
    )
    given = {"id": "m_1", "name": "Shop", "objective": "Shop", "family": Family.MISSION, **mission}
    task = Task(
        id="t_1",
        mission_id="m_1",
        phase_id="p_1",
        phase_number=1,
        name="Sort",
        goal="Largest first",
        areas=["src/shelf"] if mission else [],
        files_likely_affected=["src/shelf/sort.py"] if mission else None,
        created_at=NOW,
        updated_at=NOW,
    )
    shown = Mission(**given, created_at=NOW, updated_at=NOW)
    return brief(execution, task, shown, checks=checks, failure=failure)


def test_an_agent_is_told_everything_that_its_work_is_judged_by():
    text = told(
        Delivery.MCP_TOOL, objective="Every shelf sorted", scope="No new shelves", constraints="Standard library only"
    )

    assert text[text.index("Your work is judged by") :].partition("\n\n")[0].splitlines() == [
        "Your work is judged by",
        "- the mission's objective: Every shelf sorted",
        "- its scope: No new shelves",
        "- its constraints: Standard library only",
        "- the areas to stay within (changes elsewhere are reported as unexpected): src/shelf",
        "- the files expected to change: src/shelf/sort.py",
        "- the files that actually changed since the start of the task, as found by Mission Control",
    ]


def test_each_delivery_has_instructions_of_its_own_and_no_example_that_would_count():
    tools, printed = told(Delivery.MCP_TOOL), told(Delivery.STDOUT_MARKER)

    assert "open-mission-mcp" in tools
    assert "@task::" not in tools
    assert '@task::{"version":1,"agentExecutionId":"x_example"' in printed
    assert "open-mission-mcp" not in printed
    assert "objective" not in tools  # nobody said one


def test_an_agent_is_told_the_checks_that_its_work_must_pass():
    docs = {"name": "docs", "changed": ["docs/**"], "required": False}
    checks = parse_checks(["make test", docs, {"name": "long", "run": "x" * 1_000}])

    text = told(Delivery.MCP_TOOL, checks=checks)

    assert text[text.index("Your work is judged by") :].partition("\n\n")[0].splitlines() == [
        "Your work is judged by",
        "- Mission Control's check: make test",
        "- Mission Control's check 'docs' (not required): changed docs/**",
        f"- Mission Control's check 'long': {'x' * 300}",
        "- the files that actually changed since the start of the task, as found by Mission Control",
    ]


def test_an_agent_whose_last_result_failed_its_checks_is_told_what_failed_and_by_whom():
    text = told(Delivery.STDOUT_MARKER, failure="Check 'make test' failed with exit code 2.\n1 failed")

    assert "Mission Control then ran its checks, and they failed." in text
    assert "Fix what failed, then report again:\nCheck 'make test' failed with exit code 2.\n1 failed\n\n" in text
    assert "operator" not in text
