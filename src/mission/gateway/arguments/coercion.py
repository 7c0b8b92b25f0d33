"""Coercion of arguments with an obvious meaning: JSON as text, one item for a list, capitals in a choice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

_NUMBERS = frozenset({int, float, datetime})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shape:
    """The accepted types of a field, determined once."""

    options: tuple[Any, ...]
    model: type[BaseModel] | None
    item: _Shape | None
    """The type of the list's items, if it accepts a list."""
    is_dict: bool
    is_number: bool

    @classmethod
    def of(cls, annotation: Any) -> _Shape:
        options = _options(annotation)
        items = [get_args(each)[0] for each in options if get_origin(each) is list]
        return cls(
            options=options,
            model=model_of(annotation),
            item=cls.of(items[0]) if items else None,
            is_dict=any(get_origin(each) is dict for each in options),
            is_number=bool not in options and not _NUMBERS.isdisjoint(options),
        )


def coerce(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as intended; unclear values stay unchanged for the validation to explain."""
    shapes = _shapes(model)
    return {name: _value(shapes[name], value) if name in shapes else value for name, value in given.items()}


def model_of(annotation: Any) -> type[BaseModel] | None:
    """Return the model of a field, also of an optional one."""
    return next((each for each in _options(annotation) if isinstance(each, type) and issubclass(each, BaseModel)), None)


@cache
def _shapes(model: type[BaseModel]) -> dict[str, _Shape]:
    return {name: _Shape.of(field.annotation) for name, field in model.model_fields.items()}


def _value(shape: _Shape, value: Any) -> Any:
    if shape.is_number and isinstance(value, bool):
        return str(value).lower()  # Python would accept it as a number; a text is refused
    if isinstance(value, str) and str not in shape.options:
        if (word := _words(shape.options).get(value.strip().casefold())) is not None:
            return word
        if shape.model is not None or shape.item is not None or shape.is_dict:
            value = _decoded(value)
    if shape.item is not None:
        if isinstance(value, str) and value:
            value = [value]
        if isinstance(value, list):
            return [_value(shape.item, each) for each in value]
    return coerce(shape.model, value) if shape.model is not None and isinstance(value, Mapping) else value


def _options(annotation: Any) -> tuple[Any, ...]:
    """Return the types a field accepts, without None and annotations."""
    if get_origin(annotation) is Annotated:
        return _options(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(each for part in get_args(annotation) if part is not type(None) for each in _options(part))
    return (annotation,)


def _decoded(text: str) -> Any:
    """Return the value of JSON that was sent as text."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _words(options: tuple[Any, ...]) -> dict[str, str]:
    """Return the words that a field accepts, by how they are compared: ignoring case."""
    words: list[str] = []
    for each in options:
        if isinstance(each, type) and issubclass(each, StrEnum):
            words += [str(member) for member in each]
        elif get_origin(each) is Literal:
            words += [str(word) for word in get_args(each)]
    return {word.casefold(): word for word in words}
