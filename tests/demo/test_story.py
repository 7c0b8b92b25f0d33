"""The story of the demo: what its events mean, in plain sentences."""

from __future__ import annotations

from typing import Any

from mission.demo.story import Story

ITEM = {"id": "q_1", "state": "open", "subject": "Left?", "task_id": "t_1", "agent_id": "a_1", "choices": []}


def told(*events: tuple[str, dict[str, Any]]) -> list[str]:
    story = Story(names={"t_1": "Sort", "t_2": "Print"})
    return [sentence.text for type, data in events for sentence in story.tell({"type": type, "data": data})]


def execution(status: str = "starting", **more: Any) -> dict[str, Any]:
    return {"task_id": "t_1", "status": status, "reason": "killed by SIGKILL", **more}


def test_another_agent_takes_over_with_the_note_of_the_one_that_died():
    note = {"task_id": "t_1", "type": "progress", "summary": "Half is written", "detail": None}

    assert told(
        ("execution:created", execution()),
        ("execution:updated", execution("running")),
        ("checkpoint:created", note),
        ("execution:updated", execution("failed")),
        ("execution:created", execution()),
    ) == [
        "An agent starts on 'Sort'.",
        "The agent on 'Sort' died in the middle of its work: killed by SIGKILL.",
        "Another agent takes over 'Sort' in the same worktree. Its last note was: Half is written.",
    ]


def test_a_false_report_is_refused_with_the_last_lines_of_the_output():
    checks = [{"name": "unit", "output": "1\n2\n3\n4\n"}]
    refused = {"task_id": "t_1", "type": "recovery", "summary": "x", "detail": {"checks": checks}}
    story = Story(names={"t_1": "Sort"})

    (sentence,) = story.tell({"type": "checkpoint:created", "data": refused})

    assert sentence.text == "That is not true: 'unit' fails on the merged tree. The report on 'Sort' is rejected:"
    assert sentence.details == ("2", "3", "4")


def test_a_conflict_names_the_other_task_and_the_file():
    finding = {"kind": "conflict", "path": "a.py", "tasks": ["t_2"]}
    conflict = {"task_id": "t_1", "state": "conflicted", "findings": [finding]}

    assert told(
        ("candidate:created", {"task_id": "t_1"}),
        ("candidate:updated", conflict),
        ("candidate:created", {"task_id": "t_1"}),
    ) == [
        "The agent on 'Sort' reports that it is done.",
        "'Sort' conflicts with 'Print' in a.py. Its agent gets both sides.",
        "The agent on 'Sort' has combined both sides and reports again.",
    ]


def test_a_run_that_waits_for_an_open_question_asks_no_second_one():
    stuck = {**ITEM, "id": "q_2", "subject": "The run cannot continue", "agent_id": None, "task_id": None}
    answered = {**ITEM, "state": "answered", "answer": "Yes"}

    assert told(
        ("queue:created", ITEM),
        ("queue:created", stuck),
        ("queue:updated", answered),
        ("execution:created", execution()),
        ("queue:created", stuck),
    ) == [
        "The agent on 'Sort' asks you: Left?",
        "Everything else is done: the run waits for your answer.",
        "You answer: Yes",
        "An agent continues 'Sort' with your answer.",
        "The run asks you: The run cannot continue",
    ]


def test_what_means_nothing_to_a_person_is_not_told():
    task = {"id": "t_1", "status": "completed", "proof_state": "proved"}

    assert told(
        ("workspace:created", {}),
        ("run:updated", {"state": "ready"}),
        ("queue:updated", {**ITEM, "state": "dismissed"}),
        ("task:updated", {**task, "status": "in_progress"}),
        ("task:updated", task),
        ("task:updated", task),
    ) == ["'Sort' passes its check on the merged tree: proved and merged."]
