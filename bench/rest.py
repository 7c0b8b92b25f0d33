"""Calls tools over REST, on a connection that stays open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bench.http import Address, Connection


class Rest:
    """Calls tools of a daemon; a refused call is an error."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection = Connection(address)

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        body = json.dumps(arguments).encode()
        request = self._address.request("POST", f"/api/tools/{tool}", body=body)
        answer: dict[str, Any] = json.loads(self._connection.exchange(request).partition(b"\r\n\r\n")[2])
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer
