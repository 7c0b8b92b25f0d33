"""The tree as it was when a task started, rebuilt for checks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.git.errors import StartTreeUnknown
from mission.git.snapshot import Snapshot, Snapshots
from mission.git.tree_identity import identify
from mission.git.working_tree import find_tree
from mission.git.worktrees.ignored_files import CopyLimits
from mission.git.worktrees.start_tree import Overlay, StartTree, StartTrees
from tests.git.real_repositories import Folder, Repo, contents, everything
from tests.git.snapshots.test_against_independent_scan import Step, any_step, ignored, perform, workplace


def rebuilt(repo: Folder, snapshot: Snapshot, overlay: Overlay | None = None, name: str = "ev_1") -> StartTree:
    return StartTrees(repo.snapshots).rebuild(snapshot, name=name, overlay=overlay)


def overlay_of(repo: Folder, paths: Collection[str]) -> Overlay:
    return Overlay(tree=identify(repo.snapshots, find_tree(repo.path)), paths=paths)


def id_of(repo: Folder, path: Path) -> str:
    return identify(repo.snapshots, find_tree(path)).id


def left_behind(tmp_path: Path) -> list[str]:
    home = tmp_path / "snapshots" / "start-trees"
    return sorted(path.name for path in home.iterdir() if path.name != ".lock") if home.exists() else []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(earlier=st.lists(any_step, max_size=8), later=st.lists(any_step, max_size=10))
def test_a_rebuilt_tree_has_exactly_the_content_of_the_start(earlier: list[Step], later: list[Step]) -> None:
    """If git's own objects are gone it may be unknown; it is never wrong."""
    with workplace() as top:
        repo = Repo(path=top / "repo", snapshots=Snapshots(top / "snapshots")).init()
        repo.commit(**{"a": "1\n", "d/x": "2\n"})
        perform(repo, earlier)
        left_out = ignored(repo)
        before = {path: kind for path, kind in contents(repo.path).items() if path not in left_out}
        snapshot = repo.take()
        perform(repo, later)
        untouched = everything(repo.path)
        try:
            tree = rebuilt(repo, snapshot)
        except StartTreeUnknown:
            assert ("git", "-c gc.auto=0 prune --expire=now") in later
        else:
            copied = contents(tree.path).keys() - before.keys()
            assert {path: kind for path, kind in contents(tree.path).items() if path not in copied} == before
            assert copied <= ignored(repo.at(tree.path))
            assert tree.id == StartTrees(repo.snapshots).tree_id(snapshot)
        assert everything(repo.path) == untouched


