"""`mission completion`: a script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

VARIABLE = "_MISSION_COMPLETE"
"""The variable that tells the program to complete instead of running; click derives it from the program's name."""

INSTALL = {
    "bash": """echo 'eval "$(mission completion bash)"' >> ~/.bashrc""",
    "zsh": """echo 'eval "$(mission completion zsh)"' >> ~/.zshrc   (after compinit)""",
    "fish": "mission completion fish > ~/.config/fish/completions/mission.fish",
}


@click.command(epilog="\b\nTo install it:\n" + "\n".join(f"  {line}" for line in INSTALL.values()))
@click.argument("shell", type=click.Choice(list(INSTALL)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    It completes commands, options, their choices, and the ids of missions, tasks, agents, runs and inbox items while
    Mission Control is running. Open a new shell after you have installed it.
    """
    kind = get_completion_class(shell)
    assert kind is not None, shell
    root = ctx.find_root()
    click.echo(_script(kind(root.command, {}, "mission", VARIABLE)))


def _script(completes: ShellComplete) -> str:
    """Return the script; unlike `source`, start no shell to learn its version."""
    return completes.source_template % completes.source_vars()
