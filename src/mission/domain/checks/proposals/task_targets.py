"""Targets of task runners, read as text and never run: Makefile, justfile and Taskfile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mission.domain.checks.proposals.yaml_lines import read_scalars

MAKE_RULE = re.compile(r"([A-Za-z0-9][\w.\- /]{0,200}?)\s*::?(?![=:])([^=;#][^;#]*|)(?:;([^#]*))?(?:#.*)?$")
MAKE_VARIABLE = re.compile(r"(?:export\s+)?([A-Za-z_][\w.-]{0,60})\s*(?::|::|\?|\+)?=\s*(.*)$")
MAKE_REFERENCE = re.compile(r"\$[({]([A-Za-z_][\w.-]{0,60})[)}]")
JUST_RECIPE = re.compile(r"@?([A-Za-z_][\w-]{0,60})((?:\s+[*+$]?[\w-]+(?:\s*=\s*\S+)?)*)\s*:(?!=)\s*(.*)$")
LONGEST_LINE = 1_000
MOST_COMMANDS = 100
MOST_EXPANSIONS = 3
MOST_EXPANDED_LINES = 1_000


@dataclass(kw_only=True, slots=True)
class Target:
    """One target: what it runs and which targets must run before it."""

    needs: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Variables:
    """Variables of a Makefile; the number of expanded lines is limited, because variables can contain each other."""

    values: dict[str, str] = field(default_factory=dict)
    left: int = MOST_EXPANDED_LINES

    def expand(self, line: str) -> str:
        line = line[:LONGEST_LINE]
        if "$" not in line or not self.left:
            return line
        self.left -= 1
        for _ in range(MOST_EXPANSIONS):
            line = MAKE_REFERENCE.sub(lambda found: self.values.get(found[1], found[0]), line)[:LONGEST_LINE]
        return line


def make_targets(text: str) -> Mapping[str, Target]:
    """Return the explicit targets of a Makefile, with its plain variables filled in."""
    targets: dict[str, Target] = {}
    variables = _Variables()
    current: list[Target] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            for target in current:
                if len(target.commands) < MOST_COMMANDS:
                    target.commands.append(variables.expand(line.strip()))
        elif variable := MAKE_VARIABLE.match(line[:LONGEST_LINE]):
            variables.values.setdefault(variable[1], variable[2].strip())
        elif rule := MAKE_RULE.match(line[:LONGEST_LINE]):
            current = [targets.setdefault(name, Target()) for name in rule[1].split()]
            for target in current:
                target.needs += [each for each in variables.expand(rule[2] or "").split() if each != "|"]
                target.commands += [variables.expand(rule[3].strip())] if rule[3] else []
        elif line.strip() and not line.lstrip().startswith(("#", "if", "else", "endif")):
            current = []
    return targets


def just_targets(text: str) -> Mapping[str, Target]:
    """Return the recipes of a justfile that need no arguments."""
    targets: dict[str, Target] = {}
    current: Target | None = None
    for line in text.replace("\\\n", " ").splitlines():
        if line[:1].isspace():
            if current:
                current.commands.append(line.strip())
        elif recipe := JUST_RECIPE.match(line[:LONGEST_LINE]):
            current = Target(needs=re.findall(r"[A-Za-z_][\w-]*", recipe[3].partition("#")[0]))
            if all("=" in each or each.startswith("*") for each in recipe[2].split()):
                targets[recipe[1]] = current
        elif line.strip() and not line.startswith(("#", "[")):
            current = None
    return targets


def task_targets(text: str) -> Mapping[str, Target]:
    """Return the tasks of a Taskfile."""
    targets: dict[str, Target] = {}
    for path, value in read_scalars(text):
        if len(path) >= 2 and path[0] == "tasks":
            target = targets.setdefault(path[1], Target())
            if len(path) == 2 or (path[2] in ("cmd", "cmds") and path[-1] != "task"):
                target.commands.append(value)
            elif path[2] == "deps" or (path[2] == "cmds" and path[-1] == "task"):
                target.needs.append(value)
    return targets
