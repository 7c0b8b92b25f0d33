"""Next steps after an error, without the name of a tool or command: the gateway adds it for the reader."""

from __future__ import annotations

from enum import Enum


class Action(Enum):
    """A next step. Its value suits every reader; the gateway names a tool or a command where it can."""

    FIND_MISSION = "Give the id of a mission that exists, or start a new one."
    START_MISSION = "Start a mission first, then give its id."
    END_MISSION = "End the mission first."
    ADD_TASKS = "Add tasks to the plan instead."
    FIND_PHASE = "Give the id of a phase that exists, or start a new one."
    START_PHASE = "Start the phase first."
    FIND_TASK = "Give the id of a task that exists, or start a new one."
    CLAIM_FIRST = "Claim the task first."
    START_TASK = "Start the task first."
    TAKE_ANOTHER_TASK = "Claim another task."
    STOP_WORK = "Stop work on it and claim another task."
    WAIT_FOR_TASK = "Wait until a task is assigned to you."
    FIND_AGENT = "Give the id or name of an agent that has not left."
    REGISTER_AGENT = "Register the agent first."
    FIND_WORKSPACE = "Give the id of an active workspace, or create a new one."
    MAKE_WORKSPACE = "Create a new workspace."
    CLOSE_WORKSPACE = "Mark the workspace 'merged' or 'abandoned' first."
    REMOVE_WORKSPACES = "Remove the workspaces first."
    REPLACE_WORKSPACE = "Claim the task again for a new worktree, or give it another workspace."
    FIND_TEMPLATE = "Give the id of a template that exists, and the repository_path if it is a file in a repository."
    FIND_MESSAGE = "Give the id of a message that you sent or received."
    FIND_ITEM = "Give the id of an item that exists."
    FIND_EXECUTION = "Give the id of an execution that exists."
    FIND_EVIDENCE = "Give the id of evidence that exists."
    FIX_AND_REPORT = "Fix what failed, then complete the task again."
    MAKE_EPIC = "Create an epic first, or give its epicId."
    NAME_CREW_TASK = "Give the taskId."
    READ_OWN_MAIL = "Give the agentId, or use an agent's token."
