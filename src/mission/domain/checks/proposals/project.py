"""One folder of a repository as its files describe it: parsed settings, targets, scripts, and what a command checks."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from mission.domain.checks.proposals.known_tools import KnownTool, find_tool
from mission.domain.checks.proposals.shell_commands import loose_steps, unwrapped
from mission.domain.checks.proposals.task_targets import Target, just_targets, make_targets, task_targets

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")
TASKFILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml")
MANAGERS = ("npm", "pnpm", "yarn", "bun")
TRIVIAL = """
. [ [[ cat cd chmod cp date do done echo else exit export false fi for if mkdir mv pip popd printf pushd rm set sh sleep
source test then touch trap true uname wait which
"""
SETUP_WORDS = {"install", "ci", "sync", "i", "add", "up", "down", "pull", "lock", "venv", "clean"}
MOST_MEANINGS = 200
MOST_CALLS = 30
LONGEST_SCRIPT = 5_000


class Project:
    """The files of one folder; a missing or broken file counts as an empty one."""

    def __init__(self, files: Mapping[str, str], *, folder: str = "") -> None:
        self.folder = folder
        self._sections: dict[str, Mapping[str, Mapping[str, str]]] = {}
        prefix = f"{folder}/" if folder else ""
        self.files = {path.removeprefix(prefix): text for path, text in files.items() if path.startswith(prefix)}

    def first(self, *names: str) -> str | None:
        """Return the first of these names that exists."""
        return next((name for name in names if name in self.files), None)

    @cached_property
    def pyproject(self) -> Mapping[str, Any]:
        return _toml(self.files.get("pyproject.toml", ""))

    @cached_property
    def cargo(self) -> Mapping[str, Any]:
        return _toml(self.files.get("Cargo.toml", ""))

    @cached_property
    def package(self) -> Mapping[str, Any]:
        return _json(self.files.get("package.json", ""))

    @cached_property
    def composer(self) -> Mapping[str, Any]:
        return _json(self.files.get("composer.json", ""))

    def ini_sections(self, name: str) -> Mapping[str, Mapping[str, str]]:
        """Return the sections of a file such as setup.cfg."""
        if name not in self._sections:
            self._sections[name] = self._read_sections(name)
        return self._sections[name]

    def _read_sections(self, name: str) -> Mapping[str, Mapping[str, str]]:
        parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
        try:
            parser.read_string(self.files.get(name, ""))
        except configparser.Error:
            return {}
        return {section: dict(parser.items(section)) for section in parser.sections()}

    @cached_property
    def pytest_settings(self) -> Mapping[str, Any]:
        """Return pytest's settings, from the first of the files in which pytest looks for them."""
        sections = (
            ("pytest.ini", "pytest"),
            (".pytest.ini", "pytest"),
            ("tox.ini", "pytest"),
            ("setup.cfg", "tool:pytest"),
        )
        tools = self.pyproject.get("tool")
        table = tools.get("pytest") if isinstance(tools, dict) else None
        options = table.get("ini_options", table) if isinstance(table, dict) else None
        found = (self.ini_sections(name).get(section) for name, section in sections)
        return next(filter(None, found), None) or (options if isinstance(options, dict) else {})

    @property
    def pytest_paths(self) -> list[str]:
        """Return the folders in which pytest looks for tests."""
        return _texts(self.pytest_settings.get("testpaths"))

    @property
    def pytest_options(self) -> str:
        """Return the options that pytest always gets."""
        return " ".join(_texts(self.pytest_settings.get("addopts")))

    def scripts(self, manifest: Mapping[str, Any]) -> dict[str, str]:
        """Return the scripts of package.json or composer.json, by name."""
        listed = manifest.get("scripts")
        texts = (
            {str(name): _joined(body)[:LONGEST_SCRIPT] for name, body in listed.items()}
            if isinstance(listed, dict)
            else {}
        )
        return {name: body for name, body in texts.items() if body}

    @cached_property
    def targets(self) -> Mapping[str, tuple[str, Mapping[str, Target]]]:
        """Return the file and the targets of each task runner."""
        found: dict[str, tuple[str, Mapping[str, Target]]] = {}
        for runner, names, read in (
            ("make", MAKEFILES, make_targets),
            ("just", JUSTFILES, just_targets),
            ("task", TASKFILES, task_targets),
        ):
            if name := self.first(*names):
                found[runner] = (name, read(self.files[name]))
        return found

    def meanings(self, script: str) -> dict[str, KnownTool | None]:
        """Return what a script checks: tools by name, and other commands by their text."""
        found: dict[str, KnownTool | None] = {}
        self._add_meanings(script, found, set())
        return found

    def reached(self, script: str) -> str:
        """Return the script with the text of every target and script that it runs."""
        texts: list[str] = []
        self._collect(script, texts, set())
        return "\n".join(texts)

    def called(self, words: Sequence[str]) -> tuple[str, list[str], list[str]] | None:
        """Return a name, the commands and the needed commands behind a call of a target or script of this project."""
        plain = [each for each in words[1:] if not each.startswith("-") and "=" not in each]
        program = words[0].rpartition("/")[2] if words else ""
        if program in ("$(MAKE)", "${MAKE}", "gmake"):
            program = "make"
        if program in self.targets and plain:
            return self._called_targets(program, plain)
        if program in (*MANAGERS, "composer") and plain and (program != "bun" or plain[0] == "run"):
            name = plain[1] if plain[0] in ("run", "run-script") and len(plain) > 1 else plain[0]
            scripts = self.scripts(self.composer if program == "composer" else self.package)
            return (f"script {name}", [scripts[name]], []) if name in scripts else None
        if program in ("tox", "nox") and (commands := self._environment_commands(program)):
            return program, commands, []
        return None

    def _environment_commands(self, program: str) -> list[str]:
        """Return the commands that tox and nox run, as far as their files show them."""
        if program == "nox":
            runs = re.findall(r"session\.run\(([^()]{1,500})\)", self.files.get("noxfile.py", ""))
            return [" ".join(re.findall(r"[\"']([^\"']+)[\"']", run)) for run in runs]
        sections = self.ini_sections("tox.ini").items()
        listed = "\n".join(values.get("commands") or "" for name, values in sections if name.startswith("testenv"))
        return [listed[:LONGEST_SCRIPT]] if listed else []

    def _called_targets(self, runner: str, names: list[str]) -> tuple[str, list[str], list[str]] | None:
        _, targets = self.targets[runner]
        if any(name not in targets for name in names):
            return None
        commands = [command for name in names for command in targets[name].commands]
        needs = [f"{runner} {need}" for name in names for need in targets[name].needs if need in targets]
        return f"{runner} {' '.join(names)}", commands, needs

    def _add_meanings(self, script: str, found: dict[str, KnownTool | None], seen: set[str]) -> None:
        for words in self._steps(script):
            called = self.called(words)
            if called and called[0] not in seen and len(seen) < MOST_CALLS and len(found) < MOST_MEANINGS:
                seen.add(called[0])
                for command in (*called[2], *called[1]):
                    self._add_meanings(command, found, seen)
            elif tool := find_tool(words):
                found.setdefault(tool.name, tool)
            elif not called and not _is_trivial(words):
                found.setdefault(" ".join(words)[:100], None)

    def _collect(self, script: str, texts: list[str], seen: set[str]) -> None:
        texts.append(script)
        for words in self._steps(script):
            called = self.called(words)
            if called and called[0] not in seen and len(seen) < MOST_CALLS:
                seen.add(called[0])
                for command in (*called[2], *called[1]):
                    self._collect(command, texts, seen)

    def _steps(self, script: str) -> Iterator[list[str]]:
        for words in loose_steps(script):
            if plain := unwrapped(words):
                yield plain


def _is_trivial(words: list[str]) -> bool:
    """Return whether the command only prepares or prints something."""
    installs = words[0] in MANAGERS and len(words) == 1
    return installs or words[0] in TRIVIAL.split() or bool(SETUP_WORDS & set(words[1:3]))


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return value.split() if isinstance(value, str) else []


def _joined(body: object) -> str:
    if isinstance(body, list):
        return " && ".join(each for each in body if isinstance(each, str))
    return body if isinstance(body, str) else ""


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _json(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
