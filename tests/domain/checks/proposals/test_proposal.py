"""One proposed check: its kind, what it covers, and when there is none."""

from __future__ import annotations

import pytest

from mission.domain.checks.proposals.known_tools import Kind
from mission.domain.checks.proposals.project import Project
from mission.domain.checks.proposals.proposal import ProposalRank, propose


def proposal(files, run, **more):
    return propose(Project(files, folder=more.pop("folder", "")), run, why="x", rank=ProposalRank.CI, **more)


def test_the_kind_is_that_of_the_slowest_tool():
    found = proposal({"Makefile": "all:\n\truff check .\n\tmypy .\n\t./other\n"}, "make all")

    assert (found.kind, found.tools, found.covers) == (
        Kind.TYPES,
        {"ruff check", "mypy"},
        {"ruff check", "mypy", "./other"},
    )
    assert (found.tests, found.junit) == ((), None)


def test_a_command_in_a_folder_stays_in_it():
    found = proposal({"api/pyproject.toml": ""}, "pytest --junitxml=r.xml", folder="api")

    assert (found.name, found.run) == ("api: pytest --junitxml=r.xml", "cd api && pytest --junitxml=r.xml")
    assert (found.covers, found.junit) == ({"api/pytest"}, "api/r.xml")
    assert all(glob.startswith("api/") for glob in found.tests)


@pytest.mark.parametrize("run", ["npm publish", "black .", "unknown", "make deploy", "make fix"])
def test_there_is_no_proposal_for_what_changes_something_or_is_unknown(run):
    files = {"Makefile": "deploy:\n\tpytest\n\tkubectl apply\nfix:\n\truff check --fix\n"}

    assert proposal(files, run) is None


def test_an_unknown_command_can_be_given_a_kind():
    assert proposal({}, "./check", fallback=Kind.TEST).kind == Kind.TEST
    assert proposal({}, "ruff check .", at_least=Kind.TEST).kind == Kind.TEST
