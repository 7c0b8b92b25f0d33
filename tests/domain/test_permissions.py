"""Who may call what: the whole matrix of types and tools, and how the operator edits it."""

from __future__ import annotations

import pytest

from mission import tools
from mission.domain.agents.agent import AgentType
from mission.domain.permissions import Edit, PermissionPolicy
from mission.gateway.registry import Registry
from mission.settings import AGENT_TYPES

SUPERVISOR, ORCHESTRATOR, WORKER = AgentType
REGISTRY = list(Registry(tools))

OPERATORS_OWN = {
    "task_accept",
    "checks_suggest",
    "mission_archive",
    "mission_delete",
    "queue_answer",
    "queue_dismiss",
    "permission_show",
}
OPERATORS_OWN |= {"token_list", "token_rotate", "token_revoke"}
OPERATORS_OWN |= {"client_list", "client_preview", "client_connect"}
OPERATORS_OWN |= {"run_start", "run_update", "run_pause", "run_resume", "run_stop", "run_land"}
WORKERS = {
    "mcp__agent__get_epic",
    "mcp__agent__get_status",
    "mcp__agent__get_task",
    "mcp__mail__list_inbox",
    "mcp__mail__read",
    "mcp__mail__reply",
    "mcp__mail__send",
    "mcp__system__log_decision",
    "mcp__task__add_comment",
    "mcp__task__update_status",
    "get_context",
    "start_task",
    "complete_task",
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
    "run_get",
    "run_list",
    "run_report",
    "candidate_get",
    "workflow_get",
    "workflow_get_summary",
    "workflow_next_tasks",
    "workflow_progress",
    "workspace_list",
    "agent_register",
    "agent_heartbeat",
    "agent_update",
    "agent_get",
    "agent_list",
    "agent_unregister",
    "wait_for_events",
    "search",
}
WORKERS_FAMILIES = ("log_", "checkpoint_", "message_", "evidence_")


def expected(kind: AgentType, name: str) -> bool:
    if kind is SUPERVISOR:
        return name not in OPERATORS_OWN
    if kind is ORCHESTRATOR:
        return name not in OPERATORS_OWN and not name.startswith(("mcp__supervisor__", "audit_"))
    return name in WORKERS or name.startswith(WORKERS_FAMILIES)


def test_every_type_may_call_exactly_what_the_table_says():
    policy = PermissionPolicy()
    wrong = [
        f"{kind}: {tool.name}"
        for kind in AgentType
        for tool in REGISTRY
        if policy.decide(kind, tool.name).allowed != expected(kind, tool.name)
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("kind", "tool", "rule"),
    [
        (WORKER, "mcp__task__create", "WORKER deny mcp__task__create"),
        (WORKER, "mcp__task__delete", "WORKER default deny"),
        (WORKER, "mcp__epic__anything", "WORKER deny mcp__epic__*"),
        (WORKER, "mcp__mail__anything", "WORKER allow mcp__mail__*"),
        (WORKER, "", "WORKER default deny"),
        (WORKER, "MCP__MAIL__SEND", "WORKER default deny"),
        (ORCHESTRATOR, "mcp__supervisor__x", "ORCHESTRATOR deny mcp__supervisor__*"),
        (ORCHESTRATOR, "invented", "ORCHESTRATOR default deny"),
        (SUPERVISOR, "invented", "SUPERVISOR allow *"),
        (SUPERVISOR, "token_rotate", "SUPERVISOR deny token_*"),
    ],
)
def test_a_verdict_names_its_rule_deny_before_allow_and_default_deny(kind, tool, rule):
    assert PermissionPolicy().decide(kind, tool).rule == rule


def test_the_operator_adds_rules_and_takes_built_in_ones_away():
    policy = PermissionPolicy(
        {
            WORKER: Edit(allow=("workflow_list", "mcp__task__create"), deny=("message_*",)),
            ORCHESTRATOR: Edit(without=("mcp__supervisor__*",), allow=("mcp__supervisor__list_agents",)),
        }
    )

    assert policy.decide(WORKER, "workflow_list").allowed
    assert not policy.decide(WORKER, "message_send").allowed
    assert not policy.decide(WORKER, "mcp__task__create").allowed, "what denies is asked first"
    assert policy.decide(ORCHESTRATOR, "mcp__supervisor__list_agents").allowed
    assert not policy.decide(ORCHESTRATOR, "mcp__supervisor__other").allowed
    assert policy.decide(SUPERVISOR, "workflow_list").allowed


def test_settings_know_the_types_of_agents():
    assert tuple(AgentType) == AGENT_TYPES
