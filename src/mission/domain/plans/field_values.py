"""Values that plans and runs take: text, lists, numbers, choices. What is wrong raises InvalidInput with its field."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from mission.domain.checks.file_patterns.globs import compile_glob
from mission.domain.errors import InvalidInput
from mission.spelling import nearest

Value = TypeVar("Value")
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")

MAX_NAME = 200
MAX_TEXT = 100_000
MAX_ARGUMENT = 10_000
MAX_LIST = 1_000


def wrong(field: str, what: str, hint: str) -> InvalidInput:
    """Return an error about one field."""
    return InvalidInput(f"{field} {what}", hint=hint, field=field)


def inner_field(field: str, name: str) -> str:
    """Return the field of a key inside another field, in quotes if the key is not a plain word."""
    if not field:
        return name
    name = name[:MAX_NAME]
    return f"{field}.{name}" if _BARE.match(name) else f'{field}."{name}"'


def parse_text(value: Any, *, field: str, limit: int = MAX_TEXT) -> str:
    """Return the text without spaces around it."""
    if not isinstance(value, str):
        raise wrong(field, f"must be text, not {_kind(value)}", "Put it in quotes.")
    text = value.strip()
    if not text:
        raise wrong(field, "is empty", "Give some text, or remove the key.")
    if "\0" in text:
        raise wrong(field, "contains a NUL character", "Remove it.")
    if len(text) > limit:
        raise wrong(field, f"is too long: {len(text):,} characters (limit {limit:,})", "Shorten it.")
    return text


def parse_name(value: Any, *, field: str) -> str:
    """Return a name: one printable line."""
    name = parse_text(value, field=field, limit=MAX_NAME)
    if not name.isprintable():
        raise wrong(field, "contains a line break or another character that cannot be printed", "Use one plain line.")
    return name


def parse_argument(value: Any, *, field: str) -> str:
    """Return one argument of a command line, unchanged."""
    if not isinstance(value, str) or "\0" in value or len(value) > MAX_ARGUMENT:
        raise wrong(field, f"must be text of at most {MAX_ARGUMENT:,} characters", "Put each argument in quotes.")
    return value


def parse_glob(value: Any, *, field: str) -> str:
    """Return a path or glob from the top of the tree."""
    glob = parse_text(value, field=field)
    compile_glob(glob, field=field)
    return glob


def parse_list(
    value: Any, *, field: str, parse: Callable[..., Value], limit: int = MAX_LIST, least: int = 0
) -> tuple[Value, ...]:
    """Return a list whose items are parsed one by one."""
    check_list(value, field=field, limit=limit, least=least)
    return tuple(parse(each, field=f"{field}[{number}]") for number, each in enumerate(value))


def check_list(value: Any, *, field: str, limit: int = MAX_LIST, least: int = 0) -> None:
    """Raise InvalidInput unless the value is a list of an allowed length."""
    if not isinstance(value, list | tuple):
        raise wrong(field, f"must be a list, not {_kind(value)}", "Write it in brackets, with commas in between.")
    if not least <= len(value) <= limit:
        raise wrong(field, f"has {len(value):,} entries", f"Give {least:,} to {limit:,}.")


def parse_number(value: Any, *, field: str, least: float, limit: float) -> float:
    """Return a number in a range."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(field, f"must be a number, not {_kind(value)}", f"Give a number from {least:,} to {limit:,}.")
    if not least <= value <= limit:
        raise wrong(field, f"must be from {least:,} to {limit:,}", "Give a number in this range.")
    return value


def parse_whole(value: Any, *, field: str, least: int, limit: int) -> int:
    """Return a whole number in a range."""
    number = parse_number(value, field=field, least=least, limit=limit)
    if not isinstance(number, int):
        raise wrong(field, "must be a whole number", f"Give a whole number from {least:,} to {limit:,}.")
    return number


def parse_flag(value: Any, *, field: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise wrong(field, f"must be true or false, not {_kind(value)}", "Write true or false, without quotes.")
    return value


def parse_choice(value: Any, *, field: str, choices: Collection[str]) -> str:
    """Return one of the given words."""
    if isinstance(value, str) and value in choices:
        return str(value)
    shown = f"'{value[:60]}'" if isinstance(value, str) else _kind(value)
    close = nearest(value, choices) if isinstance(value, str) else None
    hint = f"Did you mean '{close}'?" if close else "Use one of them."
    raise wrong(field, f"must be one of {', '.join(choices)}, not {shown}", hint)


def check_known(values: Mapping[str, Any], known: Collection[str], *, field: str) -> None:
    """Raise InvalidInput for the first name that is not known."""
    for name in values:
        if name not in known:
            raise InvalidInput(
                f"{field} has no key '{name[:60]}'", hint=suggestion(name, known), field=inner_field(field, name)
            )


def suggestion(value: Any, known: Collection[str]) -> str:
    """Return a hint: the most similar known name, or all of them."""
    close = nearest(value, known) if isinstance(value, str) else None
    return f"Did you mean '{close}'?" if close else f"Use one of: {', '.join(known)}."


def _kind(value: Any) -> str:
    """Return a word for the type of a value."""
    for type_, word in _KINDS:
        if isinstance(value, type_):
            return word
    return "a date or time"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "text"),
    (bool, "true or false"),
    ((int, float), "a number"),
    ((list, tuple), "a list"),
    (Mapping, "a table"),
    (type(None), "nothing"),
)
