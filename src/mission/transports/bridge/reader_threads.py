"""The threads of the bridge: one of them reads from the client, and each handles the requests it has read.

A thread that has sent a request stays the reader while it waits for the answer, so that a client that sends one request
after the other is served by a single thread: switching threads would be a large part of the bridge's overhead. Another
thread takes over reading only if the client sends more before the answer, or if something may take long.

Standard library only.
"""

from __future__ import annotations

import select
import threading

from mission.transports.bridge.line_io import LineReader

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Callable

    from mission.transports.bridge.client_messages import ClientRequest
    from mission.transports.bridge.line_io import Oversized

MAX_IN_FLIGHT = 64
MAX_WAITING_BYTES = 64 * 1024 * 1024


class ReaderThreads:
    """The pool of threads. `accept` turns a line into a job or None; `handle` completes a job and never raises."""

    def __init__(
        self,
        file: int,
        *,
        accept: Callable[[bytes | Oversized], ClientRequest | None],
        handle: Callable[[ClientRequest], None],
    ) -> None:
        self._file = file
        self._lines = LineReader(file)
        self._accept = accept
        self._handle = handle

        self._reading = threading.Lock()  # held by the thread that reads
        self._reader: int | None = None  # that thread

        self._guard = threading.Lock()  # of what follows
        self._ended = threading.Condition(self._guard)
        self._done = threading.Condition(self._guard)
        self._threads = 0
        self._busy = 0  # number of threads with a job
        self._queued: list[ClientRequest] = []  # jobs that wait for a thread
        self._waiting_bytes = 0
        self._input_ended = False

    def run_until_the_input_ends(self) -> None:
        with self._guard:
            self._add_thread()
            self._ended.wait_for(lambda: self._input_ended)

    def wait_for_jobs(self, *, seconds: float) -> None:
        """Wait a limited time for running jobs."""
        with self._guard:
            self._done.wait_for(lambda: not self._busy and not self._queued, timeout=seconds)

    def let_another_read(self) -> None:
        """Hand over reading if the calling thread is the reader: its next step may take long."""
        if self._reader != threading.get_ident():
            return
        with self._guard:
            if self._threads == self._busy:
                self._add_thread()
        self._stop_reading()

    def wait_for_answer(self, connection: int) -> None:
        """Return once the connection has data, or another thread has taken over reading from the client."""
        if self._reader != threading.get_ident():
            return
        if not self._lines.more_at_hand:
            poll = select.poll()
            poll.register(connection, select.POLLIN)
            poll.register(self._file, select.POLLIN)
            if any(file == connection for file, _ in poll.poll()):
                return
        self.let_another_read()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._handle(job)
            finally:
                self._finish(job)

    def _next(self) -> ClientRequest | None:
        """Return the next job of the calling thread, or None if the input has ended."""
        if self._reader != threading.get_ident():
            with self._guard:
                if self._queued:
                    return self._take_queued()
            self._reading.acquire()
            self._reader = threading.get_ident()
        for line in self._lines:
            job = self._accept(line)
            if job is not None and self._is_ours(job):
                return job
        self._stop_reading()
        with self._guard:
            self._input_ended = True
            self._ended.notify_all()
            return self._take_queued() if self._queued else None

    def _is_ours(self, job: ClientRequest) -> bool:
        """Return whether the thread that read the job handles it. It keeps reading if no other thread can: canceling a
        request must not wait for another one to end."""
        with self._guard:
            self._done.wait_for(lambda: self._waiting_bytes < MAX_WAITING_BYTES)
            self._waiting_bytes += len(job.line)
            others = self._threads - 1
            if others and self._busy == others and not self._add_thread():
                self._queued.append(job)
                return False
            self._busy += 1
            return True

    def _take_queued(self) -> ClientRequest:
        self._busy += 1
        return self._queued.pop(0)

    def _finish(self, job: ClientRequest) -> None:
        with self._guard:
            self._busy -= 1
            self._waiting_bytes -= len(job.line)
            self._done.notify_all()

    def _stop_reading(self) -> None:
        self._reader = None
        self._reading.release()

    def _add_thread(self) -> bool:
        if self._threads > MAX_IN_FLIGHT:  # one more than that: one has to read
            return False
        try:
            threading.Thread(target=self._work, daemon=True).start()
        except RuntimeError:  # the system has no more threads
            if not self._threads:
                raise
            return False
        self._threads += 1
        return True
