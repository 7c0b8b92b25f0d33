"""The command line: one group whose commands are imported when they are called."""

from __future__ import annotations

import importlib
import os

import click

from mission import __version__
from mission.spelling import nearest

COMMANDS = {
    "up": ("system.daemon", "Start Mission Control."),
    "open": ("system.open_page", "Open the web page, signed in."),
    "demo": ("system.demo", "Play a demo mission."),
    "down": ("system.daemon", "Stop Mission Control."),
    "status": ("system.daemon", "Show whether Mission Control is running, and where."),
    "logs": ("system.daemon", "Show the daemon's log."),
    "setup": ("system.setup", "Connect an agent client."),
    "doctor": ("system.doctor", "Check the installation and show fixes."),
    "mcp": ("system.serve_mcp", "Serve MCP on stdin and stdout (started by clients)."),
    "tools": ("work.tools", "List the tools."),
    "call": ("work.tools", "Call a tool."),
    "run": ("runs.run", "Run a plan or a mission to its end."),
    "import": ("runs.plan_import", "Show a task list of another tool as a plan, or write it."),
    "missions": ("work.missions", "List missions."),
    "tasks": ("work.tasks", "List the tasks of a mission."),
    "show": ("work.missions", "Show one mission or task."),
    "search": ("work.search", "Find missions, tasks, journal entries and messages."),
    "archive": ("work.missions", "Archive an ended mission."),
    "delete": ("work.missions", "Permanently delete an ended mission."),
    "agents": ("work.agent_list", "List agents."),
    "agent": ("work.agents", "Create agents, and renew or revoke their tokens."),
    "inbox": ("work.inbox", "Show your inbox."),
    "answer": ("work.inbox", "Answer an inbox item."),
    "dismiss": ("work.inbox", "Dismiss an inbox item without an answer."),
    "checks": ("proof.checks", "List, set, suggest and run what must pass before a task is done."),
    "evidence": ("proof.evidence", "List, show, export and verify the results of checks."),
    "review": ("proof.review", "Review a reported task, or list what is waiting for your review."),
    "accept": ("proof.review", "Complete a task although its checks did not pass."),
    "shell": ("work.shell", "Open a shell in a task's worktree."),
    "runs": ("runs.steering", "List runs, or show one."),
    "pause": ("runs.steering", "Pause a run."),
    "resume": ("runs.steering", "Continue a paused run."),
    "land": ("runs.steering", "Bring the result of a run into your branch."),
    "report": ("runs.steering", "Show the report of a run."),
    "launch": ("work.launch", "Launch an agent on a task."),
    "adapters": ("work.launch", "List the agent clients that can be launched."),
    "executions": ("work.executions", "List launched agents, or show one."),
    "attach": ("work.attach", "Watch a launched agent's terminal and type into it."),
    "message": ("work.executions", "Send a message to a launched agent."),
    "stop": ("work.executions", "Stop a launched agent or a run."),
    "replay": ("work.attach", "Replay an execution's terminal output."),
    "templates": ("work.templates", "List templates for missions."),
    "workspaces": ("work.workspaces", "List workspaces with branch, state and uncommitted files."),
    "permissions": ("work.permissions", "Show what an agent may do and which rule decides."),
    "audit": ("work.audit", "Show calls with their callers and results."),
    "config": ("system.config", "Show the effective settings and where each comes from."),
    "backup": ("system.backup", "Write a backup."),
    "restore": ("system.backup", "Restore from a backup."),
    "token": ("system.operator_token", "Show or renew the operator's token."),
}
"""Each command's module and short help, so that --help does not import them."""


ELSEWHERE = {"help": "--help", "version": "--version", "start": "up", "list": "missions", "ls": "missions"}
"""Names that other programs use, and our command."""


class Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"mission.transports.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, f"{name}_" if name in ("open", "import") else name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            close = ELSEWHERE.get(args[0]) or nearest(args[0], COMMANDS)
            hint = f" Did you mean 'mission {close}'?" if close else " 'mission --help' lists the commands."
            ctx.fail(f"There is no command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


@click.command(
    cls=Lazy,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "color": False if os.environ.get("NO_COLOR") else None,
    },
    epilog="Most commands accept --json. Exit codes: 0 success, 1 failure, 2 usage error.",
)
@click.version_option(__version__, "--version", "-V", prog_name="mission")
def cli() -> None:
    """Mission Control: the control room for AI coding agents."""
