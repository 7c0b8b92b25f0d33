"""The answer to tools/list: the tools of the chosen toolsets that the caller may call."""

from __future__ import annotations

from typing import Any

from mission.gateway.caller import Caller
from mission.gateway.gateway import Gateway
from mission.gateway.registry import Tool
from mission.gateway.toolsets import parse_toolsets


async def listed_tools(gateway: Gateway, caller: Caller) -> list[dict[str, Any]]:
    """Return the tools as the caller sees them, or raise an error if its agent or its toolsets do not exist."""
    chosen = parse_toolsets(caller.toolsets or "")
    identity = await gateway.identify(caller)
    return [listing(tool) for tool in gateway.registry.chosen(chosen) if gateway.permitted(identity, tool)]


def listing(tool: Tool) -> dict[str, Any]:
    """Return a tool as clients see it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
    }
