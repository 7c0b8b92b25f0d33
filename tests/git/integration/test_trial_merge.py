"""Trying a merge without a worktree."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from mission.git.integration import trial_merge as module
from mission.git.integration.errors import CommitMissing, GitTooOld, UnrelatedHistory
from mission.git.integration.trial_merge import Conflicted, Merged, check_version, git_version, trial_merge
from tests.git.integration.run_repositories import TASK, TEXT, Run, is_sound, make_hostile, start_run, users_state
from tests.git.real_repositories import Repo


def tried(run: Run) -> Merged | Conflicted:
    return trial_merge(run.repo.path, tip=run.tip, candidate=run.repo.git("rev-parse", TASK).strip())


def conflicts(run: Run) -> dict[str, str]:
    result = tried(run)
    assert isinstance(result, Conflicted)
    return {each.path: each.kind for each in result.paths}


def shown(run: Run, path: str) -> str:
    result = tried(run)
    assert isinstance(result, Merged)
    return run.repo.git("show", f"{result.tree}:{path}")


def merged_by_git(run: Run) -> str:
    """The tree that 'git merge' makes."""
    run.repo.git("worktree", "add", "-q", "--detach", str(run.repo.path.parent / "git"), run.tip)
    side = Repo(path=run.repo.path.parent / "git", snapshots=run.repo.snapshots)
    side.git("merge", "-q", "--no-edit", TASK)
    return side.git("rev-parse", "HEAD^{tree}").strip()


def test_a_merge_without_conflict_is_the_tree_that_git_makes(run: Run) -> None:
    run.merge_before(**{"a.txt": TEXT.replace("line 2\n", "theirs\n"), "x/y": "new\n"})
    run.task.commit("own", **{"a.txt": TEXT.replace("line 17\n", "ours\n"), "z": "new\n"})

    assert tried(run) == Merged(tree=merged_by_git(run))


def test_a_rename_on_one_side_and_an_edit_on_the_other_come_together(run: Run) -> None:
    run.merge_before(**{"a.txt": TEXT.replace("line 2\n", "theirs\n")})
    run.task.git("mv", "a.txt", "moved.txt")
    run.task.commit("move")

    assert "theirs\n" in shown(run, "moved.txt")
    assert tried(run) == Merged(tree=merged_by_git(run))


def test_a_candidate_on_top_of_the_tip_keeps_its_tree(run: Run) -> None:
    own = run.task.commit("own", **{"a.txt": "own\n"})

    assert tried(run) == Merged(tree=run.repo.git("rev-parse", f"{own}^{{tree}}").strip())


def test_a_candidate_that_the_tip_contains_changes_nothing(run: Run) -> None:
    tip = run.merge_before(**{"a.txt": "theirs\n"})

    assert tried(run) == Merged(tree=run.repo.git("rev-parse", f"{tip}^{{tree}}").strip())


def test_nothing_of_the_users_changes(run: Run) -> None:
    run.merge_before(**{"a.txt": "theirs\n"})
    run.task.commit("own", **{"a.txt": "ours\n"})
    before = users_state(run.repo)

    tried(run)

    assert users_state(run.repo) == before
    assert is_sound(run.repo)


def test_conflicts_are_named_with_their_kind(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run", **{"bin": "\0one", "gone": "1\n", "text": "1\n", "kept": "1\n"})
    side = run.merge_before(**{"text": "theirs\n", "bin": "\0theirs", "kept": "theirs\n", "both": "theirs\n"})
    other = Repo(path=run.repo.path.parent / "other", snapshots=run.repo.snapshots)
    (other.path / "gone").unlink()
    run.repo.git("update-ref", "refs/heads/mission/login-1", other.commit("deleted"), side)
    run.task.git("rm", "-q", "kept")
    run.task.commit("own", **{"text": "ours\n", "bin": "\0ours", "gone": "ours\n", "both": "ours\n"})

    assert conflicts(run) == {
        "bin": "binary",
        "both": "add/add",
        "gone": "modify/delete",
        "kept": "modify/delete",
        "text": "content",
    }


def test_names_in_conflict_stay_distinct(run: Run) -> None:
    name = os.fsdecode(b"caf\xe9 \n.txt")
    run.merge_before(**{name: "theirs\n"})
    run.task.commit("own", **{name: "ours\n"})

    assert conflicts(run) == {'"caf\\351 \\n.txt"': "add/add"}


def test_a_folder_in_place_of_a_file_is_a_conflict(run: Run) -> None:
    run.merge_before(**{"d/x": "theirs\n"})
    run.task.commit("own", **{"d": "ours\n"})

    assert "file/directory" in conflicts(run).values()


@pytest.mark.parametrize("where", ["top", "folder", "info", "user"])
def test_attributes_such_as_union_apply(tmp_path: Path, where: str, home: Path) -> None:
    rules = {
        "top": {".gitattributes": "*.list merge=union\n"},
        "folder": {"sub/.gitattributes": "x.list merge=union\n"},
    }
    run = start_run(tmp_path / "run", **{"sub/x.list": "1\n", **rules.get(where, {})})
    if where == "info":
        (run.repo.path / ".git" / "info" / "attributes").write_text("*.list merge=union\n")
    if where == "user":
        run.repo.git("config", "core.attributesFile", str(home / "rules"))
        (home / "rules").write_text("*.list merge=union\n")
    run.merge_before(**{"sub/x.list": "1\ntheirs\n"})
    run.task.commit("own", **{"sub/x.list": "1\nours\n"})

    assert set(shown(run, "sub/x.list").split()) == {"1", "theirs", "ours"}


def test_attributes_of_the_candidate_do_not_decide_about_its_own_merge(run: Run) -> None:
    run.merge_before(**{"a.txt": "theirs\n"})
    run.task.commit("own", **{"a.txt": "ours\n", ".gitattributes": "*.txt merge=union\n"})

    assert conflicts(run) == {"a.txt": "content"}


def test_a_merge_driver_of_the_repository_never_runs_and_its_files_are_merged_as_text(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run", **{"x.evil": TEXT, "y.evil": "1\n", ".gitattributes": "*.evil merge=evil\n"})
    run.merge_before(**{"x.evil": TEXT.replace("line 2\n", "theirs\n"), "y.evil": "theirs\n"})
    run.task.commit("own", **{"x.evil": TEXT.replace("line 17\n", "ours\n"), "y.evil": "ours\n"})
    trace = make_hostile(run.repo)

    assert conflicts(run) == {"y.evil": "content"}
    assert not trace.exists()


def test_a_link_in_place_of_attributes_is_not_followed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("* merge=union\n")
    (run.task.path / ".gitattributes").symlink_to(tmp_path / "rules")
    tip = run.task.commit("a link")
    run.repo.git("update-ref", "refs/heads/mission/login-1", tip)
    run.merge_before(**{"a.txt": "theirs\n"})
    run.task.commit("own", **{"a.txt": "ours\n"})

    assert conflicts(run) == {"a.txt": "content"}


def test_submodules_that_one_side_moved_are_merged(run: Run, tmp_path: Path) -> None:
    remote = run.repo.at(tmp_path / "remote").init()
    remote.commit(**{"x": "1\n"})
    run.task.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(remote.path), "sub")
    run.task.commit("a submodule")
    run.merge_before(**{"b.txt": "theirs\n"})

    result = tried(run)

    assert isinstance(result, Merged)
    assert run.repo.git("rev-parse", f"{result.tree}:sub").strip() == remote.head


def test_a_repository_with_other_object_ids_works(tmp_path: Path) -> None:
    repo = Repo(path=tmp_path / "repo", snapshots=start_run(tmp_path / "run").repo.snapshots).init(
        "--object-format=sha256"
    )
    start = repo.commit(**{"a": TEXT})
    one = repo.commit(**{"a": TEXT.replace("line 2\n", "one\n")})
    repo.git("checkout", "-q", "--detach", start)
    two = repo.commit(**{"a": TEXT.replace("line 17\n", "two\n")})

    result = trial_merge(repo.path, tip=one, candidate=two)

    assert isinstance(result, Merged)
    assert {"one", "two"} <= set(repo.git("show", f"{result.tree}:a").split("\n"))


def test_objects_in_another_repository_are_found(run: Run, tmp_path: Path) -> None:
    clone = run.repo.at(tmp_path / "clone")
    run.repo.git("clone", "-q", "--shared", "-b", "main", str(run.repo.path), str(clone.path))
    one = clone.commit(**{"one": "1\n"})
    clone.git("checkout", "-q", "--detach", run.start)
    two = clone.commit(**{"two": "2\n"})

    result = trial_merge(clone.path, tip=one, candidate=two)

    assert isinstance(result, Merged)
    assert is_sound(clone)


def test_a_commit_that_is_gone_and_an_unrelated_one_are_errors_of_their_own(run: Run) -> None:
    with pytest.raises(CommitMissing) as missing:
        trial_merge(run.repo.path, tip=run.tip, candidate="1" * 40)
    assert missing.value.details["commit"] == "1" * 40
    run.task.git("checkout", "-q", "--orphan", "alone")
    alone = run.task.commit("alone")

    with pytest.raises(UnrelatedHistory):
        trial_merge(run.repo.path, tip=run.tip, candidate=alone)


def test_an_old_git_is_refused_with_the_version_that_is_needed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git_version() >= (2, 38)

    def old() -> Any:
        return (2, 31, 1)

    monkeypatch.setattr(module, "git_version", old)
    with pytest.raises(GitTooOld) as refused:
        tried(run)
    assert refused.value.details == {"found": "2.31.1", "needed": "2.38"}
    monkeypatch.undo()
    check_version()
