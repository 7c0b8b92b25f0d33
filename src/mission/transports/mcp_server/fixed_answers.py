"""Answers of the protocol that are the same for every client: the handshake and the lists of prompts and resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mission.transports.mcp_server import prompts
from mission.transports.mcp_server.protocol import HANDSHAKE_VERSIONS, MODERN_VERSIONS, SERVER, as_modern

_CAPABILITIES = {
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
}
_LISTS: dict[str, dict[str, Any]] = {
    "prompts/list": {"prompts": prompts.PROMPTS},
    "resources/list": {"resources": prompts.RESOURCES},
    "resources/templates/list": {"resourceTemplates": prompts.RESOURCE_TEMPLATES},
}
_ONCE = {"ttlMs": 0, "cacheScope": "private"}
"""How long a client of a version without a handshake may keep a list."""


def initialized(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a handshake: the client's version, or our newest if we do not know it."""
    wanted = params["protocolVersion"]
    return {
        "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
        "capabilities": _CAPABILITIES,
        "serverInfo": SERVER,
        "instructions": prompts.INSTRUCTIONS,
    }


def fixed_result(method: str, *, modern: bool) -> dict[str, Any] | None:
    """Return the result of a request without params, or None if it depends on more."""
    if method in _LISTS:
        return list_result(_LISTS[method], modern=modern)
    if modern and method == "server/discover":
        discovered = {
            "supportedVersions": list(MODERN_VERSIONS),
            "capabilities": _CAPABILITIES,
            "instructions": prompts.INSTRUCTIONS,
        }
        return list_result(discovered, modern=True)
    return {} if method == "ping" and not modern else None


def list_result(result: Mapping[str, Any], *, modern: bool) -> dict[str, Any]:
    """Return a list in the format of the protocol's era."""
    return as_modern({**_ONCE, **result}) if modern else dict(result)
