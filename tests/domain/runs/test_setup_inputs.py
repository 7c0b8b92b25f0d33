"""Files after whose change a worktree is set up again."""

from __future__ import annotations

from mission.domain.runs.setup_inputs import inputs_among


def test_manifests_and_lock_files_of_any_folder_are_the_usual_inputs():
    paths = ["package.json", "web/yarn.lock", "src/app.py", "requirements-dev.txt", "docs/readme.md", "a/b/go.sum"]

    assert inputs_among(paths, ()) == ["package.json", "web/yarn.lock", "requirements-dev.txt", "a/b/go.sum"]


def test_globs_of_ones_own_replace_the_usual_ones():
    assert inputs_among(["package.json", "deps/list"], ["deps/**"]) == ["deps/list"]
