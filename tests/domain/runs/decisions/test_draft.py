"""A decision while it is made."""

from __future__ import annotations

from mission.domain.runs.decisions import choices
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.steps import Ask, Withdraw
from tests.domain.runs.run_views import NOW, a_view, ago

ASK = choices.about_task("t_1", subject="what now?")


def test_a_question_is_asked_once_while_it_is_open_or_not_carried_out():
    fresh = Draft(view=a_view())
    fresh.ask(ASK)
    fresh.ask(ASK)
    assert fresh.steps == [ASK]
    for known in ({"items": {ASK.key: "q_1"}}, {"decisions": {ASK.key: "stop"}}):
        draft = Draft(view=a_view(**known))
        draft.ask(ASK)
        assert draft.steps == []


def test_only_an_open_question_is_withdrawn():
    draft = Draft(view=a_view(items={"budget": "q_1"}))
    draft.withdraw("budget", "over")
    draft.withdraw("stuck", "over")
    assert draft.steps == [Withdraw(key="budget", reason="over")]


def test_the_next_look_is_the_earliest_moment_that_has_not_passed():
    draft = Draft(view=a_view())
    later = NOW + (NOW - ago(minutes=5))
    draft.look_at(ago(minutes=1))
    draft.look_at(later + (later - NOW))
    draft.look_at(later)
    assert draft.decision().look_again_at == later


def test_a_question_about_a_task_offers_every_way_out():
    assert [each["value"] for each in ASK.choices] == ["retry", "retry_hint", "skip", "skip_all", "stop"]
    assert isinstance(ASK, Ask)
    assert ASK.key == "task:t_1"
    keys = {choices.task_key("t"), choices.circles_key("t"), choices.checks_key("t"), choices.client_key("t")}
    assert len(keys) == 4
