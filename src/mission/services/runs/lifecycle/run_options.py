"""The options of a run as callers give them: checked, and put on top of the ones it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.plans.field_values import suggestion
from mission.domain.plans.option_fields import OPTIONS, parse_option
from mission.domain.plans.plan_budget import PlanBudget
from mission.domain.plans.plan_file import COMMAND, PlanAgent, PlanFile
from mission.domain.runs.options import AgentMix, Limits, Overlap, RunOptions
from mission.services.launcher import Launcher

NOT_STORED_HERE = frozenset({"target", "budget"})
"""Options that have a place of their own."""


def with_given(options: RunOptions, given: Mapping[str, Any]) -> RunOptions:
    """Return the options with the given ones; raise InvalidInput, with the field, for a wrong one."""
    values: dict[str, Any] = {name: given[name] for name in ("review", "setup") if given.get(name) is not None}
    for name in OPTIONS:
        if name in given and given[name] is not None and name not in NOT_STORED_HERE:
            values[name] = parse_option(name, given[name], field=name)
    if "overlap" in values:
        values["overlap"] = Overlap(values["overlap"])
    if given.get("agents") is not None:
        values["agents"] = [AgentMix(**_plain(each)) for each in given["agents"]]
    if given.get("budget") is not None:
        values |= _with_budget(options, parse_option("budget", given["budget"], field="budget"))
    return options.changed(values)


def given_by(plan: PlanFile, *, folder: str) -> dict[str, Any]:
    """Return the options in a plan file; relative commands start in its folder."""
    given: dict[str, Any] = {name: value for name, value in plan.options.items() if value is not None}
    if plan.agents:
        given["agents"] = [_mix(each, folder=folder) for each in plan.agents]
    if plan.budget is not None:
        given["budget"] = plan.budget.as_dict()
    for name in ("review", "setup"):
        if getattr(plan.mission, name) is not None:
            given[name] = getattr(plan.mission, name)
    return given


def with_variables(options: RunOptions, launcher: Launcher, *, handover: str | None) -> RunOptions:
    """Return the options with the names of the variables that each client has now: they are missed if they are gone."""
    clients = dict.fromkeys(agent.client for agent in options.agents)
    return options.changed({"variables": {each: launcher.variables_of(each, handover=handover) for each in clients}})


def check_clients(agents: Sequence[AgentMix], *, clients: Collection[str], wanted: Collection[str | None]) -> None:
    """Raise InvalidInput unless every agent can be launched and each of the wanted clients is among them."""
    if not agents:
        raise InvalidInput(
            "agents: a run needs at least one agent",
            hint=f"Give agents with a client: {', '.join(sorted(clients))}.",
            field="agents",
        )
    for number, agent in enumerate(agents):
        _check_client(agent, clients, field=f"agents[{number}]")
    missing = sorted({each for each in wanted if each} - {agent.client for agent in agents})
    if missing:
        raise InvalidInput(
            f"agents: some tasks of this mission are only for {', '.join(missing)}, which the run does not have",
            hint=f"Add an agent with the client {missing[0]}.",
            field="agents",
            clients=missing,
        )


def _check_client(agent: AgentMix, clients: Collection[str], *, field: str) -> None:
    if agent.client not in clients:
        raise InvalidInput(
            f"{field}.client: '{agent.client[:60]}' is not a known client",
            hint=suggestion(agent.client, clients),
            field=f"{field}.client",
        )
    if agent.client == COMMAND and not agent.command:
        raise InvalidInput(
            f"{field}.command: the client 'command' needs the program to run",
            hint='Give the program and its arguments: command = ["./agent.sh"].',
            field=f"{field}.command",
        )
    if agent.client != COMMAND and agent.command:
        raise InvalidInput(
            f"{field}.command: only the client 'command' has one",
            hint="Use arguments, or change the client.",
            field=f"{field}.command",
        )


def _with_budget(options: RunOptions, given: PlanBudget) -> dict[str, Any]:
    """Return both budgets: given limits replace earlier ones, others stay."""
    whole = {name: value for name, value in given.as_dict().items() if name != "per_task"}
    each = given.per_task.as_dict() if given.per_task is not None else {}
    return {
        "budget": Limits.from_dict({**options.budget.as_dict(), **whole}),
        "budget_per_task": Limits.from_dict({**options.budget_per_task.as_dict(), **each}),
    }


def _mix(agent: PlanAgent, *, folder: str) -> dict[str, Any]:
    return {
        "client": agent.client,
        "count": agent.count,
        "arguments": list(agent.arguments),
        "command": list(agent.command_in(folder)),
        "capabilities": list(agent.capabilities),
        "delivery": agent.delivery,
    }


def _plain(agent: Mapping[str, Any]) -> dict[str, Any]:
    """Return an agent as it is stored: enumerations as their words."""
    delivery = agent.get("delivery")
    return {**agent, "delivery": str(delivery) if delivery is not None else None}
