"""Agents that stall, go in circles, or stay after their report."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.runs.controller import next_steps
from mission.domain.runs.decisions import stalls
from mission.domain.runs.steps import Ask, StopExecution, Tell
from mission.domain.tasks.states import TaskStatus
from tests.domain.runs.run_views import NOW, a_run, a_task, a_view, ago, is_live, of_kind


def decided(task=None, *, run=None, **live):
    task = task or a_task(1, status=TaskStatus.IN_PROGRESS)
    from dataclasses import replace

    return next_steps(a_view(replace(task, live=is_live(**live)), run=run))


def told(decision):
    return [each.kind for each in of_kind(decision.steps, Tell)]


def test_a_silent_agent_is_nudged_then_interrupted_then_stopped():
    silent = ago(minutes=40)
    assert told(decided(active_at=ago(minutes=9))) == []
    assert told(decided(active_at=ago(minutes=10))) == ["nudge"]
    assert told(decided(active_at=silent, nudged_at=ago(minutes=9))) == []
    assert told(decided(active_at=silent, nudged_at=ago(minutes=10))) == ["checkpoint", "interrupt"]
    waiting = decided(active_at=silent, nudged_at=ago(minutes=20), interrupted_at=ago(minutes=9))
    assert of_kind(waiting.steps, StopExecution) == []
    over = decided(active_at=silent, nudged_at=ago(minutes=20), interrupted_at=ago(minutes=10))
    assert [each.reason for each in of_kind(over.steps, StopExecution)] == [stalls.STALLED_REASON]


def test_the_next_look_is_when_the_agent_would_be_silent_for_too_long():
    assert decided(active_at=ago(minutes=4)).look_again_at == NOW + timedelta(minutes=6)


def test_silence_inside_a_tool_call_is_no_stall_until_the_call_takes_too_long():
    assert told(decided(active_at=ago(minutes=50), in_tool_since=ago(minutes=50))) == []
    assert told(decided(active_at=ago(minutes=61), in_tool_since=ago(minutes=60))) == ["nudge"]


@pytest.mark.parametrize("live", [{"active_at": None}, {"active_at": ago(hours=2), "is_waiting": True}])
def test_an_agent_of_unknown_state_or_one_that_waits_for_an_answer_is_left_alone(live):
    assert decided(**live).steps == () or told(decided(**live)) == []
    assert of_kind(decided(**live).steps, StopExecution) == []


def test_an_agent_that_goes_in_circles_is_stopped_and_a_person_sees_what_it_did():
    decision = decided(circles="It called read_file with the same arguments 10 times.")
    kinds = [type(each) for each in decision.steps]
    assert kinds.index(Ask) < kinds.index(StopExecution)
    question = of_kind(decision.steps, Ask)[0]
    assert question.key == "circles:t_1"
    assert "10 times" in question.body


def test_a_live_agent_whose_checks_fail_the_same_way_three_times_is_stopped():
    decision = decided(a_task(1, status=TaskStatus.IN_PROGRESS, revisions=3, same_failure=3, send_back="boom"))
    assert [each.key for each in of_kind(decision.steps, Ask)] == ["task:t_1"]
    assert len(of_kind(decision.steps, StopExecution)) == 1


def test_an_agent_that_lives_a_minute_after_its_report_is_ended():
    assert of_kind(decided(reported_at=ago(seconds=59)).steps, StopExecution) == []
    over = decided(reported_at=ago(seconds=60))
    assert [each.reason for each in of_kind(over.steps, StopExecution)] == [stalls.REPORTED_REASON]


def test_an_agent_that_is_being_stopped_is_not_stopped_again():
    assert of_kind(decided(reported_at=ago(hours=1), is_stopping=True).steps, StopExecution) == []


def test_an_execution_of_a_skipped_task_is_stopped():
    decision = decided(a_task(1, status=TaskStatus.SKIPPED))
    assert [each.reason for each in of_kind(decision.steps, StopExecution)] == [stalls.ENDED_REASON]


def test_too_many_revisions_are_named():
    assert stalls.same_again(a_task(revisions=4), a_run().wanted) == "'task 1' was sent back 4 times"
    assert stalls.same_again(a_task(revisions=3), a_run().wanted) is None


def test_an_agent_whose_reported_result_was_sent_back_is_ended_at_once():
    (stop,) = of_kind(decided(is_sent_back=True).steps, StopExecution)
    assert stop.reason == stalls.REPORTED_REASON