def test_what_was_dirty_and_untracked_at_the_start_is_back(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    repo.write("new/untracked.txt", "there before\n")
    (repo.path / "b.txt").unlink()
    (repo.path / "src" / "c.txt").chmod(0o755)
    (repo.path / "link").symlink_to("a.txt")
    snapshot, id, before = repo.take(), id_of(repo, repo.path), contents(repo.path)
    repo.write("a.txt", "by the task\n")
    shutil.rmtree(repo.path / "new")
    repo.commit("by the task")

    tree = rebuilt(repo, snapshot)

    assert contents(tree.path) == before
    assert tree.id == id == id_of(repo, tree.path) == StartTrees(repo.snapshots).tree_id(snapshot)


def test_git_works_there_and_writes_nothing_to_the_repository(repo: Repo) -> None:
    repo.git("tag", "v1")
    repo.write("a.txt", "dirty\n")
    repo.write("untracked.txt")
    snapshot = repo.take()
    start = repo.head
    repo.commit("by the task")
    before = everything(repo.path)

    there = repo.at(rebuilt(repo, snapshot).path)

    assert everything(repo.path) == before
    assert there.head == start
    assert there.git("status", "--porcelain") == " M a.txt\n?? untracked.txt\n"
    assert there.git("ls-files") == "a.txt\nb.txt\nsrc/c.txt\n"
    assert there.git("describe", "--tags") == "v1\n"
    assert "+dirty" in there.git("diff")
    there.commit("in the rebuilt tree")
    there.git("gc", "-q", "--prune=now")
    there.git("fsck", "--connectivity-only")
    # Git updates the times of objects that it would otherwise have stored again.
    assert {name: digest for name, (digest, _) in everything(repo.path).items()} == {
        name: digest for name, (digest, _) in before.items()
    }


def test_chosen_changes_are_laid_over_the_start(repo: Repo) -> None:
    repo.write("tests/old.py", "old\n")
    repo.write("tests/gone.py", "gone\n")
    repo.commit("tests")
    repo.write("src/c.txt", "dirty at the start\n")
    snapshot, before = repo.take(), contents(repo.path)
    repo.write("src/c.txt", "the fix\n")
    repo.write("tests/new.py", "new\n")
    repo.write("tests/old.py", "changed\n")
    (repo.path / "tests" / "gone.py").unlink()
    overlay = overlay_of(repo, ["tests/new.py", "tests/old.py", "tests/gone.py"])

    tree = rebuilt(repo, snapshot, overlay)

    after = contents(repo.path)
    assert contents(tree.path) == {
        **{path: kind for path, kind in before.items() if path != b"tests/gone.py"},
        b"tests/new.py": after[b"tests/new.py"],
        b"tests/old.py": after[b"tests/old.py"],
    }
    assert tree.id == StartTrees(repo.snapshots).tree_id(snapshot, overlay=overlay) == id_of(repo, tree.path)
    assert tree.id != StartTrees(repo.snapshots).tree_id(snapshot)


def test_a_folder_in_place_of_a_file_can_be_laid_over_it(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (repo.path / "tests").symlink_to(tmp_path / "outside")
    snapshot = repo.take()
    (repo.path / "tests").unlink()
    repo.write("tests/new.py", "new\n")

    tree = rebuilt(repo, snapshot, overlay_of(repo, ["tests/new.py"]))

    assert (tree.path / "tests" / "new.py").read_text() == "new\n"
    assert list((tmp_path / "outside").iterdir()) == []


def test_an_overlaid_file_that_changed_after_the_tree_was_identified_is_an_error(repo: Repo, tmp_path: Path) -> None:
    snapshot = repo.take()
    repo.write("test.py", "identified\n")
    overlay = overlay_of(repo, ["test.py"])
    repo.write("test.py", "later\n")

    with pytest.raises(StartTreeUnknown, match=r"test\.py"):
        rebuilt(repo, snapshot, overlay)
    assert left_behind(tmp_path) == []


def test_ignored_files_come_along_as_copies(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "node_modules/\n*.log\n.venv/\n"})
    repo.write("node_modules/left-pad/index.js", "pad\n")
    repo.write("src/x.log", "log\n")
    script = repo.write(".venv/bin/tool", f"#!{repo.path}/.venv/bin/python\nimport tool\n")
    script.chmod(0o755)
    (repo.path / ".venv" / "current").symlink_to(repo.path / "src")
    (repo.path / ".venv" / "python").symlink_to("/usr/bin/python3")
    snapshot = repo.take()
    repo.write("a.txt", "by the task\n")

    tree = rebuilt(repo, snapshot)

    (tree.path / "node_modules" / "left-pad" / "index.js").write_text("changed by a check\n")
    assert (repo.path / "node_modules" / "left-pad" / "index.js").read_text() == "pad\n"
    assert (tree.path / "src" / "x.log").read_text() == "log\n"
    assert (tree.path / ".venv" / "bin" / "tool").read_text() == f"#!{tree.path}/.venv/bin/python\nimport tool\n"
    assert os.access(tree.path / ".venv" / "bin" / "tool", os.X_OK)
    assert (tree.path / ".venv" / "current").readlink() == tree.path / "src"
    assert (tree.path / ".venv" / "python").readlink() == Path("/usr/bin/python3")


def test_what_the_task_hid_with_a_new_ignore_rule_does_not_come_along(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "*.log\n"})
    snapshot = repo.take()
    repo.write(".gitignore", "*.log\ndist/\n")
    repo.write("dist/new.js", "made by the task\n")
    repo.write("dist/x.log", "log\n")

    tree = rebuilt(repo, snapshot)

    assert not (tree.path / "dist" / "new.js").exists()
    assert (tree.path / "dist" / "x.log").exists()


def test_a_worktree_in_an_ignored_folder_stays_where_it_is(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "trees/\n"})
    repo.git("worktree", "add", "-q", "-b", "side", "trees/side")
    repo.write("trees/note.txt")

    tree = rebuilt(repo, repo.take())

    assert [path.name for path in (tree.path / "trees").iterdir() if path.is_file()] == ["note.txt"]
    assert not (tree.path / "trees" / "side" / ".git").exists()


