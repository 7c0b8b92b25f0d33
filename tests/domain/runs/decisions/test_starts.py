"""The next start of a task after its last execution has ended."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.runs.decisions.starts import StartLater, TaskStart, next_start
from mission.domain.runs.options import AgentMix, Limits
from mission.domain.runs.steps import Ask
from mission.domain.runs.view import ClientView, Spent
from tests.domain.runs.run_views import NOW, a_run, a_task, a_view, ago, has_ended


def start_of(task, **values):
    run = values.pop("run", None) or a_run()
    return next_start(a_view(task, run=run, **values), task, run.wanted)


def test_a_new_task_starts_at_once_in_a_fresh_session():
    assert start_of(a_task()) == TaskStart(task=a_task())


@pytest.mark.parametrize(("tries", "minutes"), [(1, 1), (2, 4)])
def test_after_an_end_without_a_report_it_waits_longer_each_time(tries, minutes):
    ended = has_ended(ended_at=ago(seconds=30))
    task = a_task(attempts=tries, ended=ended, clients_tried=["claude-code"])
    assert start_of(task) == StartLater(at=ended.ended_at + timedelta(minutes=minutes))


def test_after_all_attempts_another_client_tries_once():
    task = a_task(attempts=3, ended=has_ended(ended_at=ago(minutes=16)), clients_tried=["claude-code"] * 3)
    found = start_of(task)
    assert isinstance(found, TaskStart)
    assert found.not_clients == ("claude-code",) * 3
    assert found.resumes is None
    assert isinstance(start_of(a_task(attempts=3, ended=has_ended(ended_at=ago(minutes=15)))), StartLater)


def test_after_the_other_client_a_person_is_asked():
    task = a_task(attempts=4, ended=has_ended(), clients_tried=["claude-code"] * 3 + ["codex"])
    found = start_of(task)
    assert isinstance(found, Ask)
    assert found.key == "task:t_1"
    assert [each["value"] for each in found.choices] == ["retry", "retry_hint", "skip", "skip_all", "stop"]


@pytest.mark.parametrize(
    "more",
    [
        {"run": a_run(agents=[AgentMix(client="claude-code")])},
        {"clients": {"codex": ClientView(name="codex", problem="not installed")}},
    ],
    ids=["no other client", "the other client is missing"],
)
def test_without_another_client_a_person_is_asked_after_all_attempts(more):
    assert isinstance(start_of(a_task(attempts=3, ended=has_ended(), clients_tried=["claude-code"] * 3), **more), Ask)


def test_a_task_for_one_client_only_is_not_given_to_another():
    task = a_task(attempts=3, ended=has_ended(), clients_tried=["claude-code"], client="claude-code")
    assert isinstance(start_of(task), Ask)


def test_a_failure_by_the_agents_word_is_asked_about_at_once():
    found = start_of(a_task(attempts=1, ended=has_ended(counts=False, failed_by_its_word="no network")))
    assert isinstance(found, Ask)
    assert "no network" in found.subject


def test_after_a_person_stopped_the_agent_the_person_says_what_follows():
    assert isinstance(start_of(a_task(ended=has_ended(counts=False, stopped_by="stopped"))), Ask)


def test_an_answer_resumes_the_session_at_once():
    task = a_task(ended=has_ended(counts=False, answer="use JWT", can_resume=True, ended_at=NOW))
    found = start_of(task)
    assert isinstance(found, TaskStart)
    assert (found.resumes, found.fresh, found.answer, found.client) == ("x_1", False, "use JWT", "claude-code")


def test_an_answer_to_a_session_that_is_gone_starts_a_fresh_one():
    found = start_of(a_task(ended=has_ended(counts=False, answer="yes", can_resume=False)))
    assert isinstance(found, TaskStart)
    assert found.fresh


def test_a_crash_resumes_the_session_once_and_then_starts_a_fresh_one():
    once = start_of(a_task(attempts=1, ended=has_ended(can_resume=True)))
    twice = start_of(a_task(attempts=2, ended=has_ended(can_resume=True, was_resumed_after_crash=True)))
    assert isinstance(once, TaskStart)
    assert isinstance(twice, TaskStart)
    assert (once.fresh, twice.fresh) == (False, True)


def test_a_result_that_was_sent_back_is_revised_at_once_in_a_fresh_session():
    ended = has_ended(counts=False, can_resume=True, ended_at=NOW)
    found = start_of(a_task(revisions=1, send_back="tests fail", ended=ended))
    assert isinstance(found, TaskStart)
    assert found.fresh


def test_three_revisions_are_made_and_then_a_person_is_asked():
    ended = has_ended(counts=False)
    assert isinstance(start_of(a_task(revisions=3, send_back="x", ended=ended)), TaskStart)
    assert isinstance(start_of(a_task(revisions=4, send_back="x", ended=ended)), Ask)


def test_the_same_failure_three_times_is_asked_about():
    assert isinstance(start_of(a_task(revisions=3, same_failure=3, ended=has_ended(counts=False))), Ask)


def test_a_refused_resume_falls_back_at_once_and_costs_no_attempt():
    ended = has_ended(counts=False, refused="no such session", refusals=1, was_resume=True, ended_at=NOW)
    found = start_of(a_task(ended=ended))
    assert isinstance(found, TaskStart)
    assert found.fresh
    assert found.resumes is None


def test_other_refused_launches_wait_and_then_ask():
    ended = has_ended(counts=False, refused="not found", refusals=2, ended_at=NOW)
    assert start_of(a_task(ended=ended)) == StartLater(at=NOW + timedelta(minutes=4))
    assert isinstance(start_of(a_task(ended=has_ended(counts=False, refused="not found", refusals=4))), Ask)


def test_a_question_holds_its_own_task():
    assert start_of(a_task(held_by="q_1")) is None
    assert start_of(a_task(ended=has_ended(asks=True))) is None


def test_a_task_that_has_spent_its_own_budget_is_asked_about():
    run = a_run(budget_per_task=Limits(usd=2.0, launches=5))
    assert isinstance(start_of(a_task(spent=Spent(usd=2.0)), run=run), Ask)
    assert isinstance(start_of(a_task(spent=Spent(launches=5)), run=run), Ask)
    assert isinstance(start_of(a_task(spent=Spent(usd=1.9, launches=4)), run=run), TaskStart)
