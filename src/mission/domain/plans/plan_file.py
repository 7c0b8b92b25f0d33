"""A plan file: a mission with its tasks, agents, checks and budget, as a person writes it in TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from posixpath import isabs, join, normpath
from typing import Any

from mission.domain.checks.check import Check
from mission.domain.errors import TooLarge
from mission.domain.executions.signals import Delivery
from mission.domain.plans.field_values import (
    parse_argument,
    parse_choice,
    parse_name,
    parse_text,
    parse_whole,
    suggestion,
)
from mission.domain.plans.option_fields import OPTIONS, parse_option
from mission.domain.plans.plan_budget import BUDGET_KEYS, LIMITS, PlanBudget, parse_limit
from mission.domain.plans.plan_problems import PlanProblem, ProblemList, plan_error
from mission.domain.plans.plan_table import PlanTable
from mission.domain.plans.task_order import find_order_problems, find_phases
from mission.domain.plans.toml_lines import locate_keys
from mission.domain.tasks.workspace import check_inner

MAX_PLAN = 5_000_000
"""Maximum number of characters in a plan file."""
MAX_TASKS = 10_000
MAX_AGENTS = 100
MAX_COUNT = 1_000
MAX_SETUP = 4_000
MAX_ARGUMENTS = 200
MAX_PHASE = 1_000_000
COMMAND = "command"
"""The client that is any program."""

PLAN_KEYS = ("mission", "agents", "budget", "tasks")
MISSION_KEYS = ("name", "objective", "repository", "checks", "final_checks", "setup", "copy", "review", *OPTIONS)
AGENT_KEYS = ("client", "count", "arguments", "command", "capabilities", "delivery")
TASK_KEYS = (
    *("name", "description", "depends_on", "areas", "files_likely_affected", "acceptance", "checks", "agent"),
    *("requires", "review", "sequence"),
)
_PLACES = {"[mission]": MISSION_KEYS, "[[agents]]": AGENT_KEYS, "[budget]": BUDGET_KEYS, "[[tasks]]": TASK_KEYS}
ELSEWHERE = {
    name: " or ".join(place for place, names in _PLACES.items() if name in names)
    for name in (*MISSION_KEYS, *AGENT_KEYS, *BUDGET_KEYS, *TASK_KEYS)
}
LATER = {"permissions": "A plan cannot set permissions yet; remove the table."}
TASKS_LATER = {"agents": "A task cannot have several agents yet; 'agent' names the only client that may take it."}
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanMission:
    """The mission of a plan."""

    name: str
    objective: str
    repository: str = "."
    """Relative to the plan file."""
    checks: tuple[Check, ...] = ()
    repository_checks: bool = False
    """Whether the repository's own checks are used instead: `checks = "repository"`."""
    final_checks: tuple[Check, ...] = ()
    setup: str | None = None
    copy: tuple[str, ...] = ()
    review: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanAgent:
    """Agents of one client that work on a plan."""

    client: str
    count: int = 1
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    """What tasks may require of them."""
    delivery: Delivery | None = None

    def command_in(self, folder: str) -> tuple[str, ...]:
        """Return the command with a relative program made absolute; one without a slash is found on PATH."""
        if not self.command or "/" not in self.command[0] or isabs(self.command[0]):
            return self.command
        return (normpath(join(folder, self.command[0])), *self.command[1:])


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanTask:
    """One task of a plan, with the names of its dependencies."""

    name: str
    description: str
    depends_on: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    files_likely_affected: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    agent: str | None = None
    """The only client that may take it."""
    requires: tuple[str, ...] = ()
    review: str | None = None
    sequence: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanFile:
    """A whole plan. `options` has the given options of the run, without the budget."""

    mission: PlanMission
    agents: tuple[PlanAgent, ...] = ()
    budget: PlanBudget | None = None
    tasks: tuple[PlanTask, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def phases(self) -> dict[str, int]:
        """Return each task's phase by its name: its sequence, or what follows from its dependencies."""
        given = {task.name: task.sequence for task in self.tasks if task.sequence is not None}
        return find_phases([(task.name, task.depends_on) for task in self.tasks], given=given)


def parse_plan(text: str, *, source: str, clients: Collection[str] | None = None) -> PlanFile:
    """Return the plan in a TOML text; raise InvalidInput with all problems, each as `source:line: …`.

    `clients` are the known agent clients; without them, any name is accepted.
    """
    text = text.removeprefix("\ufeff")
    document = _parse_toml(text, source=source)
    return parse_tables(document, problems=ProblemList(source=source, lines=locate_keys(text)), clients=clients)


def parse_tables(
    document: Mapping[str, Any], *, problems: ProblemList, clients: Collection[str] | None = None
) -> PlanFile:
    """Return the plan in the tables of a TOML document, or in the same as JSON."""
    top = PlanTable(document, field="", problems=problems)
    top.check_keys(PLAN_KEYS, elsewhere=ELSEWHERE, later=LATER)
    table = PlanTable(document.get("mission", {}), field="mission", problems=problems)
    mission = PlanMission(name="", objective="")
    if "mission" not in top:
        top.refuse(None, "has no [mission] table", "Add one with a name.")
    elif isinstance(top.raw("mission"), Mapping):
        mission = _parse_mission(table)
    plan = PlanFile(
        mission=mission,
        agents=tuple(_parse_agent(each, clients=clients) for each in _tables(top, "agents", limit=MAX_AGENTS)),
        budget=_parse_budget(top, table),
        tasks=tuple(_parse_task(each, mission, clients=clients) for each in _tables(top, "tasks", limit=MAX_TASKS)),
        options={
            name: table.read(name, partial(parse_option, name), default=None)
            for name in OPTIONS
            if name in table and name != "budget"
        },
    )
    if not document.get("tasks"):
        top.refuse(None, "has no tasks", "Add a [[tasks]] table with name and description for each.")
    find_order_problems([(task.name, task.depends_on) for task in plan.tasks], problems)
    problems.raise_any()
    return plan


def _parse_toml(text: str, *, source: str) -> dict[str, Any]:
    if len(text) > MAX_PLAN:
        raise TooLarge(f"{source} has {len(text):,} characters (limit {MAX_PLAN:,})", hint="Split the plan.")
    line, column = 1, None
    try:
        return tomllib.loads(text)
    except RecursionError:
        message, hint = "the plan is nested too deeply", "Use fewer brackets inside brackets."
    except ValueError as error:  # not only TOMLDecodeError: a number can have too many digits
        message, hint = f"not valid TOML: {error}", "Text must be in quotes, and every list must end with ']'."
        place = _AT.search(str(error))
        if place:
            message = message.removesuffix(place[0])
            unended = locate_keys(text).last()
            line, column = (int(place[1]), int(place[2])) if place[1] else (unended.line, unended.column)
    raise plan_error([PlanProblem(line=line, column=column, message=message, hint=hint)], source=source)


def _tables(top: PlanTable, name: str, *, limit: int) -> list[PlanTable]:
    """Return the tables of an array; a single table in its place is a problem."""
    if name not in top:
        return []
    given = top.raw(name)
    if not isinstance(given, list) or not all(isinstance(each, Mapping) for each in given):
        top.refuse(name, "must be an array of tables", f"Write [[{name}]], in two pairs of brackets, before each.")
        return []
    if len(given) > limit:
        top.refuse(name, f"has {len(given):,} entries (limit {limit:,})", "Split the plan.")
    fields = [f"{name}[{number}]" for number in range(min(len(given), limit))]
    return [PlanTable(given[number], field=field, problems=top.problems) for number, field in enumerate(fields)]


def _parse_mission(table: PlanTable) -> PlanMission:
    table.check_keys(MISSION_KEYS, elsewhere=ELSEWHERE, later=LATER)
    name = table.need("name", parse_name, hint="Give it a short name.")
    uses_repository = table.raw("checks") == "repository"
    return PlanMission(
        name=name,
        objective=table.read("objective", parse_text, default=name),
        repository=table.read("repository", parse_name, default="."),
        checks=() if uses_repository else table.checks("checks"),
        repository_checks=uses_repository,
        final_checks=table.checks("final_checks"),
        setup=table.read("setup", partial(parse_text, limit=MAX_SETUP), default=None),
        copy=table.read_list("copy", _parse_inner_path, limit=100),
        review=table.review(),
    )


def _parse_inner_path(value: Any, *, field: str) -> str:
    return check_inner(parse_name(value, field=field), field=field)


def _parse_agent(table: PlanTable, *, clients: Collection[str] | None) -> PlanAgent:
    table.check_keys(AGENT_KEYS, elsewhere=ELSEWHERE, later={})
    client = table.need("client", parse_name, hint="Name the agent client, such as claude-code.")
    _check_client(table, "client", client, clients)
    command = table.read_list("command", parse_argument, limit=MAX_ARGUMENTS)
    if client == COMMAND and not table.raw("command"):
        table.refuse(None, "has no command", 'Give the program and its arguments: command = ["./agent.sh"].')
    if client and client != COMMAND and "command" in table:
        table.refuse("command", f"is only for the client '{COMMAND}'", "Use arguments, or change the client.")
    delivery = table.read("delivery", partial(parse_choice, choices=[str(each) for each in Delivery]), default=None)
    return PlanAgent(
        client=client,
        count=table.read("count", partial(parse_whole, least=1, limit=MAX_COUNT), default=1),
        arguments=table.read_list("arguments", parse_argument, limit=MAX_ARGUMENTS),
        command=command,
        capabilities=table.names("capabilities"),
        delivery=Delivery(delivery) if delivery else None,
    )


def _check_client(table: PlanTable, name: str, client: str | None, clients: Collection[str] | None) -> None:
    if client and clients is not None and client not in clients:
        table.refuse(name, f"'{client}' is not a known client", suggestion(client, clients))


def _parse_budget(top: PlanTable, mission: PlanTable) -> PlanBudget | None:
    """Return the budget, which is a table of its own or an option of the mission."""
    if "budget" in top and "budget" in mission:
        mission.refuse("budget", "is also given as a separate table", "Keep one of them.")
    if "budget" in top:
        return _parse_limits(PlanTable(top.raw("budget"), field="budget", problems=top.problems), keys=BUDGET_KEYS)
    if "budget" in mission:
        table = PlanTable(mission.raw("budget"), field="mission.budget", problems=top.problems)
        return _parse_limits(table, keys=BUDGET_KEYS)
    return None


def _parse_limits(table: PlanTable, *, keys: Collection[str]) -> PlanBudget:
    table.check_keys(keys, elsewhere=ELSEWHERE, later={})
    limits: dict[str, Any] = {name: table.read(name, partial(parse_limit, name), default=None) for name in LIMITS}
    if "per_task" in keys and "per_task" in table:
        inner = PlanTable(table.raw("per_task"), field=f"{table.field}.per_task", problems=table.problems)
        limits["per_task"] = _parse_limits(inner, keys=LIMITS)
    return PlanBudget(**limits)


def _parse_task(table: PlanTable, mission: PlanMission, *, clients: Collection[str] | None) -> PlanTask:
    table.check_keys(TASK_KEYS, elsewhere=ELSEWHERE, later=TASKS_LATER)
    agent = table.read("agent", parse_name, default=None)
    _check_client(table, "agent", agent, clients)
    return PlanTask(
        name=table.need("name", parse_name, hint="Give it a short name, which others can depend on."),
        description=table.need("description", parse_text, hint="Say what the agent should do."),
        depends_on=table.names("depends_on"),
        areas=table.globs("areas"),
        files_likely_affected=table.globs("files_likely_affected"),
        acceptance=table.read_list("acceptance", parse_text),
        checks=table.checks("checks", taken=mission.checks),
        agent=agent,
        requires=table.names("requires"),
        review=table.review(),
        sequence=table.read("sequence", partial(parse_whole, least=1, limit=MAX_PHASE), default=None),
    )
