"""The identity of a tree, and what a check did to it."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from mission.git.changed_files import find_changes
from mission.git.errors import ChangesUnknown
from mission.git.snapshot import Snapshots
from mission.git.tree_identity import Examined, TreeDrift, TreeIdentity, drift, examine, identify
from mission.git.working_tree import find_tree
from tests.git.real_repositories import Folder, Repo, everything, lists


def identity_of(folder: Folder, ignore: dict[str, str] | None = None) -> TreeIdentity:
    return identify(folder.snapshots, find_tree(folder.path), ignore=ignore)


def drift_of(folder: Folder, identity: TreeIdentity) -> TreeDrift:
    return drift(folder.snapshots, identity)


def blob(folder: Folder, name: str) -> str:
    assert isinstance(folder, Repo)
    return folder.git("hash-object", "--no-filters", "--", name).strip()


def test_changes_and_identity_come_from_one_scan(repo: Repo) -> None:
    start = repo.take()
    repo.write("a.txt", "changed\n")

    examined = examine(repo.snapshots, start, lines=True)

    assert examined == Examined(changes=find_changes(repo.snapshots, start, lines=True), tree=examined.tree)
    assert examined.tree.id == identity_of(repo).id
    assert examined.tree.kind == "git"


def test_an_identity_survives_json_and_a_restart(repo: Repo, tmp_path: Path) -> None:
    identity = identity_of(repo)
    repo.write("a.txt", "changed\n")
    again = TreeIdentity.from_dict(json.loads(json.dumps(identity.as_dict())))

    assert again == identity
    assert drift(Snapshots(tmp_path / "snapshots"), again) == TreeDrift(modified=["a.txt"])


def test_a_tree_that_nobody_touched_has_not_drifted(repo: Repo) -> None:
    repo.write("untracked.txt")
    repo.write("b.txt", "dirty\n")
    identity = identity_of(repo)
    (repo.path / "a.txt").touch()
    repo.write(".git/info/exclude", "*.log\n")
    repo.write("x.log")

    assert drift_of(repo, identity) == TreeDrift()


def test_what_a_check_modified_and_what_it_left_are_told_apart(repo: Repo) -> None:
    repo.write("untracked.txt", "one\n")
    repo.write("removed.txt", "one\n")
    (repo.path / "b.txt").unlink()
    identity = identity_of(repo)

    repo.write("untracked.txt", "two\n")
    (repo.path / "removed.txt").unlink()
    repo.write("b.txt", "brought back\n")
    (repo.path / "a.txt").chmod(0o755)
    repo.write("report/out.xml", "left\n")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")

    assert drift_of(repo, identity) == TreeDrift(
        modified=["a.txt", "b.txt", "removed.txt", "staged.txt", "untracked.txt"],
        untracked={"untracked.txt": blob(repo, "untracked.txt")},
        left={"report/out.xml": blob(repo, "report/out.xml")},
    )


def test_what_a_check_commits_or_hides_without_changing_it_is_not_modified(repo: Repo) -> None:
    repo.write("untracked.log")
    identity = identity_of(repo)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "by the check")
    repo.git("rm", "-q", "--cached", "untracked.log")
    repo.write(".git/info/exclude", "*.log\n")

    assert drift_of(repo, identity) == TreeDrift()


def test_files_that_a_check_left_do_not_count_while_they_stay_the_same(repo: Repo) -> None:
    start = repo.take()
    first = identity_of(repo)
    repo.write("left.txt", "left\n")
    repo.write(os.fsdecode(b"caf\xe9"), "left\n")
    left = drift_of(repo, first).left
    assert set(left) == {"left.txt", '"caf\\351"'}

    second = examine(repo.snapshots, start, ignore=left)
    assert second.tree.id == first.id == identity_of(repo, dict(left)).id
    assert lists(second.changes) == {}
    assert drift_of(repo, second.tree) == TreeDrift(left=left)

    repo.write("left.txt", "changed by the agent\n")
    third = examine(repo.snapshots, start, ignore=left)
    assert third.tree.id != first.id
    assert lists(third.changes) == {"added": ["left.txt"]}


def test_a_file_that_is_tracked_always_counts(repo: Repo) -> None:
    start = repo.take()
    repo.write("left.txt", "left\n")
    left = {"left.txt": blob(repo, "left.txt"), "a.txt": blob(repo, "a.txt")}
    first = identity_of(repo, left)
    repo.git("add", "left.txt")

    examined = examine(repo.snapshots, start, ignore=left)

    assert examined.tree.id != first.id
    assert lists(examined.changes) == {"added": ["left.txt"]}


def test_a_file_that_the_task_deleted_and_a_check_wrote_again_is_deleted(repo: Repo) -> None:
    repo.write("generated.txt", "text\n")
    start = repo.take()
    (repo.path / "generated.txt").unlink()
    first = examine(repo.snapshots, start)
    repo.write("generated.txt", "text\n")

    second = examine(repo.snapshots, start, ignore=drift_of(repo, first.tree).left)

    assert second.tree.id == first.tree.id
    assert lists(second.changes) == lists(first.changes) == {"deleted": ["generated.txt"]}


def test_a_plain_folder_drifts_too(folder: Folder) -> None:
    start = folder.take()
    first = examine(folder.snapshots, start).tree
    folder.write("a.txt", "changed\n")
    folder.write("left.txt", "left\n")

    drifted = drift_of(folder, first)
    assert (drifted.modified, set(drifted.left)) == (["a.txt"], {"left.txt"})

    folder.write("a.txt", "a\n")
    second = examine(folder.snapshots, start, ignore=drifted.left)
    assert second.tree.id == first.id
    assert lists(second.changes) == {}
    assert drift_of(folder, second.tree) == TreeDrift(left=drifted.left)


def test_a_changed_submodule_is_modified(repo: Repo, tmp_path: Path) -> None:
    library = repo.at(tmp_path / "library").init()
    library.commit(**{"l.txt": "l\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    repo.commit("with a library")
    identity = identity_of(repo)
    repo.write("lib/l.txt", "changed\n")

    assert drift_of(repo, identity) == TreeDrift(modified=["lib"])


def test_nothing_in_the_repository_is_written(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    repo.write("secret.txt")
    before = everything(repo.path)

    identity = identity_of(repo)
    drift_of(repo, identity)
    repo.snapshots.forget(identity.snapshot)

    assert everything(repo.path) == before


def test_an_identity_that_is_forgotten_or_pruned_is_unknown(repo: Repo) -> None:
    forgotten, pruned, kept = (identity_of(repo) for _ in range(3))

    repo.snapshots.forget(forgotten.snapshot)
    repo.snapshots.prune([kept.snapshot], grace=timedelta(seconds=-60))

    assert drift_of(repo, kept) == TreeDrift()
    for identity in (forgotten, pruned):
        with pytest.raises(ChangesUnknown):
            drift_of(repo, identity)
