"""A stand-in agent: waits for the start signal, then sends progress at an even pace, by MCP or by markers, and ends.

The summary of each signal says when it was sent. Standard library only, so that fifty of them fit on a small machine.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit


def main(go: Path, position: int, count: int, pause: float) -> None:
    url = os.environ.get("OPEN_MISSION_MCP_URL")
    send = Caller(url) if url else Printer()
    while not go.exists():
        time.sleep(0.1)
    time.sleep(pause * (position % 25) / 25)  # agents do not send in lockstep
    for number in range(count):
        send(f"e{number}", f"{time.time():.6f}")
        time.sleep(pause)


class Printer:
    """Prints markers."""

    def __call__(self, event_id: str, summary: str) -> None:
        envelope = {
            "version": 1,
            "agentExecutionId": os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"],
            "eventId": event_id,
            "signal": {"type": "progress", "summary": summary},
        }
        print(f"@task::{json.dumps(envelope)}", flush=True)


class Caller:
    """Calls the tools of its endpoint."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._path = parts.path
        self._connection = http.client.HTTPConnection(parts.netloc, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {os.environ['OPEN_MISSION_MCP_TOKEN']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }

    def __call__(self, event_id: str, summary: str) -> None:
        params = {"name": "progress", "arguments": {"eventId": event_id, "summary": summary}}
        body = {"jsonrpc": "2.0", "id": event_id, "method": "tools/call", "params": params}
        self._connection.request("POST", self._path, json.dumps(body), self._headers)
        answer = self._connection.getresponse().read()
        if b'"promoted"' not in answer:
            raise SystemExit(answer.decode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
