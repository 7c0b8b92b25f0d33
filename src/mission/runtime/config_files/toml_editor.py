"""Edits TOML in place: comments, order and spacing of everything else stay."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from mission.runtime.config_files.editor import BrokenText, Path, look_up, same


def parse(text: str) -> dict[str, Any]:
    """Return the values in the text."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n").lstrip("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise BrokenText(str(error).split(" (at ")[0], line=_line(str(error), text)) from None


def set_value(text: str, path: Path, value: Any) -> str:
    """Return the text with the value at the path, creating parent tables. A new table goes at the end of the text."""
    present = parse(text)
    wanted = _with(present, path, value, text=text)
    if isinstance(value, Mapping) and look_up(present, path) is None:
        appended = _append(text, path, value)
        if _holds(appended, wanted):
            return appended
    document = _document(text)
    table: Any = document
    for step in path[:-1]:
        table = table.setdefault(step, tomlkit.table(is_super_table=True))
    table[path[-1]] = _inline(value)
    return _checked(tomlkit.dumps(document), wanted)


def remove_value(text: str, path: Path) -> str:
    """Return the text without the value at the path and without tables that become empty."""
    present = parse(text)
    if look_up(present, path) is None:
        return text
    wanted = _without(present, path)
    cut = _cut(text, path)
    if _holds(cut, wanted):
        return cut
    document = _document(text)
    tables: list[Any] = [document]
    for step in path[:-1]:
        tables.append(tables[-1][step])
    del tables[-1][path[-1]]
    for step, table, parent in zip(path[-2::-1], tables[:0:-1], tables[-2::-1], strict=True):
        if len(table) == 0:
            del parent[step]
    return _checked(tomlkit.dumps(document), wanted)


def _with(present: dict[str, Any], path: Path, value: Any, *, text: str) -> dict[str, Any]:
    wanted = deepcopy(present)
    table = wanted
    for depth, step in enumerate(path[:-1]):
        table = table.setdefault(str(step), {})
        if not isinstance(table, dict):
            name = ".".join(map(str, path[: depth + 1]))
            raise BrokenText(f"{name} is not a table", line=_line_of(text, str(step)))
    table[str(path[-1])] = value
    return wanted


def _without(present: dict[str, Any], path: Path) -> dict[str, Any]:
    wanted = deepcopy(present)
    del look_up(wanted, path[:-1])[path[-1]]
    for length in range(len(path) - 1, 0, -1):
        if not look_up(wanted, path[:length]):
            del look_up(wanted, path[: length - 1])[path[length - 1]]
    return wanted


def _append(text: str, path: Path, value: Mapping[str, Any]) -> str:
    """Return the text with the table appended as a separate block, keeping how the text ended."""
    table = tomlkit.table()
    for key, item in value.items():
        table[key] = _inline(item)
    lines = [_header(path), *tomlkit.dumps(table).splitlines()]
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(lines)
    if not text.strip():
        return text + block + newline
    if text.endswith("\n"):
        return text + newline + block + newline
    return text + newline * 2 + block


def _cut(text: str, path: Path) -> str:
    """Return the text without the lines of the table and its subtables, and without the blank line before them."""
    header = _header(path)
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    held: list[str] = []
    cutting = False
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("["):
            ours = stripped.startswith((header, header[:-1] + "."))
            if ours and not cutting and kept and not kept[-1].strip():
                kept.pop()
            kept.extend([] if ours else held)
            held = []
            cutting = ours
        if not cutting:
            kept.append(line)
        elif stripped and not stripped.startswith("#"):
            held = []
        else:
            held.append(line)
    cut = "".join(kept + held)
    return cut if text.endswith("\n") else cut.rstrip("\r\n")


def _header(path: Path) -> str:
    return "[" + ".".join(map(str, path)) + "]"


def _holds(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return same(parse(text), wanted)
    except BrokenText:
        return False


def _checked(text: str, wanted: dict[str, Any]) -> str:
    if not _holds(text, wanted):
        raise BrokenText("the file cannot be edited safely", line=1)
    return text


def _inline(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    table = tomlkit.inline_table()
    for key, item in value.items():
        table[key] = _inline(item)
    return table


def _document(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise BrokenText(str(error), line=_line(str(error), text)) from None


def _line(message: str, text: str) -> int:
    """Return the line number in the parser's message, or that of the last line."""
    _, named, rest = message.partition("line ")
    number = rest.split(",")[0].split(" ")[0]
    return int(number) if named and number.isdigit() else text.count("\n") + 1


def _line_of(text: str, word: str) -> int:
    return next((number for number, line in enumerate(text.splitlines(), 1) if word in line), 1)
