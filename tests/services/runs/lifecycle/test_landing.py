"""Landing: the user's branch follows only to a checked commit, refusals are named, and a repeat answers as before."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from subprocess import CalledProcessError

import pytest

from mission.domain.errors import ChecksFailed, Conflict, InvalidInput, InvalidState
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import CarryOut, CheckFinal, Finish, Land, Move
from mission.git.integration import landing as git_landing
from mission.git.integration.errors import TargetMoved
from mission.services.runs.lifecycle import landing
from tests.started_runs import runs as runs

FILES = {"one.txt": "one\n"}


async def finishing(runs, *, files=FILES, **mission):
    """Start a run, merge its work and pass its final checks."""
    await runs.running(**mission)
    await runs.merge("one", files)
    await runs.step(Move(state=RunState.FINISHING))
    run = await runs.step(CheckFinal())
    if run.final["round_id"]:
        await runs.settled(run.final["round_id"])
    return await runs.run()


async def finished(runs, **more):
    await finishing(runs, **more)
    return await runs.step(Finish())


def commit_here(repository, git, name, text, message="theirs"):
    """Commit a file in the user's checkout."""
    (repository / name).write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", message)
    return git(repository, "rev-parse", "HEAD")


async def test_a_finished_run_lands_in_the_checkout(call, runs, repository, git):
    run = await finished(runs)
    (repository / "notes.txt").write_text("mine\n")

    answer = await call("run_land", {"mission_id": runs.mission_id})

    assert answer == {
        "run_id": runs.id,
        "mission_id": runs.mission_id,
        "target": "main",
        "commit": run.tip,
        "squash": False,
        "removed": [run.branch],
        "kept": [],
    }
    assert git(repository, "rev-parse", "main") == run.tip
    assert (repository / "one.txt").read_text() == "one\n"
    assert git(repository, "status", "--porcelain") == "?? notes.txt"
    assert (await runs.get())["landing"]["state"] == "landed"


async def test_a_repeated_landing_answers_as_before(call, runs, repository, git):
    await finished(runs)
    first = await call("run_land", {"run_id": runs.id})
    theirs = commit_here(repository, git, "later.txt", "x\n")

    assert await call("run_land", {"run_id": runs.id, "squash": True}) == first

    assert git(repository, "rev-parse", "main") == theirs


async def test_a_squashed_run_is_one_commit(call, runs, repository, git):
    run = await finished(runs)
    base = git(repository, "rev-parse", "main")

    answer = await call("run_land", {"run_id": runs.id, "squash": True})

    assert (answer["squash"], answer["commit"] != run.tip) == (True, True)
    assert git(repository, "rev-parse", "main^") == base
    assert git(repository, "rev-parse", "main^{tree}") == git(repository, "rev-parse", f"{run.tip}^{{tree}}")
    assert git(repository, "log", "-1", "--format=%s%n%(trailers:key=Mission-Run,valueonly)").splitlines()[:2] == [
        "JWT login",
        runs.id,
    ]


async def test_a_target_that_moved_is_merged_and_checked_first(call, runs, repository, git):
    await finished(runs, final_checks=["test -f one.txt"])
    theirs = commit_here(repository, git, "theirs.txt", "x\n")

    answer = await call("run_land", {"run_id": runs.id})

    run = await runs.run()
    assert answer["commit"] == run.tip == git(repository, "rev-parse", "main")
    assert git(repository, "merge-base", "--is-ancestor", theirs, "main") == ""
    assert {path.name for path in repository.iterdir()} >= {"one.txt", "theirs.txt"}
    round = await runs.read(lambda tx: tx.rounds.get(run.final["round_id"]))
    assert (round.state, round.tree) == ("passed", git(repository, "rev-parse", "main^{tree}"))


async def test_what_fails_with_the_targets_new_commits_does_not_land(call, runs, repository, git):
    await finished(runs, final_checks=["test ! -f theirs.txt || { echo TOO MUCH; exit 1; }"])
    before = await runs.run()
    theirs = commit_here(repository, git, "theirs.txt", "x\n")

    with pytest.raises(ChecksFailed, match="checks do not pass") as refused:
        await call("run_land", {"run_id": runs.id})

    assert "TOO MUCH" in refused.value.details["output"]
    assert git(repository, "rev-parse", "main") == theirs
    assert git(repository, "rev-parse", before.branch) == before.tip


async def test_a_conflict_with_the_target_is_named_with_its_files(call, runs, repository, git):
    await finished(runs, files={"README.md": "ours\n"})
    theirs = commit_here(repository, git, "README.md", "theirs\n")

    with pytest.raises(Conflict) as refused:
        await call("run_land", {"run_id": runs.id})

    assert refused.value.details["paths"] == ["README.md"]
    assert git(repository, "rev-parse", "main") == theirs
    assert (repository / "README.md").read_text() == "theirs\n"


