"""The prompt of a launched agent: its task, how to signal and how to finish."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.checks.check import Check
from mission.domain.executions.execution import Execution, Mode
from mission.domain.executions.signals import KINDS, Delivery, SignalKind
from mission.domain.missions.mission import Mission
from mission.domain.tasks.task import Task

EXAMPLE_ID = "x_example"
"""The id in the example marker, so that an agent that repeats its instructions sends no signal."""
MAX_PROMPT_LENGTH = 100_000
MAX_CHECK_LENGTH = 300
"""How much of a check's command or globs is shown."""
CHECKS_FAILED = (
    "You reported this task as done and exited. Mission Control then ran its checks, and they failed. Your changes are "
    "still in the working tree. Fix what failed, then report again:"
)


def brief(
    execution: Execution,
    task: Task,
    mission: Mission,
    *,
    checks: Sequence[Check] = (),
    context: str = "",
    has_mission: bool = True,
    answer: str | None = None,
    hint: str | None = None,
    failure: str | None = None,
    resumed: bool = False,
) -> str:
    """Return the prompt of a launch, or of a resumed session that already has the context."""
    if resumed and answer is not None:
        parts = [f"The operator answered: {answer}", "Continue your task.", *_how_to_signal(execution)]
    else:
        parts = [
            f"Your task is {task.id} of mission {execution.mission_id}: {task.name}",
            task.goal if task.goal and task.goal != task.name else "",
            context,
            _judged_by(task, mission, checks),
            f"The operator answered your earlier question: {answer}" if answer is not None else "",
            f"The last attempt failed. The operator's hint: {hint}" if hint is not None else "",
            f"{CHECKS_FAILED}\n{failure}" if failure is not None else "",
            *_how_to_signal(execution),
            *_how_to_end(task, has_mission=has_mission),
        ]
    return "\n\n".join(part for part in parts if part)[:MAX_PROMPT_LENGTH]


def _judged_by(task: Task, mission: Mission, checks: Sequence[Check]) -> str:
    """Return the criteria by which the finished work is judged."""
    criteria = {
        "the mission's objective": mission.objective if mission.objective != mission.name else None,
        "its scope": mission.scope,
        "its constraints": mission.constraints,
        "the areas to stay within (changes elsewhere are reported as unexpected)": ", ".join(task.areas),
        "the files expected to change": ", ".join(task.files_likely_affected or ()),
    }
    given = [f"- {what}: {text}" for what, text in criteria.items() if text]
    given += [f"- {_examined_by(check)}" for check in checks]
    changes = "- the files that actually changed since the start of the task, as found by Mission Control"
    return "\n".join(["Your work is judged by", *given, changes])


def _examined_by(check: Check) -> str:
    """Return what Mission Control runs or looks at before it believes the work."""
    name = "" if check.name == check.run else f" '{check.name}'"
    required = "" if check.required else " (not required)"
    return f"Mission Control's check{name}{required}: {check.judges[:MAX_CHECK_LENGTH]}"


def _how_to_signal(execution: Execution) -> list[str]:
    if execution.delivery is Delivery.MCP_TOOL:
        return [
            "Report progress with the tools of the MCP server open-mission-mcp: "
            f"{', '.join(KINDS)}. Use a new eventId for each call.{_late_servers(execution)}",
            "After needs_input or blocked, end your turn; the next prompt brings the answer.",
        ]
    fields = "; ".join(f"{kind.type} {{{_fields(kind)}}}" for kind in KINDS.values())
    prefix = execution.descriptor.owner.marker_prefix
    example = (
        f'{prefix}{{"version":1,"agentExecutionId":"{EXAMPLE_ID}","eventId":"1",'
        '"signal":{"type":"progress","summary":"Tests written"}}'
    )
    return [
        "Report progress by printing marker lines in your answers: one JSON object per line, starting in the first "
        f"column, outside code blocks, like\n{example}",
        f"with agentExecutionId {execution.id} and a new eventId each time. Signals: {fields}.",
        "After needs_input or blocked, end your turn; the next prompt brings the answer.",
    ]


def _late_servers(execution: Execution) -> str:
    """Return a note for interactive clients, some of which start before their servers are connected."""
    late = execution.mode is Mode.INTERACTIVE
    return " If they are missing, start working; they appear within seconds." if late else ""


def _fields(kind: SignalKind) -> str:
    return ", ".join(name if each.required else f"{name}?" for name, each in kind.fields.items() if name != "artifacts")


def _how_to_end(task: Task, *, has_mission: bool) -> list[str]:
    if has_mission:
        return [
            "The task is already claimed and started for you. When it is done, call complete_task on the MCP server "
            f"mission with task_id {task.id}; it returns the files that actually changed. Read your messages with "
            "message_list.",
        ]
    return ["When done, signal completed_claim with a summary; if the task cannot be done, failed_claim."]
