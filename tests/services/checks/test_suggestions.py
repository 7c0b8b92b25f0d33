"""Suggestions: read from a repository's files, run once, and nothing of that is kept."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, MissionError
from mission.services.checks import suggestions
from tests.checked_tasks import checked as checked


async def test_nothing_of_a_suggestions_run_is_kept(checked, repository):
    (repository / "Makefile").write_text("test:\n\t@echo fine\n")

    await checked.call("checks_suggest", {"repository_path": str(repository)})

    assert checked.call.app.check_runner.stored() == []
    assert (await checked.call("evidence_list", {}))["evidence"] == []


async def test_a_suggestion_that_cannot_run_says_so(checked, repository):
    (repository / "Makefile").write_text("test:\n\t@echo fine\n")

    found = await checked.call("checks_suggest", {"repository_path": str(repository), "path": "/nonexistent"})

    assert [each["state"] for each in found["checks"]] == ["error"]


async def test_a_folder_without_known_files_has_no_suggestions(checked, repository):
    assert (await checked.call("checks_suggest", {"repository_path": str(repository)}))["checks"] == []


@pytest.mark.parametrize("path", ["relative", "/nonexistent/folder"])
async def test_a_path_without_a_folder_is_refused(checked, path):
    with pytest.raises((InvalidInput, MissionError)):
        await checked.call("checks_suggest", {"repository_path": path})


def test_a_suggestion_runs_no_longer_than_a_check():
    assert suggestions.MAX_SECONDS == 600
