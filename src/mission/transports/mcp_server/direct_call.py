"""Passes an ordinary tools/call over HTTP directly to the gateway; unusual requests go to the SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json
from starlette.types import Send

from mission.domain.errors import MissionError
from mission.gateway.caller import Caller
from mission.gateway.gateway import Gateway
from mission.transports.mcp_server import protocol

_ONCE = (b"mcp-protocol-version", b"mcp-method", b"mcp-name", b"content-type", b"accept")


@dataclass(frozen=True, slots=True)
class DirectCall:
    """One tools/call that needs only an answer, and nothing else of the protocol."""

    id: int | str
    tool: str
    arguments: dict[str, Any]
    key: str | None
    modern: bool
    progress_token: int | str | None = None

    @classmethod
    def of(cls, request: Mapping[str, Any], *, modern: bool) -> DirectCall:
        """Return the call in a request that is an ordinary one."""
        params, meta = request["params"], protocol.meta_of(request)
        key, token = meta.get(protocol.CALL_KEY), meta.get("progressToken")
        return cls(
            id=request["id"],
            tool=params["name"],
            arguments=params.get("arguments") or {},
            key=key if isinstance(key, str) else None,
            modern=modern,
            progress_token=token,
        )

    def answer(self, result: Mapping[str, Any], *, server: Mapping[str, str] = protocol.SERVER) -> bytes:
        """Return the message with the result, in the format of the call's protocol version."""
        if self.modern:
            result = protocol.as_modern(result, server)
        return to_json({"jsonrpc": "2.0", "id": self.id, "result": result})


def parse_direct_call(body: bytes, headers: list[tuple[bytes, bytes]]) -> DirectCall | None:
    """Return the call in this request, or None if the SDK should handle it."""
    given = {name: value for name, value in headers if name in _ONCE}
    if sum(name in _ONCE for name, _ in headers) != len(given) or not _speaks_json(given):
        return None
    request = protocol.decoded(body)
    if request is None or not protocol.is_request(request) or not protocol.is_call(request):
        return None
    meta = protocol.meta_of(request)
    if "progressToken" in meta:  # the answer is a stream
        return None
    version = given.get(b"mcp-protocol-version", b"").decode("latin-1")
    modern = version in protocol.MODERN_VERSIONS
    if modern:
        if not _agrees(meta, given, tool=request["params"]["name"], version=version):
            return None
    elif version not in protocol.HANDSHAKE_VERSIONS:
        return None
    return DirectCall.of(request, modern=modern)


async def answer_directly(gateway: Gateway, call: DirectCall, caller: Caller, send: Send) -> None:
    """Run the call and send its answer."""
    await send_result(call, await call_result(gateway, call.tool, call.arguments, caller), send, server=protocol.SERVER)


async def send_result(call: DirectCall, result: Mapping[str, Any], send: Send, *, server: Mapping[str, str]) -> None:
    """Send the result in the format of the call's protocol version."""
    body = call.answer(result, server=server)
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


def _agrees(meta: Mapping[str, Any], given: Mapping[bytes, bytes], *, tool: str, version: str) -> bool:
    """Return whether the headers and body of a stateless request agree, as the protocol requires."""
    return (
        protocol.is_modern(meta)
        and meta[f"{protocol.META}protocolVersion"] == version
        and given.get(b"mcp-method") == b"tools/call"
        and given.get(b"mcp-name", b"").decode("latin-1") == tool
    )


def text_of(content: Any) -> dict[str, str]:
    """Return compact JSON text for a model: blanks would count against its context."""
    return {"type": "text", "text": to_json(content).decode()}
