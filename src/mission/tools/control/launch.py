"""Tools that launch and stop agents and list the clients that can be launched."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.executions.execution import Execution
from mission.domain.executions.signals import Delivery
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.launcher import LaunchPreview, LaunchRequest
from mission.tools.control.executions import ExecutionById, ExecutionRecord
from mission.tools.shared.fields import Name, TaskId


class LaunchAgent(Arguments):
    task_id: TaskId
    adapter: str = Field(description="claude-code, codex, opencode, copilot-cli, gemini-cli, pi, or command")
    delivery: Delivery | None = Field(None, description="Delivery method for signals; default: the adapter's")
    interactive: bool = Field(False, description="Run in a terminal that people can watch and type into")
    arguments: list[str] = Field(
        [], max_length=200, description="Extra client arguments; for command, the program and its arguments"
    )
    agent_name: Name | None = None
    repository_path: str | None = Field(None, description="Default: the task's own tree")
    seconds: float | None = Field(None, gt=0, description="Time limit")
    handover: str | None = Field(None, max_length=100, description="Set by 'mission launch'")

    def request(self, call: Call) -> LaunchRequest:
        return LaunchRequest(
            task_id=self.task_id,
            adapter=self.adapter,
            delivery=self.delivery,
            interactive=self.interactive,
            arguments=self.arguments,
            agent_name=self.agent_name,
            repository_path=self.repository_path,
            directory=call.directory,
            seconds=self.seconds,
            handover=self.handover,
        )


class Preview(Result):
    argv: list[str]
    prompt: str
    delivery: Delivery
    directory: str | None
    variables: list[str] = Field(description="Names of the environment variables passed to the program")


class ListAdapters(Arguments):
    pass


class AdapterRow(Result):
    name: str
    title: str
    installed: bool
    path: str | None
    version: str | None
    interactive: bool
    resumes: bool
    capabilities: dict[str, Any]


class AdapterList(Result):
    adapters: list[AdapterRow]


@tool(toolset="control", result=ExecutionRecord, outside=True)
async def execution_launch(call: Call, args: LaunchAgent) -> Execution:
    """Launch an agent on a task: claim and start the task for it, then start its program."""
    return await call.launcher.launch(call, args.request(call))


@tool(toolset="control", result=Preview, reads=True)
async def execution_preview(call: Call, args: LaunchAgent) -> LaunchPreview:
    """Preview execution_launch: command line, prompt and environment variables."""
    return await call.launcher.preview(call, args.request(call))


@tool(toolset="control", result=ExecutionRecord, idempotent=True, destructive=True, outside=True)
async def execution_stop(call: Call, args: ExecutionById) -> Execution:
    """Stop a launched agent and every process it started; returns when all have ended."""
    return await call.launcher.stop(args.id)


@tool(toolset="control", result=AdapterList, reads=True)
async def adapter_list(call: Call, args: ListAdapters) -> AdapterList:
    """List the agent clients that can be launched, with installation and capabilities."""
    return AdapterList(adapters=await call.launcher.adapters())
