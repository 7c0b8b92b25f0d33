"""The command line: one group whose commands are imported when they are called."""

from __future__ import annotations

import importlib
import os

import click
from click.shell_completion import CompletionItem

from mission import __version__
from mission.spelling import nearest

GROUPS = {
    "Start": {
        "up": ("system.daemon", "Start Mission Control."),
        "open": ("system.open_page", "Open the web page, signed in."),
        "setup": ("system.setup", "Connect an agent client."),
        "demo": ("system.demo", "Play a demo mission."),
        "status": ("system.daemon", "Show whether Mission Control is running, and where."),
        "doctor": ("system.doctor", "Check the installation and show fixes."),
        "down": ("system.daemon", "Stop Mission Control."),
    },
    "Watch": {
        "top": ("top.top", "Watch everything live, and answer by keys."),
        "missions": ("work.missions", "List missions."),
        "tasks": ("work.tasks", "List the tasks of a mission."),
        "show": ("show.show", "Show one mission or task."),
        "agents": ("work.agent_list", "List agents."),
        "executions": ("work.executions", "List launched agents, or show one."),
        "attach": ("work.attach", "Watch a launched agent's terminal and type into it."),
        "replay": ("work.attach", "Replay an execution's terminal output."),
        "workspaces": ("work.workspaces", "List workspaces with branch, state and uncommitted files."),
        "search": ("work.search", "Find missions, tasks, journal entries and messages."),
        "audit": ("work.audit", "Show calls with their callers and results."),
        "logs": ("system.daemon", "Show the daemon's log."),
    },
    "Answer": {
        "inbox": ("work.inbox", "Show your inbox."),
        "answer": ("work.inbox", "Answer an inbox item."),
        "dismiss": ("work.inbox", "Dismiss an inbox item without an answer."),
        "review": ("proof.review", "Review a reported task, or list what is waiting for your review."),
        "accept": ("proof.review", "Complete a task even though its checks did not pass."),
        "shell": ("work.shell", "Open a shell in a task's worktree."),
    },
    "Run agents": {
        "run": ("runs.run", "Run a plan or a mission to its end."),
        "import": ("runs.plan_import", "Show another tool's task list as a plan, or write it to a file."),
        "runs": ("runs.steering", "List runs, or show one."),
        "pause": ("runs.steering", "Pause a run."),
        "resume": ("runs.steering", "Continue a paused run."),
        "stop": ("work.executions", "Stop a launched agent or a run."),
        "report": ("runs.steering", "Show the report of a run."),
        "land": ("runs.steering", "Bring the result of a run into your branch."),
        "launch": ("work.launch", "Launch an agent on a task."),
        "message": ("work.executions", "Send a message to a launched agent."),
        "adapters": ("work.launch", "List the agent clients that can be launched."),
        "checks": ("proof.checks", "List, set, suggest and run what must pass before a task is done."),
        "evidence": ("proof.evidence", "List, show, export and verify the results of checks."),
    },
    "Manage": {
        "agent": ("work.agents", "Create agents, and renew or revoke their tokens."),
        "permissions": ("work.permissions", "Show what an agent may do and which rule decides."),
        "token": ("system.operator_token", "Show or renew the operator's token."),
        "config": ("system.config", "Show the effective settings and where each comes from."),
        "templates": ("work.templates", "List templates for missions."),
        "archive": ("work.missions", "Archive an ended mission."),
        "delete": ("work.missions", "Permanently delete an ended mission."),
        "completion": ("system.completion", "Print the completion script for a shell."),
    },
    "Data": {
        "tools": ("work.tools", "List the tools."),
        "call": ("work.tools", "Call a tool."),
        "mcp": ("system.serve_mcp", "Serve MCP on stdin and stdout (started by clients)."),
        "backup": ("system.backup", "Write a backup."),
        "restore": ("system.backup", "Restore from a backup."),
    },
}
"""Each command's module and short help, so that --help does not import them, in the order of the help."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}

EXAMPLES = {
    "mission demo": "see it work, without a model",
    "mission setup claude-code": "connect an agent client",
    "mission run plan.toml": "let agents carry out a plan",
    "mission top": "watch it live, and answer questions by keys",
    "mission answer q_3k --choice 1": "answer from a script; ids may be shortened",
}

ELSEWHERE = {
    "--help": ("help", "commands", "man"),
    "--version": ("version",),
    "up": ("start", "serve", "server", "daemon", "restart", "boot"),
    "down": ("shutdown", "quit", "exit"),
    "open": ("web", "page", "ui", "browser", "login", "dashboard"),
    "setup": ("init", "install", "connect", "add", "configure"),
    "doctor": ("check", "health", "diagnose", "verify"),
    "top": ("watch", "monitor", "live", "tui", "htop"),
    "missions": ("list", "ls", "mission", "epics", "workflows", "projects"),
    "tasks": ("task", "todo", "todos", "plan", "board"),
    "show": ("get", "info", "describe", "view", "cat", "details"),
    "executions": ("ps", "jobs", "processes", "sessions"),
    "attach": ("tail", "terminal", "tty", "join", "enter"),
    "workspaces": ("worktrees", "worktree", "workspace", "branches"),
    "search": ("find", "grep"),
    "audit": ("history", "events", "trail", "activity"),
    "logs": ("log",),
    "inbox": ("queue", "questions", "notifications", "waiting", "todo-list", "mail"),
    "answer": ("reply", "respond", "choose"),
    "review": ("approve", "diff", "reject"),
    "run": ("new", "create", "go", "exec", "execute"),
    "stop": ("kill", "cancel", "abort", "terminate"),
    "land": ("merge", "finish", "apply"),
    "resume": ("continue", "unpause"),
    "launch": ("spawn",),
    "message": ("send", "tell", "say", "nudge", "msg"),
    "report": ("cost", "costs", "usage", "spending", "summary"),
    "checks": ("test", "tests"),
    "evidence": ("proof", "results"),
    "config": ("settings", "env", "options"),
    "delete": ("rm", "remove", "del"),
    "completion": ("completions", "autocomplete"),
    "adapters": ("clients",),
    "backup": ("export", "dump", "save"),
}
"""Our commands, and the names that people try or that other programs use."""
GUESSED = {guess: command for command, guesses in ELSEWHERE.items() for guess in guesses}


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
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), words) for name, (_, words) in commands.items()])
        with formatter.section("Examples"):
            formatter.write_dl(list(EXAMPLES.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin so, without importing them."""
        names = [
            CompletionItem(name, help=words) for name, (_, words) in COMMANDS.items() if name.startswith(incomplete)
        ]
        return names or super().shell_complete(ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            close = GUESSED.get(args[0]) or _nearest_command(args[0])
            hint = f" Did you mean 'mission {close}'?" if close else " 'mission --help' lists the commands."
            ctx.fail(f"There is no command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


def _nearest_command(name: str) -> str | None:
    """Return the command that was probably meant; letters in the wrong order count as the same letters."""
    same = [each for each in COMMANDS if len(each) > 2 and sorted(each) == sorted(name)]
    close = same[0] if same else nearest(name, [*COMMANDS, *GUESSED])
    return GUESSED.get(close, close) if close else None


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
