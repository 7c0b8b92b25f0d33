"""What has to be known about a repository before a run, and the first commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mission.git.integration import preflight_facts as module
from mission.git.integration.errors import Filtered, Nested
from mission.git.integration.preflight_facts import init_repository, preflight_facts
from tests.git.integration.run_repositories import Run, make_hostile
from tests.git.real_repositories import Folder, Repo


def test_a_plain_repository_has_nothing_in_the_way(repo: Repo) -> None:
    facts = preflight_facts(repo.path)

    assert (facts.is_repository, facts.is_git_new_enough, facts.needed_git) == (True, True, "2.38")
    assert (facts.head, facts.branch) == (repo.head, "main")
    assert (facts.is_shallow, facts.is_partial, facts.operation, facts.branch_in_the_way) == (False, False, None, None)
    assert (facts.uncommitted, facts.uncommitted_count) == ((), 0)


def test_a_folder_without_a_repository_and_one_without_a_commit_are_told_apart(folder: Folder, empty: Repo) -> None:
    assert not preflight_facts(folder.path).is_repository
    facts = preflight_facts(empty.path)
    assert (facts.is_repository, facts.head, facts.branch) == (True, None, "main")


def test_uncommitted_files_are_named_up_to_a_limit(repo: Repo) -> None:
    repo.write("a.txt", "edited\n")
    for number in range(60):
        repo.write(f"many/{number:02}.txt")

    facts = preflight_facts(repo.path)

    assert facts.uncommitted[:2] == ("a.txt", "many/00.txt")
    assert (len(facts.uncommitted), facts.uncommitted_count) == (50, 61)


def test_shallow_and_partial_clones_are_recognized(repo: Repo, tmp_path: Path) -> None:
    repo.commit("second", **{"a.txt": "2\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    for name, option in {"shallow": "--depth=1", "partial": "--filter=blob:none"}.items():
        subprocess.run(["git", "clone", "-q", option, f"file://{repo.path}", str(tmp_path / name)], check=True)

    assert preflight_facts(tmp_path / "shallow").is_shallow
    assert not preflight_facts(tmp_path / "shallow").is_partial
    assert preflight_facts(tmp_path / "partial").is_partial
    assert not preflight_facts(tmp_path / "partial").is_shallow


def test_a_detached_head_a_branch_in_the_way_and_an_operation_are_facts(repo: Repo) -> None:
    repo.git("branch", "mission")
    repo.git("checkout", "-q", "--detach")
    repo.git("bisect", "start")

    facts = preflight_facts(repo.path)

    assert (facts.branch, facts.branch_in_the_way, facts.operation) == (None, "mission", "bisect")


def test_branches_of_other_runs_are_not_in_the_way(run: Run) -> None:
    assert preflight_facts(run.repo.path).branch_in_the_way is None


def test_an_old_git_is_a_fact_too(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "git_version", lambda: (2, 37, 9))

    facts = preflight_facts(repo.path)

    assert (facts.git_version, facts.is_git_new_enough) == ("2.37.9", False)


def test_a_subfolder_stands_for_its_repository(repo: Repo) -> None:
    assert preflight_facts(repo.path / "src").head == repo.head


def test_a_folder_becomes_a_repository_with_every_file_that_is_not_ignored(folder: Folder, home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\n\tname = Grace\n\temail = grace@example.org\n")
    folder.write(".gitignore", "*.log\n")
    folder.write("x.log")
    repo = Repo(path=folder.path, snapshots=folder.snapshots)

    commit = init_repository(folder.path)

    assert commit == repo.head
    assert repo.git("ls-tree", "-r", "--name-only", "HEAD").split() == [".gitignore", "a.txt", "src/c.txt"]
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("log", "-1", "--format=%an <%ae>").strip() == "Grace <grace@example.org>"
    assert init_repository(folder.path) == commit


def test_without_a_name_of_the_user_the_first_commit_is_ours(folder: Folder) -> None:
    init_repository(folder.path)

    repo = Repo(path=folder.path, snapshots=folder.snapshots)
    assert repo.git("log", "-1", "--format=%an").strip() == "Mission Control"


def test_what_is_staged_before_the_first_commit_belongs_to_it(empty: Repo) -> None:
    empty.write("staged.txt")
    empty.git("add", "staged.txt")
    empty.write("new.txt")

    init_repository(empty.path)

    assert empty.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["new.txt", "staged.txt"]


def test_nothing_happens_in_a_repository_with_commits(repo: Repo) -> None:
    repo.write("new.txt")
    head = repo.head

    assert init_repository(repo.path) == head
    assert repo.git("status", "--porcelain") == "?? new.txt\n"


def test_a_nested_repository_is_named(folder: Folder) -> None:
    Repo(path=folder.path / "inner", snapshots=folder.snapshots).init().commit(**{"x": "x\n"})

    with pytest.raises(Nested) as refused:
        init_repository(folder.path)
    assert refused.value.details["paths"] == ["inner/"]


def test_no_program_of_the_repository_runs(empty: Repo) -> None:
    empty.write("a.txt")
    trace = make_hostile(empty)
    preflight_facts(empty.path)
    empty.write("x.evil")
    with pytest.raises(Filtered):
        init_repository(empty.path)
    (empty.path / "x.evil").unlink()
    init_repository(empty.path)

    assert not trace.exists(), trace.read_text()
