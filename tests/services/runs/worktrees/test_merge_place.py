"""The merge worktree: its files are exactly the commit's, and it is set up when its inputs differ."""

from __future__ import annotations

from dataclasses import replace

from mission.git.worktrees.setup import WorktreeSetup
from mission.services.runs.worktrees import merge_place
from tests.merged_runs import merged as merged


async def test_a_commit_is_checked_out_and_identified_by_its_tree(merged):
    run, context = await merged.run(), merged.call.app.run_context
    path = merge_place.merge_path(context, run)

    place = await merge_place.prepare(context, run, commit=run.tip, path=path)

    assert place.tree == merged.git("rev-parse", f"{run.tip}^{{tree}}")
    assert (place.setup, place.problem) == (None, None)
    assert (path / "README.md").read_text() == "hello\n"


async def test_a_setup_that_changes_tracked_files_is_a_problem_of_the_setup(merged):
    run, context = await merged.run(), merged.call.app.run_context
    wanted = replace(run, options={**run.options, "setup": "echo x >> README.md"})

    place = await merge_place.prepare(context, wanted, commit=run.tip, path=merge_place.merge_path(context, run))

    assert "README.md" in place.problem


async def test_a_fresh_worktree_has_nothing_of_an_earlier_one(merged):
    run, context = await merged.run(), merged.call.app.run_context
    path = merge_place.merge_path(context, run).with_name("fresh")
    await merge_place.prepare(context, run, commit=run.tip, path=path)
    (path / "left.txt").write_text("x\n")

    await merge_place.prepare(context, run, commit=run.tip, path=path, fresh=True)

    assert not (path / "left.txt").exists()


async def test_unignored_products_of_a_setup_are_made_again(merged, tmp_path):
    """The next checkout removes them, so that the setup must not be skipped."""
    run, context = await merged.run(), merged.call.app.run_context
    wanted = replace(run, options={**run.options, "setup": f"echo x >> {tmp_path}/count; touch product.txt"})
    path = merge_place.merge_path(context, run)

    for _ in range(2):
        await merge_place.prepare(context, wanted, commit=run.tip, path=path)
        assert (path / "product.txt").exists()

    assert (tmp_path / "count").read_text() == "x\nx\n"


def test_the_digest_depends_on_command_and_inputs_alone(repository, git):
    setup = WorktreeSetup(setup="make deps")
    first = merge_place.setup_digest(repository, setup, ())
    (repository / "src" / "app.py").write_text("other\n")
    git(repository, "add", "-A")
    assert merge_place.setup_digest(repository, setup, ()) == first
    (repository / "go.mod").write_text("module x\n")
    git(repository, "add", "-A")

    assert merge_place.setup_digest(repository, setup, ()) != first
    assert merge_place.setup_digest(repository, WorktreeSetup(setup="other"), ()) != first
    assert merge_place.setup_digest(repository, WorktreeSetup(), ()) is None
