"""Suggestions of checks for a repository, from the files that describe how it is built and tested.

Nothing is run here. Proposals with the same meaning become one: the Makefile's `test`, which CI calls and which runs
pytest, is one check. Quick checks come first. No suggestion deploys, publishes, installs, deletes or writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from mission.domain.checks.proposals.ci_steps import ci_proposals
from mission.domain.checks.proposals.javascript_scripts import javascript_proposals
from mission.domain.checks.proposals.known_tools import Kind
from mission.domain.checks.proposals.other_languages import other_proposals
from mission.domain.checks.proposals.project import Project
from mission.domain.checks.proposals.proposal import Proposal, ProposalRank
from mission.domain.checks.proposals.python_tools import python_proposals
from mission.domain.checks.proposals.runner_targets import target_proposals

MOST_SUGGESTIONS = 20
LONGEST_NAME = 60
LONGEST_WHY = 200
FOLDER = re.compile(r"([A-Za-z0-9_][\w.-]*)/[^/]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggestion:
    """A check that a repository could have."""

    name: str
    run: str
    why: str
    seconds: int
    tests: tuple[str, ...] = ()
    """Globs of the test files, if it runs tests."""
    junit: str | None = None
    """A glob of the JUnit XML files that it writes, if that is known."""


def suggest(files: Mapping[str, str]) -> list[Suggestion]:
    """Return checks for a repository, quick ones first.

    `files` maps paths from the top of the tree to their content. The content of a file that only has to exist, such as
    a lock file or a program in `.venv/bin`, may be empty. Folders are searched if the top level has no tests.
    """
    found = [*_of_project(Project(files)), *filter(None, ci_proposals(files))]
    if not any(each.kind == Kind.TEST for each in found):
        for folder in sorted({match[1] for path in files if (match := FOLDER.fullmatch(path))}):
            found += _of_project(Project(files, folder=folder))
    chosen = _without_covered(_merged(found))
    ordered = sorted(chosen, key=lambda each: each.kind)
    return list(_named(ordered[-MOST_SUGGESTIONS:]))


def _of_project(project: Project) -> list[Proposal]:
    proposers = (target_proposals, javascript_proposals, python_proposals, other_proposals)
    return [each for proposer in proposers for each in proposer(project) if each]


def _merged(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return one proposal for each meaning: the most certain one, with every reason."""
    merged: dict[frozenset[str], Proposal] = {}
    for each in sorted(proposals, key=lambda proposal: proposal.rank):
        first = merged.setdefault(each.covers, each)
        if each.why.split()[0] not in first.why.split():
            merged[each.covers] = replace(first, why=f"{first.why}; {each.why}", junit=first.junit or each.junit)
    return list(merged.values())


def _without_covered(proposals: list[Proposal]) -> list[Proposal]:
    """Return the proposals without those that others cover."""
    kept = list(proposals)
    for each in sorted(proposals, key=lambda proposal: -len(proposal.covers)):
        parts = [part.covers for part in kept if part.covers < each.covers and part.rank <= each.rank]
        needed = each.tools if each.rank == ProposalRank.AGGREGATE else each.covers
        if parts and needed <= frozenset().union(*parts):
            kept.remove(each)
    return [each for each in kept if not any(_covers(other, each) for other in kept)]


def _covers(larger: Proposal, smaller: Proposal) -> bool:
    """Return whether the larger one does the same and more; a quick check stays even if the tests include it."""
    same_class = larger.kind == smaller.kind or (larger.kind.is_static and smaller.kind.is_static)
    return smaller.covers < larger.covers and same_class and larger.rank <= smaller.rank


def _named(proposals: Iterable[Proposal]) -> Iterator[Suggestion]:
    taken: set[str] = set()
    for each in proposals:
        name = each.name[:LONGEST_NAME]
        number = 2
        while name in taken:
            name = f"{each.name[: LONGEST_NAME - 4]} {number}"
            number += 1
        taken.add(name)
        yield Suggestion(
            name=name,
            run=each.run,
            why=each.why if len(each.why) <= LONGEST_WHY else f"{each.why[: LONGEST_WHY - 1]}…",
            seconds=each.seconds,
            tests=each.tests,
            junit=each.junit,
        )
