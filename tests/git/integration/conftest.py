"""Fixtures of the tests of runs: a repository with a run in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git.integration.run_repositories import Run, start_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A repository with an integration branch and the worktree of one task."""
    return start_run(tmp_path / "run")
