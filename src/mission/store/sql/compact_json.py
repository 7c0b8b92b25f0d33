"""JSON as the store keeps it: compact, with its own characters."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json


def dumps(value: Any) -> str:
    return to_json(value).decode()
