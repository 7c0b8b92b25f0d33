"""Who may call which tool: per type of agent, deny before allow, and what nothing allows is denied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from mission.domain.agent import AgentType


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """Patterns over tool names."""

    allow: Sequence[str]
    deny: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    allowed: bool
    rule: str


OPERATOR_ONLY = ("mission_archive", "mission_delete", "audit_*", "queue_*", "token_*", "permission_*", "settings_*")

RULES: Mapping[AgentType, Rules] = {
    AgentType.SUPERVISOR: Rules(allow=("*",), deny=tuple(pattern for pattern in OPERATOR_ONLY if pattern != "audit_*")),
    AgentType.ORCHESTRATOR: Rules(
        allow=(
            "mcp__mail__*",
            "mcp__agent__*",
            "mcp__system__*",
            "mcp__task__*",
            "mcp__epic__*",
            "mcp__orchestrator__*",
            "get_context",
            "start_*",
            "complete_*",
            "log_*",
            "workflow_*",
            "task_*",
            "checkpoint_*",
            "agent_*",
            "message_*",
            "workspace_*",
            "repository_*",
            "template_*",
            "execution_*",
            "wait_for_events",
            "search",
        ),
        deny=("mcp__supervisor__*", *OPERATOR_ONLY),
    ),
    AgentType.WORKER: Rules(
        allow=(
            "mcp__mail__*",
            "mcp__agent__get_*",
            "mcp__system__log_decision",
            "mcp__task__update_status",
            "mcp__task__add_comment",
            "get_context",
            "start_task",
            "complete_task",
            "log_*",
            "checkpoint_*",
            "task_get",
            "task_claim",
            "task_claim_next",
            "task_release",
            "task_get_available",
            "task_load_context",
            "task_set_plan",
            "task_replan",
            "task_update_status",
            "task_check_dependencies",
            "workflow_get",
            "workflow_get_summary",
            "workflow_next_tasks",
            "workflow_progress",
            "workspace_list",
            "message_*",
            "agent_register",
            "agent_heartbeat",
            "agent_update",
            "agent_get",
            "agent_list",
            "agent_unregister",
            "wait_for_events",
            "search",
        ),
        deny=("mcp__supervisor__*", "mcp__orchestrator__*", "mcp__epic__*", "mcp__task__create", "mcp__task__assign"),
    ),
}


def decide(kind: AgentType, tool: str) -> Verdict:
    """Whether an agent of that type may call the tool, and the rule that says so."""
    rules = RULES[kind]
    for pattern in rules.deny:
        if fnmatchcase(tool, pattern):
            return Verdict(allowed=False, rule=f"{kind} deny {pattern}")
    for pattern in rules.allow:
        if fnmatchcase(tool, pattern):
            return Verdict(allowed=True, rule=f"{kind} allow {pattern}")
    return Verdict(allowed=False, rule=f"{kind} default deny")
