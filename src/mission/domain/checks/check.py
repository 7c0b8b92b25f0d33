"""A check: what Mission Control runs or inspects itself before it believes that a task is done."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

from mission.domain.checks.file_patterns.globs import compile_glob
from mission.domain.errors import InvalidInput

MAX_CHECKS = 100
MAX_NAME = 100
MAX_COMMAND = 10_000
MAX_SECONDS = 24 * 3600
MAX_RETRIES = 5
MAX_GLOBS = 100
MAX_USES = 10
MAX_VARIABLES = 50
MAX_VALUE = 4_000
WORDS_IN_NAME = 4
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}\Z")
_RESERVED = ("MISSION_", "OPEN_MISSION_")


class CheckKind(StrEnum):
    RUN = "run"
    """A command; exit code 0 passes."""
    CHANGED = "changed"
    """At least one changed file must match."""
    UNTOUCHED = "untouched"
    """No changed file may match."""


class Before(StrEnum):
    """The result that a command must have on the start tree with only the tests of the change."""

    ANY = "any"
    FAIL = "fail"


class Scope(StrEnum):
    """The repository, mission or task that a check is defined for."""

    REPOSITORY = "repository"
    MISSION = "mission"
    TASK = "task"


class Approval(StrEnum):
    """A person's decision about a check: a command that an agent proposed runs only once it is approved."""

    APPROVED = "approved"
    PENDING = "pending"
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """The definition of one check. Two checks with the same digest ask for the same thing."""

    name: str
    kind: CheckKind
    run: str | None = None
    globs: tuple[str, ...] = ()
    seconds: float = 600
    required: bool = True
    retries: int = 0
    before: Before = Before.ANY
    tests: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    parallel: bool = False
    reuse: bool = True
    junit: str | None = None

    @property
    def digest(self) -> str:
        """Return a digest of everything that affects the outcome, so not of the name or the schedule."""
        content = [self.kind, self.run, sorted(self.globs), self.seconds, sorted(self.env.items())]
        return hashlib.sha256(json.dumps(content).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def judges(self) -> str:
        """Return what the check asks for, as one line: the command or the globs."""
        return self.run or f"{self.kind} {', '.join(self.globs)}"

    def as_dict(self) -> dict[str, Any]:
        """Return the check as it is stored and shown; fields with their default value are left out."""
        asked: dict[str, Any] = {"run": self.run} if self.run is not None else {str(self.kind): list(self.globs)}
        extra = {
            "seconds": (self.seconds, 600),
            "required": (self.required, True),
            "retries": (self.retries, 0),
            "before": (str(self.before), "any"),
            "tests": (list(self.tests), []),
            "uses": (list(self.uses), []),
            "env": (dict(self.env), {}),
            "parallel": (self.parallel, False),
            "reuse": (self.reuse, True),
            "junit": (self.junit, None),
        }
        return {"name": self.name, **asked, **{key: value for key, (value, usual) in extra.items() if value != usual}}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Check:
        """Read a check as it is stored."""
        return _read(json.dumps(stored, sort_keys=True))


@lru_cache(maxsize=1_000)
def _read(text: str) -> Check:
    """Read a stored check once: the same few are read again and again."""
    return parse_check(json.loads(text), field="check")


def parse_checks(values: Sequence[Any], *, field: str = "checks") -> tuple[Check, ...]:
    """Return the checks that a caller described; raise InvalidInput, with the field, for the first wrong one."""
    if len(values) > MAX_CHECKS:
        raise InvalidInput(
            f"{field}: {len(values)} checks were given (limit {MAX_CHECKS})",
            hint="Combine several into one command.",
            field=field,
        )
    checks = tuple(parse_check(value, field=f"{field}[{number}]") for number, value in enumerate(values))
    names = [check.name for check in checks]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{field}: two checks are named '{name}'", hint="Give each its own name.", field=field)
    return checks


def parse_check(value: Any, *, field: str) -> Check:
    """Return the check that a string or an object describes; a string is a required command."""
    if isinstance(value, str):
        value = {"run": value}
    if not isinstance(value, Mapping):
        raise _wrong(field, "must be a command or an object", 'Write \'make test\', or {"run": "make test"}.')
    unknown = sorted(set(map(str, value)) - _FIELDS)
    if unknown:
        raise _wrong(field, f"has no field '{unknown[0][:60]}'", f"The fields are {', '.join(sorted(_FIELDS))}.")
    kinds = [kind for kind in CheckKind if value.get(kind) is not None]
    if len(kinds) != 1:
        raise _wrong(
            field,
            "needs exactly one of run, changed and untouched",
            "Give exactly one of them; split the rest into separate checks.",
        )
    kind = kinds[0]
    run = _text(value, "run", field=field, limit=MAX_COMMAND) if kind is CheckKind.RUN else None
    globs = () if kind is CheckKind.RUN else _globs(value, str(kind), field=field)
    if kind is not CheckKind.RUN and not globs:
        raise _wrong(f"{field}.{kind}", "is empty", "Give at least one glob.")
    check = Check(
        name=_name(value, run or f"{kind} {globs[0]}", field=field),
        kind=kind,
        run=run,
        globs=globs,
        seconds=_number(value, "seconds", 600, field=field, least=1, limit=MAX_SECONDS),
        required=_flag(value, "required", True, field=field),
        retries=int(_number(value, "retries", 0, field=field, least=0, limit=MAX_RETRIES, whole=True)),
        before=_before(value, field=field),
        tests=_globs(value, "tests", field=field),
        uses=_names(value, "uses", field=field),
        env=_variables(value, field=field),
        parallel=_flag(value, "parallel", False, field=field),
        reuse=_flag(value, "reuse", True, field=field),
        junit=_glob(value, "junit", field=field),
    )
    if check.before is Before.FAIL and (kind is not CheckKind.RUN or not check.tests):
        raise _wrong(
            f"{field}.before", "'fail' requires 'run' and 'tests'", "Set tests to globs that match the test files."
        )
    return check


_FIELDS = frozenset(
    {"name", *CheckKind, "seconds", "required", "retries", "before", "tests", "uses", "env", "parallel", "reuse"}
    | {"junit"}
)


def _wrong(field: str, what: str, hint: str) -> InvalidInput:
    return InvalidInput(f"{field} {what}", hint=hint, field=field)


def _name(value: Mapping[str, Any], asked: str, *, field: str) -> str:
    """Return the given name, or the first words of what is asked."""
    if value.get("name") is None:
        return " ".join(asked.split()[:WORDS_IN_NAME])[:MAX_NAME]
    name = _text(value, "name", field=field, limit=MAX_NAME)
    if not name.isprintable() or name != name.strip():
        raise _wrong(
            f"{field}.name", "must be printable, without leading or trailing spaces", "Choose a short, plain name."
        )
    return name


def _text(value: Mapping[str, Any], key: str, *, field: str, limit: int) -> str:
    text = value[key]
    if not isinstance(text, str) or not text.strip():
        raise _wrong(f"{field}.{key}", "must be non-empty text", "Give some text.")
    if "\0" in text:
        raise _wrong(f"{field}.{key}", "contains a NUL character", "Remove it.")
    if len(text) > limit:
        raise _wrong(f"{field}.{key}", f"is too long: {len(text)} characters (limit {limit})", "Put it in a script.")
    return text


def _number(
    value: Mapping[str, Any], key: str, usual: float, *, field: str, least: float, limit: float, whole: bool = False
) -> float:
    number = value.get(key, usual)
    if isinstance(number, bool) or not isinstance(number, int if whole else (int, float)):
        raise _wrong(f"{field}.{key}", "must be a number", f"Give a number from {least} to {limit}.")
    if not least <= number <= limit:
        raise _wrong(
            f"{field}.{key}", f"must be from {least} to {limit}", f"Give a number in this range, not {number}."
        )
    return number


def _flag(value: Mapping[str, Any], key: str, usual: bool, *, field: str) -> bool:
    flag = value.get(key, usual)
    if not isinstance(flag, bool):
        raise _wrong(f"{field}.{key}", "must be true or false", f"Omit it to use the default, {str(usual).lower()}.")
    return flag


def _before(value: Mapping[str, Any], *, field: str) -> Before:
    try:
        return Before(value.get("before", Before.ANY))
    except ValueError:
        raise _wrong(
            f"{field}.before",
            "must be 'any' or 'fail'",
            "'fail' means that the check must fail before the change and pass after it.",
        ) from None


def _list(value: Mapping[str, Any], key: str, *, field: str, limit: int) -> list[str]:
    given = value.get(key, ())
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise _wrong(f"{field}.{key}", "must be a list of strings", "Give a string or a list of strings.")
    if len(given) > limit:
        raise _wrong(f"{field}.{key}", f"has {len(given)} entries (limit {limit})", "Give fewer.")
    return list(given)


def _globs(value: Mapping[str, Any], key: str, *, field: str) -> tuple[str, ...]:
    return tuple(_checked(each, f"{field}.{key}") for each in _list(value, key, field=field, limit=MAX_GLOBS))


def _glob(value: Mapping[str, Any], key: str, *, field: str) -> str | None:
    given = value.get(key)
    if given is None:
        return None
    if not isinstance(given, str):
        raise _wrong(f"{field}.{key}", "must be a glob", "Give a path or glob such as 'build/junit.xml'.")
    return _checked(given, f"{field}.{key}")


def _checked(glob: str, field: str) -> str:
    try:
        compile_glob(glob)
    except InvalidInput as error:
        raise InvalidInput(f"{field}: {error.message}", hint=error.hint, field=field) from None
    return glob


def _names(value: Mapping[str, Any], key: str, *, field: str) -> tuple[str, ...]:
    names = _list(value, key, field=field, limit=MAX_USES)
    for name in names:
        if not name.strip() or not name.isprintable() or len(name) > MAX_NAME:
            raise _wrong(f"{field}.{key}", "contains an invalid name", "Give short, plain names such as 'database'.")
    return tuple(sorted(set(names)))


def _variables(value: Mapping[str, Any], *, field: str) -> dict[str, str]:
    given = value.get("env") or {}
    if not isinstance(given, Mapping):
        raise _wrong(f"{field}.env", "must be an object with string values", 'Write {"NAME": "value"}.')
    if len(given) > MAX_VARIABLES:
        raise _wrong(f"{field}.env", f"has {len(given)} variables (limit {MAX_VARIABLES})", "Put them in a file.")
    for name, text in given.items():
        if not isinstance(name, str) or not _VARIABLE.match(name) or name.startswith(_RESERVED):
            raise _wrong(
                f"{field}.env",
                f"cannot set '{str(name)[:60]}'",
                "Use letters, digits and '_'; names starting with MISSION_ are reserved.",
            )
        if not isinstance(text, str) or "\0" in text or len(text) > MAX_VALUE:
            raise _wrong(
                f"{field}.env", f"has an invalid value for {name}", f"Give text of at most {MAX_VALUE} characters."
            )
    return dict(given)
