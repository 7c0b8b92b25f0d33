"""Committing the content of a task's worktree as a candidate."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from mission.git.integration.candidates.candidate_commit import CandidateCommit, NeedsAsking, commit_candidate
from mission.git.integration.errors import (
    CandidateRefused,
    Filtered,
    MarkersLeft,
    Nested,
    NotCommittable,
    OperationInProgress,
    OtherBranch,
    Undecided,
    Unmerged,
    Unpublished,
    WorktreeLost,
)
from mission.git.integration.files.conflict_note import ConflictNote
from mission.git.integration.merge_commit import CommitDetails
from tests.git.integration.run_repositories import (
    AT,
    TASK,
    TEXT,
    Run,
    details,
    is_sound,
    killed,
    make_hostile,
    seen,
    start_run,
    users_state,
)
from tests.git.real_repositories import Repo, contents

MARKERS = "<<<<<<< one\nours\n=======\ntheirs\n>>>>>>> two\n"


def commit(
    run: Run,
    *,
    details: CommitDetails = details(),  # noqa: B008 (it is immutable)
    copied: Collection[str] = (),
    allowed: Collection[str] = (),
) -> CandidateCommit:
    made = commit_candidate(run.task.path, branch=TASK, tip=run.start, details=details, copied=copied, allowed=allowed)
    assert isinstance(made, CandidateCommit)
    return made


def asked(run: Run, allowed: Collection[str] = ()) -> NeedsAsking:
    found = commit_candidate(run.task.path, branch=TASK, tip=run.start, details=details(), allowed=allowed)
    assert isinstance(found, NeedsAsking)
    return found


def later(minutes: int = 1) -> CommitDetails:
    return details("Another try", at=AT + timedelta(minutes=minutes))


def files(run: Run, commit: str) -> set[str]:
    return set(run.repo.git("ls-tree", "-r", "--name-only", "-z", commit).split("\0")[:-1])


def test_the_content_of_the_worktree_becomes_a_commit_on_the_tasks_branch(run: Run) -> None:
    run.task.write("a.txt", "changed\n")
    run.task.write("new/file.txt")
    (run.task.path / "b.txt").unlink()

    made = commit(run)

    assert made.commit == run.task.head == run.repo.git("rev-parse", TASK).strip()
    assert made.tree == run.repo.git("rev-parse", f"{made.commit}^{{tree}}").strip()
    assert made.changed == ("a.txt", "b.txt", "new/file.txt")
    assert files(run, made.commit) == {".gitignore", "a.txt", "new/file.txt", "src/c.txt"}
    assert run.task.git("status", "--porcelain") == ""
    assert is_sound(run.repo)


def test_the_commit_has_the_agent_as_its_author_and_the_trailers(run: Run) -> None:
    run.task.write("a.txt", "changed\n")

    made = commit(run, details=details(author="ada <x>\n"))

    shown = run.repo.git("log", "-1", "--format=%an|%ae|%cn|%ai|%ci|%s", made.commit).strip()
    date = "2026-05-04 12:00:00 +0000"
    assert shown == f"ada  x|mission-control@localhost|Mission Control|{date}|{date}|Refuse expired tokens"
    assert "Mission-Task: t_1" in run.repo.git("log", "-1", "--format=%(trailers)", made.commit)
    assert "Mission-Run: run_1" in run.repo.git("log", "-1", "--format=%(trailers)", made.commit)


def test_the_same_content_makes_the_same_commit_everywhere(tmp_path: Path) -> None:
    made = set()
    for name in ("one", "two"):
        run = start_run(tmp_path / name)
        run.task.write("a.txt", "changed\n")
        made.add(commit(run))

    assert len(made) == 1


def test_nothing_of_the_users_changes(run: Run) -> None:
    before = users_state(run.repo)
    run.task.write("a.txt", "changed\n")

    commit(run)

    assert users_state(run.repo) == before


def test_ignored_and_copied_files_stay_out(run: Run) -> None:
    run.task.write("build.log")
    run.task.write(".copied", "of the user\n")
    run.task.write("a.txt", "changed\n")

    made = commit(run, copied=[".copied"])

    assert made.changed == ("a.txt",)
    assert (run.task.path / ".copied").exists()


def test_a_copied_file_stays_out_even_if_the_agent_staged_or_edited_it(run: Run) -> None:
    run.task.write(".copied", "edited\n")
    run.task.git("add", ".copied")

    assert commit(run, copied=[".copied"]).changed == ()
    assert run.task.git("status", "--porcelain") == "?? .copied\n"


def test_a_file_that_was_added_in_spite_of_an_ignore_rule_is_committed(run: Run) -> None:
    run.task.write("fixture.log")
    run.task.git("add", "-f", "fixture.log")

    assert commit(run).changed == ("fixture.log",)


def test_without_changes_the_candidate_is_the_commit_that_is_there(run: Run) -> None:
    made = commit(run)

    assert made.commit == run.start
    assert made.changed == ()


def test_a_commit_of_the_agent_stays_and_is_a_candidate_without_more(run: Run) -> None:
    own = run.task.commit("by the agent", **{"a.txt": "by the agent\n"})

    first = commit(run)
    run.task.write("b.txt", "more\n")
    second = commit(run, details=later())

    assert (first.commit, first.changed) == (own, ("a.txt",))
    assert run.repo.git("rev-parse", f"{second.commit}^").strip() == own
    assert second.changed == ("a.txt", "b.txt")


def test_commits_on_another_branch_or_on_none_come_along(run: Run) -> None:
    run.task.git("checkout", "-q", "-b", "elsewhere")
    elsewhere = run.task.commit("elsewhere", **{"a.txt": "elsewhere\n"})
    first = commit(run)
    run.task.git("checkout", "-q", "--detach")
    detached = run.task.commit("detached", **{"b.txt": "detached\n"})
    second = commit(run, details=later())

    assert (first.commit, second.commit) == (elsewhere, detached)
    assert run.task.git("symbolic-ref", "HEAD").strip() == f"refs/heads/{TASK}"
    assert run.repo.git("rev-parse", "elsewhere").strip() == elsewhere


def test_a_branch_that_went_another_way_is_a_second_parent(run: Run) -> None:
    kept = run.task.commit("kept", **{"kept.txt": "kept\n"})
    run.task.git("checkout", "-q", "--detach", run.start)
    other = run.task.commit("other", **{"other.txt": "other\n"})

    made = commit(run)

    assert run.repo.git("log", "-1", "--format=%P", made.commit).split() == [kept, other]
    assert made.changed == ("other.txt",)


def test_a_renamed_branch_is_created_again(run: Run) -> None:
    run.task.git("branch", "-m", "mine")
    run.task.write("a.txt", "changed\n")

    made = commit(run)

    assert run.repo.git("rev-parse", TASK).strip() == made.commit
    assert run.task.git("symbolic-ref", "HEAD").strip() == f"refs/heads/{TASK}"


def test_a_repeated_call_returns_the_first_commit_without_later_edits(run: Run) -> None:
    run.task.write("a.txt", "reported\n")
    first = commit(run)
    run.task.write("a.txt", "edited later\n")

    assert commit(run) == first
    assert run.task.git("status", "--porcelain") == " M a.txt\n"


def test_odd_names_modes_and_links_are_committed_as_git_would(run: Run, tmp_path: Path) -> None:
    odd = [b"caf\xe9.txt", "ünïcode.txt".encode(), b'quo"te', b"new\nline", b"tab\there", b":(glob)*", b"-x", b"a b"]
    for name in odd:
        run.task.write(name, name)
    (run.task.path / "b.txt").chmod(0o755)
    (run.task.path / "link").symlink_to("nowhere")
    (run.task.path / "src" / "c.txt").rename(run.task.path / "moved.txt")
    (run.task.path / "src").rmdir()
    run.task.write("src", "a file where a folder was\n")
    made = commit(run)
    clone = run.repo.at(tmp_path / "clone")
    subprocess.run(["git", "clone", "-q", "-b", TASK, str(run.repo.path), str(clone.path)], check=True)

    assert contents(clone.path) == contents(run.task.path)
    assert '"caf\\351.txt"' in made.changed
    assert run.task.git("status", "--porcelain") == ""


def test_line_endings_are_converted_as_git_would(run: Run) -> None:
    run.task.write(".gitattributes", "*.txt text eol=crlf\n*.utf16 working-tree-encoding=UTF-16LE\n")
    run.task.write("new.txt", "one\r\ntwo\r\n")
    run.task.write("x.utf16", "hé".encode("utf-16-le"))

    made = commit(run)

    assert run.repo.git("show", f"{made.commit}:new.txt") == "one\ntwo\n"
    assert run.repo.git("show", f"{made.commit}:x.utf16") == "hé"
    assert run.task.git("status", "--porcelain") == ""


def test_files_outside_a_sparse_checkout_stay_in_the_commit(run: Run) -> None:
    run.task.git("sparse-checkout", "set", "--no-cone", "/a.txt", "/.gitignore")
    assert not (run.task.path / "src").exists()
    run.task.write("a.txt", "changed\n")

    made = commit(run)

    assert made.changed == ("a.txt",)
    assert "src/c.txt" in files(run, made.commit)
    assert not (run.task.path / "src").exists()


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_an_edit_that_git_was_told_to_ignore_is_committed(run: Run, mark: str) -> None:
    run.task.git("update-index", mark, "a.txt")
    run.task.write("a.txt", "hidden edit\n")

    assert commit(run).changed == ("a.txt",)


def test_a_split_index_does_no_harm(run: Run) -> None:
    run.task.git("update-index", "--split-index")
    run.task.write("a.txt", "changed\n")

    assert commit(run).changed == ("a.txt",)
    assert run.task.git("status", "--porcelain") == ""


def test_a_merge_in_progress_is_concluded(run: Run) -> None:
    tip = run.merge_before(**{"merged.txt": "merged before\n"})
    run.task.commit("own", **{"own.txt": "own\n"})
    own = run.task.head
    run.task.git("merge", "-q", "--no-commit", tip)

    made = commit_candidate(run.task.path, branch=TASK, tip=tip, details=details())

    assert isinstance(made, CandidateCommit)
    assert run.repo.git("log", "-1", "--format=%P", made.commit).split() == [own, tip]
    assert made.changed == ("own.txt",)
    assert "merging" not in run.task.git("status")


def test_unmerged_entries_of_the_agents_own_merge_are_refused(run: Run) -> None:
    tip = run.merge_before(**{"a.txt": "theirs\n"})
    run.task.commit("own", **{"a.txt": "ours\n"})
    run.task.git("merge", "-q", tip, check=False)
    run.task.write("a.txt", "resolved, but not added\n")

    with pytest.raises(Unmerged) as refused:
        commit(run)
    assert refused.value.details["paths"] == ["a.txt"]
    run.task.git("add", "a.txt")
    assert commit(run).changed == ("a.txt",)


def test_conflict_markers_are_refused_wherever_they_were_committed(run: Run) -> None:
    run.task.commit("by the agent", **{"committed.txt": MARKERS})
    run.task.write("a.txt", f"before\n{MARKERS}")
    with pytest.raises(MarkersLeft) as refused:
        commit(run)
    assert refused.value.details["paths"] == ["a.txt"]

    run.task.write("a.txt", "resolved\n")
    with pytest.raises(MarkersLeft) as refused:
        commit(run)
    assert refused.value.details["paths"] == ["committed.txt"]
    assert run.repo.git("log", "-1", "--format=%s", TASK).strip() == "by the agent"


def test_markers_that_were_there_before_or_are_meant_are_no_conflict(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run", **{"test.txt": MARKERS, ".gitattributes": "docs/* conflict-marker-size=30\n"})
    run.task.write("test.txt", f"{MARKERS}more\n")
    run.task.write("docs/how.txt", MARKERS)
    run.task.write("heading.rst", "Title\n=======\n")
    run.task.write("binary", b"\0" + MARKERS.encode())

    assert commit(run).changed == ("binary", "docs/how.txt", "heading.rst", "test.txt")


def test_a_file_whose_filter_is_silenced_is_refused(run: Run) -> None:
    make_hostile(run.repo)
    run.task.write("b.txt", "fine\n")
    run.task.write("x.evil", "needs a filter\n")

    with pytest.raises(Filtered) as refused:
        commit(run)

    assert refused.value.details["paths"] == ["x.evil"]
    assert run.repo.git("rev-parse", TASK).strip() == run.start


def test_a_filter_of_the_user_works(run: Run, home: Path) -> None:
    (home / ".gitconfig").write_text('[filter "upper"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n')
    run.task.write(".gitattributes", "*.up filter=upper\n")
    run.task.write("x.up", "text\n")

    made = commit(run)

    assert run.repo.git("show", f"{made.commit}:x.up") == "TEXT\n"


@pytest.mark.parametrize("scope", ["none", "global", "local"])
def test_a_file_of_lfs_is_committed_as_its_pointer(run: Run, home: Path, scope: str) -> None:
    if scope != "none":
        file = home / ".gitconfig" if scope == "global" else run.repo.path / ".git" / "config"
        for key, value in {
            "clean": "git-lfs clean -- %f",
            "smudge": "git-lfs smudge -- %f",
            "process": "git-lfs filter-process",
            "required": "true",
        }.items():
            subprocess.run(["git", "config", "-f", str(file), f"filter.lfs.{key}", value], check=True)
    run.task.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    large = b"\0" * 11_000_000
    run.task.write("large.bin", large)
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'1' * 64}\nsize 5\n"
    run.task.write("pointer.bin", pointer)

    made = commit(run)

    text = run.repo.git("show", f"{made.commit}:large.bin")
    oid = text.split("sha256:")[1].split("\n")[0]
    assert text == f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(large)}\n"
    stored = run.repo.path / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
    assert stored.read_bytes() == large
    assert run.repo.git("show", f"{made.commit}:pointer.bin") == pointer
    assert (run.task.path / "large.bin").read_bytes() == large


def test_lfs_with_a_program_of_the_repository_is_refused(run: Run) -> None:
    run.repo.git("config", "filter.lfs.clean", "evil %f")
    run.task.write(".gitattributes", "*.bin filter=lfs\n")
    run.task.write("x.bin", "content\n")

    with pytest.raises(Filtered):
        commit(run)


def test_large_files_ask_before_anything_of_them_is_stored(run: Run) -> None:
    run.task.write("large.bin", os.urandom(10_000_001))
    before = run.repo.git("count-objects", "-v")

    (finding,) = asked(run).findings

    assert (finding.kind, finding.path, finding.detail) == ("large", "large.bin", "10.0 MB")
    assert run.repo.git("count-objects", "-v") == before
    assert commit(run, allowed=[finding.key]).changed == ("large.bin",)


def test_likely_secrets_ask_and_the_answer_covers_only_what_was_seen(run: Run) -> None:
    run.task.write(".env", "PASSWORD=x\n")
    run.task.commit("by the agent", **{"key.py": "token = 'ghp_" + "a1" * 18 + "'\n"})

    findings = {each.path: each for each in asked(run).findings}

    assert set(findings) == {".env", "key.py"}
    assert "ghp_" not in json.dumps([each.detail for each in findings.values()])
    run.task.write("key.py", "token = 'ghp_" + "b2" * 18 + "'\n")
    assert [each.path for each in asked(run, [each.key for each in findings.values()]).findings] == ["key.py"]


def test_a_repository_inside_the_worktree_is_refused(run: Run) -> None:
    run.task.at(run.task.path / "inner").init().commit(**{"x": "x\n"})

    with pytest.raises(Nested) as refused:
        commit(run)
    assert refused.value.details["paths"] == ["inner/"]


def test_names_that_git_does_not_store_are_refused(run: Run) -> None:
    run.task.write("git~1/x")

    with pytest.raises(NotCommittable) as refused:
        commit(run)
    assert refused.value.details["paths"] == ["git~1/x"]


@pytest.fixture
def submodule(run: Run, tmp_path: Path) -> Repo:
    """A submodule of the task's worktree, cloned from a remote."""
    remote = run.repo.at(tmp_path / "remote").init()
    remote.commit(**{"x": "1\n"})
    run.task.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(remote.path), "sub")
    return run.task.at(run.task.path / "sub")


