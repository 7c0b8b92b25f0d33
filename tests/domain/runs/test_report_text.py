"""The Markdown of a report: honest words for what is unknown, and text of agents that cannot break its form."""

from __future__ import annotations

from mission.domain.runs.report_text import as_markdown, cost_words


def report(**more):
    return {
        "mission": {"name": "M", "objective": "o"},
        "run": {"state": "running", "reason": None, "branch": "mission/m-1", "tip": "a" * 40, "base_commit": "b" * 40},
        "counts": {"tasks": 0, "merged": 0, "proved": 0, "accepted": 0, "unproved": 0, "skipped": 0, "open": 0},
        "cost": {"usd": None, "tokens": None, "minutes": 0.0, "launches": 0},
        "final": None,
        "landing": None,
        **{name: [] for name in ("tasks", "files", "decisions", "questions", "waivers", "foreign_commits", "notes")},
        "left": [],
        **more,
    }


def a_task(**more):
    return {
        "name": "t", "stage": "merged", "proof_state": "proved", "clients": ["codex"], "attempts": 0, "revisions": 0,
        "summary": None, "evidence": [], "sent_back": [], "denied": [], "review": None, "commit": None,
        "files": [], **more,
    }  # fmt: skip


def test_sections_without_content_are_left_out():
    text = as_markdown(report())

    assert text.startswith("# M\n\no\n")
    assert "##" not in text


def test_an_unknown_price_is_called_unknown():
    cost = {"usd": None, "tokens": None, "minutes": 1.5, "launches": 1}

    assert cost_words(cost) == "1.5 minutes, unknown price, unknown tokens, 1 launch"
    assert cost_words({"usd": 0.5, "tokens": 1200, "minutes": 2.0, "launches": 2}) == (
        "2.0 minutes, 0.50 USD, 1,200 tokens, 2 launches"
    )


def test_words_of_agents_stay_on_their_line_and_in_their_cell():
    text = as_markdown(report(tasks=[a_task(name="a | b\n# c <script>", summary="x\n\n# not a heading")]))

    assert "| a \\| b # c &lt;script> |" in text
    assert "\n# not" not in text
    assert "<script>" not in text


def test_a_landing_is_told_with_its_commit():
    landing = {"state": "landed", "target": "main", "commit": "c" * 40, "squash": True}

    assert f"- **Landed:** on `main` at `{'c' * 12}` as one commit" in as_markdown(report(landing=landing))
    assert "- **Landed:** no" in as_markdown(report(landing={"state": "asking"}))


def test_what_was_not_proved_is_said_loudly():
    text = as_markdown(
        report(tasks=[a_task(proof_state="unproved", evidence=[{"name": "unit", "state": "passed", "flaky": True}])])
    )

    assert "**not proved**" in text
    assert "Check unit: passed (only after a retry)" in text


def test_a_long_list_of_files_is_cut():
    text = as_markdown(report(files=[f"f{number}" for number in range(250)]))

    assert "… and 50 more" in text


def test_final_checks_that_a_person_accepted_are_named():
    final = {
        "commit": "d" * 40,
        "state": "failed",
        "checks": [{"name": "e2e", "state": "failed"}],
        "accepted": "operator",
        "repairs": ["t_1"],
    }
    text = as_markdown(report(final=final))

    assert "- e2e: failed" in text
    assert "Accepted by operator though they did not pass." in text


def test_what_a_client_denied_is_named():
    text = as_markdown(report(tasks=[a_task(denied=[{"tool": "Bash", "detail": "curl <x>"}])]))

    assert "- Denied by its client: Bash curl &lt;x>" in text


def test_a_review_is_told_with_its_words():
    reviewed = {"verdict": "approve", "by": "operator", "words": "nice\nwork"}
    text = as_markdown(report(tasks=[a_task(review=reviewed), a_task(review={"item_id": "q_1", "verdict": None})]))

    assert "- Review: approve by operator: nice work\n" in text
    assert "- Review: open\n" in text
