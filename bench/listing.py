"""Measure the tool list's share of a model's context, in tokens."""

from __future__ import annotations

import json
from typing import Any

from bench.effort import Effort
from bench.http import Connection
from bench.protocol import STATELESS
from bench.report import Row, Target
from bench.server import daemon
from mission.domain.token_count import tokenizer

SECTION = "tools/list of the default toolset"
TOOLS = 13
MODEL_READS = ("name", "description", "inputSchema")


def measure(effort: Effort) -> list[Row]:  # noqa: ARG001
    with daemon(tasks=1) as server:
        request = server.address.request(
            "POST",
            "/mcp",
            body=STATELESS.message("tools/list", {}),
            headers=STATELESS.headers("tools/list", None),
        )
        answer = Connection(server.address).exchange(request)
    tools = json.loads(answer.partition(b"\r\n\r\n")[2])["result"]["tools"]
    read = [{name: tool[name] for name in MODEL_READS} for tool in tools]
    return [
        _row(f"names, descriptions, input schemas of {len(tools)} tools", read, target=2_000),
        _row("everything", tools, target=4_500),
        Row(section=SECTION, what="tools", figure=len(tools), unit="rows", target=Target(TOOLS, of="figure")),
    ]


def _row(what: str, content: Any, *, target: int) -> Row:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    tokens = tokenizer().count(text, limit=len(text) * 4) or 0
    return Row(section=SECTION, what=what, figure=tokens, unit="tokens", target=Target(target, of="figure"))
