"""Starting a merge in the author's worktree, for an agent that only edits files."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

import pytest

from mission.git.integration.candidates.candidate_commit import CandidateCommit, commit_candidate
from mission.git.integration.conflict_start import ConflictStart, start_conflict
from mission.git.integration.errors import MarkersLeft, OperationInProgress, OtherBranch, Undecided, WorktreeLost
from mission.git.integration.files.conflict_note import ConflictNote, load_note
from mission.git.integration.trial_merge import Merged, trial_merge
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
from tests.git.real_repositories import contents


def begun(run: Run, *, take_ours: Collection[str] = ()) -> ConflictStart:
    saved = details("Save edits", at=AT + timedelta(minutes=1))
    return start_conflict(run.task.path, branch=TASK, tip=run.tip, details=saved, take_ours=take_ours)


def committed(run: Run) -> CandidateCommit:
    given = details("Resolved", at=AT + timedelta(minutes=2))
    made = commit_candidate(run.task.path, branch=TASK, tip=run.tip, details=given)
    assert isinstance(made, CandidateCommit)
    return made


def kinds(start: ConflictStart) -> dict[str, str]:
    return {each.path: each.kind for each in start.conflicts}


def text(run: Run, name: str) -> str:
    return (run.task.path / name).read_text()


def worked(folder: Path) -> Run:
    """Two tasks that changed the same line; the other one was merged first, with more files."""
    run = start_run(folder, **{"gone.txt": "1\n", "kept.txt": "1\n"})
    run.merge_before(**{"a.txt": TEXT.replace("line 3\n", "theirs\n"), "kept.txt": "theirs\n", "new/x.txt": "theirs\n"})
    run.task.commit("own", **{"a.txt": TEXT.replace("line 3\n", "ours\n"), "b.txt": "ours\n"})
    return run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return worked(tmp_path / "run")


def test_the_agent_gets_files_with_markers_and_the_rest_merged(run: Run) -> None:
    before = users_state(run.repo)
    start = begun(run)

    assert start == ConflictStart(head=run.task.head, conflicts=start.conflicts)
    assert kinds(start) == {"a.txt": "content"}
    assert "<<<<<<< your-work\nours\n||||||| " in text(run, "a.txt")
    assert "=======\ntheirs\n>>>>>>> merged-work\n" in text(run, "a.txt")
    assert (text(run, "b.txt"), text(run, "kept.txt"), text(run, "new/x.txt")) == ("ours\n", "theirs\n", "theirs\n")
    assert run.task.git("status", "--porcelain") == "UU a.txt\nM  kept.txt\nA  new/x.txt\n"
    assert run.task.git("rev-parse", "MERGE_HEAD").strip() == run.tip
    assert users_state(run.repo) == before


def test_the_next_candidate_concludes_the_merge_without_git_by_the_agent(run: Run) -> None:
    start, own = begun(run), run.task.head
    with pytest.raises(MarkersLeft):
        committed(run)
    run.task.write("a.txt", TEXT.replace("line 3\n", "ours and theirs\n"))

    made = committed(run)

    assert run.repo.git("log", "-1", "--format=%P", made.commit).split() == [own, run.tip] == [start.head, run.tip]
    assert made.changed == ("a.txt", "b.txt")
    assert trial_merge(run.repo.path, tip=run.tip, candidate=made.commit) == Merged(tree=made.tree)
    assert run.task.git("status", "--porcelain") == ""
    assert is_sound(run.repo)


def test_git_itself_can_conclude_or_abort_the_merge(run: Run) -> None:
    begun(run)
    run.task.git("merge", "--abort")
    assert text(run, "a.txt") == TEXT.replace("line 3\n", "ours\n")
    assert run.task.git("status", "--porcelain") == ""

    begun(run)
    run.task.write("a.txt", "resolved\n")
    run.task.git("commit", "-q", "-a", "-m", "by the agent")
    assert committed(run).commit == run.task.head


def test_a_repeated_start_leaves_the_agents_edits_alone(run: Run) -> None:
    first = begun(run)
    run.task.write("a.txt", "half resolved\n")

    assert begun(run) == first
    assert text(run, "a.txt") == "half resolved\n"


def test_a_path_that_will_be_made_again_is_not_left_in_conflict(run: Run) -> None:
    start = begun(run, take_ours=["a.txt"])

    assert start.conflicts == ()
    assert text(run, "a.txt") == TEXT.replace("line 3\n", "ours\n")
    assert "U" not in run.task.git("status", "--porcelain")
    run.task.write("a.txt", "made again\n")
    made = committed(run)
    assert run.repo.git("log", "-1", "--format=%P", made.commit).split() == [start.head, run.tip]


def test_a_regenerated_path_that_the_task_deleted_stays_deleted(run: Run) -> None:
    run.task.git("rm", "-q", "kept.txt")
    run.task.commit("deleted")

    start = begun(run, take_ours=["kept.txt"])

    assert kinds(start) == {"a.txt": "content"}
    assert not (run.task.path / "kept.txt").exists()


def test_a_merge_without_conflicts_can_be_started_too(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run")
    run.merge_before(**{"x.txt": "theirs\n"})
    run.task.commit("own", **{"y.txt": "ours\n"})

    assert begun(run).conflicts == ()
    assert committed(run).changed == ("y.txt",)


def test_conflicts_that_markers_cannot_show_have_notes_that_must_be_decided(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run", **{"bin": "\0one", "gone.txt": "1\n", "kept.txt": "1\n"})
    other = run.repo.at(run.repo.path.parent / "other")
    run.merge_before(**{"bin": "\0theirs", "kept.txt": "theirs\n"})
    (other.path / "gone.txt").unlink()
    run.repo.git("update-ref", "refs/heads/mission/login-1", other.commit("deleted"))
    run.task.git("rm", "-q", "kept.txt")
    run.task.commit("own", **{"bin": "\0ours", "gone.txt": "ours\n"})

    start = begun(run)

    assert kinds(start) == {"bin": "binary", "gone.txt": "modify/delete", "kept.txt": "modify/delete"}
    assert set(start.decisions) == {
        "bin.conflict.txt",
        "bin.merged-work",
        "gone.txt.conflict.txt",
        "kept.txt.conflict.txt",
    }
    assert (text(run, "bin"), text(run, "bin.merged-work")) == ("\0ours", "\0theirs")
    assert "Your work has it" in text(run, "gone.txt.conflict.txt")
    assert "your work deleted" in text(run, "kept.txt.conflict.txt")
    with pytest.raises(Undecided) as refused:
        committed(run)
    assert refused.value.details["paths"] == sorted(start.decisions)
    for name in start.decisions:
        (run.task.path / name).unlink()
    (run.task.path / "kept.txt").unlink()
    run.task.write("bin", "\0both")

    assert committed(run).changed == ("bin", "gone.txt", "kept.txt")


def test_a_note_that_the_agent_commits_is_refused_all_the_same(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run", **{"kept.txt": "1\n"})
    run.merge_before(**{"kept.txt": "theirs\n"})
    run.task.git("rm", "-q", "kept.txt")
    run.task.commit("own")
    begun(run)
    run.task.commit("by the agent")

    with pytest.raises(Undecided):
        committed(run)


def test_later_edits_that_are_in_the_way_are_committed_and_others_stay(run: Run) -> None:
    run.task.write("kept.txt", "edited later\n")
    run.task.write("new/x.txt", "untracked, and the tip has it too\n")
    run.task.write("b.txt", "edited, not in the way\n")
    run.task.write("more.txt", "untracked, not in the way\n")

    start = begun(run)

    assert kinds(start) == {"a.txt": "content", "kept.txt": "content", "new/x.txt": "add/add"}
    saved = run.repo.git("show", "--format=%an %s", "--name-only", TASK).split("\n")
    assert saved == ["ada Save edits", "", "kept.txt", "new/x.txt", ""]
    assert "edited later\n" in text(run, "kept.txt")
    assert "untracked, and the tip has it too\n" in text(run, "new/x.txt")
    assert (text(run, "b.txt"), text(run, "more.txt")) == ("edited, not in the way\n", "untracked, not in the way\n")


def test_an_ignored_file_in_the_way_is_set_aside(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run")
    run.task.write("result.log", "of the agent\n")
    other = run.repo.at(run.repo.path.parent / "other")
    run.merge_before(**{"x.txt": "theirs\n"})
    other.write("result.log", "tracked\n")
    other.git("add", "-f", "result.log")
    run.repo.git("update-ref", "refs/heads/mission/login-1", other.commit("add"))

    ((name, place),) = begun(run).set_aside

    assert (name, text(run, "result.log")) == ("result.log", "tracked\n")
    assert Path(place).read_text() == "of the agent\n"
    assert begun(run).set_aside == ((name, place),)


def test_odd_names_conflict_and_are_resolved(run: Run) -> None:
    name = os.fsdecode(b"caf\xe9 \n.bin")
    run.merge_before(**{name: "\0theirs"})
    run.task.commit("own", **{name: "\0ours"})

    start = begun(run)

    assert kinds(start)['"caf\\351 \\n.bin"'] == "binary"
    assert '"caf\\351 \\n.bin.conflict.txt"' in start.decisions


def test_a_folder_in_place_of_a_file_and_a_link_in_place_of_one(run: Run) -> None:
    run.merge_before(**{"d/x": "theirs\n", "l": "theirs\n"})
    run.task.write("d", "ours\n")
    (run.task.path / "l").symlink_to("a.txt")
    run.task.commit("own")

    start = begun(run)

    assert {"file/directory", "distinct types"} & set(kinds(start).values())
    assert (run.task.path / "d" / "x").read_text() == "theirs\n"
    for name in start.decisions:
        (run.task.path / name).unlink(missing_ok=True)
    run.task.write("a.txt", "resolved\n")
    committed(run)
    assert run.task.git("status", "--porcelain") == ""


def test_a_worktree_on_another_branch_returns_to_the_tasks(run: Run) -> None:
    run.task.git("checkout", "-q", "--detach")

    begun(run)

    assert run.task.git("symbolic-ref", "HEAD").strip() == f"refs/heads/{TASK}"


def test_another_operation_or_an_unresolved_merge_is_refused(run: Run) -> None:
    begun(run)
    run.merge_before(**{"kept.txt": "even newer\n"})

    with pytest.raises(OperationInProgress) as refused:
        begun(run)
    assert refused.value.details["operation"] == "merge"
    with pytest.raises(OtherBranch):
        start_conflict(run.task.path, branch="main", tip=run.tip, details=details())
    with pytest.raises(WorktreeLost):
        start_conflict(run.task.path, branch="mission/absent", tip=run.tip, details=details())


def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    run = start_run(tmp_path / "run", **{"x.evil": "1\n"})
    run.merge_before(**{"x.evil": "theirs\n"})
    run.task.commit("own", **{"x.evil": "ours\n"})
    trace = make_hostile(run.repo)

    assert kinds(begun(run)) == {"x.evil": "content"}
    assert not trace.exists(), trace.read_text()


@pytest.mark.faults
def test_a_start_that_was_killed_at_any_step_is_repeated(tmp_path: Path) -> None:
    def prepare(folder: Path) -> Run:
        run = worked(folder)
        run.task.write("kept.txt", "edited later\n")
        run.task.write("b.txt", "edited, not in the way\n")
        return run

    whole = prepare(tmp_path / "whole")
    expected = begun(whole)

    for run, before in killed(tmp_path, seen(prepare), lambda prepared: begun(prepared[0])):
        assert begun(run) == expected
        assert contents(run.task.path) == contents(whole.task.path)
        assert run.task.git("status", "--porcelain") == whole.task.git("status", "--porcelain")
        assert run.repo.git("for-each-ref") == whole.repo.git("for-each-ref")
        assert users_state(run.repo) == before


def interrupted(run: Run) -> Path:
    """Leave a start that ended before it was complete, with a file that git wrote only half."""
    begun(run)
    git_dir = Path(run.task.git("rev-parse", "--absolute-git-dir").strip())
    note = load_note(git_dir)
    assert note is not None
    ConflictNote(**{**{name: getattr(note, name) for name in note.__slots__}, "complete": False}).store(git_dir)
    run.task.git("read-tree", "--reset", note.head)
    run.task.write("kept.txt", "thei")
    run.task.write("a.txt", TEXT.replace("line 3\n", "ours\n"))
    return git_dir


def test_a_file_that_git_wrote_only_half_is_written_again_and_kept_aside(run: Run) -> None:
    git_dir = interrupted(run)

    start = begun(run)

    assert kinds(start) == {"a.txt": "content"}
    assert text(run, "kept.txt") == "theirs\n"
    assert [path.read_text() for path in git_dir.rglob("mission-aside/*/kept.txt")] == ["thei"]


def test_an_interrupted_start_gives_way_to_one_with_a_newer_tip(run: Run) -> None:
    interrupted(run)
    run.merge_before(**{"kept.txt": "even newer\n"})

    start = begun(run)

    assert kinds(start) == {"a.txt": "content"}
    assert text(run, "kept.txt") == "even newer\n"
    assert run.task.git("rev-parse", "MERGE_HEAD").strip() == run.tip
