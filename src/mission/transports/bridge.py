"""`mission mcp`: carries MCP messages between a client's stdio and the daemon's HTTP address.

Standard library only, and as little of it as possible: a client waits for this process at its start. Each request in
flight has a thread and a connection of its own, so that a long poll holds up nothing. The thread that reads a request
also carries it, and another one reads on: a hand-over in between would cost each call a switch of threads. A connection
that breaks is no failure: every tools/call carries a key under which the daemon keeps its answer, so the bridge finds
or starts a daemon and sends the call again.
"""
# os.path and not pathlib, which costs 7 ms at start:
# ruff: noqa: PTH100, PTH109, PTH112, PTH118, PTH123

from __future__ import annotations

import json
import os
import sys
import threading

from mission.transports.daemon import DaemonUnavailable, bearer
from mission.transports.httpwire import Lost, fits_header, percent_encode
from mission.transports.link import Link
from mission.transports.stdio import LARGEST_LINE, Output, Oversized, read_lines

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mission.transports.daemon import Daemon
    from mission.transports.httpwire import Connection, Response

HELP = """\
Usage: mission mcp [--toolsets LIST] [--agent ID] [--standalone]
       mission mcp connect --agent-execution ID

Serve MCP on standard input and output. The calls go to the Mission Control daemon,
which is started when none runs.

Options:
  --toolsets LIST  Toolsets to show, separated by commas (mission, tasks, worker, all, ...)
  --agent ID       Agent that the calls are made for
  --standalone     Serve from this process and the database, without a daemon
  -h, --help       Show this text

Environment:
  MISSION_HOME     Where Mission Control keeps its data
  MISSION_TOKEN    Token to use instead of the operator's
"""

MOST_WAITING_BYTES = 64 * 1024 * 1024
MOST_IN_FLIGHT = 64
ATTEMPTS = 4
GRACE_SECONDS = 1.5  # clients wait 2 s for us after they have closed our input
LONGEST_KEY = 200  # as the daemon accepts them

SEND_LESS = "Send less: put long material into a file of the repository and name its path."

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

SESSION_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def run(arguments: list[str], *, standalone: Callable[..., object]) -> int:
    """Serve until the input ends; the exit code. `standalone` serves without a daemon, when that is asked for."""
    try:
        options = parse(arguments)
    except ValueError as problem:
        sys.stderr.write(f"mission mcp: {problem}\n{HELP.partition(chr(10))[0]}\n")
        return 2
    if options.help:
        sys.stdout.write(HELP)
        return 0
    if options.standalone:
        from mission.settings import load  # deferred: the bridge itself needs none

        standalone(load(), toolsets=options.toolsets, agent=options.agent)
        return 0
    try:
        code = Bridge(options).serve()
    except KeyboardInterrupt:
        code = 130
    os._exit(code)  # threads may still wait for answers that nobody will read


class Options:
    """What the command line asked for."""

    def __init__(self) -> None:
        self.toolsets: str | None = None
        self.agent: str | None = None
        self.standalone = False
        self.help = False


def parse(arguments: list[str]) -> Options:
    options = Options()
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name in {"--toolsets", "--agent"}:
            if not equals and not left:
                raise ValueError(f"{name} needs a value")
            setattr(options, name[2:], value if equals else left.pop(0))
        elif name in {"--standalone", "--help", "-h"} and not equals:
            setattr(options, "help" if name == "-h" else name[2:], True)
        else:
            raise ValueError(f"unknown argument '{name}'")
    return options


class Failure(Exception):
    """Why a request gets no answer from the daemon, in the words of the daemon's error object."""

    def __init__(self, code: str, message: str, hint: str | None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message, "hint": hint, "details": details or {}}


class TokenRenewed(Exception):
    """The daemon refused the token, and there is a newer one to try."""