def test_a_large_file_that_did_not_change_is_copied_and_one_that_did_is_an_error(repo: Repo, tmp_path: Path) -> None:
    large = repo.write("large.bin", os.urandom(1_500_000))
    snapshot, before = repo.take(), contents(repo.path)
    repo.write("a.txt", "by the task\n")

    assert contents(rebuilt(repo, snapshot).path)[b"large.bin"] == before[b"large.bin"]

    large.write_bytes(b"other")
    with pytest.raises(StartTreeUnknown, match=r"large\.bin \(larger than 1 MB\)"):
        rebuilt(repo, snapshot, name="ev_2")
    assert left_behind(tmp_path) == ["ev_1"]


def test_line_endings_are_written_as_git_would(repo: Repo) -> None:
    repo.commit("rules", **{".gitattributes": "*.txt text eol=crlf\n", "windows.txt": "one\r\ntwo\r\n"})
    snapshot = repo.take()
    repo.write("windows.txt", "changed\r\n")

    assert (rebuilt(repo, snapshot).path / "windows.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_no_program_of_the_repository_runs(repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    repo.git("config", "filter.evil.smudge", f"touch {ran}; cat")
    repo.git("config", "filter.evil.clean", f"touch {ran}; cat")
    repo.git("config", "core.fsmonitor", f"touch {ran}")
    repo.write(".gitattributes", "*.txt filter=evil\n")
    hook = repo.write(".git/hooks/post-checkout", f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    snapshot, before = repo.take(), contents(repo.path)
    repo.write("src/new.txt")

    assert contents(rebuilt(repo, snapshot).path) == before
    assert not ran.exists()


def test_settings_that_name_endless_files_do_no_harm(repo: Repo) -> None:
    repo.git("config", "core.attributesFile", "/dev/zero")
    repo.git("config", "core.excludesFile", "/dev/zero")

    assert contents(rebuilt(repo, repo.take()).path) == contents(repo.path)


def test_a_file_that_was_added_in_spite_of_an_ignore_rule_is_back(repo: Repo) -> None:
    repo.commit("ignore", **{".gitignore": "*.log\n"})
    repo.write("forced.log", "kept\n")
    repo.git("add", "-f", "forced.log")
    snapshot = repo.take()
    repo.git("rm", "-q", "-f", "forced.log")

    assert (rebuilt(repo, snapshot).path / "forced.log").read_text() == "kept\n"


def test_a_submodule_is_rebuilt_at_its_commit_and_a_dirty_one_is_an_error(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    clean = repo.take()
    repo.write("lib/l.txt", "dirty\n")
    dirty = repo.take()
    repo.at(repo.path / "lib").commit("by the task")
    before = everything(repo.path)

    tree = rebuilt(repo, clean)

    assert (tree.path / "lib" / "l.txt").read_text() == "l\n"
    assert repo.at(tree.path).git("status", "--porcelain") == ""
    with pytest.raises(StartTreeUnknown, match="'lib' had uncommitted changes"):
        rebuilt(repo, dirty, name="ev_2")
    assert everything(repo.path) == before


def test_a_submodule_that_was_never_checked_out_stays_empty(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    repo.git("submodule", "--quiet", "deinit", "-f", "lib")

    assert list((rebuilt(repo, repo.take()).path / "lib").iterdir()) == []


def test_a_repository_without_a_commit_and_one_with_sha256_ids(empty: Repo, tmp_path: Path) -> None:
    empty.write("a.txt", "a\n")
    newer = Repo(path=tmp_path / "sha256", snapshots=empty.snapshots).init("--object-format=sha256")
    newer.commit(**{"a.txt": "a\n"})
    newer.write("b.txt", "b\n")
    for number, repo in enumerate((empty, newer)):
        snapshot, before = repo.take(), contents(repo.path)
        repo.write("a.txt", "by the task\n")

        tree = rebuilt(repo, snapshot, name=f"ev_{number}")

        assert contents(tree.path) == before
        assert tree.id == id_of(repo, tree.path)
        assert "a.txt" in repo.at(tree.path).git("status", "--porcelain", "-uall") + repo.at(tree.path).git("ls-files")


def test_a_worktree_of_the_repository_can_be_rebuilt(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = repo.at(tmp_path / "side")
    snapshot, before = side.take(), contents(side.path)
    side.commit("by the task", **{"a.txt": "changed\n"})

    assert contents(rebuilt(side, snapshot).path) == before


def test_what_cannot_be_rebuilt_is_an_error_that_says_why(repo: Repo, folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(StartTreeUnknown, match="plain folders"):
        rebuilt(folder, folder.take())
    forgotten, amended, lost = repo.take(), repo.take(), repo.take()
    repo.snapshots.forget(forgotten)
    with pytest.raises(StartTreeUnknown, match="record of the start is gone"):
        rebuilt(repo, forgotten)
    repo.git("commit", "-q", "--amend", "-m", "amended")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("prune", "--expire=now")
    with pytest.raises(StartTreeUnknown, match="the commit"):
        rebuilt(repo, amended)
    shutil.rmtree(repo.path / ".git")
    with pytest.raises(StartTreeUnknown, match="repository is gone"):
        rebuilt(repo, lost)
    assert left_behind(tmp_path) == []


def test_too_many_ignored_files_are_an_error_and_leave_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.commit("ignore", **{".gitignore": "cache/\n"})
    for number in range(5):
        repo.write(f"cache/{number}")
    snapshot = repo.take()

    with pytest.raises(StartTreeUnknown, match="too many ignored files"):
        StartTrees(repo.snapshots).rebuild(snapshot, name="ev_1", limits=CopyLimits(files=4))
    with pytest.raises(StartTreeUnknown, match="too many ignored files"):
        StartTrees(repo.snapshots).rebuild(snapshot, name="ev_1", limits=CopyLimits(bytes=10))
    assert left_behind(tmp_path) == []


def test_a_kill_half_way_leaves_no_tree_and_the_next_call_succeeds(repo: Repo, tmp_path: Path) -> None:
    repo.write("untracked.txt")
    snapshot = repo.take()
    program = f"""
import json, os, signal, sys
from pathlib import Path
from mission.git.snapshot import Snapshot, Snapshots
from mission.git.worktrees.private_repository import PrivateRepository
from mission.git.worktrees.start_tree import StartTrees
PrivateRepository.refresh = lambda self: os.kill(os.getpid(), signal.SIGKILL)
snapshot = Snapshot.from_dict(json.loads(sys.stdin.read()))
StartTrees(Snapshots(Path({str(tmp_path / "snapshots")!r}))).rebuild(snapshot, name="ev_1")
"""
    stored = json.dumps(snapshot.as_dict())
    killed = subprocess.run([sys.executable, "-c", program], input=stored, text=True, check=False)
    assert killed.returncode == -9
    assert left_behind(tmp_path) == [".making-ev_1"]

    StartTrees(repo.snapshots).clear(keep=["ev_1"])
    assert left_behind(tmp_path) == []
    assert contents(rebuilt(repo, snapshot).path) == contents(repo.path)


def test_a_failure_half_way_leaves_nothing(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "the disk is broken")

    monkeypatch.setattr("mission.git.worktrees.private_repository.PrivateRepository.refresh", fail)

    with pytest.raises(StartTreeUnknown):
        rebuilt(repo, repo.take())
    assert left_behind(tmp_path) == []


def test_removing_follows_no_link_and_may_be_repeated(repo: Repo, tmp_path: Path) -> None:
    trees = StartTrees(repo.snapshots)
    tree = rebuilt(repo, repo.take())
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").touch()
    (tree.path / "link").symlink_to(outside)
    shutil.rmtree(tree.path / ".git")
    (tree.path / "src").chmod(0o500)

    trees.remove("ev_1")
    trees.remove("ev_1")

    assert left_behind(tmp_path) == []
    assert (outside / "kept.txt").exists()
    for name in ("..", "../x", ".lock", ""):
        with pytest.raises(InvalidInput):
            trees.remove(name)


def test_clearing_keeps_what_is_named(repo: Repo, tmp_path: Path) -> None:
    snapshot = repo.take()
    for name in ("ev_1", "ev_2"):
        rebuilt(repo, snapshot, name=name)

    StartTrees(repo.snapshots).clear(keep=["ev_2"])

    assert left_behind(tmp_path) == ["ev_2"]


def test_a_tree_of_the_same_name_is_replaced(repo: Repo) -> None:
    snapshot = repo.take()
    (rebuilt(repo, snapshot).path / "rubbish").touch()

    assert contents(rebuilt(repo, snapshot).path) == contents(repo.path)


def test_a_plain_folder_has_a_start_tree_id(folder: Folder) -> None:
    snapshot, id = folder.take(), id_of(folder, folder.path)
    folder.write("a.txt", "changed\n")

    assert StartTrees(folder.snapshots).tree_id(snapshot) == id
