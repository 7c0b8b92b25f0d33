"""The changes between two commits and their lines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mission.domain.tasks.changes import Changes, Rename
from mission.domain.tasks.patch import Patch
from mission.git.integration.commit_changes import NOT_MADE, changes_between, patch_between
from tests.git.integration.run_repositories import TEXT, Run, make_hostile, users_state


def changed(run: Run) -> str:
    run.task.write(b"caf\xe9.txt", "odd\n")
    run.task.write("added.txt", "added\n")
    (run.task.path / "b.txt").unlink()
    (run.task.path / "src" / "c.txt").rename(run.task.path / "moved.txt")
    (run.task.path / ".gitignore").chmod(0o755)
    (run.task.path / "link").symlink_to("nowhere")
    return run.task.commit("all", **{"a.txt": TEXT.replace("line 3\n", "three\n")})


def test_each_path_is_in_one_list_and_a_move_is_listed_too(run: Run) -> None:
    new = changed(run)

    assert changes_between(run.repo.path, run.start, new) == Changes(
        added=['"caf\\351.txt"', "added.txt", "link", "moved.txt"],
        modified=[".gitignore", "a.txt"],
        deleted=["b.txt", "src/c.txt"],
        renamed=[Rename(source="src/c.txt", target="moved.txt")],
    )


def test_trees_can_be_compared_as_well_and_nothing_differs_from_itself(run: Run) -> None:
    new = changed(run)
    trees = [run.repo.git("rev-parse", f"{commit}^{{tree}}").strip() for commit in (run.start, new)]

    assert changes_between(run.repo.path, *trees) == changes_between(run.repo.path, run.start, new)
    assert changes_between(run.repo.path, new, new) == Changes(added=[], modified=[], deleted=[], renamed=[])


def test_the_lines_are_those_that_git_shows(run: Run) -> None:
    new = changed(run)

    patch = patch_between(run.repo.path, run.start, new)

    assert patch.missing is None
    expected = run.repo.git("diff", run.start, new, "--", "a.txt").replace("\n\\ No newline", "\n\\ No newline")
    shown = patch.files["a.txt"].text
    assert [line for line in shown.splitlines() if not line.startswith("index ")] == [
        line for line in expected.splitlines() if not line.startswith("index ")
    ]
    assert "rename to moved.txt" in patch.files["moved.txt"].text
    assert "old mode 100644\nnew mode 100755\n" in patch.files[".gitignore"].text
    assert "+nowhere" in patch.files["link"].text
    assert '"b/caf\\351.txt"' in patch.files['"caf\\351.txt"'].text
    assert set(patch.files) == set(changes_between(run.repo.path, run.start, new).paths)


def test_changes_with_lines_have_the_same_patch_packed(run: Run) -> None:
    new = changed(run)

    changes = changes_between(run.repo.path, run.start, new, lines=True)

    assert changes.patch is not None
    assert Patch.unpacked(changes.patch.content) == patch_between(run.repo.path, run.start, new)


def test_a_submodule_has_no_lines_but_a_reason(run: Run, tmp_path: Path) -> None:
    remote = run.repo.at(tmp_path / "remote").init()
    remote.commit(**{"x": "1\n"})
    run.task.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(remote.path), "sub")
    new = run.task.commit("a submodule")

    assert patch_between(run.repo.path, run.start, new).files["sub"].note


def test_what_git_cannot_read_leaves_the_lines_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    new = changed(run)

    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("mission.git.integration.commit_changes.make_patch_of_objects", fail)
    assert patch_between(run.repo.path, run.start, new) == Patch(missing=NOT_MADE)


def test_nothing_of_the_users_changes_and_no_program_runs(run: Run) -> None:
    new = run.task.commit("all", **{"x.evil": "1\n", "a.txt": "changed\n"})
    trace = make_hostile(run.repo)
    before = users_state(run.repo)
    objects = sorted(path for path in os.walk(run.repo.path / ".git" / "objects"))

    patch_between(run.repo.path, run.start, new)

    assert users_state(run.repo) == before
    assert sorted(path for path in os.walk(run.repo.path / ".git" / "objects")) == objects
    assert not trace.exists()
