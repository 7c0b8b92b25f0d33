"""Hints: word an error's next step for its reader, with a tool that this agent can see or a command for a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Formatter

from mission.domain.actions import Action
from mission.domain.errors import MissionError

Sees = Callable[[str], bool]
"""Whether the caller can see the tool with this name."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One step, worded for each audience; an agent gets the first sentence whose {tools} it can all see."""

    person: str
    agent: tuple[str, ...]

    def for_agent(self, sees: Sees) -> str | None:
        """Return the first sentence that names only tools this agent can see, if any."""
        for sentence in self.agent:
            tools = tools_in(sentence)
            if all(map(sees, tools)):
                return sentence.format_map({tool: tool for tool in tools})
        return None


def tools_in(sentence: str) -> list[str]:
    """Return the tools that a sentence for agents names."""
    return [name for _, name, _, _ in Formatter().parse(sentence) if name]


def for_person(error: MissionError) -> MissionError:
    """Return the error with its next step as a command or a page."""
    return error if error.action is None else error.with_step(WORDINGS[error.action].person)


def for_agent(error: MissionError, sees: Sees) -> MissionError:
    """Return the error with a next step that names a tool the agent can see; unchanged if there is none."""
    words = WORDINGS[error.action].for_agent(sees) if error.action is not None else None
    return error if words is None else error.with_step(words)


