"""Long polls: check that 200 waiting calls do not slow down another one."""

from __future__ import annotations

import json
import select
from collections.abc import Callable
from contextlib import ExitStack

from bench.effort import Effort
from bench.http import Connection
from bench.protocol import ERAS, Era
from bench.report import Row, Target, compared
from bench.seed import newest_event
from bench.server import Daemon, daemon
from bench.timing import Turn, interleave
from bench.work import http_turn, trivial

POLLS = 200
Poll = Callable[[Daemon], bytes]
SECTION = f"{POLLS} long polls open"


def measure(effort: Effort) -> list[Row]:
    with daemon(tasks=100) as server:
        return [_row(server, era, name, effort) for era in ERAS for name in _POLLS]


def _row(server: Daemon, era: Era, poll: str, effort: Effort) -> Row:
    call = http_turn(server, era, "get_context", trivial, calls=effort.calls)
    series = interleave({"without": call, "with": _with_polls(server, call, _POLLS[poll])}, rounds=effort.rounds)
    return compared(
        SECTION,
        f"trivial get_context, http {era.name}, during {poll}",
        series["with"],
        series["without"],
        floor_name="without polls",
        target=Target(2.0),
    )


def _events(server: Daemon) -> bytes:
    return server.address.request("GET", f"/api/events?since={newest_event(server.database)}&wait=55")


def _news(server: Daemon) -> bytes:
    body = {"since": newest_event(server.database), "timeout_seconds": 55}
    return server.address.request("POST", "/api/tools/wait_for_events", body=json.dumps(body).encode())


_POLLS: dict[str, Poll] = {"/api/events": _events, "wait_for_events": _news}


def _with_polls(server: Daemon, call: Turn, poll_for: Poll) -> Turn:
    def turn() -> list[float]:
        with ExitStack() as stack:
            polls = [Connection(server.address) for _ in range(POLLS)]
            for poll in polls:
                stack.callback(poll.close)
            request = poll_for(server)
            for poll in polls:
                poll.socket.sendall(request)
            call()  # by now the server has received the polls
            times = list(call())
            if select.select([poll.socket for poll in polls], [], [], 0)[0]:
                raise RuntimeError("a poll ended during the measurement")
            return times

    return turn
