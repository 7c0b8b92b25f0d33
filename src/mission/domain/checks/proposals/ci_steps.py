"""Checks that continuous integration already runs: commands in CI files that look like tests and linters."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import islice

from mission.domain.checks.proposals.known_tools import Kind, find_tool
from mission.domain.checks.proposals.project import Project
from mission.domain.checks.proposals.proposal import Proposal, ProposalRank, propose
from mission.domain.checks.proposals.python_tools import with_runner
from mission.domain.checks.proposals.shell_commands import plain_steps, unwrapped
from mission.domain.checks.proposals.yaml_lines import Path, read_scalars

CI_FILE = re.compile(
    r"\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.yml|\.travis\.yml"
    r"|\.cirrus\.yml|\.woodpecker\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|\.ci/[^/]+"
)
COMMAND_KEYS = {"run", "script", "command", "bash"}
COMMAND_LISTS = {"script", "commands", "before_script", "test_script"}
SHELLS = {"bash", "sh"}
FOLDER = re.compile(r"(?:\./)?([A-Za-z0-9_][\w.-]*)/?")
NEEDED_FILE = {
    "cargo": "Cargo.toml",
    "go": "go.mod",
    "npm": "package.json",
    "pnpm": "package.json",
    "yarn": "package.json",
    "bun": "package.json",
    "mvn": "pom.xml",
    "composer": "composer.json",
    "bundle": "Gemfile",
    "mix": "mix.exs",
}
CHECKING_NAME = re.compile(r"(?<![a-z])(?:test|lint|check|spec|verify|vet)", re.IGNORECASE)
MOST_COMMANDS = 100


def ci_proposals(files: Mapping[str, str]) -> Iterator[Proposal | None]:
    """Yield checks for the commands in CI files that only check something."""
    projects: dict[str, Project] = {}
    named = ((name, folder, line) for name in sorted(files) for folder, line in _commands(name, files[name]))
    for name, folder, line in islice(named, MOST_COMMANDS):
        for inner, step in _checking_steps(line, folder):
            project = projects.get(inner) or projects.setdefault(inner, Project(files, folder=inner))
            yield _proposal(project, step, name)


def _proposal(project: Project, step: str, source: str) -> Proposal | None:
    words = step.split()
    plain = unwrapped(words)
    tool = find_tool(plain)
    program = plain[0] if plain else ""
    needed = NEEDED_FILE.get(words[0], NEEDED_FILE.get(program))
    if (needed and needed not in project.files) or (tool is None and not project.called(plain)):
        return None
    environment = program in ("tox", "nox")
    if tool and tool.language == "python" and not environment and words[0] in (program, "python", "python3"):
        step = with_runner(project, step if words[0] == program else shlex.join(plain))
    name = tool.name if tool and not environment else step
    rank = ProposalRank.ENVIRONMENT if environment else ProposalRank.CI
    fallback = Kind.TEST if CHECKING_NAME.search(step) else None
    return propose(project, step, why=f"{source} runs it", rank=rank, name=name, fallback=fallback)


def _checking_steps(line: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a line with the folder it runs in; `cd` changes that for those after it."""
    steps = plain_steps(line)
    if steps is None:
        return
    texts = [text.strip() for text in line.split("&&")]
    for words, text in zip(steps, texts, strict=True):
        if words[:1] == ["cd"] and len(words) == 2:
            inner = FOLDER.fullmatch(words[1])
            if not inner or folder:
                return
            folder = inner[1]
        elif words:
            yield folder, text


def _commands(name: str, text: str) -> list[tuple[str, str]]:
    """Return the different command lines of a CI file, each with its folder."""
    if not CI_FILE.fullmatch(name):
        return []
    if name.startswith(".ci/") and not name.endswith((".yml", ".yaml")):
        return [("", line) for line in dict.fromkeys(_lines(text))]
    scalars = read_scalars(text)
    values = dict(scalars)
    found = []
    for path, value in scalars:
        is_command = path[-1] in COMMAND_KEYS or (len(path) > 1 and path[-1].isdigit() and path[-2] in COMMAND_LISTS)
        folder = _folder(path, values)
        if is_command and folder is not None and values.get((*path[:-1], "shell"), "bash").split()[0] in SHELLS:
            found += [(folder, line) for line in _lines(value)]
    return list(dict.fromkeys(found))


def _folder(path: Path, values: Mapping[Path, str]) -> str | None:
    """Return the folder of a step: its own, or the default of its job or of the file; None if it is not a plain one."""
    places = [(*path[:-1], "working-directory")]
    places += [(*path[:depth], "defaults", "run", "working-directory") for depth in range(len(path) - 1, -1, -1)]
    named = next((values[place] for place in places if place in values), ".")
    if named in (".", "./"):
        return ""
    plain = FOLDER.fullmatch(named)
    return plain[1] if plain else None


def _lines(script: str) -> list[str]:
    return [
        line.strip() for line in script.replace("\\\n", " ").splitlines() if line.strip() and line.strip()[0] != "#"
    ]
