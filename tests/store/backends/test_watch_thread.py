"""A thread that watches until it is told to end."""

from __future__ import annotations

import threading

from mission.store.backends.watch_thread import in_thread


def test_the_body_runs_next_to_its_caller_and_has_ended_once_it_was_told_to():
    ran = threading.Event()
    ended = []

    def body(stop):
        ran.set()
        assert threading.current_thread() is not threading.main_thread()
        stop.wait(30)
        ended.append(threading.current_thread().name)

    end = in_thread("watcher", body)
    assert ran.wait(30)
    assert ended == []

    end()

    assert ended == ["watcher"]


def test_ending_twice_does_no_harm():
    end = in_thread("watcher", lambda stop: stop.wait(30))

    end()
    end()

    assert "watcher" not in {thread.name for thread in threading.enumerate()}
