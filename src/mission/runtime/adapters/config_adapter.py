"""The description of an agent client: its program, configuration files and hooks."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from mission.runtime.config_files import jsonc_editor as jsonc
from mission.runtime.config_files.editor import Editor, look_up, merge, same
from mission.runtime.config_files.editor import Path as KeyPath

ENTRY = "mission"
HOOK_SECONDS = 5


class ConfigScope(StrEnum):
    """The reach of a configuration: all of the user's work, or one project."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigLocation:
    """The surroundings in which a client looks for its configuration."""

    home: Path
    project: Path
    environment: Mapping[str, str]
    platform: str

    def folder(self, variable: str, *default: str) -> Path:
        """Return the folder that the variable names, or the default one in the user's home."""
        given = self.environment.get(variable)
        return Path(given).expanduser().absolute() if given else self.home.joinpath(*default)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """An absolute command and the variables it needs in addition to the inherited ones."""

    program: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def line(self, *more: str) -> str:
        """Return the command as a shell line."""
        settings = [f"{name}={value}" for name, value in self.environment.items()]
        return shlex.join([*(["env", *settings] if settings else []), self.program, *self.arguments, *more])

    def with_arguments(self, *more: str) -> Command:
        return Command(program=self.program, arguments=(*self.arguments, *more), environment=self.environment)


def is_mission(argv: Sequence[str], *, verb: str) -> bool:
    """Return whether a command line runs this command of Mission Control."""
    if not argv or verb not in argv[1:]:
        return False
    before = argv[: list(argv).index(verb, 1)]
    return Path(before[-1]).name == "mission"


def stdio_entry(command: Command) -> dict[str, Any]:
    """Return the entry of a stdio server in the format most clients use."""
    entry: dict[str, Any] = {"command": command.program, "args": list(command.arguments)}
    if command.environment:
        entry["env"] = dict(command.environment)
    return entry


def argv_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the command line that an entry starts, or an empty list."""
    program, arguments = entry.get("command"), entry.get("args", [])
    if isinstance(program, list):
        arguments = program
    elif isinstance(program, str) and isinstance(arguments, list):
        arguments = [program, *arguments]
    else:
        return []
    return arguments if all(isinstance(argument, str) for argument in arguments) else []


@dataclass(frozen=True, kw_only=True, slots=True)
class Servers:
    """A client's list of MCP servers: its files and the format of an entry.

    `files` returns the files that the client reads for a scope; the first is created if none exists.
    """

    files: Callable[[ConfigLocation, ConfigScope], Sequence[Path]]
    table: str
    entry: Callable[[Command], dict[str, Any]] = stdio_entry
    environment_key: str = "env"
    editor: Editor = jsonc

    def add(self, text: str | None, command: Command) -> str:
        """Return the text with our entry up to date; keep what others added to it."""
        text, path = text or "", (self.table, ENTRY)
        wanted = self.entry(command)
        present = self.find(text)
        if present is None or not is_mission(argv_of(present), verb="mcp"):
            return self.editor.set_value(text, path, wanted)
        theirs = present.get(self.environment_key)
        environment = {k: v for k, v in theirs.items() if k != "MISSION_HOME"} if isinstance(theirs, Mapping) else {}
        environment |= command.environment
        if environment:
            wanted[self.environment_key] = environment
        elif theirs is not None:
            text = self.editor.remove_value(text, (*path, self.environment_key))
        return merge(text, path, wanted, editor=self.editor)

    def remove(self, text: str) -> str:
        """Return the text without our entry; keep another program's entry of the same name."""
        return self.editor.remove_value(text, (self.table, ENTRY)) if self.has_ours(text) else text

    def find(self, text: str) -> Mapping[str, Any] | None:
        """Return the entry with our name, even if another program wrote it."""
        found = look_up(self.editor.parse(text), (self.table, ENTRY))
        return found if isinstance(found, Mapping) else None

    def has_ours(self, text: str) -> bool:
        found = self.find(text)
        return found is not None and is_mission(argv_of(found), verb="mcp")


class Hooks(Protocol):
    """A client's hooks: their file, and how to add and remove ours."""

    def file(self, place: ConfigLocation, scope: ConfigScope) -> Path: ...

    def add(self, text: str | None, client: str, command: Command) -> str: ...

    def remove(self, text: str, client: str) -> str | None: ...

    def commands(self, text: str, client: str) -> list[str]: ...


