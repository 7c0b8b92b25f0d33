"""What each key does to the view of `mission top`."""

from __future__ import annotations

from typing import Any

from mission.transports.cli.top.rows import TopContents, agent_rows
from mission.transports.cli.top.view import KeyAction, View, press


def an_item(id: str, **values: Any) -> dict[str, Any]:
    nothing = {"execution_id": None, "choices": [], "agent_name": None, "mission_name": "M", "task_name": "T"}
    return {
        "id": id,
        "kind": "question",
        "subject": f"About {id}?",
        "created_at": "2026-01-15T10:00:00Z",
        **nothing,
        **values,
    }


def an_agent(id: str, **values: Any) -> dict[str, Any]:
    return {
        "id": id,
        "execution_id": id,
        "name": "ada",
        "state": "Running",
        "task": "T",
        "note": "",
        "since": "2026-01-15T10:00:00Z",
        **values,
    }


ITEMS = [
    an_item("q_1"),
    an_item("q_2", choices=[{"kind": "fixed", "label": "Yes"}, {"kind": "manual", "label": "Other"}]),
]
RUN = {"run_id": "run_1", "mission_name": "Login", "state": "running"}
FULL = TopContents(items=ITEMS, runs=[RUN], agents=[an_agent("x_1"), an_agent("a_2", execution_id=None)])


def pressed(keys: list[str], contents: TopContents = FULL, view: View | None = None) -> tuple[View, list[KeyAction]]:
    view, actions = view or View(), []
    for key in keys:
        view, action = press(view, key, contents)
        actions += [action] if action is not None else []
    return view, actions


def test_arrows_and_tab_move_the_selection_through_all_sections() -> None:
    assert [pressed(["down"] * times)[0].selected for times in range(1, 7)] == [
        "q_2",
        "run_1",
        "x_1",
        "a_2",
        "a_2",
        "a_2",
    ]
    assert [pressed(["tab"] * times)[0].selected for times in (1, 2, 3)] == ["run_1", "x_1", "q_1"]
    assert pressed(["end", "home"])[0].selected == "q_1"


def test_the_selection_stays_with_its_row_when_others_come_and_go() -> None:
    view, _ = pressed(["down", "down"])
    later = TopContents(items=[], runs=[RUN], agents=FULL.agents)

    row = view.row(later)

    assert row is not None
    assert row.id == "run_1"


def test_a_selected_row_that_is_gone_is_replaced_by_the_one_in_its_place() -> None:
    view, _ = pressed(["down"])

    row = view.row(TopContents(items=ITEMS[:1], runs=[RUN]))

    assert row is not None
    assert row.id == "run_1"


def test_an_answer_in_progress_is_never_sent_to_another_item() -> None:
    view, _ = pressed(["down", "1"])

    later, actions = pressed(["enter"], TopContents(items=ITEMS[:1]), view)

    assert (later.message, actions) == ("Not sent: it was closed in the meantime.", [])


def test_a_run_is_paused_or_resumed_and_nothing_else_is() -> None:
    paused = TopContents(runs=[{**RUN, "state": "paused"}])

    assert [action.kind for action in pressed(["tab", "p"])[1]] == ["pause"]
    assert [action.kind for action in pressed(["p"], paused)[1]] == ["resume"]
    view, actions = pressed(["p"])
    assert (view.message, actions) == ("Select a run to pause or resume it.", [])


def test_only_what_has_a_terminal_is_attached_to() -> None:
    assert [action.kind for action in pressed(["tab", "tab", "t"])[1]] == ["attach"]
    assert pressed(["end", "t"])[1] == []


def test_keys_without_anything_to_select_do_nothing() -> None:
    view, actions = pressed(["down", "enter", "1", "a", "t", "p", "tab", "x", "esc"], TopContents())

    assert (view.mode, actions) == ("list", [])


def test_agents_at_work_are_launched_ones_and_others_that_are_present() -> None:
    execution = {
        "id": "x_1",
        "agent_id": "a_1",
        "agent_name": "ada",
        "status": "running",
        "exit_code": None,
        "task_name": "T",
        "progress": {"summary": "Reading"},
        "claim": None,
        "reason": None,
        "question": None,
        "updated_at": "2026-01-15T10:00:00Z",
    }
    fleet = [
        {"id": id, "name": id, "state": state, "task_name": None, "last_seen_at": "2026-01-15T10:00:00Z"}
        for id, state in (("a_1", "at_work"), ("a_2", "idle"), ("a_3", "offline"))
    ]

    rows = agent_rows([execution], fleet)

    assert [(row["id"], row["state"], row["note"]) for row in rows] == [
        ("x_1", "Running", "Reading"),
        ("a_2", "Idle", ""),
    ]
    assert agent_rows([{**execution, "question": "Which?"}], [])[0]["note"] == "? Which?"
