"""Edits JSON with comments and trailing commas in place: only the changed value is written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from mission.runtime.config_files.editor import BrokenText, Path

_BLANK = " \t\r\n\ufeff"
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
_MAX_DEPTH = 200
_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class _Node:
    """A value and its position; the items of an object or array, each with the comma that follows it."""

    start: int
    end: int
    value: Any
    items: list[_Item] = field(default_factory=list)


@dataclass(slots=True)
class _Item:
    key: str | int
    start: int
    node: _Node
    comma: int | None = None


def parse(text: str) -> dict[str, Any]:
    """Return the object in the text; a blank text is an empty object."""
    if not text.strip(_BLANK):
        return {}
    value: dict[str, Any] = _root(text).value
    return value


def set_value(text: str, path: Path, value: Any) -> str:
    """Return the text with the value at the path, creating parent objects. An index one past the end appends."""
    if not text.strip(_BLANK):
        return text.rstrip(" \t\r\n") + json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    root = node = _root(text)
    for depth, step in enumerate(path):
        _must_hold(text, node, step, at=path[:depth])
        item = next((item for item in reversed(node.items) if item.key == step), None)
        if item is None:
            return _insert(text, root, node, step, _nested(path[depth + 1 :], value))
        node = item.node
    return text[: node.start] + _written(text, root, node.start, value) + text[node.end :]


def remove_value(text: str, path: Path) -> str:
    """Return the text without the value at the path and without containers that become empty."""
    chain = [_root(text)]
    steps: list[int] = []
    for step in path:
        at = next((i for i, item in reversed(list(enumerate(chain[-1].items))) if item.key == step), None)
        if at is None:
            return text
        steps.append(at)
        chain.append(chain[-1].items[at].node)
    container, at = chain[-2], steps[-1]
    if len(container.items) == 1 and len(path) > 1 and not _has_comment(text, container):
        return remove_value(text, path[:-1])
    return _cut(text, container, at)


def _must_hold(text: str, node: _Node, step: str | int, *, at: Path) -> None:
    wanted = dict if isinstance(step, str) else list
    if not isinstance(node.value, wanted):
        name = ".".join(map(str, at)) or "the whole file"
        kind = "an object" if wanted is dict else "an array"
        raise BrokenText(f"{name} is not {kind}", line=_line(text, node.start))


def _nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = {step: value} if isinstance(step, str) else [value]
    return value


# Writing


def _insert(text: str, root: _Node, node: _Node, key: str | int, value: Any) -> str:
    newline, unit = _newline(text), _unit(text, root)
    closing = node.end - 1
    tail_start = len(text[:closing].rstrip(" \t\r\n"))
    tail = text[tail_start:closing]
    outer = _indentation(text, node.start)
    inner = _indentation(text, node.items[-1].start) if node.items else outer + unit
    trailing = bool(node.items) and node.items[-1].comma is not None
    if _on_one_line(text, node, root):
        gap = " " if ": " in text or ", " in text else ""
        separators = (", ", ": ") if gap else (",", ":")
        piece = json.dumps(value, ensure_ascii=False, separators=separators)
        lead = (gap if node.items else "") + _label(key, separators[1])
        after = tail
    else:
        piece = _lines(value, unit=unit, indentation=inner, newline=newline)
        lead = newline + inner + _label(key, ": ")
        after = tail if "\n" in tail else newline + outer
    changed = text[:tail_start] + lead + piece + ("," if trailing else "") + after + text[closing:]
    if node.items and not trailing:
        end = node.items[-1].node.end
        changed = changed[:end] + "," + changed[end:]
    return changed


def _written(text: str, root: _Node, start: int, value: Any) -> str:
    if "\n" not in text[root.start : root.end] and isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return _lines(value, unit=_unit(text, root), indentation=_indentation(text, start), newline=_newline(text))


def _lines(value: Any, *, unit: str, indentation: str, newline: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indentation)


def _label(key: str | int, colon: str) -> str:
    return json.dumps(key, ensure_ascii=False) + colon if isinstance(key, str) else ""


def _cut(text: str, container: _Node, at: int) -> str:
    item = container.items[at]
    previous = container.items[at - 1] if at > 0 else None
    begin = container.start + 1 if previous is None else (previous.comma or previous.node.end) + 1
    end = item.node.end if item.comma is None else item.comma + 1
    before, after = text[: item.start].rstrip(" \t\r\n"), text[end:]
    if _ends_in_line_comment(text[begin : len(before)]) and not after.lstrip(" \t").startswith(("\n", "\r\n")):
        before = text[: item.start]  # the comment must not swallow what follows
    if item.comma is not None:
        return before + (after.lstrip(" ") if before.endswith(("{", "[")) else after)
    if previous is not None and previous.comma is not None:
        before = before[: previous.comma] + before[previous.comma + 1 :]
    elif not before[begin:].strip():
        after = after.lstrip(" \t\r\n")
    return before + after


def _ends_in_line_comment(gap: str) -> bool:
    """Return whether a run of blanks and comments ends inside a line comment."""
    at = 0
    while at < len(gap):
        if gap.startswith("//", at):
            end = gap.find("\n", at)
            if end < 0:
                return True
            at = end
        elif gap.startswith("/*", at):
            at = gap.index("*/", at + 2) + 2
        else:
            at += 1
    return False


def _has_comment(text: str, container: _Node) -> bool:
    only = container.items[0]
    inside = text[container.start + 1 : only.start] + text[only.node.end : container.end - 1]
    return "/" in inside


def _on_one_line(text: str, node: _Node, root: _Node) -> bool:
    if node.items:
        return "\n" not in text[node.start : node.end]
    return bool(root.items) and "\n" not in text[root.start : root.end]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str, root: _Node) -> str:
    """Return the indentation of one level, taken from the first member of the file."""
    if root.items and "\n" in text[root.start : root.items[0].start]:
        return _indentation(text, root.items[0].start) or "  "
    return "  "


def _indentation(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


# Reading


def _root(text: str) -> _Node:
    start = _skip(text, 0)
    node, end = _value(text, start, depth=0)
    if _skip(text, end) != len(text):
        raise BrokenText("unexpected text after the end of the object", line=_line(text, _skip(text, end)))
    if not isinstance(node.value, dict):
        raise BrokenText("the whole file is not an object", line=_line(text, start))
    return node


def _skip(text: str, at: int) -> int:
    """Return the next position that is neither blank nor comment."""
    while at < len(text):
        if text[at] in _BLANK:
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise BrokenText("a comment is not closed", line=_line(text, at))
            at = end + 2
        else:
            break
    return at


def _value(text: str, at: int, *, depth: int) -> tuple[_Node, int]:
    if depth > _MAX_DEPTH:
        raise BrokenText("nested too deeply", line=_line(text, at))
    sign = text[at : at + 1]
    if sign == "{" or sign == "[":
        node = _container(text, at, depth=depth)
        return node, node.end
    if sign == '"':
        value, end = _string(text, at)
        return _Node(at, end, value), end
    for word, meaning in _WORDS.items():
        if text.startswith(word, at):
            return _Node(at, at + len(word), meaning), at + len(word)
    number = _NUMBER.match(text, at)
    if number is None:
        found = f"'{sign}'" if sign else "the end of the file"
        raise BrokenText(f"expected a value, not {found}", line=_line(text, at))
    return _Node(at, number.end(), json.loads(number.group())), number.end()


def _container(text: str, start: int, *, depth: int) -> _Node:
    is_object = text[start] == "{"
    closing = "}" if is_object else "]"
    node = _Node(start, start, {} if is_object else [])
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        if node.items and node.items[-1].comma is None:
            raise BrokenText(f"expected ',' or '{closing}'", line=_line(text, at))
        begin = at
        key: str | int = len(node.items)
        if is_object:
            key, at = _key(text, at)
        child, at = _value(text, at, depth=depth + 1)
        item = _Item(key, begin, child)
        node.items.append(item)
        if is_object:
            node.value[key] = child.value
        else:
            node.value.append(child.value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            item.comma = at
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def _key(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] != '"':
        found = f"'{text[at]}'" if at < len(text) else "the end of the file"
        raise BrokenText(f"expected a key in double quotes, not {found}", line=_line(text, at))
    key, end = _string(text, at)
    end = _skip(text, end)
    if text[end : end + 1] != ":":
        raise BrokenText(f"expected ':' after \"{key}\"", line=_line(text, end))
    return key, _skip(text, end + 1)


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
        return value, end
    except json.JSONDecodeError as error:
        raise BrokenText(f"invalid string: {error.msg}", line=error.lineno) from None