def test_a_submodule_may_move_only_to_a_commit_of_its_remote(run: Run, submodule: Repo, tmp_path: Path) -> None:
    assert commit(run).changed == (".gitmodules", "sub")
    submodule.commit("only here", **{"x": "2\n"})

    with pytest.raises(Unpublished) as refused:
        commit(run, details=later())
    assert refused.value.details["paths"] == ["sub"]

    submodule.git("push", "-q", "origin", "HEAD:refs/heads/other")
    made = commit(run, details=later())
    assert run.repo.git("rev-parse", f"{made.commit}:sub").strip() == submodule.head


def test_edits_inside_a_submodule_are_not_committed(run: Run, submodule: Repo) -> None:
    first = commit(run)
    submodule.write("x", "edited\n")

    assert commit(run, details=later()) == first


@pytest.mark.parametrize("operation", ["rebase", "cherry-pick", "revert", "bisect", "am"])
def test_another_operation_in_progress_is_refused_by_name(run: Run, operation: str) -> None:
    first = run.task.commit("one", **{"a.txt": "one\n"})
    run.task.commit("two", **{"a.txt": "two\n"})
    other = run.merge_before(**{"a.txt": "other\n"})
    patch = run.task.git("format-patch", "-1", "--stdout", other)
    (run.task.path.parent / "patch").write_text(patch)
    commands = {
        "rebase": ("rebase", "-q", other),
        "cherry-pick": ("cherry-pick", other),
        "revert": ("revert", "--no-edit", first),
        "bisect": ("bisect", "start"),
        "am": ("am", "-q", str(run.task.path.parent / "patch")),
    }
    run.task.git(*commands[operation], check=False)

    with pytest.raises(OperationInProgress) as refused:
        commit(run)
    assert refused.value.details["operation"] == operation