WORDINGS: Mapping[Action, Wording] = {
    Action.FIND_MISSION: Wording(
        "'mission missions' lists the missions.",
        (
            "List missions with {workflow_list}, or start one with {start_mission}.",
            "List missions with {workflow_list}.",
            "Give the id of one that exists, or start one with {start_mission}.",
        ),
    ),
    Action.START_MISSION: Wording(
        "'mission missions' lists those that exist; 'mission open' shows the page, where you can start one.",
        (
            "Start one with {start_mission}, then give its mission_id.",
            "Start one with {workflow_create}, then give its id.",
        ),
    ),
    Action.END_MISSION: Wording(
        "End it first on its page ('mission open').",
        (
            "Complete it first with {complete_mission} (failed and partial close its open tasks).",
            "Complete it first with {complete_workflow} (failed and partial close its open tasks).",
        ),
    ),
    Action.ADD_TASKS: Wording(
        "Add tasks to it on its page ('mission open').",
        ("Add tasks with {workflow_add_tasks}.", "Add tasks with {mcp__task__create}."),
    ),
    Action.FIND_PHASE: Wording(
        "'mission show MISSION' lists the phases of a mission.",
        (
            "Start it with {start_phase}, or read the phases with {get_context} (include: ['phase_summary']).",
            "Read the phases with {get_context} (include: ['phase_summary']).",
        ),
    ),
    Action.START_PHASE: Wording("It starts with its first task.", ("Start it first with {start_phase}.",)),
    Action.FIND_TASK: Wording(
        "'mission tasks MISSION' lists the tasks of a mission.",
        (
            "Start one with {start_task}, or read the tasks with {get_context} (include: ['tasks']).",
            "Start one with {start_task}.",
            "List the tasks with {task_list}.",
            "List the tasks with {mcp__epic__list_tasks}.",
        ),
    ),
    Action.CLAIM_FIRST: Wording(
        "'mission launch' starts an agent on it.",
        (
            "Claim it first with {task_claim} or {start_task}.",
            "Claim it first with {task_claim}.",
            "Claim it first with {start_task}.",
        ),
    ),
    Action.START_TASK: Wording(
        "'mission launch' starts an agent on it.",
        ("Start it first with {start_task}.", "Move it to in_progress first with {task_update_status}."),
    ),
    Action.TAKE_ANOTHER_TASK: Wording(
        "'mission tasks MISSION' lists the tasks of a mission.",
        (
            "Claim another task: {task_get_available} lists those that are free.",
            "Claim another task with {task_claim_next}.",
        ),
    ),
    Action.STOP_WORK: Wording(
        "'mission show TASK' shows who has it now.",
        (
            "Stop work on it. Read it again with {get_context}, or claim another task.",
            "Stop work on it. Read it again with {task_get}, or claim another task.",
        ),
    ),
    Action.WAIT_FOR_TASK: Wording(
        "'mission launch' starts an agent on a task.",
        ("Claim one with {task_claim_next}, or wait until one is assigned to you.",),
    ),
    Action.FIND_AGENT: Wording(
        "'mission agents' lists the agents.",
        (
            "Give the id or name of one that has not left; {agent_list} shows them.",
            "Give the id or name of one that has not left; {mcp__supervisor__list_agents} shows them.",
        ),
    ),
    Action.REGISTER_AGENT: Wording(
        "'mission agents' lists the agents; 'mission agent create' creates a new one.",
        (
            "Register it with {agent_register}, or list agents with {agent_list}.",
            "Register it with {agent_register}.",
            "List agents with {mcp__supervisor__list_agents}.",
        ),
    ),
    Action.FIND_WORKSPACE: Wording(
        "'mission workspaces' lists the workspaces.",
        (
            "List those of a workflow with {workspace_list}, or create one with {workspace_create}.",
            "List those of a workflow with {workspace_list}.",
        ),
    ),
    Action.MAKE_WORKSPACE: Wording(
        "'mission workspaces' lists those that exist.", ("Create a new one with {workspace_create}.",)
    ),
    Action.CLOSE_WORKSPACE: Wording(
        "Mark it merged or abandoned first, on the workspaces page ('mission open').",
        ("Mark it 'merged' or 'abandoned' first, with {workspace_update}.",),
    ),
    Action.REMOVE_WORKSPACES: Wording(
        "Remove them first on the workspaces page ('mission open'); it says what would be lost.",
        ("Remove them first with {workspace_remove}; it says what would be lost.",),
    ),
    Action.REPLACE_WORKSPACE: Wording(
        "'mission launch' on the task creates a new one.",
        (
            "Claim the task again for a new worktree, or give it another workspace with {task_assign_workspace}.",
            "Claim the task again with {task_claim} for a new worktree.",
        ),
    ),
    Action.FIND_TEMPLATE: Wording(
        "'mission templates' lists saved templates and those in the current repository.",
        ("{template_list} lists saved templates and template files; for a file, also give its repository_path.",),
    ),
    Action.FIND_MESSAGE: Wording(
        "'mission inbox' lists what is waiting for you.",
        (
            "You can read only messages that you sent or received; list them with {message_list}.",
            "You can read only messages that you sent or received; list them with {mcp__mail__list_inbox}.",
        ),
    ),
    Action.FIND_ITEM: Wording("'mission inbox' lists the items.", ("List the items with {queue_list}.",)),
    Action.FIND_EXECUTION: Wording(
        "'mission executions' lists the executions.", ("List executions with {execution_list}.",)
    ),
    Action.FIND_EVIDENCE: Wording("'mission evidence' lists the evidence.", ("List evidence with {evidence_list}.",)),
    Action.FIX_AND_REPORT: Wording(
        "Fix it, then complete the task again; 'mission accept TASK --reason …' accepts it as it is.",
        (
            "Fix it, run {task_checks} with run: true, then call {complete_task} again.",
            "Fix it, then call {complete_task} again.",
            "Fix it, then call {task_update_status} again.",
            "Fix it, then call {mcp__task__update_status} again.",
        ),
    ),
    Action.MAKE_EPIC: Wording(
        "Only an agent has a current epic: use its token.",
        ("Create one with {mcp__epic__create}, or pass its epicId.",),
    ),
    Action.NAME_CREW_TASK: Wording(
        "'mission tasks MISSION' lists the tasks of a mission.",
        ("Pass the taskId; {mcp__epic__list_tasks} lists the tasks.",),
    ),
    Action.READ_OWN_MAIL: Wording(
        "'mission inbox' lists what is waiting for you.",
        ("Give the agentId, or use an agent's token; the person's mailbox is read with {message_list}.",),
    ),
}
