"""`mission mcp`: passes MCP messages between a client's stdio and the daemon's HTTP address.

Standard library only, and as little of it as possible: a client waits for this process at its start. Each request in
flight has its own thread and connection, so that a long poll blocks nothing. A broken connection does not fail a call:
every tools/call has a key under which the daemon stores its answer, so the bridge finds or starts a daemon and sends
the call again.
"""
# os.path and not pathlib, which costs 7 ms at start:
# ruff: noqa: PTH100, PTH109, PTH112, PTH118, PTH123

from __future__ import annotations

import json
import os
import sys
import threading

from mission.transports.bridge.client_messages import (
    ClientRequest,
    dump,
    mapping,
    object_in,
    routing_headers,
    usable_id,
    wrong_with,
)
from mission.transports.bridge.daemon_link import Link
from mission.transports.bridge.daemon_process import DaemonUnavailable, bearer
from mission.transports.bridge.failures import (
    SEND_LESS,
    BridgeFailure,
    raise_status,
    token_advice,
    unexpected,
    unknown_outcome,
    unreachable,
)
from mission.transports.bridge.http_client import ConnectionLost, fits_header, percent_encode
from mission.transports.bridge.line_io import MAX_LINE_BYTES, LineWriter, Oversized
from mission.transports.bridge.reader_threads import ReaderThreads

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mission.transports.bridge.daemon_process import Daemon
    from mission.transports.bridge.http_client import HttpConnection, Response

HELP = """\
Usage: mission mcp [--toolsets LIST] [--agent ID] [--standalone]
       mission mcp connect --agent-execution ID

Serve MCP on standard input and output. Calls go to the Mission Control daemon,
which is started if necessary.

Options:
  --toolsets LIST  Comma-separated toolsets to show (mission, tasks, worker, all, ...)
  --agent ID       Agent on whose behalf to call
  --standalone     Serve from this process and the database, without a daemon
  -h, --help       Show this help

Environment:
  MISSION_HOME     Data folder of Mission Control
  MISSION_TOKEN    Access token to use instead of the operator's
"""

ATTEMPTS = 4
SOON_SENT = 32 * 1024  # a message up to this size fits into the connection's buffers
GRACE_SECONDS = 1.5  # clients wait 2 s for us after they have closed our input

SESSION_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def run(arguments: list[str], *, standalone: Callable[..., object]) -> int:
    """Serve until the input ends, and return the exit code. `standalone` serves without a daemon if requested."""
    try:
        options = parse(arguments)
    except ValueError as problem:
        sys.stderr.write(f"mission mcp: {problem}\n{HELP.partition(chr(10))[0]}\n")
        return 2
    if options.help:
        sys.stdout.write(HELP)
        return 0
    if options.standalone:
        from mission.settings import load  # deferred: the bridge itself does not need them

        standalone(load(), toolsets=options.toolsets, agent=options.agent)
        return 0
    try:
        code = Bridge(options).serve()
    except KeyboardInterrupt:
        code = 130
    os._exit(code)  # threads may still be waiting for answers that are no longer needed


class Options:
    """The options of the command line."""

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
                raise ValueError(f"{name} requires a value")
            setattr(options, name[2:], value if equals else left.pop(0))
        elif name in {"--standalone", "--help", "-h"} and not equals:
            setattr(options, "help" if name == "-h" else name[2:], True)
        else:
            raise ValueError(f"unknown argument '{name}'")
    return options