def test_a_note_about_a_conflict_must_be_gone(run: Run) -> None:
    note = ConflictNote(tip=run.tip, head=run.start, tree="", conflicts=(), decisions=("x.conflict.txt",))
    note.store(Path(run.task.git("rev-parse", "--absolute-git-dir").strip()))
    run.task.write("x.conflict.txt", "decide\n")

    with pytest.raises(Undecided) as refused:
        commit(run)
    assert refused.value.details["paths"] == ["x.conflict.txt"]
    (run.task.path / "x.conflict.txt").unlink()
    assert commit(run).changed == ()


def test_only_branches_of_a_run_are_written(run: Run) -> None:
    with pytest.raises(OtherBranch):
        commit_candidate(run.repo.path, branch="main", tip=run.start, details=details())


def test_a_folder_that_is_no_worktree_is_lost(run: Run) -> None:
    (run.task.path / ".git").unlink()

    with pytest.raises(WorktreeLost):
        commit(run)


def test_no_program_of_the_repository_runs(run: Run) -> None:
    trace = make_hostile(run.repo)
    run.task.write("a.txt", "changed\n")
    run.task.write("more.txt")

    made = commit(run)

    assert made.changed == ("a.txt", "more.txt")
    assert not trace.exists(), trace.read_text()
    assert "gpgsig" not in run.repo.git("-c", "core.fsmonitor=false", "cat-file", "commit", made.commit)