class Job:
    """One message of the client on its way to the daemon."""

    def __init__(self, line: bytes, message: dict[str, Any]) -> None:
        self.line = line
        self.id: str | int | float | None = message.get("id")
        self.method: str | None = message.get("method")
        self.connection: Connection | None = None
        self.cancelled = False
        self.sent = False  # perhaps it took effect, whatever became of the connection
        self.answered = False
        params = _mapping(message.get("params"))
        meta = _mapping(params.get("_meta"))
        name = params.get(NAMED_BY.get(self.method or "", ""))
        self.name = name if isinstance(name, str) else None
        version = meta.get(VERSION_KEY)
        self.version = version if isinstance(version, str) and fits_header(version) else None
        self.key, self.repeatable = self._key(meta.get("mission/key"))

    @property
    def expects_answer(self) -> bool:
        """Whether this is a request: not a notification, nor an answer of the client to the server."""
        return self.id is not None and self.method is not None

    def _key(self, given: Any) -> tuple[str | None, bool]:
        """The key to send, and whether a second sending is harmless."""
        if self.method != "tools/call":
            return None, True
        if given is None:
            return os.urandom(16).hex(), True
        usable = isinstance(given, str) and 0 < len(given) <= LONGEST_KEY and given.isprintable()
        return given if usable and fits_header(given) else None, usable


