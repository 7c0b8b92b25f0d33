"""Making worktrees: at the right place, whole or not at all, also after a crash."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import Conflict, InvalidInput, InvalidState
from mission.git.worktrees.creation import WorktreeMaker, WorktreeRequest
from mission.git.worktrees.setup import SetupFailed, WorktreeSetup
from mission.git.worktrees.worktree import digest_at, tip_of, worktrees
from tests.git.real_repositories import Repo


@pytest.fixture
def maker(tmp_path: Path) -> WorktreeMaker:
    return WorktreeMaker(tmp_path / "worktrees", setup_seconds=30)


@pytest.fixture
def order(repo: Repo, maker: WorktreeMaker) -> Any:
    def wanted(name: str = "side", **fields: Any) -> WorktreeRequest:
        plain = {"path": maker.place_for(repo.path, name), "branch": name, "create": True}
        return WorktreeRequest(top=repo.path, **{**plain, **fields})

    return wanted


def notes(maker: WorktreeMaker) -> list[Path]:
    return list(maker._state.glob("*.json"))


def test_a_worktree_is_made_on_a_new_branch_from_the_current_one(repo: Repo, maker: WorktreeMaker, order: Any) -> None:
    made = maker.make(order())

    assert (made.branch, made.base, made.created) == ("side", "main", True)
    assert (made.path / "src" / "c.txt").read_text() == "c\n"
    assert repo.at(made.path).head == repo.head
    assert notes(maker) == []


def test_places_of_two_repositories_of_one_name_are_apart(maker: WorktreeMaker) -> None:
    one, other = (maker.place_for(Path(top) / "app", "x") for top in ("/a", "/b"))

    assert one != other
    assert one.name == other.name == "x"
    assert one.parent.name.startswith("app-")


def test_asking_again_gives_the_worktree_that_is_there(repo: Repo, maker: WorktreeMaker, order: Any) -> None:
    repo.write(".env", "KEY=1\n")
    wanted = order(setup=WorktreeSetup(copy=[".env"]))
    first = maker.make(wanted)
    second = maker.make(wanted)

    assert (first.created, second.created) == (True, False)
    assert (second.path, second.base) == (first.path, "main")
    assert second.copied == first.copied == {".env": digest_at(repo.path / ".env")}
    assert first.warnings
    assert ".env" in first.warnings[0]


def test_a_worktree_on_another_branch_or_of_another_repository_is_refused(
    repo: Repo, maker: WorktreeMaker, order: Any, tmp_path: Path
) -> None:
    made = maker.make(order())
    with pytest.raises(InvalidState) as refused:
        maker.make(order(branch="other"))
    assert refused.value.details["current"] == "side"

    with pytest.raises(InvalidInput):
        maker.make(order(path=made.path / "src", branch="side"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x").write_text("")
    with pytest.raises(InvalidInput):
        maker.make(order(path=tmp_path / "folder"))


def test_nothing_is_made_unless_it_is_asked_for(maker: WorktreeMaker, order: Any, repo: Repo) -> None:
    with pytest.raises(InvalidState):
        maker.make(order(create=False))

    assert tip_of(repo.path, "side") is None


@pytest.mark.parametrize("branch", ["-x", "a b", "refs/heads/x", "HEAD", ""])
def test_a_bad_branch_name_is_refused_before_anything_is_made(maker: WorktreeMaker, order: Any, branch: str) -> None:
    with pytest.raises(InvalidInput):
        maker.make(order(branch=branch))

    assert not maker._state.exists()


def test_an_existing_branch_is_taken_only_when_that_is_wanted(repo: Repo, maker: WorktreeMaker, order: Any) -> None:
    repo.git("branch", "side")
    repo.commit("later")

    with pytest.raises(InvalidState):
        maker.make(order())
    made = maker.make(order(reuse_branch=True))

    assert repo.at(made.path).head == tip_of(repo.path, "side") != repo.head


def test_a_worktree_is_made_only_below_the_allowed_folders(
    repo: Repo, maker: WorktreeMaker, order: Any, tmp_path: Path
) -> None:
    for path in (Path("/nowhere/side"), repo.path / "inside"):
        with pytest.raises(InvalidInput) as refused:
            maker.make(order(path=path))
        assert refused.value.details == {"field": "path"}

    assert maker.make(order(path=tmp_path / "beside")).path == tmp_path / "beside"
    assert (
        WorktreeMaker(tmp_path / "w", roots=[tmp_path / "more"]).make(order("b", path=tmp_path / "more" / "b")).created
    )


def test_a_setup_command_that_fails_leaves_nothing_behind(repo: Repo, maker: WorktreeMaker, order: Any) -> None:
    wanted = order(setup=WorktreeSetup(setup="touch junk; exit 1"))

    with pytest.raises(SetupFailed):
        maker.make(wanted)

    assert not wanted.path.exists()
    assert tip_of(repo.path, "side") is None
    assert len(worktrees(repo.path)) == 1
    assert notes(maker) == []
    assert maker.make(order()).created


def test_a_setup_command_is_reported_and_its_files_stay(maker: WorktreeMaker, order: Any) -> None:
    said: list[str] = []

    made = maker.make(order(setup=WorktreeSetup(setup="touch ready")), report=said.append)

    assert (made.path / "ready").exists()
    assert len(said) == 1


def begin(maker: WorktreeMaker, wanted: WorktreeRequest, repo: Repo) -> None:
    """Leave what a maker leaves that was killed after git had made the worktree."""
    note = maker._state_file(wanted, "json")
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps({"path": str(wanted.path), "branch": wanted.branch, "commit": repo.head}))
    repo.git("worktree", "add", "-q", "-b", wanted.branch, str(wanted.path))
    (wanted.path / "half").write_text("")


def test_what_a_killed_maker_left_is_taken_away_first(repo: Repo, maker: WorktreeMaker, order: Any) -> None:
    begin(maker, order(), repo)

    made = maker.make(order())

    assert made.created
    assert not (made.path / "half").exists()
    assert notes(maker) == []


def test_a_branch_with_commits_of_its_own_survives_the_clearing(repo: Repo, maker: WorktreeMaker, order: Any) -> None:
    begin(maker, order(), repo)
    tip = repo.at(order().path).commit("real work")

    made = maker.make(order(reuse_branch=True))

    assert repo.at(made.path).head == tip


def test_a_note_that_cannot_be_read_is_no_obstacle(maker: WorktreeMaker, order: Any) -> None:
    note = maker._state_file(order(), "json")
    note.parent.mkdir(parents=True)
    note.write_text("{half")

    assert maker.make(order()).created
    assert notes(maker) == []


def test_a_registered_worktree_whose_folder_is_gone_is_made_again(repo: Repo, maker: WorktreeMaker, order: Any) -> None:
    made = maker.make(order())
    made.path.rename(made.path.with_name("elsewhere"))

    assert maker.make(order(reuse_branch=True)).created


def test_two_makers_do_not_work_at_one_place(tmp_path: Path, order: Any) -> None:
    maker = WorktreeMaker(tmp_path / "worktrees", setup_seconds=0)
    lock = maker._state_file(order(), "lock")
    lock.parent.mkdir(parents=True)
    holder = os.open(lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(holder, fcntl.LOCK_EX)
    try:
        with pytest.raises(Conflict):
            maker.make(order())
    finally:
        os.close(holder)

    assert maker.make(order()).created
