"""Validation of a tool's arguments, with error messages that a model can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.plural import counted
from mission.gateway.arguments.coercion import coerce, model_of
from mission.gateway.registry import Arguments, Tool
from mission.spelling import STRICT, nearest

MAX_TEXT_LENGTH = 1_000_000
MAX_DEPTH = 32
SHOWN_PROBLEMS = 5
MAX_NAMES = 200


def validate(tool: Tool, arguments: Mapping[str, Any]) -> Arguments:
    """Return the tool's arguments model, or raise an error with each invalid field and what it accepts."""
    if not isinstance(arguments, Mapping):
        raise InvalidInput(f"{tool.name}: the arguments must be an object", hint='Send {"field": value, …}.')
    for name, value in arguments.items():
        check_text(name, field="an argument's name")
        if not _is_plain(value, depth=1):
            _check_value(value, field=name, depth=1)
    given = coerce(tool.arguments, _renamed(tool, arguments))
    _check_spelling(tool, tool.arguments, given)
    try:
        return tool.arguments.model_validate(given)
    except ValidationError as error:
        raise _explained(error, given) from None


def _renamed(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments under our names; null means absent."""
    given = {name: value for name, value in arguments.items() if value is not None or name in tool.arguments.nullable}
    for theirs, ours in tool.arguments.aliases.items():
        if theirs in given:
            given.setdefault(ours, given.pop(theirs))
    return given


def check_value(value: Any, *, field: str) -> None:
    """Raise InvalidInput unless the value's texts and depth are acceptable."""
    if not _is_plain(value, depth=1):
        _check_value(value, field=field, depth=1)


def _is_plain(value: Any, *, depth: int) -> bool:
    """Return whether a value needs no further check; fast, because a plan of thousands of tasks is one argument."""
    kind = type(value)
    if kind is str:
        return value.isascii() and "\x00" not in value and len(value) <= MAX_TEXT_LENGTH
    if kind is dict:
        return depth < MAX_DEPTH and all(
            _is_plain(key, depth=depth) and _is_plain(each, depth=depth + 1) for key, each in value.items()
        )
    if kind is list:
        return depth < MAX_DEPTH and all(_is_plain(each, depth=depth + 1) for each in value)
    return kind is int or kind is bool or value is None


def _check_value(value: Any, *, field: str, depth: int) -> None:
    if isinstance(value, str):
        check_text(value, field=field)
    elif isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise InvalidInput(f"{field}: nested more than {MAX_DEPTH} levels deep", hint="Flatten it.", field=field)
        if isinstance(value, dict):
            for key, each in value.items():
                check_text(key, field=field)
                _check_value(each, field=f"{field}.{key[:40]}" if depth < 4 else field, depth=depth + 1)
        else:
            for each in value:
                _check_value(each, field=field, depth=depth + 1)
    elif isinstance(value, float) and value - value != 0:
        raise InvalidInput(f"{field}: NaN and infinity are not allowed", hint="Give a finite number.", field=field)


def check_text(text: str, *, field: str) -> None:
    if len(text) > MAX_TEXT_LENGTH:
        raise TooLarge(f"{field}: too long: {len(text):,} characters (limit {MAX_TEXT_LENGTH:,})", field=field)
    if text.isascii() and "\x00" not in text:
        return
    if "\x00" in text:
        raise InvalidInput(f"{field}: contains a NUL character", hint="Remove NUL characters.", field=field)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput(
            f"{field}: contains an unpaired surrogate",
            hint="Send the complete character, or remove it.",
            field=field,
        ) from None


def _check_spelling(tool: Tool, model: type[BaseModel], given: Mapping[str, Any], *, inside: str = "") -> None:
    """Raise InvalidInput for an unknown name that looks like a missing argument; ignore other unknown names."""
    fields = model.model_fields
    missing = [name for name in fields if name not in given]
    for name in list(given)[:MAX_NAMES]:
        if name in fields:
            nested = model_of(fields[name].annotation)
            if nested is not None and isinstance(given[name], Mapping):
                _check_spelling(tool, nested, given[name], inside=f"{inside}{name}.")
            continue
        close = nearest(name, missing, likeness=STRICT)
        if close:
            raise InvalidInput(
                f"{tool.name} has no argument '{inside}{name[:60]}'; did you mean '{inside}{close}'?",
                hint=f"It takes: {', '.join(inside + field for field in fields)}.",
                field=f"{inside}{name[:60]}",
            )


def _explained(error: ValidationError, given: Mapping[str, Any]) -> InvalidInput:
    found = error.errors(include_url=False, include_context=True, include_input=False)
    shown = [_problem(each, given) for each in found[:SHOWN_PROBLEMS]]
    more = len(found) - len(shown)
    message = "; ".join(text for text, _ in shown) + (f"; and {more} more" if more else "")
    hints = [hint for _, hint in shown if hint]
    return InvalidInput(
        message,
        hint=hints[0] if hints else "Fix it and try again.",
        field=".".join(map(str, found[0]["loc"])) or None,
    )


def _problem(each: Any, given: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return one problem as a sentence, with a hint if there is a good one."""
    field = ".".join(map(str, each["loc"]))
    kind, context = each["type"], each.get("ctx", {})
    if kind == "missing":
        return f"{field} is required", None
    if kind in {"enum", "literal_error"}:
        allowed = [word.strip().strip("'") for word in context["expected"].replace(" or ", ", ").split(",")]
        value = _at(given, each["loc"])
        close = nearest(str(value), allowed)
        sentence = f"{field}: {_quoted(value)} is not one of: {', '.join(allowed)}"
        return sentence, f"Did you mean '{close}'?" if close else f"Use one of: {', '.join(allowed)}."
    if kind == "value_error":
        return str(context["error"]), None
    if kind in {"too_short", "too_long"}:
        word, bound = ("least", "min_length") if kind == "too_short" else ("most", "max_length")
        return f"{field}: must have at {word} {counted(context[bound], 'item')}, not {context['actual_length']}", None
    value = _at(given, each["loc"])
    return f"{field}: {_sentence(kind, each['msg'], context)}, not {_quoted(value)}", None


_WANTED = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def _sentence(kind: str, message: str, context: Mapping[str, Any]) -> str:
    if kind in _WANTED:
        return _WANTED[kind]
    if kind == "greater_than_equal":
        return f"must be at least {context['ge']:,}"
    if kind == "less_than_equal":
        return f"must be at most {context['le']:,}"
    if kind == "string_too_long":
        return f"must have at most {context['max_length']} characters"
    if kind == "string_too_short":
        return f"must have at least {counted(context['min_length'], 'character')}"
    return message[:1].lower() + message[1:]


def _at(given: Any, location: tuple[int | str, ...]) -> Any:
    for step in location:
        try:
            given = given[step]
        except (KeyError, IndexError, TypeError):
            return None
    return given


def _quoted(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= 60 else f"{len(value):,} characters"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return str(value).lower() if isinstance(value, bool) else str(value)[:60]
