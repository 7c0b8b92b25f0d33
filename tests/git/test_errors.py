"""Errors of git: what a caller reads, and what only the operator does."""

from __future__ import annotations

import shlex

import pytest

from mission.domain.errors import InvalidState
from mission.git.errors import (
    BrokenRepository,
    ChangesUnknown,
    DubiousOwnership,
    GitFailed,
    GitMissing,
    GitTimeout,
    RepositoryGone,
    SnapshotLost,
    TooManyFiles,
    TreeGone,
)


def test_gits_own_words_are_for_the_operator_only():
    failed = GitFailed(command="status", code=128, log="fatal: /home/ada/secret")

    assert "128" in failed.message
    assert "secret" not in str(failed.as_dict())
    assert failed.log == "fatal: /home/ada/secret"


def test_a_command_that_took_too_long_is_not_tried_again():
    late = GitTimeout(command="status", seconds=30.0)

    assert (late.retryable, late.details) == (False, {"command": "status"})
    assert "30 seconds" in late.message


@pytest.mark.parametrize("path", ["/plain", "/with space", "/it's; rm -rf x"])
def test_the_command_that_trusts_a_repository_can_be_pasted_into_a_shell(path):
    assert shlex.split(DubiousOwnership(path).hint.partition("run: ")[2])[-1] == path


@pytest.mark.parametrize("error", [BrokenRepository("/r"), TooManyFiles("/r", limit="5 files")])
def test_an_error_about_a_path_names_it_and_says_what_to_do(error):
    assert error.details["path"] == "/r"
    assert "/r" in error.message
    assert error.hint


def test_changes_that_cannot_be_known_are_one_family():
    for kind in (SnapshotLost, TreeGone, RepositoryGone):
        assert issubclass(kind, ChangesUnknown)
        assert isinstance(kind(), InvalidState)
    assert "PATH" in GitMissing().hint
