"""The protocol's ordinary messages, recognized without the SDK, which takes long to import.

Whatever is not recognized here is left to the SDK, mistakes included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mission import __version__

CALL_KEY = "mission/key"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
"""The SDK's protocol versions, copied so that it need not be imported; a test compares them."""
SERVER = {"name": "mission", "title": "Mission Control", "version": __version__}
META = "io.modelcontextprotocol/"
_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params"})
_CALL = frozenset({"name", "arguments", "_meta"})
_INITIALIZE = frozenset({"protocolVersion", "capabilities", "clientInfo"})
_CLIENT = frozenset({"name", "version", "title", "description", "websiteUrl"})
_OBJECTS = frozenset({"experimental", "extensions"})
_CAPABILITIES: dict[str, dict[str, type]] = {
    "roots": {"listChanged": bool},
    "sampling": {"context": dict, "tools": dict},
    "elicitation": {"form": dict, "url": dict},
}
"""What a client can say about itself, with the types of the details."""


def decoded(text: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a text, or None if there is anything unusual about it."""
    try:
        message = _DECODER.decode(text.decode())
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def is_request(message: Mapping[str, Any]) -> bool:
    """Return whether this is a request with an ordinary id and, if any, an object as its params."""
    identifier = message.get("id")
    return (
        _ENVELOPE.issuperset(message)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params", {}), dict)
        and (type(identifier) is int or is_plain(identifier))
    )


def is_notification(message: Mapping[str, Any]) -> bool:
    """Return whether this is a notification with, if any, an object as its params."""
    return (
        "id" not in message
        and _ENVELOPE.issuperset(message)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params", {}), dict)
    )


def is_call(request: Mapping[str, Any]) -> bool:
    """Return whether a request is an ordinary tools/call."""
    params = request.get("params")
    return (
        request["method"] == "tools/call"
        and isinstance(params, dict)
        and _CALL.issuperset(params)
        and is_plain(params.get("name"))
        and isinstance(params.get("arguments", {}), dict)
        and isinstance(meta := params.get("_meta", {}), dict)
        and type(meta.get("progressToken", 0)) in (int, str)
    )


def is_initialize(request: Mapping[str, Any]) -> bool:
    """Return whether a request is an ordinary handshake."""
    params = request.get("params")
    return (
        request["method"] == "initialize"
        and isinstance(params, dict)
        and params.keys() == _INITIALIZE
        and isinstance(params["protocolVersion"], str)
        and is_client(params["clientInfo"])
        and are_capabilities(params["capabilities"])
    )


def is_bare(request: Mapping[str, Any]) -> bool:
    """Return whether a request has no params besides its envelope."""
    params = request.get("params", {})
    return params.keys() <= {"_meta"} and isinstance(params.get("_meta", {}), dict)


def meta_of(request: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = request.get("params", {}).get("_meta") or {}
    return found


def is_modern(meta: Mapping[str, Any]) -> bool:
    """Return whether a request's meta is complete for a version without a handshake."""
    return (
        meta.get(f"{META}protocolVersion") in MODERN_VERSIONS
        and are_capabilities(meta.get(f"{META}clientCapabilities"))
        and is_client(meta.get(f"{META}clientInfo", _ANYBODY))
    )


def claims_modern(meta: Mapping[str, Any]) -> bool:
    """Return whether a request says that it belongs to a version without a handshake."""
    return f"{META}protocolVersion" in meta


def is_client(info: Any) -> bool:
    return (
        isinstance(info, dict)
        and info.keys() >= _ANYBODY.keys()
        and _CLIENT.issuperset(info)
        and all(isinstance(value, str) for value in info.values())
    )


def are_capabilities(given: Any) -> bool:
    return isinstance(given, dict) and all(_is_capability(name, value) for name, value in given.items())


def is_plain(name: Any) -> bool:
    return isinstance(name, str) and name.isascii()


def as_modern(result: Mapping[str, Any], server: Mapping[str, str] = SERVER) -> dict[str, Any]:
    """Return a result with what versions without a handshake add."""
    return {"_meta": {f"{META}serverInfo": server}, "resultType": "complete", **result}


_ANYBODY = {"name": "", "version": ""}


def _is_capability(name: str, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if name in _OBJECTS:
        return all(isinstance(each, dict) for each in value.values())
    details = _CAPABILITIES.get(name)
    return details is not None and all(type(each) is details.get(key) for key, each in value.items())


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