class TokenRenewed(Exception):
    """The daemon refused the access token, and there is a newer one to try."""


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
        """Connect to the daemon's tools, or to another endpoint with `link` and `target`."""
        self._environment = environment
        self._link = link or Link(environment=environment, say=say)
        self._output = LineWriter(1)
        self._agent = options.agent
        toolsets = options.toolsets or environment.get("MISSION_TOOLSETS")
        usual = f"/mcp?toolsets={percent_encode(os.fsencode(toolsets))}" if toolsets else "/mcp"
        self._target = target or usual
        self._directory = _directory(environment)
        self._negotiated: str | None = None

        self._guard = threading.Lock()  # for the fields below and the state of jobs
        self._jobs: dict[str, ClientRequest] = {}
        self._threads = ReaderThreads(0, accept=self._accepted, handle=self._handle)

    def serve(self) -> int:
        """Pass messages until the input ends, then give running calls a moment to finish."""
        self._threads.run_until_the_input_ends()
        self._threads.wait_for_jobs(seconds=GRACE_SECONDS)
        if self._link.wait_for_search():  # a daemon was just starting: its first answers are worth the wait
            self._threads.wait_for_jobs(seconds=GRACE_SECONDS)
        return 0

    # From the client

    def _accepted(self, line: bytes | Oversized) -> ClientRequest | None:
        """Return the job in a line, or None if the daemon should not see it."""
        if isinstance(line, Oversized):
            self._refuse_oversized(line)
            return None
        if not line.strip():
            return None
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._write_error(None, -32700, "Parse error: the line is not valid JSON or is nested too deeply")
            return None
        wrong = wrong_with(message)
        if wrong is not None:
            self._write_error(usable_id(message), -32600, wrong)
        elif message.get("method") == "notifications/cancelled":
            self._cancel(message)
        else:
            return self._remember(ClientRequest(line, message))
        return None

    def _remember(self, job: ClientRequest) -> ClientRequest:
        if job.expects_answer:
            with self._guard:
                self._jobs[repr(job.id)] = job
        return job

    def _cancel(self, message: dict[str, Any]) -> None:
        """Close the connection of a running request; ignore one that was answered."""
        wanted = mapping(message.get("params")).get("requestId")
        with self._guard:
            job = self._jobs.get(repr(wanted))
            if job is not None:
                job.canceled = True
                if job.connection is not None:
                    job.connection.abort()

    def _refuse_oversized(self, line: Oversized) -> None:
        failure = BridgeFailure(
            "TOO_LARGE",
            f"The message is larger than {MAX_LINE_BYTES // (1024 * 1024)} MiB and was not sent.",
            SEND_LESS,
        )
        identifier = line.id()
        if identifier is None:
            return self._write_error(None, -32600, str(failure), failure.error)
        method = "tools/call" if line.calls_tool() else ""
        self._answer(ClientRequest(b"", {"id": identifier, "method": method}), failure)

    # To the daemon

    def _handle(self, job: ClientRequest) -> None:
        try:
            self._forward(job)
        except BridgeFailure as failure:
            self._answer(job, failure)
        except Exception as problem:  # noqa: BLE001  (a client must not wait for an answer that never comes)
            say(f"unexpected {type(problem).__name__} while forwarding {job.method}")
            self._answer(job, unexpected(problem))
        finally:
            with self._guard:
                if self._jobs.get(repr(job.id)) is job:
                    del self._jobs[repr(job.id)]

    def _forward(self, job: ClientRequest) -> None:
        """Send the message and pass on its answer, retrying over new connections."""
        daemon: Daemon | None = None
        for _ in range(ATTEMPTS):
            if job.canceled:
                return
            if daemon is not None or not self._link.is_ready:
                self._threads.let_another_read()  # finding or starting a daemon takes time
            try:
                daemon = self._link.daemon(instead_of=daemon)
            except DaemonUnavailable as problem:
                raise unreachable(job, f"Could not reach Mission Control. {problem.message}", problem.hint) from None
            try:
                connection = self._link.connect(daemon)
            except OSError:
                continue  # nothing was sent
            try:
                return self._exchange(job, connection, daemon)
            except TokenRenewed:
                continue
            except OSError:
                if job.canceled or job.answered:
                    return
                if not job.repeatable:
                    raise unknown_outcome() from None
        log = os.path.join(self._link.home, "daemon.log")
        raise unreachable(job, "The connection to the Mission Control daemon broke repeatedly.", f"Its log is {log}.")

    def _exchange(self, job: ClientRequest, connection: HttpConnection, daemon: Daemon) -> None:
        """Send one request and read its answer. The connection is free again before the client's next request."""
        keep = False
        try:
            with self._guard:
                if job.canceled:
                    raise ConnectionLost("canceled")
                job.connection = connection
            headers = self._headers(job, daemon)
            if len(job.line) > SOON_SENT:
                self._threads.let_another_read()
            job.sent = True
            connection.send("POST", self._target, headers, job.line)
            self._threads.wait_for_answer(connection.fileno())
            answer = connection.answer()
            message = self._message_of(job, answer, daemon)
            keep = answer.leaves_open
        finally:
            with self._guard:
                job.connection = None
            if keep and not job.canceled:
                self._link.release(connection)
            else:
                connection.close()
        if message is not None:
            self._write(message)

    def _message_of(self, job: ClientRequest, answer: Response, daemon: Daemon) -> bytes | None:
        """Return the message for the client, or None if it expects none or has received it as a stream."""
        if answer.media_type == "text/event-stream" and answer.status == 200:
            self._threads.let_another_read()
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
        return _adopted(job, body) or raise_status(answer.status, body)

    def _pass_on_events(self, job: ClientRequest, answer: Response) -> None:
        for event in answer.events():
            if job.canceled:
                raise ConnectionLost("canceled")
            message = object_in(event)
            self._note_version(job, event)
            self._write(event)
            job.answered = job.answered or (message.get("id") == job.id and "method" not in message)
        if not job.answered and job.expects_answer:
            raise ConnectionLost("the stream ended before the answer")

    def _headers(self, job: ClientRequest, daemon: Daemon) -> dict[str, str]:
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
            headers.update(routing_headers(job))
        elif self._negotiated is not None and job.method != "initialize":
            headers["MCP-Protocol-Version"] = self._negotiated
        return headers

    def _refused(self, body: bytes) -> BridgeFailure:  # noqa: ARG002
        """Return the failure for a refused access token; `body` is the daemon's answer."""
        return BridgeFailure("UNAUTHENTICATED", *token_advice(self._environment))

    def _agent_of_session(self) -> str | None:
        """Return the agent that the hooks registered for this client session, or None; it may change at any time."""
        session = self._environment.get("CLAUDE_CODE_SESSION_ID", "")
        if not session or len(session) > 128 or session.startswith(".") or not SESSION_CHARACTERS.issuperset(session):
            return None  # it becomes a file's name
        try:
            with open(os.path.join(self._link.home, "sessions", f"{session}.json"), "rb") as file:
                agent = json.load(file)["agent_id"]
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return agent if isinstance(agent, str) else None

    def _note_version(self, job: ClientRequest, body: bytes) -> None:
        if job.method != "initialize":
            return
        version = mapping(object_in(body).get("result")).get("protocolVersion")
        if isinstance(version, str) and fits_header(version):
            self._negotiated = version

    # To the client

    def _answer(self, job: ClientRequest, failure: BridgeFailure) -> None:
        """Report a failed request to the client: as a tool's error for a tools/call, else as a protocol error."""
        if job.canceled:
            return
        if not job.expects_answer:
            say(str(failure))
        elif job.method == "tools/call":
            text = json.dumps({"error": failure.error}, ensure_ascii=False)
            result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True}
            if job.version is not None:
                result["resultType"] = "complete"
            self._write(dump({"jsonrpc": "2.0", "id": job.id, "result": result}))
        else:
            message = " ".join(filter(None, [failure.error["message"], failure.error["hint"]]))
            self._write_error(job.id, -32000, message, failure.error)

    def _write_error(
        self, identifier: str | int | float | None, code: int, message: str, data: Mapping[str, Any] | None = None
    ) -> None:
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self._write(dump({"jsonrpc": "2.0", "id": identifier, "error": error}))

    def _write(self, message: bytes) -> None:
        try:
            self._output.write(message, before_waiting=self._threads.let_another_read)
        except OSError:
            os._exit(0)  # the client is gone


def say(text: str) -> None:
    """Write a diagnostic to the client's log."""
    try:
        sys.stderr.write(f"mission: {text}\n")
        sys.stderr.flush()
    except (OSError, AttributeError):
        return  # there is no log


def _directory(environment: Mapping[str, str]) -> str | None:
    """Return the client's working directory as a header's value, or None."""
    project = environment.get("CLAUDE_PROJECT_DIR")
    try:
        path = os.path.abspath(project) if project and os.path.isdir(project) else os.getcwd()
    except OSError:
        return None  # the directory was removed
    return percent_encode(os.fsencode(path))


def _adopted(job: ClientRequest, body: bytes) -> bytes | None:
    """Return a JSON-RPC answer that came with an error status, with the id of the client's request."""
    message = object_in(body)
    if "jsonrpc" not in message:
        return None
    return body if message.get("id") == job.id else dump({**message, "id": job.id})
