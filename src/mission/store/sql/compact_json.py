"""JSON as the store keeps it: compact, with non-ASCII characters unescaped."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json


def dumps(value: Any) -> str:
    return to_json(value).decode()
