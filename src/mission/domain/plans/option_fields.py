"""Options of a run: what a plan's [mission], run_start and run_update take alike, with ranges and defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mission.domain.checks.check import MAX_COMMAND, MAX_GLOBS
from mission.domain.checks.file_patterns.globs import compile_glob
from mission.domain.plans.field_values import (
    inner_field,
    parse_choice,
    parse_flag,
    parse_glob,
    parse_list,
    parse_name,
    parse_number,
    parse_text,
    parse_whole,
    wrong,
)
from mission.domain.plans.plan_budget import parse_budget

OVERLAP = ("avoid", "allow")
DAY = 24 * 60
LEAST_MINUTES = 0.01
_NO_BRANCH = re.compile(r"[\s~^:?*\[\\\x7f]|\.\.|//|@\{|\.lock(?:/|\Z)|\A[-/]|(?:\A|/)\.|[./]\Z|\A@\Z")
_minutes = partial(parse_number, least=LEAST_MINUTES, limit=DAY)


@dataclass(frozen=True, kw_only=True, slots=True)
class OptionField:
    """One option: how its value is parsed, what it is if nobody gives it, and what it does."""

    parse: Callable[..., Any]
    default: Any
    description: str


def parse_branch(value: Any, *, field: str) -> str:
    """Return the name of a branch."""
    name = parse_name(value, field=field)
    if _NO_BRANCH.search(name):
        raise wrong(field, f"'{name}' is not the name of a branch", "Give a plain name such as 'main'.")
    return name


def _retry_minutes(value: Any, *, field: str) -> tuple[float, ...]:
    return parse_list(value, field=field, parse=partial(parse_number, least=0, limit=DAY), least=1, limit=20)


def _globs(value: Any, *, field: str) -> tuple[str, ...]:
    return parse_list(value, field=field, parse=parse_glob, limit=MAX_GLOBS)


def _regenerate(value: Any, *, field: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise wrong(field, "must be a table of globs and commands", 'Write {"package-lock.json" = "npm install"}.')
    if len(value) > MAX_GLOBS:
        raise wrong(field, f"has {len(value)} entries (limit {MAX_GLOBS})", "Combine some of the globs.")
    for glob in value:
        compile_glob(glob, field=inner_field(field, glob))
    return {
        glob: parse_text(command, field=inner_field(field, glob), limit=MAX_COMMAND) for glob, command in value.items()
    }


OPTIONS: Mapping[str, OptionField] = {
    "max_parallel": OptionField(
        parse=partial(parse_whole, least=0, limit=1_000),
        default=0,
        description="How many tasks are worked on at once; 0 = as many as there are agents",
    ),
    "overlap": OptionField(
        parse=partial(parse_choice, choices=OVERLAP),
        default="avoid",
        description="Tasks with common areas at once: avoid (only if nothing else is ready) or allow",
    ),
    "attempts": OptionField(
        parse=partial(parse_whole, least=1, limit=100),
        default=3,
        description="How many times a task is restarted after its agent ended without a report",
    ),
    "revisions": OptionField(
        parse=partial(parse_whole, least=0, limit=100),
        default=3,
        description="How many times a result is sent back after failed checks, a conflict or a review",
    ),
    "retry_minutes": OptionField(
        parse=_retry_minutes,
        default=(1, 4, 16),
        description="How long to wait before each new attempt",
    ),
    "stall_minutes": OptionField(
        parse=_minutes, default=10, description="How long an agent may show no sign of work before it is nudged"
    ),
    "tool_minutes": OptionField(parse=_minutes, default=60, description="How long one tool call of an agent may take"),
    "target": OptionField(
        parse=parse_branch, default=None, description="The branch to land on; default: the one that is checked out"
    ),
    "land": OptionField(
        parse=parse_flag, default=False, description="Land automatically once the final checks have passed"
    ),
    "squash": OptionField(parse=parse_flag, default=False, description="Land as one commit"),
    "regenerate": OptionField(
        parse=_regenerate, default=None, description="Commands that resolve conflicts in generated files, by glob"
    ),
    "setup_inputs": OptionField(
        parse=_globs,
        default=None,
        description="Files that rerun the setup when they change; default: the known manifests and lock files",
    ),
    "budget": OptionField(
        parse=parse_budget, default=None, description="Limits on money, tokens, minutes and launches"
    ),
}


def parse_option(name: str, value: Any, *, field: str) -> Any:
    """Return the value of one option; raise InvalidInput, with the field, if it is wrong."""
    return OPTIONS[name].parse(value, field=field)
