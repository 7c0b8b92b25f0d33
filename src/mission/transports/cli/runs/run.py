"""`mission run`: run a plan, check it, or print an example."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, NoReturn

import click

from mission.domain.errors import InvalidInput
from mission.domain.ids import expect_kind, is_id
from mission.domain.plans.example_plan import EXAMPLE
from mission.domain.plans.plan_file import PlanFile
from mission.transports.cli.output import json_option, report_errors, show_json, warn
from mission.transports.cli.runs.plan_sources import read_plan
from mission.transports.cli.runs.plan_view import plan_summary, plan_warnings, show_summary
from mission.transports.cli.runs.run_start import plan_target, start_options, start_run
from mission.transports.cli.short_id import MISSION_ID


class RunTarget(Enum):
    """The kinds of things that can be run."""

    PLAN = "plan file"
    MISSION = "mission"
    TEXT = "text"


@click.command()
@click.argument("wanted", type=MISSION_ID, metavar="[PLAN|MISSION|TEXT]", required=False)
@click.option("--example", is_flag=True, help="Print a plan with every key, explained.")
@click.option("--check", "only_check", is_flag=True, help="Check a plan without running it.")
@start_options
@json_option
@report_errors
def run(wanted: str | None, example: bool, only_check: bool, as_json: bool, **options: Any) -> None:
    """Run a plan file or a mission: agents work on its tasks, and what passes its checks is merged onto a branch.

    A plan is a TOML file with a mission, its tasks, agents, checks and budget. With --check, exit code 1 means that it
    has problems; all of them are listed with their lines. Ctrl-C leaves the view; the run continues.

    \b
    mission run --example > plan.toml
    mission run --check plan.toml
    mission run plan.toml
    mission run m_… --agent claude-code=3 --agent codex=2 --budget 20usd --land
    """
    if example:
        show_json({"plan": EXAMPLE}) if as_json else click.echo(EXAMPLE, nl=False)
        return
    if wanted is None:
        raise click.UsageError("Give a plan file, a mission, or --example.")
    kind = target_kind(wanted)
    if only_check and kind is not RunTarget.PLAN:
        raise click.UsageError(f"--check needs a plan file; '{wanted[:60]}' is not one.")
    if kind is RunTarget.PLAN:
        plan = read_plan(Path(wanted))
        if only_check:
            show_checked(plan, file=wanted, as_json=as_json)
        else:
            clients = [agent.client for agent in plan.agents]
            start_run(plan_target(Path(wanted)), of_plan=clients, as_json=as_json, **options)
    elif kind is RunTarget.MISSION:
        mission_id = expect_kind(wanted, "mission", field="mission")
        start_run({"mission_id": mission_id}, as_json=as_json, **options)
    else:
        start_text(wanted)


def target_kind(target: str) -> RunTarget:
    """Return what a person means: an id, a file (it exists, or its name looks like a path), or else plain text."""
    if is_id(target):
        return RunTarget.MISSION
    looks_like_path = target.endswith(".toml") or ("/" in target and not any(map(str.isspace, target)))
    return RunTarget.PLAN if looks_like_path or _exists(target) else RunTarget.TEXT


def show_checked(plan: PlanFile, *, file: str, as_json: bool) -> None:
    """Print what a valid plan asks for, and what is probably not meant."""
    warnings = plan_warnings(plan)
    if as_json:
        show_json({"file": file, "valid": True, **plan_summary(plan), "warnings": warnings})
        return
    click.secho(f"{file} is valid.", fg="green")
    show_summary(plan)
    warn(warnings)


def start_text(text: str) -> NoReturn:
    """Have an agent plan what a text asks for."""
    raise InvalidInput(
        f"not available yet: planning by an agent, for '{text[:60]}{'…' if len(text) > 60 else ''}'",
        hint="Write a plan file: 'mission run --example' prints one to start from.",
    )


def _exists(target: str) -> bool:
    try:
        return Path(target).exists()
    except OSError:  # a text can be too long for a file name
        return False
