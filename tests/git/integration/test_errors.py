"""Refusals: each has a code, a message that names what it is about, and a next step."""

from __future__ import annotations

import pytest

from mission.domain.errors import MissionError
from mission.git.integration import errors

PATHS = ["b.txt", "a.txt", "a.txt"]

REFUSALS: list[tuple[MissionError, str]] = [
    (errors.GitTooOld(found="2.31.0", needed="2.38"), "INVALID_STATE"),
    (errors.OtherBranch("main"), "INVALID_INPUT"),
    (errors.BranchTaken("mission/x", current="1" * 40), "INVALID_STATE"),
    (errors.BranchMoved("mission/x", current=None), "CONFLICT"),
    (errors.BranchInTheWay("mission"), "INVALID_STATE"),
    (errors.CommitMissing("1" * 40), "INVALID_STATE"),
    (errors.OperationInProgress(operation="am", worktree="/w", branch="main"), "INVALID_STATE"),
    (errors.WorktreeLost(), "INVALID_STATE"),
    (errors.IndexInUse("/w"), "TRANSIENT_ERROR"),
    (errors.PathsInTheWay(PATHS, worktree="/w"), "CONFLICT"),
    (errors.NotOurFilter(PATHS, worktree="/w", command="git merge"), "CONFLICT"),
    (errors.TargetMoved("main", current=None), "INVALID_STATE"),
    (errors.BranchUsedTwice("main", worktrees=["/b", "/a"]), "INVALID_STATE"),
    (errors.MarkersLeft(PATHS), "INVALID_STATE"),
    (errors.Unmerged(PATHS), "INVALID_STATE"),
    (errors.Undecided(PATHS), "INVALID_STATE"),
    (errors.Filtered(PATHS), "INVALID_STATE"),
    (errors.Nested(PATHS), "INVALID_STATE"),
    (errors.Unpublished(PATHS), "INVALID_STATE"),
    (errors.NotCommittable(PATHS), "INVALID_STATE"),
]


@pytest.mark.parametrize(("error", "code"), REFUSALS, ids=lambda value: type(value).__name__)
def test_a_refusal_says_what_is_wrong_and_what_to_do(error: MissionError, code: str) -> None:
    assert error.code == code
    assert error.message
    if not isinstance(error, errors.OtherBranch):
        assert error.hint


@pytest.mark.parametrize("error", [error for error, _ in REFUSALS if "paths" in error.details], ids=repr)
def test_paths_are_named_once_in_order(error: MissionError) -> None:
    assert error.details["paths"] == ["a.txt", "b.txt"]
    assert "a.txt, b.txt" in error.message


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("am", "an am of 'main'"),
        ("rebase", "a rebase of 'main'"),
        ("bisect", "git bisect reset"),
        ("am", "git am --abort"),
    ],
)
def test_an_operation_is_named_with_the_command_that_ends_it(operation: str, said: str) -> None:
    error = errors.OperationInProgress(operation=operation, worktree="/w", branch="main")

    assert said in f"{error.message} {error.hint}"
