"""What a launched agent is told: its task, how it signals, and how it ends. One short text per delivery."""

from __future__ import annotations

from mission.domain.executions.execution import Execution, Mode
from mission.domain.executions.signals import KINDS, Delivery, SignalKind
from mission.domain.missions.mission import Mission
from mission.domain.tasks.task import Task

EXAMPLE_ID = "x_example"
"""Stands in the example marker, so that an agent that repeats its instructions signals nothing."""
LONGEST = 100_000


def brief(
    execution: Execution,
    task: Task,
    mission: Mission,
    *,
    context: str = "",
    has_mission: bool = True,
    answer: str | None = None,
    hint: str | None = None,
    resumed: bool = False,
) -> str:
    """The prompt of a launch, or of a resumed session, which knows the rest already."""
    if resumed and answer is not None:
        parts = [f"The operator answered: {answer}", "Go on with your task.", *_how_to_signal(execution)]
    else:
        parts = [
            f"You work on task {task.id} of mission {execution.mission_id}: {task.name}",
            task.goal if task.goal and task.goal != task.name else "",
            context,
            _judged_by(task, mission),
            f"The operator answered your earlier question: {answer}" if answer is not None else "",
            f"The last attempt failed. The operator's hint for this one: {hint}" if hint is not None else "",
            *_how_to_signal(execution),
            *_how_to_end(task, has_mission=has_mission),
        ]
    return "\n\n".join(part for part in parts if part)[:LONGEST]


def _judged_by(task: Task, mission: Mission) -> str:
    """What the work is held against when it ends, as far as anybody said so."""
    checks = {
        "the mission's objective": mission.objective if mission.objective != mission.name else None,
        "its scope": mission.scope,
        "its constraints": mission.constraints,
        "the areas to stay within, since changes elsewhere are reported as unexpected": ", ".join(task.areas),
        "the files that were expected to change": ", ".join(task.files_likely_affected or ()),
    }
    given = [f"- {what}: {words}" for what, words in checks.items() if words]
    truth = "- the files that really changed since the task was started: Mission Control looks for itself"
    return "\n".join(["Your work is judged by", *given, truth])


def _how_to_signal(execution: Execution) -> list[str]:
    if execution.delivery is Delivery.MCP_TOOL:
        return [
            "Tell how it goes with the tools of the MCP server open-mission-mcp: "
            f"{', '.join(KINDS)}. Give each call a new eventId.{_patience(execution)}",
            "After needs_input or blocked, end your turn: the answer comes with the next prompt.",
        ]
    fields = "; ".join(f"{kind.type} {{{_fields(kind)}}}" for kind in KINDS.values())
    prefix = execution.descriptor.owner.marker_prefix
    example = (
        f'{prefix}{{"version":1,"agentExecutionId":"{EXAMPLE_ID}","eventId":"1",'
        '"signal":{"type":"progress","summary":"Tests written"}}'
    )
    return [
        "Tell how it goes by printing marker lines in your answers: each alone on its line, from its first column, "
        f"as one JSON object, outside of code blocks, like\n{example}",
        f"with agentExecutionId {execution.id} and a new eventId each time. Signals: {fields}.",
        "After needs_input or blocked, end your turn: the answer comes with the next prompt.",
    ]


def _patience(execution: Execution) -> str:
    """On a terminal some clients begin before they have reached their servers."""
    late = execution.mode is Mode.INTERACTIVE
    return " If they are not there yet, begin with the work; they come within seconds." if late else ""


def _fields(kind: SignalKind) -> str:
    return ", ".join(name if each.required else f"{name}?" for name, each in kind.fields.items() if name != "artifacts")


def _how_to_end(task: Task, *, has_mission: bool) -> list[str]:
    if has_mission:
        return [
            "The task is claimed and started in your name. When it is done, call complete_task of the MCP server "
            f"mission with task_id {task.id}; it answers with the files that really changed. Messages to you arrive "
            "in your inbox (message_list).",
        ]
    return ["When the work is done, signal completed_claim with a summary; if it cannot be done, failed_claim."]
