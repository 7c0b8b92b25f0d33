"""One table of a plan file: returns its values by type and collects every problem with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from mission.domain.checks.check import MAX_CHECKS, Check, parse_check
from mission.domain.checks.review import ReviewRule
from mission.domain.plans.field_values import (
    MAX_LIST,
    check_list,
    inner_field,
    parse_choice,
    parse_glob,
    parse_name,
    suggestion,
    wrong,
)
from mission.domain.plans.plan_problems import ProblemList, path_of

Value = TypeVar("Value")


class PlanTable:
    """A table, or nothing where the file has something else in its place. Missing values are their default."""

    def __init__(self, values: Any, *, field: str, problems: ProblemList) -> None:
        self.field = field
        self.problems = problems
        self._values: Mapping[str, Any] = values if isinstance(values, Mapping) else {}
        if values is not None and not isinstance(values, Mapping):
            self.refuse(None, "must be a table", "Write its keys below a header in brackets.")

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def raw(self, name: str) -> Any:
        """Return a value as it is in the file; None if it is missing."""
        return self._values.get(name)

    def refuse(self, name: str | None, what: str, hint: str) -> None:
        """Add a problem of the table or of one of its keys."""
        field = inner_field(self.field, name) if name is not None else self.field
        self.problems.add(path_of(field), f"{field or 'the plan'} {what}", hint)

    def check_keys(self, known: Collection[str], *, elsewhere: Mapping[str, str], later: Mapping[str, str]) -> None:
        """Add a problem for each key that is not known: it may belong elsewhere, or be for later."""
        for name in self._values:
            if name in later:
                self.refuse(name, "is not available yet", later[name])
            elif name not in known:
                hint = f"It belongs in {elsewhere[name]}." if name in elsewhere else suggestion(name, known)
                field = inner_field(self.field, name)
                self.problems.add(path_of(field), f"{self.field or 'the plan'} has no key '{name[:60]}'", hint)

    def read(self, name: str, parse: Callable[..., Value], *, default: Value, **limits: Any) -> Value:
        """Return one value."""
        if name not in self._values:
            return default
        field = f"{self.field}.{name}"
        return self.problems.attempt(parse, self._values[name], default=default, field=field, **limits)

    def need(self, name: str, parse: Callable[..., str], *, hint: str) -> str:
        """Return one text that must be there."""
        if name not in self._values:
            self.refuse(None, f"has no {name}", hint)
        return self.read(name, parse, default="")

    def read_list(self, name: str, parse: Callable[..., Value], *, limit: int = MAX_LIST) -> tuple[Value, ...]:
        """Return the items of a list that could be parsed."""
        given = self._values.get(name, ())
        field = f"{self.field}.{name}"
        if not self.problems.attempt(_is_list, given, default=False, field=field, limit=limit):
            return ()
        parsed = [
            self.problems.attempt(parse, each, default=None, field=f"{field}[{number}]")
            for number, each in enumerate(given)
        ]
        return tuple(each for each in parsed if each is not None)

    def names(self, name: str) -> tuple[str, ...]:
        """Return a list of different names; one that cannot be parsed is empty, so that the others keep their place."""
        found: set[str] = set()

        def parse(value: Any, *, field: str) -> str:
            each = parse_name(value, field=field)
            if each in found:
                raise wrong(field, f"names '{each}' again", "Name it once.")
            found.add(each)
            return each

        def attempt(value: Any, *, field: str) -> str:
            return self.problems.attempt(parse, value, default="", field=field)

        return self.read_list(name, attempt)

    def globs(self, name: str) -> tuple[str, ...]:
        """Return a list of paths and globs."""
        return self.read_list(name, parse_glob)

    def checks(self, name: str, *, taken: Sequence[Check] = ()) -> tuple[Check, ...]:
        """Return the checks of a list; none may have the name of another or of a taken one."""
        found: dict[str, Check] = {}
        names = {each.name for each in taken}

        def parse(value: Any, *, field: str) -> Check:
            check = parse_check(value, field=field)
            if check.name in names:
                raise wrong(field, f"is named '{check.name}' like a check in [mission]", "Give it another name.")
            if check.name in found:
                raise wrong(field, f"is the second check named '{check.name}'", "Give each its own name.")
            found[check.name] = check
            return check

        return self.read_list(name, parse, limit=MAX_CHECKS - len(taken))

    def review(self) -> str | None:
        """Return the rule of who reviews; one that is not available yet is a problem."""
        rule = self.read("review", parse_choice, default=None, choices=[str(each) for each in ReviewRule])
        if rule == ReviewRule.AGENT:
            self.refuse("review", "'agent' is not available yet", "Use person, risk or none.")
        return rule


def _is_list(value: Any, *, field: str, limit: int) -> bool:
    check_list(value, field=field, limit=limit)
    return True