async def test_local_changes_in_the_way_are_named_and_kept(call, runs, repository, git):
    await finished(runs, files={"README.md": "ours\n", "one.txt": "x\n"})
    base = git(repository, "rev-parse", "main")
    (repository / "README.md").write_text("not committed\n")
    (repository / "one.txt").write_text("untracked\n")

    with pytest.raises(Conflict) as refused:
        await call("run_land", {"run_id": runs.id})

    assert sorted(refused.value.details["paths"]) == ["README.md", "one.txt"]
    assert git(repository, "rev-parse", "main") == base
    assert (repository / "README.md").read_text() == "not committed\n"


async def test_a_target_in_the_middle_of_a_rebase_is_refused_with_the_operation(call, runs, repository, git):
    run = await finished(runs)
    (repository / ".git" / "rebase-merge").mkdir()
    (repository / ".git" / "rebase-merge" / "head-name").write_text("refs/heads/main\n")

    with pytest.raises(InvalidState) as refused:
        await call("run_land", {"run_id": runs.id})

    assert refused.value.details["operation"] == "rebase"
    assert git(repository, "rev-parse", "main") == run.base_commit


async def test_a_target_that_keeps_moving_is_followed_three_times(call, runs, repository, monkeypatch):
    await finished(runs)
    tries = []

    def moved(*_, **__):
        tries.append(1)
        raise TargetMoved("main", current="x")

    monkeypatch.setattr(git_landing, "land", moved)

    with pytest.raises(Conflict, match="moved 3 times"):
        await call("run_land", {"run_id": runs.id})

    assert len(tries) == 3


async def test_another_target_can_be_named(call, runs, repository, git):
    run = await finished(runs)
    git(repository, "branch", "release", run.base_commit)

    await call("run_land", {"run_id": runs.id, "target": "release"})

    assert git(repository, "rev-parse", "release") == run.tip
    assert git(repository, "rev-parse", "main") == run.base_commit


async def test_what_cannot_land_is_refused_with_what_to_do(call, runs, repository, git):
    await runs.start()
    with pytest.raises(InvalidState, match="is ready and cannot land"):
        await call("run_land", {"run_id": runs.id})
    await call("run_stop", {"run_id": runs.id})
    with pytest.raises(InvalidState, match="is stopped and cannot land"):
        await call("run_land", {"run_id": runs.id})

    await finished(runs, name="other")
    with pytest.raises(InvalidState, match="no branch 'nowhere'"):
        await call("run_land", {"run_id": runs.id, "target": "nowhere"})
    with pytest.raises(InvalidInput, match="not the name of a branch"):
        await call("run_land", {"run_id": runs.id, "target": "a..b"})
    await runs.set(target=None, landing=None)
    with pytest.raises(InvalidInput, match="has none to land on"):
        await call("run_land", {"run_id": runs.id})


async def test_a_commit_whose_final_checks_did_not_pass_does_not_land(call, runs, repository, git):
    run = await finishing(runs, final_checks=["false"])
    await runs.step(Finish())

    with pytest.raises(InvalidState, match=r"final checks .* did not pass"):
        await call("run_land", {"run_id": runs.id})

    await runs.set(final={**run.final, "accepted": "operator"})
    await call("run_land", {"run_id": runs.id})
    assert git(repository, "rev-parse", "main") == run.tip


async def test_a_run_that_was_told_to_lands_by_itself(runs, repository, git):
    await finishing(runs, land=True)

    run = await runs.step(Land())

    assert run.landing["state"] == "landed"
    assert git(repository, "rev-parse", "main") == run.tip
    assert (await runs.step(Finish())).reason == "1 of 1 tasks are merged and landed on main."


async def test_a_refused_landing_asks_once_and_can_be_tried_again(call, runs, repository, git):
    await finishing(runs, files={"README.md": "ours\n"}, land=True)
    (repository / "README.md").write_text("not committed\n")

    run = await runs.step(Land())
    await runs.step(Land())

    assert run.landing["state"] == "asking"
    items = (await call("queue_list", {"kind": ["run"]}))["items"]
    assert [choice["value"] for choice in items[0]["choices"]] == ["retry", "finish"]
    assert (len(items), "README.md" in items[0]["subject"] + items[0]["body"]) == (1, True)

    git(repository, "checkout", "-q", "README.md")
    await call("queue_answer", {"id": items[0]["id"], "choice": 1})
    await runs.step(CarryOut(key="landing", choice="retry"))
    assert (await runs.step(Land())).landing["state"] == "landed"


async def test_a_crash_after_the_branch_moved_is_found_out(call, runs, repository, git, monkeypatch):
    """The branch is at the new commit, but the row says that the landing was only asked for."""
    run = await finished(runs)
    kept = landing._landed

    def die(tx, **_):
        raise InvalidState("killed")

    monkeypatch.setattr(landing, "_landed", die)
    with pytest.raises(InvalidState, match="killed"):
        await call("run_land", {"run_id": runs.id, "squash": True})
    landed = git(repository, "rev-parse", "main")
    assert landed != run.base_commit
    monkeypatch.setattr(landing, "_landed", kept)

    answer = await call("run_land", {"run_id": runs.id, "squash": True})

    assert answer["commit"] == landed == git(repository, "rev-parse", "main")


