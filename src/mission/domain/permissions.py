"""Permissions per agent type: deny rules before allow rules, and everything else is denied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from mission.domain.agents.agent import AgentType


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """Patterns over tool names."""

    allow: Sequence[str] = ()
    deny: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """The operator's additions to the rules of a type, and the built-in rules that it removes."""

    allow: Sequence[str] = ()
    deny: Sequence[str] = ()
    without: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One rule: its effect, the tool names it matches, and whether it is built in."""

    allows: bool
    pattern: str
    built_in: bool = True

    @property
    def effect(self) -> str:
        return "allow" if self.allows else "deny"

    def fits(self, tool: str) -> bool:
        return fnmatchcase(tool, self.pattern)

    def named(self, kind: AgentType) -> str:
        """Return the rule as errors and the audit show it."""
        return f"{kind} {self.effect} {self.pattern}"


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionDecision:
    allowed: bool
    rule: str


OPERATOR_ONLY = (
    "task_accept",
    "checks_suggest",
    "run_start",
    "run_update",
    "run_pause",
    "run_resume",
    "run_stop",
    "run_land",
    "mission_archive",
    "mission_delete",
    "audit_*",
    "queue_answer",
    "queue_dismiss",
    "token_*",
    "permission_*",
    "settings_*",
    "client_*",
)

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
            "adapter_*",
            "overview*",
            "costs",
            "mission_export",
            "queue_*",
            "checks_*",
            "evidence_*",
            "run_*",
            "candidate_get",
            "wait_for_events",
            "search",
        ),
        deny=("mcp__supervisor__*", *OPERATOR_ONLY),
    ),
    AgentType.WORKER: Rules(
        allow=(
            "mcp__mail__*",
            "mcp__agent__get_status",
            "mcp__agent__get_task",
            "mcp__agent__get_epic",
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
            "task_checks",
            "checks_list",
            "checks_set",
            "evidence_*",
            "run_get",
            "run_list",
            "run_report",
            "candidate_get",
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


class PermissionPolicy:
    """The effective rules: the built-in ones with the operator's edits."""

    def __init__(self, edits: Mapping[AgentType, Edit] | None = None) -> None:
        self._rules = {kind: _edited(RULES[kind], (edits or {}).get(kind, Edit())) for kind in AgentType}
        self.decide = lru_cache(maxsize=2_000)(self._decide)

    def rules(self, kind: AgentType) -> Sequence[Rule]:
        """Return the rules for a type in the order in which they are checked: deny rules first."""
        return self._rules[kind]

    def _decide(self, kind: AgentType, tool: str) -> PermissionDecision:
        """Return whether an agent of that type may call the tool, and the rule that decides it."""
        for rule in self._rules[kind]:
            if rule.fits(tool):
                return PermissionDecision(allowed=rule.allows, rule=rule.named(kind))
        return PermissionDecision(allowed=False, rule=f"{kind} default deny")


def _edited(rules: Rules, edit: Edit) -> tuple[Rule, ...]:
    deny = [Rule(allows=False, pattern=pattern) for pattern in rules.deny if pattern not in edit.without]
    allow = [Rule(allows=True, pattern=pattern) for pattern in rules.allow if pattern not in edit.without]
    deny += [Rule(allows=False, pattern=pattern, built_in=False) for pattern in edit.deny]
    allow += [Rule(allows=True, pattern=pattern, built_in=False) for pattern in edit.allow]
    return (*deny, *allow)
