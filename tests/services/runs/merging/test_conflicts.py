"""A conflict goes back to its author, who resolves it by editing files and reports again."""

from __future__ import annotations

from mission.services.runs.merging import conflicts
from tests.merged_runs import merged as merged


async def test_a_conflict_goes_to_its_author_with_the_goals_of_those_who_touched_the_files(merged, make_agent):
    ada = await make_agent("ada")
    await merged.check("true")
    first = await merged.task("first", {"README.md": "one\n"})
    await merged.call("log_decision", {"task_id": first, "category": "other", "question": "which word?",
                                       "chosen": "one", "reasoning": "short"})  # fmt: skip
    second = await merged.task("second", {"README.md": "two\n"})
    await merged.begin(second, agent_id=ada)
    await merged.report(first)

    error = await merged.refused(second, agent_id=ada)

    assert (error["code"], error["http_status"], error["details"]["files"]) == ("CONFLICT", 409, ["README.md"])
    (other,) = error["details"]["tasks"]
    assert (other["task_id"], other["goal"]) == (first, "Do first")
    assert other["decisions"] == ["which word? → one"]
    row = await merged.row(second)
    assert (str(row.status), row.owner_id) == ("in_progress", ada)
    assert "<<<<<<<" in (merged.worktrees[second] / "README.md").read_text()


async def test_the_author_resolves_a_conflict_by_editing_the_file(merged, make_agent):
    ada = await make_agent("ada")
    await merged.check("true")
    first = await merged.task("first", {"README.md": "one\n"})
    second = await merged.task("second", {"README.md": "two\n", "more.txt": "x\n"})
    await merged.begin(second, agent_id=ada)
    await merged.report(first)
    await merged.refused(second, agent_id=ada)
    merged.write(second, "README.md", "one and two\n")

    done = await merged.report(second, agent_id=ada)

    assert done["evidence"]["state"] == "proved"
    assert await merged.shown("README.md") == "one and two\n"
    assert done["files_changed"] == {"added": ["more.txt"], "modified": ["README.md"], "deleted": [], "renamed": []}
    assert [str(each.state) for each in await merged.candidates(second)] == ["conflicted", "merged"]


async def test_a_conflict_that_is_reported_unresolved_is_sent_back(merged, make_agent):
    ada = await make_agent("ada")
    await merged.check("true")
    first = await merged.task("first", {"README.md": "one\n"})
    second = await merged.task("second", {"README.md": "two\n"})
    await merged.begin(second, agent_id=ada)
    await merged.report(first)
    await merged.refused(second, agent_id=ada)

    error = await merged.refused(second, agent_id=ada)

    assert error["code"] == "INVALID_STATE"
    assert "conflict markers" in error["message"]


async def test_the_words_for_the_author_name_files_tasks_and_decisions():
    findings = [{"kind": "conflict", "path": "a.py", "detail": "content", "tasks": ["t_1"]}]
    others = [{"task_id": "t_1", "name": "login", "goal": "Refuse old tokens", "decisions": ["JWT"]}]

    words = conflicts._in_words(findings, others, decisions=(), problem=None)

    assert "- a.py (content)" in words
    assert "'login' (t_1): Refuse old tokens\n  Decided: JWT" in words