async def test_a_conflict_with_the_target_that_a_person_resolves_on_the_branch_lands(call, runs, repository, git):
    """The refusal says to merge the target into the branch of the run, and to land again."""
    await finished(
        runs, files={"README.md": "ours\n"}, final_checks=["grep -q both README.md || grep -q ours README.md"]
    )
    commit_here(repository, git, "README.md", "theirs\n")
    with pytest.raises(Conflict) as refused:
        await call("run_land", {"run_id": runs.id})
    assert "land again" in refused.value.hint
    resolved = resolve(runs, await runs.run(), "both\n")

    answer = await call("run_land", {"run_id": runs.id})

    assert answer["commit"] == resolved == git(repository, "rev-parse", "main")
    assert (repository / "README.md").read_text() == "both\n"
    assert [each["commit"] for each in (await runs.get())["foreign_commits"]] == [resolved]


async def test_what_a_person_added_to_the_branch_lands_only_if_it_passes_the_checks(call, runs, repository, git):
    run = await finished(runs, checks=["test ! -f worse.txt"])
    theirs = runs.commit(run.branch, {"worse.txt": "x\n"}, message="theirs")

    with pytest.raises(ChecksFailed, match="Commits were added to 'mission/"):
        await call("run_land", {"run_id": runs.id})

    assert git(repository, "rev-parse", "main") == run.base_commit
    assert git(repository, "rev-parse", run.branch) == theirs


async def test_a_branch_that_somebody_deleted_is_restored_to_land(call, runs, repository, git):
    run = await finished(runs)
    git(repository, "update-ref", "-d", f"refs/heads/{run.branch}")
    commit_here(repository, git, "theirs.txt", "x\n")

    await call("run_land", {"run_id": runs.id})

    assert {path.name for path in repository.iterdir()} >= {"one.txt", "theirs.txt"}


async def test_final_checks_that_a_person_did_without_do_not_stop_a_landing_upon_a_moved_target(
    call, runs, repository, git
):
    run = await finishing(runs, final_checks=["false"])
    await runs.set(final={**run.final, "accepted": "operator"})
    await runs.step(Finish())
    commit_here(repository, git, "theirs.txt", "x\n")

    await call("run_land", {"run_id": runs.id})

    assert {path.name for path in repository.iterdir()} >= {"one.txt", "theirs.txt"}


async def test_two_landings_at_once_check_the_merged_commit_once(call, runs, repository, git, tmp_path, monkeypatch):
    note, gate = tmp_path / "note", tmp_path / "gate"
    once = f"test ! -f {gate} || {{ echo x >> {note}; while test -f {gate}; do sleep 0.05; done; }}"
    await finished(runs, final_checks=[once])
    commit_here(repository, git, "theirs.txt", "x\n")
    gate.touch()

    first = asyncio.create_task(call("run_land", {"run_id": runs.id}))
    async with asyncio.timeout(60):
        while not note.exists():  # noqa: ASYNC110 - a check writes it
            await asyncio.sleep(0.02)
    looked, look = asyncio.Event(), landing._under_way
    loop = asyncio.get_running_loop()

    def looking(tx, **given):
        loop.call_soon_threadsafe(looked.set)
        return look(tx, **given)

    monkeypatch.setattr(landing, "_under_way", looking)
    second = asyncio.create_task(call("run_land", {"run_id": runs.id}))
    async with asyncio.timeout(60):
        await looked.wait()
    gate.unlink()

    assert (await first)["commit"] == (await second)["commit"] == git(repository, "rev-parse", "main")
    assert note.read_text() == "x\n"


async def test_what_cannot_be_cleaned_up_does_not_undo_the_landing(runs, repository, git, monkeypatch):
    await finishing(runs, land=True)

    async def refuse(*_):
        raise InvalidState("the folder is in use")

    monkeypatch.setattr(landing.landing_cleanup, "clean_up", refuse)
    run = await runs.step(Land())

    assert (run.landing["state"], run.landing["cleaned"]) == ("landed", True)
    assert run.landing["kept"] == [{"name": run.branch, "reason": "the folder is in use"}]
    assert git(repository, "rev-parse", "main") == run.tip


def resolve(runs, run, text):
    """Merge the target into the branch of the run as a person would; return the commit."""
    place = runs.repository.parent / "resolving"
    runs.git("worktree", "add", "-q", str(place), run.branch)
    with suppress(CalledProcessError):
        runs.git("merge", "-q", "main", folder=place)
    (place / "README.md").write_text(text)
    runs.git("commit", "-qam", "resolved", folder=place)
    commit = runs.git("rev-parse", "HEAD", folder=place)
    runs.git("worktree", "remove", "--force", str(place))
    return commit
