"""A plan written as TOML, so that a person can read it, change it and run it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from mission.domain.checks.check import Check, parse_check
from mission.domain.plans.option_fields import OPTIONS
from mission.domain.plans.plan_file import PlanAgent, PlanFile, PlanMission, PlanTask
from mission.domain.plans.toml_values import format_pair

COMMENT_WIDTH = 116


def format_plan(plan: PlanFile, *, notes: Iterable[str] = ()) -> str:
    """Return the plan as a TOML text that parses to the same plan, with the notes as comments at its top."""
    tables = [_table("[mission]", {**_mission(plan.mission), **_options(plan)})]
    tables += [_table("[[agents]]", _agent(each)) for each in plan.agents]
    if plan.budget is not None:
        tables.append(_table("[budget]", plan.budget.as_dict()))
    tables += [_table("[[tasks]]", _task(each)) for each in plan.tasks]
    return "\n".join([_comments(notes), *tables]).lstrip("\n")


def _comments(notes: Iterable[str]) -> str:
    plain = ("".join(character if character.isprintable() else " " for character in note) for note in notes)
    return "".join(f"# {line}\n" for note in plain for line in wrap(note, COMMENT_WIDTH) or [""])


def _table(header: str, values: Mapping[str, Any]) -> str:
    lines = [format_pair(name, value) for name, value in values.items()]
    return "\n".join([header, *lines, ""])


def _given(**values: Any) -> dict[str, Any]:
    """Return the values without those that are missing or empty; an empty option is not the same as none."""
    return {name: value for name, value in values.items() if value not in (None, ())}


def _mission(mission: PlanMission) -> dict[str, Any]:
    return _given(
        name=mission.name,
        objective=mission.objective if mission.objective != mission.name else None,
        repository=mission.repository,
        checks="repository" if mission.repository_checks else _checks(mission.checks),
        final_checks=_checks(mission.final_checks),
        setup=mission.setup,
        copy=mission.copy,
        review=mission.review,
    )


def _options(plan: PlanFile) -> dict[str, Any]:
    return {name: plan.options[name] for name in OPTIONS if name in plan.options}


def _agent(agent: PlanAgent) -> dict[str, Any]:
    return _given(
        client=agent.client,
        count=agent.count,
        arguments=agent.arguments,
        command=agent.command,
        capabilities=agent.capabilities,
        delivery=str(agent.delivery) if agent.delivery else None,
    )


def _task(task: PlanTask) -> dict[str, Any]:
    return _given(
        name=task.name,
        description=task.description,
        depends_on=task.depends_on,
        areas=task.areas,
        files_likely_affected=task.files_likely_affected,
        acceptance=task.acceptance,
        checks=_checks(task.checks),
        agent=task.agent,
        requires=task.requires,
        review=task.review,
        sequence=task.sequence,
    )


def _checks(checks: Sequence[Check]) -> tuple[Any, ...]:
    return tuple(_definitions(checks))


def _definitions(checks: Sequence[Check]) -> Iterator[str | dict[str, Any]]:
    """Yield each check in its shortest form: a plain command, or a table."""
    for check in checks:
        is_plain = check.run is not None and parse_check(check.run, field="check") == check
        yield check.run if is_plain and check.run is not None else check.as_dict()
