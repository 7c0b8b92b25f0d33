"""Checks that a project defines itself: targets of make, just and task."""

from __future__ import annotations

from collections.abc import Iterator

from mission.domain.checks.proposals.known_tools import Kind
from mission.domain.checks.proposals.project import Project
from mission.domain.checks.proposals.proposal import Proposal, ProposalRank, propose

TARGETS = {
    "format-check": Kind.FORMAT,
    "fmt-check": Kind.FORMAT,
    "check-format": Kind.FORMAT,
    "check-fmt": Kind.FORMAT,
    "format:check": Kind.FORMAT,
    "lint": Kind.LINT,
    "lint-check": Kind.LINT,
    "vet": Kind.LINT,
    "typecheck": Kind.TYPES,
    "type-check": Kind.TYPES,
    "types": Kind.TYPES,
    "test": Kind.TEST,
    "tests": Kind.TEST,
    "unittest": Kind.TEST,
    "test-unit": Kind.TEST,
    "unit-test": Kind.TEST,
    "test:unit": Kind.TEST,
    "check": None,
    "ci": None,
}
"""Names of targets that check; of several with one meaning, the first is used."""

WORDS = {"make": "target", "just": "recipe", "task": "task"}


def target_proposals(project: Project) -> Iterator[Proposal | None]:
    """Yield checks for targets whose names suggest a check."""
    for runner, (file, targets) in project.targets.items():
        for name, kind in TARGETS.items():
            if name in targets and (targets[name].commands or targets[name].needs):
                why = f"{file} has the {WORDS[runner]} '{name}'"
                rank = ProposalRank.TARGET if kind else ProposalRank.AGGREGATE
                yield propose(project, f"{runner} {name}", why=why, rank=rank, at_least=kind, fallback=Kind.TEST)
