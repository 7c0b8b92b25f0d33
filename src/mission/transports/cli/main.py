"""The command line: one group whose commands are imported when they are called."""

from __future__ import annotations

import importlib
import os

import click

from mission import __version__
from mission.spelling import nearest

COMMANDS = {
    "up": ("daemon", "Start Mission Control."),
    "open": ("page", "Open the web page, signed in."),
    "demo": ("demo", "Watch a mission that plays itself."),
    "down": ("daemon", "Stop Mission Control."),
    "status": ("daemon", "Show whether Mission Control runs, and where."),
    "logs": ("daemon", "Show the daemon's log."),
    "setup": ("setup", "Connect an agent client."),
    "doctor": ("doctor", "Check that everything is in order."),
    "mcp": ("mcp", "Serve MCP on stdin and stdout (what clients start)."),
    "tools": ("tools", "List the tools."),
    "call": ("tools", "Call a tool."),
    "missions": ("missions", "List missions."),
    "tasks": ("tasks", "List the tasks of a mission."),
    "show": ("missions", "Show one mission or task."),
    "search": ("search", "Find missions, tasks, journal entries and messages."),
    "archive": ("missions", "Take an ended mission out of the lists."),
    "delete": ("missions", "Remove an ended mission for good."),
    "agents": ("agents", "List agents."),
    "agent": ("agent", "Make agents, renew and revoke their tokens."),
    "inbox": ("inbox", "Show what waits for you."),
    "answer": ("inbox", "Answer what waits for you."),
    "dismiss": ("inbox", "Put something aside without an answer."),
    "launch": ("launch", "Launch an agent on a task."),
    "adapters": ("launch", "List the agent clients that can be launched."),
    "executions": ("executions", "List launched agents, or show one."),
    "attach": ("attach", "Watch a launched agent's terminal, and type into it."),
    "message": ("executions", "Tell a launched agent something."),
    "stop": ("executions", "Stop a launched agent."),
    "replay": ("attach", "Play what an execution showed."),
    "templates": ("templates", "List templates: plans to make missions of."),
    "workspaces": ("workspaces", "List workspaces: branch, state, distance, uncommitted work."),
    "permissions": ("permissions", "Show what an agent may do, and which rule says so."),
    "audit": ("audit", "Show what was called, by whom, with what result."),
    "config": ("config", "Show the settings in force and where they come from."),
    "backup": ("backup", "Write a backup."),
    "restore": ("backup", "Replace everything by a backup."),
    "token": ("token", "Show or renew the operator's token."),
}
"""Each command's module and what the overview says of it, so that --help imports none of them."""


ELSEWHERE = {"help": "--help", "version": "--version", "start": "up", "run": "up", "list": "missions", "ls": "missions"}
"""What other programs call it."""


class Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"mission.transports.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, "open_" if name == "open" else name)
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
            ctx.fail(f"there is no command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


@click.command(
    cls=Lazy,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "color": False if os.environ.get("NO_COLOR") else None,
    },
    epilog="Every command that lists or answers takes --json. Exit codes: 0 done, 1 refused, 2 wrong usage.",
)
@click.version_option(__version__, "--version", "-V", prog_name="mission")
def cli() -> None:
    """Mission Control: the control room for AI coding agents."""
