"""Tool schemas as agents see them: no generated titles, no repetition, few tokens."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of the arguments, without null and empty defaults: optional arguments may be absent."""
    return _short(model.model_json_schema(mode="validation"), nullable=False)


def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a result; only its top level lists required fields, not each row in it."""
    schema = _short(model.model_json_schema(mode="serialization"), nullable=True)
    absent = {name for name, field in model.model_fields.items() if field.exclude_if is not None}
    schema["required"] = [name for name in schema["properties"] if name not in absent]
    for name in absent:  # such a field is absent, never null
        options = schema["properties"][name].get("type")
        if isinstance(options, list):
            schema["properties"][name]["type"] = options[0]
    return schema


def _short(schema: dict[str, Any], *, nullable: bool) -> dict[str, Any]:
    definitions = schema.pop("$defs", {})
    short: dict[str, Any] = _shorten(schema, definitions, nullable=nullable)
    short.pop("description", None)
    return _share(short)


def _is_noise(key: str, value: Any, *, output: bool) -> bool:
    """Return whether the key is useless to a model: generated titles, empty defaults, limits never reached."""
    if key == "title":
        return isinstance(value, str)
    if key == "default":
        return output or not value or value == [] or isinstance(value, dict)
    if key in {"additionalProperties", "required"}:
        return output or value is True
    if key in {"format", "minLength", "minItems"}:
        return True
    return key in {"maximum", "maxItems"} and value >= _UNREACHED[key]


_UNREACHED = {"maximum": 1_000_000, "maxItems": 1_000}


def _shorten(node: Any, definitions: dict[str, Any], *, nullable: bool) -> Any:
    if isinstance(node, list):
        return [_shorten(item, definitions, nullable=nullable) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        inlined = {key: value for key, value in target.items() if key != "description"}
        return _shorten({**inlined, **{k: v for k, v in node.items() if k != "$ref"}}, definitions, nullable=nullable)
    node = _without_null(node, definitions, keep=nullable)
    short = {}
    for key, value in node.items():
        if key != "properties" and _is_noise(key, value, output=nullable):
            continue
        if key == "properties":
            short[key] = {name: _shorten(each, definitions, nullable=nullable) for name, each in value.items()}
        else:
            short[key] = _shorten(value, definitions, nullable=nullable)
    return short


def _without_null(node: dict[str, Any], definitions: dict[str, Any], *, keep: bool) -> dict[str, Any]:
    """Return X for 'anyOf [X, null]', with null added to its type if `keep`."""
    options = node.get("anyOf")
    if not options or {"type": "null"} not in options:
        return node
    others = [option for option in options if option != {"type": "null"}]
    if len(others) != 1:
        return node if keep else {**node, "anyOf": others}
    only = others[0]
    if "$ref" in only:
        only = {k: v for k, v in definitions[only["$ref"].rsplit("/", 1)[-1]].items() if k != "description"}
    merged = {**{k: v for k, v in node.items() if k != "anyOf"}, **only}
    if keep and isinstance(merged.get("type"), str):
        merged["type"] = [merged["type"], "null"]
        if "enum" in merged:
            merged["enum"] = [*merged["enum"], None]
    return merged


def _share(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with long, repeated sub-schemas moved to $defs."""
    counts: dict[str, int] = {}
    _count_objects(schema, counts, top=True)
    shared = {text: f"d{i}" for i, text in enumerate(t for t, n in counts.items() if n > 1 and len(t) > 120)}
    if not shared:
        return schema
    result: dict[str, Any] = _refer(schema, shared, top=True)
    result["$defs"] = {name: _refer(json.loads(text), shared, top=True) for text, name in shared.items()}
    return result


def _count_objects(node: Any, counts: dict[str, int], *, top: bool = False) -> None:
    if isinstance(node, dict):
        if not top and _is_object(node):
            text = _key(node)
            counts[text] = counts.get(text, 0) + 1
        for value in node.values():
            _count_objects(value, counts)
    elif isinstance(node, list):
        for value in node:
            _count_objects(value, counts)


def _refer(node: Any, shared: dict[str, str], *, top: bool = False) -> Any:
    if isinstance(node, dict):
        if not top and _is_object(node) and (name := shared.get(_key(node))):
            return {"$ref": f"#/$defs/{name}"}
        return {key: _refer(value, shared) for key, value in node.items()}
    return [_refer(value, shared) for value in node] if isinstance(node, list) else node


def _is_object(node: dict[str, Any]) -> bool:
    return node.get("type") in ("object", ["object", "null"]) and isinstance(node.get("properties"), dict)


def _key(node: dict[str, Any]) -> str:
    return json.dumps(node, sort_keys=True)
