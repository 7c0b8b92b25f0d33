"""Threads in the background: what they answer or raise is handed on, and nobody leaves before those it began."""

from __future__ import annotations

import threading

import pytest

from mission.git.background_threads import in_background, side_by_side

PATIENCE = 60.0


def test_an_answer_comes_from_a_named_thread_that_the_end_does_not_wait_for() -> None:
    thread = in_background(threading.current_thread, name="reader").result(PATIENCE)

    assert (thread.name, thread.daemon) == ("reader", True)
    assert thread is not threading.current_thread()


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3)])
def test_whatever_a_function_raises_reaches_whoever_waits(error: BaseException) -> None:
    def fail() -> None:
        raise error

    assert in_background(fail).exception(PATIENCE) is error


def test_functions_side_by_side_run_at_once_and_have_all_ended_afterwards() -> None:
    meeting = threading.Barrier(2, timeout=PATIENCE)

    with side_by_side() as start:
        both = [start(meeting.wait) for _ in range(2)]

    assert all(future.done() for future in both)
    assert {future.result() for future in both} == {0, 1}


def test_an_error_in_between_still_waits_for_what_was_begun() -> None:
    go, done = threading.Event(), []

    def work() -> None:
        go.wait(PATIENCE)
        done.append(True)

    def fail() -> None:
        with side_by_side() as start:
            start(work)
            threading.Timer(0.05, go.set).start()
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()

    assert done == [True]
