"""Problems of a plan file, each with its line, collected so that all of them can be fixed at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from mission.domain.errors import InvalidInput
from mission.domain.plans.toml_lines import KeyPath, TomlLines

Value = TypeVar("Value")

MAX_PROBLEMS = 20
"""How many problems an error lists; the rest are only counted."""
_STEP = re.compile(r'"([^"]*)"|([^.\[\]"]+)|\[(\d+)\]')


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanProblem:
    """One problem: where it is, what is wrong, and what to do."""

    line: int
    column: int | None
    message: str
    hint: str | None

    def words(self, source: str) -> str:
        """Return the problem as one line that editors can follow."""
        advice = f". {self.hint}" if self.hint else ""
        return f"{source}:{self.line}: {self.message}{advice}"


class ProblemList:
    """Collects the problems of one file."""

    def __init__(self, *, source: str, lines: TomlLines) -> None:
        self.source = source
        self.lines = lines
        self._found: list[PlanProblem] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, path: KeyPath, message: str, hint: str | None) -> None:
        """Add a problem of a key or list item."""
        place = self.lines.find(path)
        self._found.append(PlanProblem(line=place.line, column=place.column, message=message, hint=hint))

    def attempt(self, parse: Callable[..., Value], *args: Any, default: Value, **options: Any) -> Value:
        """Return what the function returns; if it raises InvalidInput, add that and return the default."""
        try:
            return parse(*args, **options)
        except InvalidInput as error:
            self.add(path_of(str(error.details.get("field", ""))), error.message, error.hint)
            return default

    def raise_any(self) -> None:
        """Raise InvalidInput with the problems, first line first, if there are any."""
        if self._found:
            ordered = sorted(self._found, key=lambda each: (each.line, each.column or 0))
            raise plan_error(ordered, source=self.source)


def plan_error(problems: list[PlanProblem], *, source: str) -> InvalidInput:
    """Return an error that lists the problems."""
    lines = [each.words(source) for each in problems[:MAX_PROBLEMS]]
    if len(problems) > 1:
        lines.insert(0, f"{source} has {len(problems)} problems:")
    if len(problems) > MAX_PROBLEMS:
        lines.append(f"… and {len(problems) - MAX_PROBLEMS} more")
    return InvalidInput(
        "\n".join(lines),
        hint="'mission run --example' prints a plan with every key.",
        problems=[asdict(each) for each in problems[:MAX_PROBLEMS]],
    )


def path_of(field: str) -> KeyPath:
    """Return the path that a field such as `tasks[2].checks[0].run` names."""
    steps = (match.groups() for match in _STEP.finditer(field))
    return tuple(int(number) if number else quoted or name or "" for quoted, name, number in steps)
