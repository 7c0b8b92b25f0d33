"""What a client's own events say, for the tests of each adapter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mission.runtime.adapters.client_events import ClientEvent, UsageCount, read_event
from mission.runtime.adapters.launch_adapter import (
    MISSION,
    MISSION_TOKEN,
    LaunchAdapter,
    LaunchPlan,
    Preparation,
    Server,
)

SERVER = Server(name=MISSION, url="http://127.0.0.1:1/mcp", token_variable=MISSION_TOKEN)


def said(launch: LaunchAdapter, *events: Any) -> list[ClientEvent]:
    """Return what the events say, one after the other, as the lines of one run."""
    assert launch.read is not None
    counter = UsageCount()
    return [each for event in events for each in read_event(launch.read, json.dumps(event).encode(), counter)]


def prepared(launch: LaunchAdapter, **changes: Any) -> Preparation:
    """Return how the client would be started."""
    given = {"program": "/bin/agent", "prompt": "--PROMPT", "folder": Path("/private"), "directory": Path("/tree")}
    return launch.prepare(LaunchPlan(**{**given, "servers": [SERVER], "session_id": "SESSION", **changes}))
