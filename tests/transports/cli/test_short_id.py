"""Ids on the command line may be shortened, as long as they name one thing."""

from __future__ import annotations

from tests.transports.cli.program import Program


def test_the_beginning_of_an_id_is_enough(mission: Program) -> None:
    made = mission.call("start_mission", name="Short", objective="o")["mission_id"]

    shown = mission.does("show", made[:-2])

    assert shown == mission.does("show", made)


def test_an_ambiguous_beginning_names_the_ids(mission: Program) -> None:
    letters: dict[str, list[str]] = {}
    while not (several := next((ids for ids in letters.values() if len(ids) > 1), [])):  # 37 of 36 letters collide
        made = mission.call("start_mission", name="m", objective="o")["mission_id"]
        letters.setdefault(made[2], []).append(made)

    refused = mission.run("show", several[0][:3])

    assert refused.code == 2
    assert all(each in refused.err for each in several)


def test_an_unknown_beginning_is_reported_by_the_command(mission: Program) -> None:
    assert mission.refuses("show", "m_zzzzzz")["code"] in {"RESOURCE_NOT_FOUND", "INVALID_INPUT"}
