"""The fields of a signal's payload, each with its JSON Schema and its check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mission.domain.errors import InvalidInput
from mission.spelling import STRICT, nearest

MAX_TEXT_LENGTH = 2_000
MAX_ARTIFACTS = 64
MAX_LABEL_LENGTH = 200

ACTIVITIES = ("read", "edit", "write", "reference", "output")


class Field(Protocol):
    """One field of a payload."""

    @property
    def required(self) -> bool: ...

    def schema(self) -> dict[str, Any]: ...

    def read(self, value: Any, *, name: str) -> Any:
        """Return the value to store, or raise an error that names the field and what it accepts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextField:
    """Free text, or one of a few options."""

    description: str = ""
    max_length: int = MAX_TEXT_LENGTH
    required: bool = True
    options: Sequence[str] = ()

    def schema(self) -> dict[str, Any]:
        described = {"description": self.description} if self.description else {}
        if self.options:
            return {"type": "string", "enum": list(self.options), **described}
        return {"type": "string", "minLength": 1, "maxLength": self.max_length, **described}

    def read(self, value: Any, *, name: str) -> str:
        if not isinstance(value, str):
            raise _wrong(name, f"must be text, not {_kind(value)}")
        text = value.strip()
        if self.options and text not in self.options:
            raise _wrong(name, f"'{text[:60]}' is not one of: {', '.join(self.options)}")
        if not text:
            raise _wrong(name, "must not be empty")
        if len(text) > self.max_length:
            raise _wrong(name, f"too long: {len(text):,} characters (limit {self.max_length:,})")
        if "\x00" in text or not _is_whole(text):
            raise _wrong(name, "contains a NUL or an unpaired surrogate")
        return text


@dataclass(frozen=True, kw_only=True, slots=True)
class Choices:
    """Answers that a person can click; free text is always possible."""

    description: str
    max_items: int
    required: bool = False

    _KINDS = ("fixed", "manual")

    def schema(self) -> dict[str, Any]:
        text = TextField(max_length=MAX_LABEL_LENGTH).schema()
        choice = {
            "type": "object",
            "properties": {
                "kind": TextField(options=self._KINDS, description="fixed has a value; manual asks for text").schema(),
                "label": text,
                "value": TextField(description="The answer you receive (fixed)").schema(),
                "placeholder": {**text, "description": "Shown in the empty field (manual)"},
            },
            "required": ["kind", "label"],
        }
        return {"type": "array", "maxItems": self.max_items, "items": choice, "description": self.description}

    def read(self, value: Any, *, name: str) -> list[dict[str, str]]:
        if not isinstance(value, list):
            raise _wrong(name, f"must be a list, not {_kind(value)}")
        if len(value) > self.max_items:
            raise _wrong(name, f"has {len(value)} choices (limit {self.max_items})")
        return [self._choice(each, name=f"{name}.{position}") for position, each in enumerate(value)]

    def _choice(self, value: Any, *, name: str) -> dict[str, str]:
        if not isinstance(value, Mapping):
            raise _wrong(name, 'must be {"kind": "fixed", "label", "value"} or {"kind": "manual", "label"}')
        kind = TextField(options=self._KINDS).read(value.get("kind"), name=f"{name}.kind")
        fields: dict[str, Field] = {"label": TextField(max_length=MAX_LABEL_LENGTH)}
        if kind == "fixed":
            fields["value"] = TextField()
        else:
            fields["placeholder"] = TextField(max_length=MAX_LABEL_LENGTH, required=False)
        return {"kind": kind, **read_fields(fields, value, inside=f"{name}.")}


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifacts:
    """Files and other artifacts that the signal refers to."""

    required: bool = False

    def schema(self) -> dict[str, Any]:
        properties = {name: field.schema() for name, field in _ARTIFACT.items()}
        return {
            "type": "array",
            "maxItems": MAX_ARTIFACTS,
            "items": {"type": "object", "properties": properties},
            "description": "Related files, each with a path or an artifactId",
        }

    def read(self, value: Any, *, name: str) -> list[dict[str, str]]:
        if not isinstance(value, list):
            raise _wrong(name, f"must be a list, not {_kind(value)}")
        if len(value) > MAX_ARTIFACTS:
            raise _wrong(name, f"has {len(value)} entries (limit {MAX_ARTIFACTS})")
        return [self._artifact(each, name=f"{name}.{position}") for position, each in enumerate(value)]

    def _artifact(self, value: Any, *, name: str) -> dict[str, str]:
        given = {"path": value} if isinstance(value, str) else value
        if not isinstance(given, Mapping):
            raise _wrong(name, f"must be an object with path or artifactId, not {_kind(value)}")
        artifact: dict[str, str] = read_fields(_ARTIFACT, given, inside=f"{name}.")
        if not {"path", "artifactId"} & artifact.keys():
            raise _wrong(name, "needs a path or an artifactId")
        return artifact


_ARTIFACT: Mapping[str, Field] = {
    "path": TextField(required=False),
    "artifactId": TextField(required=False, max_length=MAX_LABEL_LENGTH),
    "label": TextField(required=False, max_length=MAX_LABEL_LENGTH),
    "activity": TextField(required=False, options=ACTIVITIES),
}


def read_fields(fields: Mapping[str, Field], given: Mapping[str, Any], *, inside: str = "") -> dict[str, Any]:
    """Return the values of the known fields.

    Unknown fields are ignored because some clients add their own, unless one looks like a missing known field.
    """
    present = {name: value for name, value in given.items() if value is not None}
    missing = [name for name in fields if name not in present]
    for name in present.keys() - fields.keys():
        close = nearest(str(name), missing, likeness=STRICT)
        if close:
            raise _wrong(f"{inside}{str(name)[:60]}", f"is unknown; did you mean '{inside}{close}'?")
    for name in missing:
        if fields[name].required:
            raise _wrong(f"{inside}{name}", "is required")
    return {
        name: field.read(present[name], name=f"{inside}{name}") for name, field in fields.items() if name in present
    }


def _wrong(name: str, problem: str) -> InvalidInput:
    return InvalidInput(
        f"{name}: {problem}", hint="Fix it and send the signal again with the same eventId.", field=name
    )


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", bool: "true or false", str: "text"}
    return kinds.get(type(value), "a number" if isinstance(value, int | float) else "null")


def _is_whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
