"""What models get slightly wrong and plainly mean: JSON as text, one item for a list, capitals in a choice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel


def as_meant(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they were meant; what cannot be told stays as it is and is explained by the check."""
    return {
        name: _value(model.model_fields[name].annotation, value) if name in model.model_fields else value
        for name, value in given.items()
    }


def model_of(annotation: Any) -> type[BaseModel] | None:
    """The model behind a field, also behind an optional one."""
    return next((each for each in _options(annotation) if isinstance(each, type) and issubclass(each, BaseModel)), None)


def _value(annotation: Any, value: Any) -> Any:
    options = _options(annotation)
    model = model_of(annotation)
    is_list = any(get_origin(each) is list for each in options)
    if isinstance(value, str) and str not in options:
        if model is not None or is_list or any(get_origin(each) is dict for each in options):
            value = _decoded(value)
        else:
            value = _choice(options, value)
    if is_list and isinstance(value, str) and value:
        value = [value]
    if is_list and isinstance(value, list):
        item = next(get_args(each)[0] for each in options if get_origin(each) is list)
        return [_value(item, each) for each in value]
    return as_meant(model, value) if model is not None and isinstance(value, Mapping) else value


def _options(annotation: Any) -> tuple[Any, ...]:
    """The types a field takes, without None and without what only annotates them."""
    if get_origin(annotation) is Annotated:
        return _options(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(each for part in get_args(annotation) if part is not type(None) for each in _options(part))
    return (annotation,)


def _decoded(text: str) -> Any:
    """JSON that was sent as text."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _choice(options: tuple[Any, ...], text: str) -> str:
    """A word of ours in capitals, as our own answers write it."""
    words: list[str] = []
    for each in options:
        if isinstance(each, type) and issubclass(each, StrEnum):
            words += [str(member) for member in each]
        elif get_origin(each) is Literal:
            words += [str(word) for word in get_args(each)]
    folded = {word.casefold(): word for word in words}
    return folded.get(text.strip().casefold(), text)