class Bridge:
    """The state between a client and the daemon: requests in flight, idle connections, the daemon in use."""

    def __init__(
        self,
        options: Options,
        environment: Mapping[str, str] = os.environ,
        *,
        link: Link | None = None,
        target: str | None = None,
    ) -> None:
        """`link` and `target` lead elsewhere than to the daemon's own tools."""
        self._environment = environment
        self._link = link or Link(environment=environment, say=say)
        self._output = Output(1)
        self._agent = options.agent
        toolsets = options.toolsets or environment.get("MISSION_TOOLSETS")
        usual = f"/mcp?toolsets={percent_encode(os.fsencode(toolsets))}" if toolsets else "/mcp"
        self._target = target or usual
        self._directory = _directory(environment)
        self._negotiated: str | None = None

        self._changed = threading.Condition()  # guards what follows
        self._jobs: dict[str, Job] = {}
        self._open_jobs = 0
        self._waiting_bytes = 0
        self._workers = 0
        self._idle = 0  # workers that wait to read the next message
        self._aside: list[Job] = []  # jobs that wait for a worker
        self._input_ended = False

        self._reading = threading.Lock()  # held by the worker that reads
        self._lines = read_lines(0)

    def serve(self) -> int:
        """Carry messages until the input ends, then give what runs a moment to finish."""
        with self._changed:
            self._add_worker()
            self._changed.wait_for(lambda: self._input_ended)
        self._drain()
        return 0

    # From the client

    def _next(self) -> Job | None:
        """The next job of the worker that asks, once somebody else reads on; nothing when the input has ended."""
        with self._changed:
            if self._aside:
                return self._aside.pop(0)
            self._idle += 1
        with self._reading:
            with self._changed:
                self._idle -= 1
            for line in self._lines:
                job = self._accepted(line)
                if job is not None and self._is_ours(job):
                    return job
            with self._changed:
                self._input_ended = True
                self._changed.notify_all()
                return self._aside.pop(0) if self._aside else None

    def _is_ours(self, job: Job) -> bool:
        """Whether the worker that read the job carries it. It reads on when nobody else can: a request that is to be
        cancelled must not wait for another to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting_bytes < MOST_WAITING_BYTES)
            self._open_jobs += 1
            self._waiting_bytes += len(job.line)
            if job.expects_answer:
                self._jobs[repr(job.id)] = job
            if self._idle or self._add_worker() or self._workers == 1:
                return True
            self._aside.append(job)
            return False

    def _accepted(self, line: bytes | Oversized) -> Job | None:
        """The job in a line, if it is one that the daemon should see."""
        if isinstance(line, Oversized):
            self._refuse_oversized(line)
            return None
        if not line.strip():
            return None
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._write_error(None, -32700, "Parse error: the line is not JSON")
            return None
        wrong = _wrong(message)
        if wrong is not None:
            self._write_error(_usable_id(message), -32600, wrong)
        elif message.get("method") == "notifications/cancelled":
            self._cancel(message)
        else:
            return Job(line, message)
        return None

    def _add_worker(self) -> bool:
        if self._workers > MOST_IN_FLIGHT:  # one more than that: somebody has to read
            return False
        try:
            threading.Thread(target=self._work, daemon=True).start()
        except RuntimeError:  # the system gives us no more threads
            if not self._workers:
                raise
            return False
        self._workers += 1
        return True

    def _cancel(self, message: dict[str, Any]) -> None:
        """Close the connection of a running request; one that was answered is not ours to cancel."""
        wanted = _mapping(message.get("params")).get("requestId")
        with self._changed:
            job = self._jobs.get(repr(wanted))
            if job is not None:
                job.cancelled = True
                if job.connection is not None:
                    job.connection.abort()

    def _refuse_oversized(self, line: Oversized) -> None:
        failure = Failure(
            "TOO_LARGE",
            f"The message is larger than {LARGEST_LINE // (1024 * 1024)} MiB and was not sent.",
            SEND_LESS,
        )
        identifier = line.id()
        if identifier is None:
            return self._write_error(None, -32600, str(failure), failure.error)
        method = "tools/call" if line.calls_tool() else ""
        self._answer(Job(b"", {"id": identifier, "method": method}), failure)

    def _drain(self) -> None:
        self._wait_for_jobs()
        if self._link.wait_for_search():  # a daemon was just starting: its first answers are worth the wait
            self._wait_for_jobs()

    def _wait_for_jobs(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._open_jobs, timeout=GRACE_SECONDS)

    # To the daemon

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._forward(job)
            except Failure as failure:
                self._answer(job, failure)
            except Exception as problem:  # noqa: BLE001  (a client must not wait for an answer that never comes)
                say(f"unexpected {type(problem).__name__} while forwarding {job.method}")
                self._answer(job, _unexpected(problem))
            finally:
                self._finish(job)

    def _finish(self, job: Job) -> None:
        with self._changed:
            if self._jobs.get(repr(job.id)) is job:
                del self._jobs[repr(job.id)]
            self._open_jobs -= 1
            self._waiting_bytes -= len(job.line)
            self._changed.notify_all()

    def _forward(self, job: Job) -> None:
        """Send the message and pass its answer on, over as many connections as it takes."""
        daemon: Daemon | None = None
        for _ in range(ATTEMPTS):
            if job.cancelled:
                return
            try:
                daemon = self._link.daemon(instead_of=daemon)
            except DaemonUnavailable as problem:
                raise _unreachable(job, f"Mission Control cannot be reached. {problem.message}", problem.hint) from None
            try:
                connection = self._link.connect(daemon)
            except OSError:
                continue  # nothing was sent
            try:
                return self._exchange(job, connection, daemon)
            except TokenRenewed:
                continue
            except OSError:
                if job.cancelled or job.answered:
                    return
                if not job.repeatable:
                    raise _unknown_outcome() from None
        log = os.path.join(self._link.home, "daemon.log")
        raise _unreachable(
            job, "The connection to the Mission Control daemon broke again and again.", f"Its log is {log}."
        )

    def _exchange(self, job: Job, connection: Connection, daemon: Daemon) -> None:
        """One request and its answer. The connection is free again before the client can send its next request."""
        keep = False
        try:
            with self._changed:
                if job.cancelled:
                    raise Lost("cancelled")
                job.connection = connection
            headers = self._headers(job, daemon)
            job.sent = True
            answer = connection.request("POST", self._target, headers, job.line)
            message = self._message_of(job, answer, daemon)
            keep = answer.leaves_open
        finally:
            with self._changed:
                job.connection = None
            if keep and not job.cancelled:
                self._link.give_back(connection)
            else:
                connection.close()
        if message is not None:
            self._write(message)

    def _message_of(self, job: Job, answer: Response, daemon: Daemon) -> bytes | None:
        """What the client gets to read; nothing when it expects nothing, or has read it as a stream."""
        if answer.media_type == "text/event-stream" and answer.status == 200:
            self._pass_on_events(job, answer)
            return None
        body = answer.read()
        if answer.status == 401 and self._link.token_was_renewed(daemon):
            raise TokenRenewed
        if not job.expects_answer:
            if answer.status >= 400:
                say(f"the daemon answered {job.method or 'a response'} with status {answer.status}")
            return None
        if answer.status == 200 and answer.media_type == "application/json":
            self._note_version(job, body)
            return body
        if answer.status == 401:
            raise self._refused(body)
        return _adopted(job, body) or _raise_status(answer.status, body)

    def _pass_on_events(self, job: Job, answer: Response) -> None:
        for event in answer.events():
            if job.cancelled:
                raise Lost("cancelled")
            message = _object(event)
            self._note_version(job, event)
            self._write(event)
            job.answered = job.answered or (message.get("id") == job.id and "method" not in message)
        if not job.answered and job.expects_answer:
            raise Lost("the stream ended before the answer")

    def _headers(self, job: Job, daemon: Daemon) -> dict[str, str]:
        token = bearer(daemon, self._environment)
        if not fits_header(token):
            raise self._refused(b"")
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self._directory is not None:
            headers["Mission-Directory"] = self._directory
        agent = self._agent or self._agent_of_session()
        if agent:
            headers["Mission-Agent"] = agent if fits_header(agent) else percent_encode(os.fsencode(agent))
        if job.key is not None:
            headers["Idempotency-Key"] = job.key
        if job.version is not None:
            headers["MCP-Protocol-Version"] = job.version
            headers.update(_routing_headers(job))
        elif self._negotiated is not None and job.method != "initialize":
            headers["MCP-Protocol-Version"] = self._negotiated
        return headers

    def _refused(self, body: bytes) -> Failure:  # noqa: ARG002
        """Why the token was not accepted, and what to do; `body` is what the daemon says."""
        return Failure("UNAUTHENTICATED", *_token_advice(self._environment))

    def _agent_of_session(self) -> str | None:
        """The agent that the session hooks registered for this client session; it may change while we run."""
        session = self._environment.get("CLAUDE_CODE_SESSION_ID", "")
        if not session or len(session) > 128 or session.startswith(".") or not SESSION_CHARACTERS.issuperset(session):
            return None  # it becomes a file's name
        try:
            with open(os.path.join(self._link.home, "sessions", f"{session}.json"), "rb") as file:
                agent = json.load(file)["agent_id"]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return agent if isinstance(agent, str) else None

    def _note_version(self, job: Job, body: bytes) -> None:
        if job.method != "initialize":
            return
        version = _mapping(_object(body).get("result")).get("protocolVersion")
        if isinstance(version, str) and fits_header(version):
            self._negotiated = version

    # To the client

    def _answer(self, job: Job, failure: Failure) -> None:
        """Tell the client that its request failed: a tool's error for a tools/call, else a protocol error."""
        if job.cancelled:
            return
        if not job.expects_answer:
            say(str(failure))
        elif job.method == "tools/call":
            text = json.dumps({"error": failure.error}, ensure_ascii=False)
            result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True}
            if job.version is not None:
                result["resultType"] = "complete"
            self._write(_dump({"jsonrpc": "2.0", "id": job.id, "result": result}))
        else:
            message = " ".join(filter(None, [failure.error["message"], failure.error["hint"]]))
            self._write_error(job.id, -32000, message, failure.error)

    def _write_error(
        self, identifier: str | int | float | None, code: int, message: str, data: Mapping[str, Any] | None = None
    ) -> None:
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self._write(_dump({"jsonrpc": "2.0", "id": identifier, "error": error}))

    def _write(self, message: bytes) -> None:
        try:
            self._output.write(message)
        except OSError:
            os._exit(0)  # the client is gone; there is nobody left to tell


