"""The client's messages that pass through the bridge.

Standard library only.
"""

from __future__ import annotations

import json
import os

from mission.transports.bridge.http_client import fits_header

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mission.transports.bridge.http_client import HttpConnection

MAX_KEY_LENGTH = 200  # as the daemon accepts them
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class ClientRequest:
    """One message from the client to the daemon."""

    def __init__(self, line: bytes, message: dict[str, Any]) -> None:
        self.line = line
        self.id: str | int | float | None = message.get("id")
        self.method: str | None = message.get("method")
        self.connection: HttpConnection | None = None
        self.canceled = False
        self.sent = False  # it may have taken effect, even if the connection broke
        self.answered = False
        params = mapping(message.get("params"))
        meta = mapping(params.get("_meta"))
        name = params.get(NAMED_BY.get(self.method or "", ""))
        self.name = name if isinstance(name, str) else None
        version = meta.get(VERSION_KEY)
        self.version = version if isinstance(version, str) and fits_header(version) else None
        self.key, self.repeatable = self._key(meta.get("mission/key"))

    @property
    def expects_answer(self) -> bool:
        """Return whether this is a request, not a notification or the client's response to the server."""
        return self.id is not None and self.method is not None

    def _key(self, given: Any) -> tuple[str | None, bool]:
        """Return the key to send, and whether sending twice is safe."""
        if self.method != "tools/call":
            return None, True
        if given is None:
            return os.urandom(16).hex(), True
        usable = isinstance(given, str) and 0 < len(given) <= MAX_KEY_LENGTH and given.isprintable()
        return given if usable and fits_header(given) else None, usable


def wrong_with(message: Any) -> str | None:
    """Return what is wrong with a message, or None if it is valid JSON-RPC."""
    if isinstance(message, list):
        return "Batches are not supported: send one message per line"
    if not isinstance(message, dict):
        return "Invalid request: a message must be an object"
    if "id" in message and type(message["id"]) not in (str, int, float):
        return "Invalid request: the id must be a string or a number"
    if not isinstance(message.get("method", ""), str) or not {"method", "result", "error"} & message.keys():
        return "Invalid request: the method is missing"
    return None


def usable_id(message: Any) -> str | int | float | None:
    identifier = mapping(message).get("id")
    return identifier if type(identifier) in (str, int, float) else None


def routing_headers(job: ClientRequest) -> dict[str, str]:
    """Return the headers that must repeat the body in stateless versions of the protocol."""
    headers = {}
    if job.method is not None and fits_header(job.method):
        headers["Mcp-Method"] = job.method
    if job.name is not None:
        plain = fits_header(job.name) and not job.name.startswith("=?")
        headers["Mcp-Name"] = job.name if plain else _wrapped(job.name)
    return headers


def _wrapped(text: str) -> str:
    """Return a text that does not fit in a header, encoded as the protocol requires."""
    from base64 import b64encode  # deferred: names are nearly always plain

    return f"=?base64?{b64encode(text.encode('utf-8', 'replace')).decode()}?="


def object_in(text: bytes) -> dict[str, Any]:
    """Return the JSON object in a text, or an empty one."""
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def dump(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
