"""`mission runs`, `mission pause`, `mission resume`, `mission land` and `mission report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mission.domain.errors import InvalidInput
from mission.domain.plural import counted
from mission.transports.cli import daemon_client as client
from mission.transports.cli.handover import handed_over
from mission.transports.cli.names import names_of
from mission.transports.cli.output import json_option, report_errors, say, show_json
from mission.transports.cli.runs.run_words import show_run
from mission.transports.cli.short_id import RUN_ID
from mission.transports.cli.tables import show_table
from mission.transports.cli.times import ago

MAX_RUNS = 500


def named(reference: str) -> dict[str, str]:
    """Return the argument that names a run: its own id, or its mission's."""
    if reference.startswith("run_"):
        return {"run_id": reference}
    if reference.startswith("m_"):
        return {"mission_id": reference}
    raise InvalidInput(
        f"'{reference[:60]}' is neither a run nor a mission",
        hint="Give an id such as run_… or m_…; 'mission runs' lists the runs.",
    )


def steered_words(run: dict[str, Any]) -> str:
    """Return the new state of a run, by the name of its mission."""
    name = names_of([run["mission_id"]]).get(run["mission_id"], run["mission_id"])
    return f"The run of '{name}' is {run['state']} ({run['run_id']})."


@click.command()
@click.argument("reference", type=RUN_ID, metavar="[RUN]", required=False)
@click.option("--live", is_flag=True, help="Only runs that have not ended.")
@json_option
@report_errors
def runs(reference: str | None, live: bool, as_json: bool) -> None:
    """List runs, newest first; with a run or mission, show that run."""
    if reference is not None:
        found = client.call("run_get", named(reference))
        show_json(found) if as_json else show_run(found)
        return
    states = {"state": ["planning", "ready", "running", "paused", "finishing"]} if live else {}
    found = client.call_every_page("run_list", states, rows="runs", limit=MAX_RUNS)
    if as_json:
        show_json(found)
        return
    rows = [
        (
            run["run_id"],
            run["mission_name"],
            run["state"],
            f"{run['tasks_completed']} of {run['tasks_total']}",
            run["questions"] or "",
            ago(run["created_at"]),
        )
        for run in found["runs"]
    ]
    show_table(
        ["RUN", "MISSION", "STATE", "DONE", "QUESTIONS", "STARTED"],
        rows,
        drop=["STARTED", "QUESTIONS"],
        empty="No runs yet. Start one with 'mission run plan.toml'; 'mission run --example' prints a plan.",
    )


@click.command()
@click.argument("reference", type=RUN_ID, metavar="RUN")
@click.option("--reason", help="The reason, shown with the run.")
@json_option
@report_errors
def pause(reference: str, reason: str | None, as_json: bool) -> None:
    """Pause a run: running agents finish, nothing new is launched. RUN is run_… or m_…."""
    more = {"reason": reason} if reason else {}
    found = client.call("run_pause", {**named(reference), **more})
    show_json(found) if as_json else say(steered_words(found))


@click.command()
@click.argument("reference", type=RUN_ID, metavar="RUN")
@json_option
@report_errors
def resume(reference: str, as_json: bool) -> None:
    """Continue a paused run, with this shell's variables for its clients. RUN is run_… or m_….

    Variables such as API keys are kept in the daemon's memory only. After a restart, use this command in a shell that
    has them.
    """
    found = resume_run(reference)
    show_json(found) if as_json else say(steered_words(found))


def resume_run(reference: str) -> dict[str, Any]:
    """Continue a paused run with this shell's variables for its clients, and return it."""
    agents = client.call("run_get", named(reference))["agents"]
    with handed_over(each["client"] for each in agents) as handover:
        return client.call("run_resume", {**named(reference), **handover})


@click.command()
@click.argument("reference", type=RUN_ID, metavar="RUN")
@click.option("--squash", is_flag=True, default=None, help="Land as one commit.")
@click.option("--target", help="The branch to land on (default: the run's).")
@json_option
@report_errors
def land(reference: str, squash: bool | None, target: str | None, as_json: bool) -> None:
    """Bring the result of a finished run into your branch. RUN is run_… or m_….

    Only a commit whose final checks passed is landed, and only if no file of yours is in the way.
    """
    more = {name: value for name, value in (("squash", squash), ("target", target)) if value is not None}
    found = client.call("run_land", {**named(reference), **more}, timeout=3600.0)
    if as_json:
        show_json(found)
        return
    say(f"Landed {found['commit'][:12]} on {found['target']}.")
    if found["removed"]:
        say(f"Cleaned up {counted(len(found['removed']), 'worktree or branch', 'worktrees and branches')}.")
    for kept in found["kept"]:
        say(f"Kept {kept.get('name', '')}: {kept.get('reason', '')}")


@click.command()
@click.argument("reference", type=RUN_ID, metavar="RUN")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write the Markdown to this file.")
@json_option
@report_errors
def report(reference: str, output: Path | None, as_json: bool) -> None:
    """Show the report of a run: what was merged and how it was proved, what it cost, what is left."""
    found: dict[str, Any] = client.call("run_report", named(reference))
    if as_json:
        show_json(found)
    elif output is not None:
        output.write_text(found["markdown"])
        say(f"Wrote {output}.")
    else:
        say(found["markdown"])
