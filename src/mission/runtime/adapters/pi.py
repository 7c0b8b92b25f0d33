"""Pi: does not support MCP, so it signals with markers; launched without a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from mission.runtime.adapters.client_events import (
    AgentText,
    ClientEvent,
    Failed,
    RawEvent,
    Session,
    ToolEnded,
    ToolStarted,
    UsageCount,
)
from mission.runtime.adapters.launch_adapter import PRINTS_ONLY, LaunchAdapter, LaunchPlan, Preparation


def _prepare(order: LaunchPlan) -> Preparation:
    session = ["--session", order.resume] if order.resume else []
    return Preparation(argv=[order.program, "-p", "--mode", "json", *session, *order.arguments, order.prompt])


def _read(event: RawEvent, counter: UsageCount) -> Iterator[ClientEvent]:
    if event["type"] == "session":
        yield Session(event["id"])
    elif event["type"] == "tool_execution_start":
        yield ToolStarted(event["toolCallId"])
    elif event["type"] == "tool_execution_end":
        yield ToolEnded(event["toolCallId"])
    elif event["type"] == "message_end" and event["message"]["role"] == "assistant":
        message = event["message"]
        for part in message["content"]:
            if part["type"] == "text":
                yield AgentText(part["text"])
        usage = message.get("usage") or {}
        yield counter.add(
            input_tokens=usage.get("input"),
            output_tokens=usage.get("output"),
            cached_tokens=usage.get("cacheRead"),
            cost_usd=(usage.get("cost") or {}).get("total"),
        )
        if message.get("stopReason") == "error":
            yield Failed(str(message.get("errorMessage")))


LAUNCH = LaunchAdapter(
    name="pi",
    title="Pi",
    program="pi",
    runtime="pi",
    capabilities=PRINTS_ONLY,
    prepare=_prepare,
    read=_read,
    interactive=False,
    variables=("PI_*", "*_API_KEY", "ANTHROPIC_*", "OPENAI_*", "GOOGLE_*", "GEMINI_*", "AWS_*"),
)
