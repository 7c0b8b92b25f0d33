"""Which commits were made meanwhile."""

from __future__ import annotations

from mission.domain.tasks.changes import Changes
from tests.git.real_repositories import Repo, lists


def subjects(changes: Changes) -> list[str]:
    return [commit.subject for commit in changes.commits]


def test_commits_are_listed_oldest_first_with_their_ids(repo: Repo) -> None:
    snapshot = repo.take()
    ids = [repo.commit(name) for name in ("one", "two", "three")]

    changes = repo.changes(snapshot)

    assert subjects(changes) == ["one", "two", "three"]
    assert [commit.id for commit in changes.commits] == ids


def test_an_amended_commit_is_listed_once(repo: Repo) -> None:
    repo.commit("before")
    snapshot = repo.take()
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "before, mended")
    repo.commit("mine")
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "mine, mended")

    changes = repo.changes(snapshot)

    assert subjects(changes) == ["before, mended", "mine, mended"]
    assert changes.warnings == []


def test_a_rebase_lists_the_commits_as_they_are_now(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("upstream", **{"u.txt": "u\n"})
    repo.git("checkout", "-q", "main")
    snapshot = repo.take()
    repo.commit("mine 1", **{"m1.txt": "1\n"})
    repo.commit("mine 2", **{"m2.txt": "2\n"})
    repo.git("rebase", "-q", "side")

    changes = repo.changes(snapshot)

    assert subjects(changes) == ["mine 1", "mine 2"]
    assert [commit.id for commit in changes.commits] == repo.git("log", "--reverse", "--format=%H", "side..").split()
    assert lists(changes) == {"added": ["m1.txt", "m2.txt", "u.txt"]}
    assert changes.warnings == []


def test_a_commit_that_was_reset_away_is_not_listed(repo: Repo) -> None:
    snapshot = repo.take()
    repo.commit("dropped", **{"x.txt": "x\n"})
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.commit("kept")

    assert subjects(repo.changes(snapshot)) == ["kept"]


def test_commits_of_others_that_were_only_fetched_in_are_not_listed(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("by somebody else", **{"x.txt": "x\n"})
    repo.git("checkout", "-q", "main")
    snapshot = repo.take()
    repo.git("merge", "-q", "--ff-only", "side")
    assert subjects(repo.changes(snapshot)) == []

    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert subjects(repo.changes(snapshot)) == ["merged"]


def test_commits_that_ended_on_another_branch_are_a_warning_with_their_files(repo: Repo) -> None:
    snapshot = repo.take()
    repo.git("checkout", "-q", "-b", "side")
    commit = repo.commit("aside", **{"aside.txt": "x\n", "a.txt": "changed\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("here", **{"here.txt": "x\n"})

    changes = repo.changes(snapshot)

    assert lists(changes) == {"added": ["here.txt"]}
    assert subjects(changes) == ["here"]
    assert changes.warnings == [
        f"1 commit made since then is on branch 'side', not in this tree's HEAD ({commit[:10]}); "
        "their files: a.txt, aside.txt"
    ]


def test_cherry_picks_and_reverts_are_commits(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    picked = repo.commit("picked", **{"p.txt": "p\n"})
    repo.git("checkout", "-q", "main")
    snapshot = repo.take()
    repo.git("cherry-pick", picked)
    repo.git("revert", "--no-edit", "HEAD")

    assert subjects(repo.changes(snapshot)) == ["picked", 'Revert "picked"']


def test_commits_on_a_detached_head_are_listed(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    snapshot = repo.take()
    repo.commit("adrift")

    assert subjects(repo.changes(snapshot)) == ["adrift"]


def test_garbage_collection_breaks_nothing(repo: Repo) -> None:
    repo.write("a.txt", "dirty\n")
    snapshot = repo.take()
    repo.commit("one", **{"b.txt": "one\n"})
    repo.git("checkout", "-q", "--orphan", "fresh")
    repo.commit("all anew", **{"c.txt": "new\n"})
    repo.git("branch", "-q", "-D", "main")
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("gc", "-q", "--prune=now")

    changes = repo.changes(snapshot)

    assert lists(changes) == {"added": ["c.txt"], "modified": ["b.txt"]}
    assert changes.commits == []
    assert changes.warnings == ["The commits made since then cannot be listed: git no longer knows where they start"]


def test_a_shortened_log_is_still_understood(repo: Repo) -> None:
    for number in range(3):
        repo.commit(f"before {number}")
    snapshot = repo.take()
    repo.commit("after")
    log = repo.path / ".git" / "logs" / "HEAD"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[2:]))

    assert subjects(repo.changes(snapshot)) == ["after"]


def test_without_a_log_the_range_is_listed(repo: Repo) -> None:
    snapshot = repo.take()
    repo.git("config", "core.logAllRefUpdates", "false")
    (repo.path / ".git" / "logs" / "HEAD").unlink()
    repo.commit("one")
    repo.commit("two")

    assert subjects(repo.changes(snapshot)) == ["one", "two"]


def test_a_shallow_clone_is_understood(repo: Repo) -> None:
    repo.commit("second")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(repo.path.parent / "shallow"))
    shallow = repo.at(repo.path.parent / "shallow")
    snapshot = shallow.take()
    shallow.commit("mine")

    assert subjects(shallow.changes(snapshot)) == ["mine"]


def test_subjects_in_any_encoding_are_text(repo: Repo) -> None:
    snapshot = repo.take()
    repo.git("commit", "-q", "--allow-empty", "-m", b"caf\xe9")

    assert subjects(repo.changes(snapshot)) == ["café"]


def test_a_history_with_holes_is_a_warning(repo: Repo) -> None:
    snapshot = repo.take()
    repo.commit("one")
    lost = repo.commit("two")
    repo.commit("three")
    (repo.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()

    changes = repo.changes(snapshot)

    assert lists(changes) == {}
    assert changes.warnings == ["The commits made since then cannot be listed: their history is incomplete or too long"]
