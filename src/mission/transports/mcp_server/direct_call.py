"""Passes an ordinary tools/call over HTTP directly to the gateway; unusual requests go to the SDK."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json
from starlette.types import Send

from mission import __version__
from mission.domain.errors import MissionError
from mission.gateway.caller import Caller
from mission.gateway.gateway import Gateway

CALL_KEY = "mission/key"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
"""The SDK's protocol versions, copied so that it need not be imported; a test compares them."""
SERVER = {"name": "mission", "title": "Mission Control", "version": __version__}
_META = "io.modelcontextprotocol/"
_ENVELOPE = {"jsonrpc", "id", "method", "params"}
_PARAMS = {"name", "arguments", "_meta"}
_ONCE = (b"mcp-protocol-version", b"mcp-method", b"mcp-name", b"content-type", b"accept")


@dataclass(frozen=True, slots=True)
class DirectCall:
    """One tools/call that needs only an answer, and nothing else of the protocol."""

    id: int | str
    tool: str
    arguments: dict[str, Any]
    key: str | None
    modern: bool


def parse_direct_call(body: bytes, headers: list[tuple[bytes, bytes]]) -> DirectCall | None:
    """Return the call in this request, or None if the SDK should handle it."""
    given = {name: value for name, value in headers if name in _ONCE}
    if sum(name in _ONCE for name, _ in headers) != len(given) or not _speaks_json(given):
        return None
    version = given.get(b"mcp-protocol-version", b"").decode("latin-1")
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not _is_call(request):
        return None
    params = request["params"]
    meta = params.get("_meta") or {}
    modern = version in MODERN_VERSIONS
    if modern:
        if not _agrees(meta, given, tool=params["name"], version=version):
            return None
    elif version not in HANDSHAKE_VERSIONS:
        return None
    key = meta.get(CALL_KEY)
    return DirectCall(
        id=request["id"],
        tool=params["name"],
        arguments=params.get("arguments") or {},
        key=key if isinstance(key, str) else None,
        modern=modern,
    )


async def answer_directly(gateway: Gateway, call: DirectCall, caller: Caller, send: Send) -> None:
    """Run the call and send its answer."""
    await send_result(call, await call_result(gateway, call.tool, call.arguments, caller), send, server=SERVER)


async def send_result(call: DirectCall, result: Mapping[str, Any], send: Send, *, server: Mapping[str, str]) -> None:
    """Send the result in the format of the call's protocol version."""
    if call.modern:
        result = {"_meta": {f"{_META}serverInfo": server}, "resultType": "complete", **result}
    body = to_json({"jsonrpc": "2.0", "id": call.id, "result": result})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def call_result(gateway: Gateway, tool: str, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
    """Return the result or error of a call in MCP's format."""
    try:
        result = await gateway(tool, arguments, caller)
    except MissionError as error:
        return error_result(error)
    return {"content": [text_of(result)], "structuredContent": result, "isError": False}


def error_result(error: MissionError) -> dict[str, Any]:
    return {"content": [text_of({"error": error.as_dict()})], "isError": True}


def _speaks_json(given: Mapping[bytes, bytes]) -> bool:
    kind = given.get(b"content-type", b"").partition(b";")[0].strip().lower()
    return kind == b"application/json" and b"application/json" in given.get(b"accept", b"").lower()


def _is_call(request: Any) -> bool:
    """Return whether this is an ordinary call that does not request progress."""
    if not isinstance(request, dict) or not _ENVELOPE.issuperset(request) or request.get("jsonrpc") != "2.0":
        return False
    number, params = request.get("id"), request.get("params")
    if (
        isinstance(number, bool)
        or not (isinstance(number, int) or _is_plain(number))
        or request.get("method") != "tools/call"
    ):
        return False
    if not isinstance(params, dict) or not _PARAMS.issuperset(params) or not _is_plain(params.get("name")):
        return False
    meta, arguments = params.get("_meta", {}), params.get("arguments", {})
    return isinstance(arguments, dict) and isinstance(meta, dict) and "progressToken" not in meta


def _is_plain(name: Any) -> bool:
    return isinstance(name, str) and name.isascii()


def _agrees(meta: Mapping[str, Any], given: Mapping[bytes, bytes], *, tool: str, version: str) -> bool:
    """Return whether the headers and body of a stateless request agree, as the protocol requires."""
    client = meta.get(f"{_META}clientInfo", _ANYBODY)
    return (
        meta.get(f"{_META}protocolVersion") == version
        and meta.get(f"{_META}clientCapabilities") == {}
        and isinstance(client, dict)
        and client.keys() == _ANYBODY.keys()
        and all(isinstance(value, str) for value in client.values())
        and given.get(b"mcp-method") == b"tools/call"
        and given.get(b"mcp-name", b"").decode("latin-1") == tool
    )


_ANYBODY = {"name": "", "version": ""}


def text_of(content: Any) -> dict[str, str]:
    """Return compact JSON text for a model: blanks would count against its context."""
    return {"type": "text", "text": to_json(content).decode()}