def grouped_hook(line: str) -> dict[str, Any]:
    """Return a hook in Claude Code's format: a group without a matcher that has one command."""
    return {"hooks": [{"type": "command", "command": line, "timeout": HOOK_SECONDS}]}


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedHooks:
    """Hooks in a JSON file, as lists keyed by event name."""

    path: Callable[[ConfigLocation, ConfigScope], Path]
    events: Sequence[str]
    hook: Callable[[str], dict[str, Any]] = grouped_hook
    opening: Mapping[str, Any] = field(default_factory=dict)

    def file(self, place: ConfigLocation, scope: ConfigScope) -> Path:
        return self.path(place, scope)

    def add(self, text: str | None, client: str, command: Command) -> str:
        """Return the text with each of our hooks once, after the hooks of others."""
        text = text or ""
        for key, value in self.opening.items():
            if key not in jsonc.parse(text):
                text = jsonc.set_value(text, (key,), value)
        for event in self.events:
            wanted = self.hook(command.line("hook", client, event))
            places = [path for path, _ in _ours(jsonc.parse(text), client) if path[1] == event]
            present = look_up(jsonc.parse(text), ("hooks", event))
            if len(places) == 1 and same(present[places[0][2]], wanted):
                continue
            for path in reversed(places):
                text = jsonc.remove_value(text, path)
            count = len(look_up(jsonc.parse(text), ("hooks", event)) or [])
            text = jsonc.set_value(text, ("hooks", event, count), wanted)
        return text

    def remove(self, text: str, client: str) -> str:
        while found := [path for path, _ in _ours(jsonc.parse(text), client)]:
            text = jsonc.remove_value(text, found[-1])
        return text

    def commands(self, text: str, client: str) -> list[str]:
        return [line for _, line in _ours(jsonc.parse(text), client)]


def _ours(document: Mapping[str, Any], client: str) -> Iterator[tuple[KeyPath, str]]:
    """Yield the path to remove and the command of each of our hooks in the document."""
    events = document.get("hooks")
    for event, entries in events.items() if isinstance(events, Mapping) else ():
        for at, entry in enumerate(entries if isinstance(entries, list) else ()):
            inner = entry.get("hooks") if isinstance(entry, Mapping) else None
            if isinstance(inner, list):
                for place, hook in enumerate(inner):
                    if line := _our_line(hook, client):
                        yield ("hooks", event, at, "hooks", place), line
            elif line := _our_line(entry, client):
                yield ("hooks", event, at), line


def _our_line(hook: Any, client: str) -> str | None:
    line = hook.get("command") if isinstance(hook, Mapping) else None
    return line if isinstance(line, str) and is_hook_line(line, client) else None


def is_hook_line(line: str, client: str) -> bool:
    """Return whether a shell line is one of our hooks for the client."""
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    return is_mission(words, verb="hook") and words[words.index("hook") + 1 :][:1] == [client]


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnFile:
    """Hooks in a file of our own, which the client finds in a folder."""

    path: Callable[[ConfigLocation, ConfigScope], Path]
    text: Callable[[str, Command], str]

    def file(self, place: ConfigLocation, scope: ConfigScope) -> Path:
        return self.path(place, scope)

    def add(self, text: str | None, client: str, command: Command) -> str:  # noqa: ARG002 - the file is all ours
        return self.text(client, command)

    def remove(self, text: str, client: str) -> str | None:
        return None if self.commands(text, client) else text

    def commands(self, text: str, client: str) -> list[str]:
        strings = (json.loads(string) for string in re.findall(r'"(?:[^"\\\n]|\\.)*"', text))
        return [string for string in strings if is_hook_line(f"{string} X", client) or is_hook_line(string, client)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Adapter:
    """One agent client. `next_steps` lists what the user still has to do, by scope or 'hooks'."""

    name: str
    title: str
    program: str
    servers: Servers
    hooks: Hooks | None = None
    why_no_hooks: str = ""
    next_steps: Mapping[str, str] = field(default_factory=dict)


def discover() -> dict[str, Adapter]:
    """Return every client with a configuration, by name: the modules of this package that define ADAPTER."""
    package = importlib.import_module(__name__.rpartition(".")[0])
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return {module.ADAPTER.name: module.ADAPTER for module in modules if hasattr(module, "ADAPTER")}
