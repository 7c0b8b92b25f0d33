"""Mission Control behind a real socket, and a client that sends whatever a test wants to send."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import uvicorn

from mission.app import App
from mission.home import operator_token
from mission.serve import http_server
from mission.settings import Settings
from mission.transports.web.http_limits import UnknownConnections

PATIENCE = 60.0
Value = TypeVar("Value")
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Json:
        found: Json = self.json["error"]
        return found


class Live:
    """A running server, reached as programs reach it."""

    def __init__(self, settings: Settings, *, send_buffer: int | None = None, port: int = 0) -> None:
        self.settings = settings
        self.token = operator_token(settings)
        self.listener = socket.create_server(("127.0.0.1", port))
        if send_buffer is not None:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
        self.host, self.port = self.listener.getsockname()
        self.url = f"http://{self.host}:{self.port}"
        self.app = App(settings, role="a test")
        self.app.launcher.preparer.url = self.url
        config = http_server(self.app, token=self.token)
        self.unknown: UnknownConnections = config.http.keywords["unknown"]  # type: ignore[union-attr]
        self.server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()
        until(lambda: self.server.started or not self._thread.is_alive())
        assert self.server.started

    def stop(self) -> None:
        if not self._thread.is_alive():
            return
        self.server.should_exit = True
        self._loop.call_soon_threadsafe(self.app.events.wake_waiters)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Do something inside the server's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    @property
    def authority(self) -> str:
        return f"{self.host}:{self.port}"

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def request(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None = None,
        *,
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """One request with the token, unless a header of None takes it away. An iterable body goes in chunks."""
        sent: dict[str, str | None] = {"Host": self.authority, **self.bearer(), **(headers or {})}
        with closing(http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if isinstance(body, bytes):
                sent.setdefault("Content-Length", str(len(body)))
            elif body is not None:
                sent["Transfer-Encoding"] = "chunked"
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            chunked = body is not None and not isinstance(body, bytes)
            with suppress(BrokenPipeError, ConnectionResetError):  # refused early: the answer is there already
                connection.endheaders(body, encode_chunked=chunked)
            found = connection.getresponse()
            return Answer(status=found.status, headers=dict(found.getheaders()), body=found.read())

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.request("GET", path, headers=_dashed(headers))

    def post(self, tool: str, arguments: Any = None, **headers: str | None) -> Answer:
        """Call a tool over REST."""
        body = json.dumps({} if arguments is None else arguments).encode()
        return self.request("POST", f"/api/tools/{tool}", body, headers=_dashed(headers))

    def call(self, tool: str, arguments: Any = None, **headers: str | None) -> Json:
        """The result of a call that must succeed."""
        answer = self.post(tool, arguments, **headers)
        assert answer.status == 200, answer.body
        found: Json = answer.json
        return found

    def mission(self, name: str = "Auth") -> str:
        return str(self.call("start_mission", {"name": name, "objective": "It works"})["mission_id"])

    def task(self, mission: str, name: str = "t") -> str:
        return str(self.call("start_task", {"mission_id": mission, "name": name, "goal": "g"})["task_id"])

    def alive(self) -> bool:
        return self.get("/api/health", Authorization=None).status == 200

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self.server.serve(sockets=[self.listener])

        asyncio.run(serve())


@contextmanager
def serving(settings: Settings, **options: int) -> Iterator[Live]:
    live = Live(settings, **options)
    live.start()
    try:
        yield live
    finally:
        live.stop()


def until(condition: Callable[[], Value], seconds: float = PATIENCE) -> Value:
    """What the condition gives, once it is true."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
    return value


def shows_nothing_of_the_server(answer: Answer, settings: Settings) -> bool:
    """Whether the answer is free of paths, SQL and tracebacks."""
    text = answer.body.decode("utf-8", "replace")
    telling = (
        "Traceback",
        "site-packages",
        '.py"',
        ".py:",
        "sqlalchemy",
        "sqlite3",
        "psycopg",
        "INSERT INTO",
        "SELECT ",
    )
    return not any(word in text for word in (*telling, str(settings.home)))


def _dashed(headers: Mapping[str, str | None]) -> dict[str, str | None]:
    """Header names from Python names: Mission_Agent is Mission-Agent."""
    return {name.replace("_", "-"): value for name, value in headers.items()}
