"""One proposed check, with what it covers, so that proposals with the same meaning can be merged."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from mission.domain.checks.file_patterns.globs import compile_glob
from mission.domain.checks.proposals.known_tools import Kind, rewrites_files, test_globs
from mission.domain.checks.proposals.project import Project
from mission.domain.checks.proposals.shell_commands import (
    is_harmful,
    loose_steps,
    reaches_out,
    unwrapped,
    writes_or_waits,
)
from mission.domain.errors import InvalidInput

SECONDS = {Kind.FORMAT: 300, Kind.LINT: 600, Kind.TYPES: 600, Kind.BUILD: 1200, Kind.TEST: 1800}
JUNIT_OPTION = re.compile(r"--junit-?xml[= ]([\w./-]{1,200})")
JUNIT_OF_TOOL = {"gradle": "**/build/test-results/**/*.xml", "mvn": "**/target/{surefire,failsafe}-reports/*.xml"}
LANGUAGE_FILES = {
    "python": ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini"),
    "javascript": ("package.json",),
    "rust": ("Cargo.toml",),
    "go": ("go.mod",),
    "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "php": ("composer.json",),
    "ruby": ("Gemfile",),
    "elixir": ("mix.exs",),
    "swift": ("Package.swift",),
}


class ProposalRank(IntEnum):
    """The certainty that a command is the project's own way; of several with one meaning, the lowest is used."""

    TARGET = 1
    AGGREGATE = 2
    CONFIGURED = 3
    CI = 4
    GUESSED = 5
    ENVIRONMENT = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """A command that would make a check, and why."""

    name: str
    run: str
    why: str
    kind: Kind
    rank: ProposalRank
    covers: frozenset[str]
    tools: frozenset[str]
    """The part of what it covers that is known tools; the rest are commands that only the project knows."""
    tests: tuple[str, ...] = ()
    junit: str | None = None

    @property
    def seconds(self) -> int:
        return SECONDS[self.kind]


def propose(
    project: Project,
    run: str,
    *,
    why: str,
    rank: ProposalRank,
    name: str = "",
    at_least: Kind | None = None,
    fallback: Kind | None = None,
) -> Proposal | None:
    """Return the proposal, or None if the command changes something or it is unknown what it checks."""
    reached = project.reached(run)
    if is_harmful(run) or reaches_out(reached) or _rewrites(reached):
        return None
    meanings = project.meanings(run)
    tools = [tool for tool in meanings.values() if tool]
    kinds = [tool.kind for tool in tools] + ([at_least] if at_least else [])
    kind = max(kinds) if kinds else fallback
    if kind is None:
        return None
    languages = [tool.language for tool in tools if tool.kind == Kind.TEST] or _languages(project)
    inside = f"{project.folder}/" if project.folder else ""
    command = f"cd {shlex.quote(project.folder)} && {run}" if project.folder else run
    return Proposal(
        name=f"{project.folder}: {name or run}" if project.folder else name or run,
        run=command,
        why=why,
        kind=kind,
        rank=rank,
        covers=frozenset(inside + each for each in meanings or [run]),
        tools=frozenset(inside + each for each, tool in meanings.items() if tool),
        tests=_test_files(project, languages, inside) if kind == Kind.TEST else (),
        junit=_junit(project, reached, {tool.words[0] for tool in tools}, inside) if kind == Kind.TEST else None,
    )


def _rewrites(reached: str) -> bool:
    return writes_or_waits(reached) or any(rewrites_files(unwrapped(words)) for words in loose_steps(reached))


def _languages(project: Project) -> list[str]:
    return [language for language, names in LANGUAGE_FILES.items() if project.first(*names)]


def _test_files(project: Project, languages: Sequence[str], inside: str) -> tuple[str, ...]:
    own = [f"{path.strip('/').removeprefix('./')}/**" for path in project.pytest_paths] if "python" in languages else []
    globs = (inside + glob for glob in (*own, *test_globs(languages)))
    return tuple(dict.fromkeys(glob for glob in globs if _is_glob(glob)))


def _junit(project: Project, reached: str, programs: set[str], inside: str) -> str | None:
    option = JUNIT_OPTION.search(f"{reached}\n{project.pytest_options}")
    if option:
        return inside + option[1] if _is_glob(option[1]) else None
    if "jest" in programs and "jest-junit" in str(project.package.get("devDependencies")):
        return f"{inside}junit.xml"
    return next((inside + glob for tool, glob in JUNIT_OF_TOOL.items() if tool in programs), None)


def _is_glob(text: str) -> bool:
    try:
        compile_glob(text)
    except InvalidInput:
        return False
    return True
