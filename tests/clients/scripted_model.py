"""A model of our own on loopback: speaks the wire formats of four providers and plays a script.

Each request carries the whole conversation, so the number of the model's turns in it says which step is next.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """The model answers with words; it may use what stands in the conversation."""

    words: Callable[[str], str]


@dataclass(frozen=True)
class Use:
    """The model calls the tool whose name ends so."""

    tool: str
    arguments: Mapping[str, Any]


Step = Say | Use


@dataclass
class Model:
    """The script and what was asked."""

    url: str
    steps: Sequence[Step] = ()
    requests: list[Json] = field(default_factory=list)

    def step(self, turns: int, _: Json) -> Step:
        return self.steps[turns] if turns < len(self.steps) else Say(lambda _: "Done.")


@contextmanager
def model() -> Iterator[Model]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    made = Model(url=f"http://127.0.0.1:{server.server_port}")
    server.model = made  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._answer(json.dumps({"data": [], "models": []}).encode(), "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        model: Model = self.server.model  # type: ignore[attr-defined]
        model.requests.append({"path": self.path, "body": body})
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._answer(b'{"input_tokens": 10}', "application/json")
        elif path.endswith("/messages"):
            self._stream(_anthropic(model, body))
        elif path.endswith("/responses"):
            self._stream(_responses(model, body))
        elif path.endswith("/chat/completions"):
            self._stream(_completions(model, body))
        elif "streamGenerateContent" in path:
            self._stream(_gemini(model, body))
        elif "generateContent" in path:
            event = next(iter(_gemini(model, body)))
            self._answer(json.dumps(event[1]).encode(), "application/json")
        else:
            self._answer(b"{}", "application/json")

    def _stream(self, events: Iterator[tuple[str | None, Any]]) -> None:
        lines = []
        for name, data in events:
            text = data if isinstance(data, str) else json.dumps(data)
            lines.append((f"event: {name}\n" if name else "") + f"data: {text}\n\n")
        self._answer("".join(lines).encode(), "text/event-stream")

    def _answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _named(names: Sequence[str], wanted: str) -> str | None:
    """The listed tool of that name, or that ends with it: one of the signal server if there is a choice."""
    if wanted in names:
        return wanted
    fitting = [name for name in names if name.replace("-", "_").endswith(wanted)]
    return next((name for name in fitting if "open" in name), fitting[0] if fitting else None)


def _text_of(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False) if not isinstance(content, str) else content


def _anthropic(model: Model, body: Json) -> Iterator[tuple[str | None, Any]]:
    messages = body.get("messages", [])
    names = [tool["name"] for tool in body.get("tools", []) if "name" in tool]
    turns = sum(message["role"] == "assistant" for message in messages)
    step = model.step(turns, body) if names else Say(lambda _: "Title")
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    head = {"id": f"msg_{turns}", "type": "message", "role": "assistant", "model": body.get("model"), "content": []}
    yield (
        "message_start",
        {"type": "message_start", "message": {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}},
    )
    tool = _named(names, step.tool) if isinstance(step, Use) else None
    if isinstance(step, Use) and tool is not None:
        block = {"type": "tool_use", "id": f"toolu_{turns}", "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
        reason = "tool_use"
    else:
        words = step.words(_text_of(messages)) if isinstance(step, Say) else f"there is no tool {step.tool}"
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": words}
        reason = "end_turn"
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    yield (
        "message_delta",
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
    )
    yield "message_stop", {"type": "message_stop"}


def _responses(model: Model, body: Json) -> Iterator[tuple[str | None, Any]]:
    items = body.get("input", [])
    items = items if isinstance(items, list) else [{"type": "message", "role": "user", "content": items}]
    turns = sum(
        item.get("type") == "function_call"
        or (item.get("type", "message") == "message" and item.get("role") == "assistant")
        for item in items
    )
    names: dict[str, tuple[str | None, str]] = {}
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", []):
                names[f"{tool['name']}{inner['name']}"] = (tool["name"], inner["name"])
        elif "name" in tool:
            names[tool["name"]] = (None, tool["name"])
    step = model.step(turns, body)
    found = _named(list(names), step.tool) if isinstance(step, Use) else None
    base = {
        "id": f"resp_{turns}",
        "object": "response",
        "created_at": 1,
        "model": body.get("model"),
        "status": "in_progress",
        "output": [],
    }
    yield "response.created", {"type": "response.created", "response": base}
    item: Json
    if isinstance(step, Use) and found is not None:
        namespace, name = names[found]
        item = {
            "type": "function_call",
            "id": f"fc_{turns}",
            "call_id": f"call_{turns}",
            "name": name,
            "arguments": json.dumps(step.arguments),
            "status": "completed",
        }
        if namespace:
            item["namespace"] = namespace
    else:
        words = step.words(_text_of(items)) if isinstance(step, Say) else f"there is no tool {step.tool}"
        content = [{"type": "output_text", "text": words, "annotations": []}]
        item = {"type": "message", "id": f"m_{turns}", "role": "assistant", "status": "completed", "content": content}
    yield (
        "response.output_item.added",
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}},
    )
    if item["type"] == "message":
        yield (
            "response.output_text.delta",
            {
                "type": "response.output_text.delta",
                "output_index": 0,
                "content_index": 0,
                "item_id": item["id"],
                "delta": item["content"][0]["text"],
            },
        )
    yield "response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 120,
    }
    yield (
        "response.completed",
        {"type": "response.completed", "response": {**base, "status": "completed", "output": [item], "usage": usage}},
    )


def _completions(model: Model, body: Json) -> Iterator[tuple[str | None, Any]]:
    messages = body.get("messages", [])
    names = [tool["function"]["name"] for tool in body.get("tools", [])]
    turns = sum(message["role"] == "assistant" for message in messages)
    step = model.step(turns, body) if names else Say(lambda _: "Title")
    tool = _named(names, step.tool) if isinstance(step, Use) else None
    base = {"id": f"c_{turns}", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
    if isinstance(step, Use) and tool is not None:
        call = {
            "index": 0,
            "id": f"call_{turns}",
            "type": "function",
            "function": {"name": tool, "arguments": json.dumps(step.arguments)},
        }
        delta, reason = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
    else:
        words = step.words(_text_of(messages)) if isinstance(step, Say) else f"there is no tool {step.tool}"
        delta, reason = {"role": "assistant", "content": words}, "stop"
    yield None, {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    yield None, {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
    yield None, "[DONE]"


def _gemini(model: Model, body: Json) -> Iterator[tuple[str | None, Any]]:
    contents = body.get("contents", [])
    turns = sum(content.get("role") == "model" for content in contents)
    names = [
        declaration["name"] for tool in body.get("tools", []) for declaration in tool.get("functionDeclarations", [])
    ]
    step = model.step(turns, body) if names else Say(lambda _: "{}")
    tool = _named(names, step.tool) if isinstance(step, Use) else None
    if isinstance(step, Use) and tool is not None:
        part: Json = {"functionCall": {"name": tool, "args": dict(step.arguments)}}
    else:
        part = {"text": step.words(_text_of(contents)) if isinstance(step, Say) else f"there is no tool {step.tool}"}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    yield None, {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