def test_a_lock_of_a_killed_agent_is_waited_for_and_then_removed(run: Run) -> None:
    lock = Path(run.task.git("rev-parse", "--absolute-git-dir").strip()) / "index.lock"
    lock.write_bytes(b"half an index")
    os.utime(lock, (1, 1))
    run.task.write("a.txt", "changed\n")

    assert commit(run).changed == ("a.txt",)
    assert not lock.exists()


def test_two_calls_at_once_make_one_commit(run: Run) -> None:
    run.task.write("a.txt", "changed\n")
    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(lambda _: commit(run), range(4)))

    assert len(made) == 1
    assert run.repo.git("rev-list", "--count", f"{run.start}..{TASK}").strip() == "1"


def worked(folder: Path) -> Run:
    """A task with edits, a commit of its own, and a merge of ours that the agent has resolved."""
    run = start_run(folder)
    run.merge_before(**{"merged.txt": "merged before\n"})
    run.task.commit("own", **{"own.txt": "own\n"})
    run.task.git("merge", "-q", "--no-commit", run.tip)
    run.task.write("a.txt", TEXT + "changed\n")
    run.task.write("new.txt")
    return run


@pytest.mark.faults
def test_a_call_that_was_killed_at_any_step_is_simply_repeated(tmp_path: Path) -> None:
    whole = worked(tmp_path / "whole")
    expected = commit(whole)

    for run, before in killed(tmp_path, seen(worked), lambda prepared: commit(prepared[0])):
        assert commit(run) == expected
        assert run.task.git("status", "--porcelain") == whole.task.git("status", "--porcelain") == ""
        assert run.repo.git("for-each-ref") == whole.repo.git("for-each-ref")
        assert users_state(run.repo) == before
        assert is_sound(run.repo)


def test_a_refusal_says_what_to_do(run: Run) -> None:
    run.task.write("a.txt", MARKERS)

    with pytest.raises(CandidateRefused) as refused:
        commit(run)

    assert refused.value.as_dict()["hint"].startswith("Resolve them")
    assert replace(details(), message="x").text.endswith(b"Mission-Run: run_1\n")
