"""A template: a plan with blanks, from which workflows are created."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.timestamps import format_time

BLANK = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}")
MAX_PLAN_LENGTH = 10_000_000
"""Maximum total characters of the plan once its blanks are filled in."""
MAX_NAME_LENGTH = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Variable:
    """A blank of a template; a required one has no default."""

    name: str
    description: str = ""
    required: bool = True
    default: str | None = None

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.description,
            "required": self.required,
            "default": self.default,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateTask:
    """One task of a template; every text may have blanks."""

    name: str
    description: str
    sequence: int
    parallel_group: str | None = None
    depends_on: Sequence[str] = ()
    requires: Sequence[str] = ()
    estimated_complexity: str | None = None
    files_likely_affected: Sequence[str] = ()
    checks: Sequence[str | Mapping[str, Any]] = ()
    acceptance: Sequence[str] = ()

    def texts(self) -> Iterable[str]:
        yield self.name
        yield self.description
        yield self.parallel_group or ""
        yield from (*self.depends_on, *self.requires, *self.files_likely_affected, *self.acceptance)
        yield from _texts_in(self.checks)

    def changed(self, fill: Callable[[str], str]) -> TemplateTask:
        """Return the task with every text replaced."""
        return replace(
            self,
            name=fill(self.name).strip(),
            description=fill(self.description).strip(),
            parallel_group=fill(self.parallel_group).strip() or None if self.parallel_group is not None else None,
            depends_on=[fill(each).strip() for each in self.depends_on],
            requires=[fill(each).strip() for each in self.requires],
            files_likely_affected=[fill(each).strip() for each in self.files_likely_affected],
            checks=_filled(list(self.checks), fill),
            acceptance=[fill(each).strip() for each in self.acceptance],
        )

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.description,
            "sequence": self.sequence,
            "parallel_group": self.parallel_group,
            "depends_on": list(self.depends_on),
            "requires": list(self.requires),
            "estimated_complexity": self.estimated_complexity,
            "files_likely_affected": list(self.files_likely_affected),
            "checks": list(self.checks),
            "acceptance": list(self.acceptance),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """One template, from the store or from a file in a repository (`source`)."""

    id: str
    name: str
    description: str | None
    tasks: Sequence[Mapping[str, Any]]
    variables: Sequence[Mapping[str, Any]]
    created_at: datetime
    source: str | None = field(default=None)

    @property
    def plan(self) -> list[TemplateTask]:
        return [TemplateTask(**task) for task in self.tasks]

    @property
    def blanks(self) -> list[Variable]:
        """Return the declared variables, and those that only occur in the texts, which are required."""
        declared = [Variable(**variable) for variable in self.variables]
        known = {variable.name for variable in declared}
        used = dict.fromkeys(name for task in self.plan for text in task.texts() for name in BLANK.findall(text))
        return declared + [Variable(name=name) for name in used if name not in known]

    def filled(self, given: Mapping[str, str]) -> list[TemplateTask]:
        """Return the tasks with every blank filled in once; blanks inside a value stay as text."""
        values = self._values(given)
        _check_length(self.plan, values)
        tasks = [task.changed(lambda text: BLANK.sub(lambda blank: values[blank[1]], text)) for task in self.plan]
        for task in tasks:
            _check_filled(task)
        return tasks

    def record(self) -> dict[str, Any]:
        """Return the template as events show it, without its tasks."""
        return {
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "variables": [variable.record() for variable in self.blanks],
            "created_at": format_time(self.created_at),
        }

    def _values(self, given: Mapping[str, str]) -> dict[str, str]:
        blanks = {variable.name: variable for variable in self.blanks}
        unknown = sorted(set(given) - set(blanks))
        if unknown:
            raise InvalidInput(
                f"variables: the template has no variable {', '.join(map(repr, unknown[:10]))}",
                hint=f"It has: {', '.join(blanks) or 'none'}.",
                field="variables",
                unknown=unknown,
            )
        missing = [
            name for name, each in blanks.items() if name not in given and each.default is None and each.required
        ]
        if missing:
            raise InvalidInput(
                f"variables: missing {', '.join(missing)}",
                hint="Give a value for each: variables: {" + ", ".join(f'"{name}": "…"' for name in missing[:5]) + "}.",
                field="variables",
                missing=missing,
            )
        return {name: given.get(name, each.default or "") for name, each in blanks.items()}


def _check_length(tasks: Sequence[TemplateTask], values: Mapping[str, str]) -> None:
    """Raise TooLarge before anything is filled in: a long value in many places would use up the memory."""
    texts = [text for task in tasks for text in task.texts()]
    total = sum(map(len, texts)) + sum(len(values[name]) for text in texts for name in BLANK.findall(text))
    if total > MAX_PLAN_LENGTH:
        raise TooLarge(f"variables: the plan would have more than {MAX_PLAN_LENGTH:,} characters", field="variables")


def _check_filled(task: TemplateTask) -> None:
    for name in (task.name, *task.depends_on, *task.requires, *([task.parallel_group] if task.parallel_group else [])):
        if not 1 <= len(name) <= MAX_NAME_LENGTH:
            raise InvalidInput(
                f"variables: a name in the plan would have {len(name):,} characters (allowed: 1 to {MAX_NAME_LENGTH})",
                hint="Give shorter values that do not leave a name empty.",
                field="variables",
            )
    if not task.description:
        raise InvalidInput(
            f"variables: the description of '{task.name}' would be empty", hint="Give a value.", field="variables"
        )


def _texts_in(value: Any) -> Iterable[str]:
    """Yield every text inside a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for each in value.values() for text in _texts_in(each))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in _texts_in(each))


def _filled(value: Any, fill: Callable[[str], str]) -> Any:
    """Return a JSON value with every text in it replaced."""
    if isinstance(value, str):
        return fill(value)
    if isinstance(value, Mapping):
        return {key: _filled(each, fill) for key, each in value.items()}
    return [_filled(each, fill) for each in value] if isinstance(value, list | tuple) else value
