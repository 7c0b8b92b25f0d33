"""Worktrees of a repository: listing, adding and removing them, and what is uncommitted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.worktrees.worktree import (
    NAMED_FILES,
    Base,
    Worktree,
    WorktreeRefused,
    WorktreeState,
    add,
    base_of,
    commit_of,
    delete_branch,
    digest_at,
    named,
    open_index,
    remove,
    state_of,
    tip_of,
    uncommitted,
    worktree_at,
    worktrees,
)
from tests.git.real_repositories import Repo


@pytest.fixture
def side(repo: Repo, tmp_path: Path) -> Repo:
    """A worktree on a new branch 'side'."""
    add(repo.path, tmp_path / "side", branch="side", commit=repo.head)
    return repo.at(tmp_path / "side")


def test_every_worktree_is_listed_with_its_branch_the_main_one_first(repo: Repo, side: Repo) -> None:
    listed = [
        Worktree(path=repo.path, branch="main", main=True),
        Worktree(path=side.path, branch="side", main=False),
    ]
    assert worktrees(repo.path) == worktrees(side.path) == listed

    side.git("checkout", "-q", "--detach")
    assert worktree_at(repo.path, side.path) == Worktree(path=side.path, branch=None, main=False)
    assert worktree_at(repo.path, side.path / "src") is None


def test_a_worktree_on_an_existing_branch_starts_where_the_branch_is(repo: Repo, tmp_path: Path) -> None:
    repo.git("branch", "old")
    tip = repo.head
    repo.commit("later")

    add(repo.path, tmp_path / "old", branch="old", commit=None)

    assert repo.at(tmp_path / "old").head == tip


def test_a_branch_that_exists_is_not_moved_and_an_occupied_place_is_refused(repo: Repo, side: Repo) -> None:
    before = tip_of(repo.path, "main")
    for branch, path in (("main", side.path.with_name("new")), ("fresh", side.path)):
        with pytest.raises(WorktreeRefused) as refused:
            add(repo.path, path, branch=branch, commit=repo.head)
        assert "fatal" not in refused.value.message

    assert tip_of(repo.path, "main") == before


def test_a_worktree_with_changes_is_removed_only_by_force(repo: Repo, side: Repo) -> None:
    side.write("new.txt")

    with pytest.raises(WorktreeRefused):
        remove(repo.path, side.path)
    remove(repo.path, side.path, force=True)

    assert not side.path.exists()
    assert len(worktrees(repo.path)) == 1
    assert tip_of(repo.path, "side") == repo.head


def test_a_branch_that_moved_in_between_is_kept(repo: Repo) -> None:
    first = repo.head
    repo.git("branch", "old")
    repo.git("checkout", "-q", "-b", "other")
    second = repo.commit("second")
    repo.git("branch", "-f", "old", second)

    with pytest.raises(WorktreeRefused):
        delete_branch(repo.path, "old", tip=first)
    delete_branch(repo.path, "old", tip=second)

    assert tip_of(repo.path, "old") is None


def test_a_base_is_what_is_checked_out_or_a_branch_or_tag_by_name(repo: Repo) -> None:
    first = repo.head
    repo.git("tag", "v1")
    repo.git("update-ref", "refs/remotes/origin/dev", first)
    second = repo.commit("second")

    assert base_of(repo.path, None) == Base(name="main", commit=second)
    assert base_of(repo.path, "v1") == Base(name="v1", commit=first)
    assert base_of(repo.path, "origin/dev") == Base(name="origin/dev", commit=first)
    repo.git("checkout", "-q", "--detach", first)
    assert base_of(repo.path, None) == Base(name=None, commit=first)


@pytest.mark.parametrize("name", ["missing", "--all", "HEAD", ""])
def test_a_base_that_does_not_exist_is_refused(repo: Repo, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        base_of(repo.path, name)

    assert refused.value.details["field"] == "base_branch"


def test_a_repository_without_a_commit_has_no_base(empty: Repo) -> None:
    assert commit_of(empty.path, "HEAD") is None
    with pytest.raises(InvalidState):
        base_of(empty.path, None)


def test_a_worktree_is_compared_with_its_base(repo: Repo, side: Repo) -> None:
    for name in ("one", "two"):
        head = side.commit(name)
    repo.commit("meanwhile")
    side.write("new.txt")

    found = state_of(repo.path, side.path, branch="side", base="main", copied={})

    assert found == WorktreeState(exists=True, head=head, branch="side", ahead=2, behind=1, uncommitted=("new.txt",))


def test_a_worktree_that_is_gone_still_has_its_branch(repo: Repo, side: Repo) -> None:
    head = side.commit("one")
    remove(repo.path, side.path)

    found = state_of(repo.path, side.path, branch="side", base="missing", copied={})

    assert found == WorktreeState(exists=False, head=head, branch=None, ahead=None, behind=None)


def test_every_kind_of_uncommitted_file_is_named(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    repo.commit("ignore")
    repo.write("a.txt", "changed\n")
    repo.write("staged.txt")
    repo.git("add", "staged.txt")
    (repo.path / "b.txt").unlink()
    repo.write("new/x.txt")
    repo.write("noise.log")

    assert sorted(uncommitted(repo.path, copied={})) == ["a.txt", "b.txt", "new/x.txt", "staged.txt"]


def test_a_copy_that_was_brought_along_counts_once_it_is_edited(repo: Repo) -> None:
    path = repo.write(".env", "KEY=1\n")
    copied = {".env": digest_at(path) or ""}

    assert uncommitted(repo.path, copied=copied) == []
    path.write_text("KEY=2\n")
    assert uncommitted(repo.path, copied=copied) == [".env"]
    assert digest_at(repo.path / "missing") is None


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_a_mark_in_the_index_hides_no_change_and_stays(repo: Repo, mark: str) -> None:
    repo.git("update-index", mark, "a.txt")
    repo.write("a.txt", "changed\n")
    before = repo.git("ls-files", "-v")

    assert uncommitted(repo.path, copied={}) == ["a.txt"]
    with open_index(repo.path) as index:
        assert index.exists()
    assert not index.exists()
    assert repo.git("ls-files", "-v") == before


def test_no_hook_and_no_filter_of_the_repository_runs(repo: Repo, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    hook = repo.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {witness}\n")
    hook.chmod(0o755)
    repo.commit("attributes", **{".gitattributes": "*.txt filter=x\n"})
    repo.git("config", "filter.x.smudge", f"touch {witness}; cat")
    repo.git("config", "filter.x.required", "true")

    add(repo.path, tmp_path / "side", branch="side", commit=repo.head)

    assert not witness.exists()
    assert (tmp_path / "side" / "a.txt").read_text() == "a\n"


def a_program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def a_filter_of_the_user(home: Path, script: str) -> None:
    smudge = a_program(home / "smudge", f"{script}\ncat")
    (home / ".gitconfig").write_text(f'[filter "mine"]\n\tsmudge = {smudge}\n\trequired = true\n')


def test_a_filter_of_the_user_may_fetch_what_it_needs(repo: Repo, empty: Repo, home: Path, tmp_path: Path) -> None:
    empty.commit("there", **{"there.txt": "there\n"})
    a_filter_of_the_user(
        home,
        f"git ls-remote file://{empty.path} HEAD >> {home}/fetched || exit 1\n"
        f"env >> {home}/seen; git config --list >> {home}/seen",
    )
    repo.commit("attributes", **{".gitattributes": "a.txt filter=mine\n"})

    add(repo.path, tmp_path / "side", branch="side", commit=repo.head)

    assert empty.head in (home / "fetched").read_text()
    seen = (home / "seen").read_text().lower()
    for closed in ("git_allow_protocol", "protocol.allow", "core.sshcommand", "core.askpass", "credential.helper"):
        assert closed not in seen


def test_a_filter_of_the_user_starts_no_program_that_the_repository_names(
    repo: Repo, home: Path, tmp_path: Path
) -> None:
    theirs = a_program(tmp_path / "theirs", f"echo ran >> {tmp_path}/ran")
    helper = a_program(tmp_path / "helper", f"echo asked >> {home}/asked; echo username=ada; echo password=secret")
    ssh = a_program(tmp_path / "ssh", f"echo connected >> {home}/asked; exit 1")
    a_filter_of_the_user(
        home,
        "printf 'protocol=https\\nhost=example.org\\n\\n' | git credential fill >/dev/null\n"
        "git ls-remote ssh://example.org/x >/dev/null 2>&1; true",
    )
    with (home / ".gitconfig").open("a") as config:
        config.write(f"[credential]\n\thelper = {helper}\n[core]\n\tsshCommand = {ssh}\n")
    for key in ("credential.helper", "credential.https://example.org.helper", "core.sshCommand", "core.askPass"):
        repo.git("config", key, str(theirs))
    repo.commit("attributes", **{".gitattributes": "a.txt filter=mine\n"})

    add(repo.path, tmp_path / "side", branch="side", commit=repo.head)

    assert not (tmp_path / "ran").exists()
    assert (home / "asked").read_text() == "asked\nconnected\n"


@pytest.mark.parametrize("key", ["protocol.ext.allow", "remote.origin.promisor", "remote.origin.uploadpack"])
def test_the_network_stays_closed_where_the_repository_could_lead_it_to_a_program(
    repo: Repo, home: Path, tmp_path: Path, key: str
) -> None:
    a_filter_of_the_user(home, f"env > {home}/seen")
    repo.git("config", key, "always" if key.endswith("allow") else "true")
    repo.commit("attributes", **{".gitattributes": "a.txt filter=mine\n"})

    add(repo.path, tmp_path / "side", branch="side", commit=repo.head)

    assert "GIT_ALLOW_PROTOCOL=none" in (home / "seen").read_text()


def test_worktrees_are_listed_by_a_git_that_does_not_know_z(
    repo: Repo, side: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = worktrees(repo.path)
    assert len(expected) == 2
    old = tmp_path / "old"
    old.mkdir()
    real = shutil.which("git")
    a_program(
        old / "git",
        f'case "$*" in *" worktree list "*" -z"*) echo "error: unknown switch" >&2; exit 129;; esac\nexec {real} "$@"',
    )
    monkeypatch.setenv("PATH", f"{old}:/usr/bin:/bin")

    assert worktrees(repo.path) == expected
    assert worktree_at(repo.path, side.path) == expected[1]


def test_many_files_are_counted_after_the_first_few() -> None:
    assert named(["a", "b"]) == "a, b"
    assert named([str(number) for number in range(NAMED_FILES + 3)]).endswith("3 more")


@pytest.mark.parametrize("condition", ["gitdir:**/worktrees/**", "gitdir/i:**/WORKTREES/**", "onbranch:feature*"])
def test_a_program_that_only_the_new_worktrees_configuration_names_does_not_run(
    repo: Repo, tmp_path: Path, condition: str
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    repo.commit("attributes", **{".gitattributes": "* filter=evil\n", "later.txt": "later\n"})
    included = repo.path / ".git" / "evil.inc"
    included.write_text(f'[filter "evil"]\n\tsmudge = {program}\n\tclean = {program}\n')
    with (repo.path / ".git" / "config").open("a") as config:
        config.write(f'[includeIf "{condition}"]\n\tpath = evil.inc\n')
    made = tmp_path / "made"

    add(repo.path, made, branch="feature", commit=repo.head)

    assert (made / "later.txt").read_text() == "later\n"
    assert state_of(repo.path, made, branch="feature", base=None, copied={}).uncommitted == ()
    assert not ran.exists()


def test_a_repository_that_contains_itself_is_looked_at_once(repo: Repo) -> None:
    git_dir = repo.path / ".git"
    for name in ("s1", "s2"):
        folder = repo.path / "a" / name
        folder.mkdir(parents=True)
        (folder / ".git").write_text(f"gitdir: {git_dir}\n")
        (folder / "a").symlink_to(repo.path / "a")
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},a/{name}")

    assert "a/s1" in uncommitted(repo.path, copied={})
