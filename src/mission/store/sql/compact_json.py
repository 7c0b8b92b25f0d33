"""JSON as the store keeps it: compact, with non-ASCII characters unescaped."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json, to_json


def dumps(value: Any) -> str:
    return to_json(value).decode()


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text, twice as fast as Python's own reader, which takes a few odd texts more."""
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)