def _wrong(message: Any) -> str | None:
    """What is wrong with a message; nothing when it is one of JSON-RPC."""
    if isinstance(message, list):
        return "Batches are not supported: send one message per line"
    if not isinstance(message, dict):
        return "Invalid request: a message is an object"
    if "id" in message and type(message["id"]) not in (str, int, float):
        return "Invalid request: the id must be a text or a number"
    if not isinstance(message.get("method", ""), str) or not {"method", "result", "error"} & message.keys():
        return "Invalid request: a request names its method"
    return None


def _usable_id(message: Any) -> str | int | float | None:
    identifier = _mapping(message).get("id")
    return identifier if type(identifier) in (str, int, float) else None


def say(text: str) -> None:
    """A diagnostic for whoever reads the client's log."""
    try:
        sys.stderr.write(f"mission: {text}\n")
        sys.stderr.flush()
    except (OSError, AttributeError):
        return  # nobody does


def _directory(environment: Mapping[str, str]) -> str | None:
    """The directory that the client works in, as a header's value."""
    project = environment.get("CLAUDE_PROJECT_DIR")
    try:
        path = os.path.abspath(project) if project and os.path.isdir(project) else os.getcwd()
    except OSError:
        return None  # the directory was removed under us
    return percent_encode(os.fsencode(path))


