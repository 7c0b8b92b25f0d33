"""`mission demo`: play a run with scripted agents, or remove what earlier ones left."""

from __future__ import annotations

import secrets
import select
import shlex
import shutil
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mission.domain.plural import counted
from mission.settings import load_or_default
from mission.transports.bridge.daemon_process import DaemonUnavailable, ToolFailed
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import json_option, own_command, plain, report_errors, show_json

if TYPE_CHECKING:
    from mission.demo.play import Play
    from mission.demo.story import Sentence

SLOW_SECONDS = 6.0
QUICK_SECONDS = 0.2
COLORS = {"good": "green", "bad": "red", "asks": "yellow"}
INDENT = 7
INTERRUPTED = 130


@click.command()
@click.option("--quick", is_flag=True, help="Skip pauses and answer its questions automatically.")
@click.option("--remove", "removes", is_flag=True, help="Remove everything that demos have created.")
@json_option
@report_errors
def demo(quick: bool, removes: bool, as_json: bool) -> None:
    """Play a run with five scripted agents: one reports too early, two conflict, one crashes, one asks you.

    It takes about a minute and needs nothing but git. The agents are small real programs in a scratch repository, so
    the page ('mission open'), 'mission inbox' and every other command show the run like your own. Ctrl-C stops it and
    removes everything.
    """
    from mission.demo import play, removal  # deferred: only this command needs them

    settings = load_or_default()
    demos = settings.home / "demo"
    if removes:
        count = removal.remove_all(demos, client.call, worktrees=settings.worktrees_path)
        show_json({"removed": count}) if as_json else click.echo(f"Removed {counted(count, 'demo')}.")
        return
    stage = _Stage(to_stderr=as_json)
    playing = play.Play(
        folder=demos / secrets.token_hex(4),
        operator=client.call,
        say=stage.say,
        explain=stage.explain,
        typed=stage.typed,
        seconds=QUICK_SECONDS if quick else SLOW_SECONDS,
        answers_itself=quick,
    )
    if not quick:
        stage.note(f"Watch it on the page: '{own_command()} open' in another terminal")
    found = _played(playing, stage)
    show_json(found) if as_json else _show_end(found, playing.repository)


def _played(playing: Play, stage: _Stage) -> dict[str, Any]:
    """Play to the end and return the run in a few numbers; what is interrupted is removed."""
    from mission.demo import removal

    started = time.monotonic()
    try:
        run = playing.run()
    except KeyboardInterrupt:
        click.echo(err=True)  # the line with ^C ends here
        stage.note("Interrupted. Stopping the agents and removing everything the demo created.")
        if playing.folder.exists():
            removal.remove(playing.folder, client.call, worktrees=load_or_default().worktrees_path)
        sys.exit(INTERRUPTED)
    except (ToolFailed, DaemonUnavailable):
        stage.note(f"The demo stopped. Remove it: {own_command()} demo --remove")
        raise
    proved = sum(task["proof_state"] == "proved" for task in run["tasks"])
    return {
        "mission_id": run["mission_id"],
        "run_id": run["run_id"],
        "state": run["state"],
        "repository": str(playing.repository),
        "tasks_merged": run["counts"]["merged"],
        "tasks_total": len(run["tasks"]),
        "proved": proved,
        "launches": run["spent"]["launches"],
        "seconds": round(time.monotonic() - started),
    }


class _Stage:
    """The terminal on which the story is told."""

    def __init__(self, *, to_stderr: bool) -> None:
        self._to_stderr = to_stderr
        self._began: float | None = None
        self._reads = sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, sentence: Sentence) -> None:
        """Print a sentence with the time since the first one; a terminal gets it wrapped."""
        self._began = self._began or time.monotonic()
        passed = int(time.monotonic() - self._began)
        first = f"{passed // 60}:{passed % 60:02d}"
        self._print(f"{first:>{INDENT - 2}}  ", sentence.text, color=COLORS.get(sentence.mood))
        for line in sentence.details:
            self._print(" " * (INDENT + 2), line.strip())

    def explain(self, item: dict[str, Any]) -> None:
        """Print every way to answer a question."""
        words = "--choice 1" if item["choices"] else "'Your answer'"
        here = "Type a number or your own words here, answer" if self._reads else "Answer"
        self.note(f"{here} on the page, or in another terminal:")
        self.note(f"  {own_command()} answer {item['id']} {words}")

    def note(self, text: str) -> None:
        """Print a line that is not wrapped, because it may be copied."""
        click.echo(f"{' ' * INDENT}{text}", err=self._to_stderr)

    def typed(self) -> str | None:
        """Return a line that was typed, if there is one."""
        if not self._reads or not select.select([sys.stdin], [], [], 0)[0]:
            return None
        return sys.stdin.readline()

    def _print(self, head: str, text: str, *, color: str | None = None) -> None:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100_000
        lines = textwrap.wrap(plain(text), max(20, width - len(head)), break_on_hyphens=False) or [""]
        for number, line in enumerate(lines):
            start = head if number == 0 else " " * len(head)
            click.echo(f"{start}{click.style(line, fg=color)}", err=self._to_stderr)


def _show_end(found: dict[str, Any], repository: Path) -> None:
    mission, made, place = own_command(), found["mission_id"], shlex.quote(str(repository))
    merged = f"{found['tasks_merged']} of {found['tasks_total']} tasks are merged, {found['proved']} of them proved"
    click.echo(f"\n{merged}; {found['launches']} launches in {found['seconds']} seconds.")
    click.echo("The branch 'main' of the sample project stays unchanged until you land.\n")
    click.echo(f"The mission: {mission} show {made}")
    click.echo(f"The report:  {mission} report {made}")
    click.echo(f"The proof:   {mission} evidence --mission {made}")
    click.echo(f"The commits: git -C {place} log --graph --oneline --all")
    click.echo(f"The page:    {mission} open")
    click.echo(f"Land it:     {mission} land {made}")
    click.echo(f"Remove it:   {mission} demo --remove")
