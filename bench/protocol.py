"""MCP messages in both eras of the protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_META = "io.modelcontextprotocol/"


@dataclass(frozen=True, slots=True)
class Era:
    """A period of the protocol, identified by a version."""

    name: str
    version: str
    stateless: bool

    def message(self, method: str, params: Mapping[str, Any], *, id: int = 1) -> bytes:
        """Return one request as JSON on one line."""
        body = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, **self._meta()}}
        return json.dumps(body, separators=(",", ":")).encode()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        return self.message("tools/call", {"name": tool, "arguments": arguments})

    def initialize(self) -> bytes:
        client = {"name": "bench", "version": "1"}
        return self.message(
            "initialize", {"protocolVersion": self.version, "capabilities": {}, "clientInfo": client}, id=0
        )

    def headers(self, method: str, name: str | None) -> dict[str, str]:
        """Return the HTTP headers that the era requires."""
        headers = {"MCP-Protocol-Version": self.version}
        if self.stateless:
            headers["Mcp-Method"] = method
            if name is not None:
                headers["Mcp-Name"] = name
        return headers

    def _meta(self) -> dict[str, Any]:
        if not self.stateless:
            return {}
        return {
            "_meta": {
                f"{_META}protocolVersion": self.version,
                f"{_META}clientInfo": {"name": "bench", "version": "1"},
                f"{_META}clientCapabilities": {},
            }
        }


HANDSHAKE = Era("handshake", "2025-11-25", stateless=False)
STATELESS = Era("stateless", "2026-07-28", stateless=True)
ERAS = (HANDSHAKE, STATELESS)