def _routing_headers(job: Job) -> dict[str, str]:
    """The headers that must repeat the body in the stateless era of the protocol."""
    headers = {}
    if job.method is not None and fits_header(job.method):
        headers["Mcp-Method"] = job.method
    if job.name is not None:
        plain = fits_header(job.name) and not job.name.startswith("=?")
        headers["Mcp-Name"] = job.name if plain else _wrapped(job.name)
    return headers


def _wrapped(text: str) -> str:
    """A text that no header can hold, as the protocol wraps it."""
    from base64 import b64encode  # deferred: names are nearly always plain

    return f"=?base64?{b64encode(text.encode('utf-8', 'replace')).decode()}?="


def _adopted(job: Job, body: bytes) -> bytes | None:
    """A JSON-RPC answer that came with an error status, under the id the client asked with."""
    message = _object(body)
    if "jsonrpc" not in message:
        return None
    return body if message.get("id") == job.id else _dump({**message, "id": job.id})


def _raise_status(status: int, body: bytes) -> bytes:
    """Turn an answer that is no JSON-RPC message into the failure that it means."""
    if status == 413:
        raise Failure("TOO_LARGE", "The message is larger than the daemon accepts.", SEND_LESS)
    failure = failure_in(body)
    if failure is not None:
        raise failure
    raise Failure("INTERNAL_ERROR", f"The daemon's answer (status {status}) cannot be understood.", "See its log.")


def failure_in(body: bytes) -> Failure | None:
    """The daemon's error object, if the text holds one."""
    error = _object(body).get("error")
    if isinstance(error, dict) and "code" in error and "message" in error:
        return Failure(str(error["code"]), str(error["message"]), error.get("hint"), error.get("details"))
    return None


def _token_advice(environment: Mapping[str, str]) -> tuple[str, str]:
    if environment.get("MISSION_TOKEN"):
        return (
            "The daemon does not accept the token in MISSION_TOKEN.",
            "Put a valid token there, or unset it to act with the operator's; then restart this client.",
        )
    return (
        "The daemon does not accept the token in daemon.json.",
        "Restart the daemon; if that does not help, 'mission token rotate' makes a new token.",
    )


def _unknown_outcome() -> Failure:
    return Failure(
        "TRANSIENT_ERROR",
        "The connection broke before the answer came, and the call has no usable key: its outcome is unknown.",
        "Look whether the call took effect before you repeat it. A key is a text of up to "
        f'{LONGEST_KEY} characters in _meta["mission/key"]; leave it out to have one made.',
    )


def _unexpected(problem: Exception) -> Failure:
    return Failure(
        "INTERNAL_ERROR",
        f"The bridge failed unexpectedly ({type(problem).__name__}); the outcome of the call is unknown.",
        "Look whether the call took effect before you repeat it, and report this as a bug.",
    )


def _unreachable(job: Job, message: str, hint: str) -> Failure:
    """No daemon answered. A call that was sent before may have taken effect, and a new one would have another key."""
    if job.sent and job.method == "tools/call":
        message += " The call had been sent: its outcome is unknown."
        hint += " Then look whether the call took effect before you repeat it."
    return Failure("TRANSIENT_ERROR", message, hint)


def _object(text: bytes) -> dict[str, Any]:
    """The JSON object in a text, or an empty one when there is none."""
    try:
        return _mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dump(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
