"""The index of the tools reference: every tool by its purpose, with the command that does the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

PURPOSES: Mapping[str, Mapping[str, str | None]] = {
    "Record work on a mission": {
        "start_mission": None,
        "start_phase": None,
        "start_task": None,
        "task_checks": "mission checks run",
        "complete_task": None,
        "complete_phase": None,
        "complete_mission": None,
        "log_decision": None,
        "log_issue": None,
        "log_milestone": None,
        "get_context": "mission show",
        "start_workflow": None,
        "complete_workflow": None,
    },
    "Plan a mission": {
        "workflow_create": None,
        "workflow_set_plan": None,
        "workflow_add_tasks": None,
        "workflow_set_parallelism": None,
        "workflow_update_status": None,
        "template_list": "mission templates",
        "template_get": None,
        "template_create": None,
        "template_apply": None,
    },
    "Take and carry out a task": {
        "workflow_next_tasks": None,
        "task_get_available": None,
        "task_claim_next": None,
        "task_claim": None,
        "task_check_dependencies": None,
        "task_load_context": None,
        "task_set_plan": None,
        "task_replan": None,
        "task_update_status": None,
        "checkpoint_add": None,
        "checkpoint_list": None,
        "task_release": None,
    },
    "Read missions and tasks": {
        "workflow_list": "mission missions",
        "workflow_get": "mission tasks",
        "workflow_progress": None,
        "workflow_get_summary": None,
        "task_list": None,
        "task_get": "mission show",
        "search": "mission search",
    },
    "Check and prove": {
        "checks_suggest": "mission checks suggest",
        "checks_set": "mission checks set",
        "checks_list": "mission checks list",
        "evidence_list": "mission evidence list",
        "evidence_get": "mission evidence show",
        "evidence_output": "mission evidence show --output",
        "evidence_export": "mission evidence export",
        "task_accept": "mission accept",
    },
    "Answer and decide": {
        "queue_list": "mission inbox",
        "queue_get": "mission inbox ID",
        "queue_answer": "mission answer",
        "queue_dismiss": "mission dismiss",
    },
    "Run a mission to its end": {
        "run_start": "mission run",
        "run_list": "mission runs",
        "run_get": "mission runs ID",
        "run_update": None,
        "run_pause": "mission pause",
        "run_resume": "mission resume",
        "run_stop": "mission stop",
        "run_report": "mission report",
        "run_land": "mission land",
        "costs": None,
        "candidate_get": None,
    },
    "Connect clients": {
        "client_list": "mission setup",
        "client_preview": "mission setup CLIENT --print",
        "client_connect": "mission setup CLIENT",
    },
    "Launch single agents": {
        "adapter_list": "mission adapters",
        "execution_preview": "mission launch --dry-run",
        "execution_launch": "mission launch",
        "execution_list": "mission executions",
        "execution_get": "mission executions ID",
        "execution_observations": "mission executions ID",
        "execution_message": "mission message",
        "execution_stop": "mission stop",
    },
    "Use worktrees": {
        "workspace_create": None,
        "workspace_list": "mission workspaces",
        "workspace_get": None,
        "workspace_update": None,
        "workspace_remove": None,
        "task_assign_workspace": None,
        "repository_register": None,
        "repository_list": None,
        "repository_get": None,
    },
    "Register agents and exchange messages": {
        "agent_register": None,
        "agent_list": "mission agents",
        "agent_get": None,
        "agent_update": None,
        "agent_heartbeat": None,
        "agent_unregister": None,
        "message_send": None,
        "message_broadcast": None,
        "message_list": None,
        "message_get": None,
        "message_count_unread": None,
        "message_mark_read": None,
        "message_archive": None,
        "wait_for_events": None,
    },
    "Work as a crew": {
        "mcp__agent__create": "mission agent create",
        "mcp__agent__get_status": None,
        "mcp__agent__get_task": None,
        "mcp__agent__get_epic": None,
        "mcp__epic__create": None,
        "mcp__epic__list_tasks": None,
        "mcp__epic__update_status": None,
        "mcp__task__create": None,
        "mcp__task__assign": None,
        "mcp__task__update_status": None,
        "mcp__task__add_comment": None,
        "mcp__mail__send": None,
        "mcp__mail__list_inbox": None,
        "mcp__mail__read": None,
        "mcp__mail__reply": None,
        "mcp__orchestrator__list_epics": None,
        "mcp__supervisor__list_agents": "mission agents",
        "mcp__system__log_decision": None,
    },
    "Manage the installation": {
        "mission_archive": "mission archive",
        "mission_delete": "mission delete",
        "mission_export": None,
        "audit_list": "mission audit",
        "audit_get": "mission audit ID",
        "permission_show": "mission permissions",
        "token_list": None,
        "token_rotate": "mission agent token",
        "token_revoke": "mission agent revoke",
    },
}
"""Each tool under one purpose, with the command that calls it, if there is one."""

PAGE = "Read what the page shows"
PAGE_PREFIX = "overview"


def tools_by_purpose(names: Iterable[str]) -> dict[str, dict[str, str | None]]:
    """Return the tools under their purposes; a tool that is nowhere in the index is an error that names it."""
    known = {name for tools in PURPOSES.values() for name in tools}
    of_page = {name: None for name in names if name.startswith(PAGE_PREFIX)}
    missing = sorted(set(names) - known - of_page.keys())
    gone = sorted(known - set(names))
    if missing or gone:
        raise LookupError(f"Change scripts/generate/tool_index.py: not in the index {missing}, no longer a tool {gone}")
    return {**{purpose: dict(tools) for purpose, tools in PURPOSES.items()}, PAGE: dict(of_page)}
