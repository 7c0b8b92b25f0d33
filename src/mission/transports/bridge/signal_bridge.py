"""`mission mcp connect`: passes the signals of a launched agent from its client's stdio to its endpoint.

Standard library only. It contains no rules and starts nothing: without the daemon no one receives signals.
"""

from __future__ import annotations

import os
import sys

from mission.transports.bridge import daemon_process
from mission.transports.bridge.bridge import Bridge, Options, say
from mission.transports.bridge.daemon_link import Link
from mission.transports.bridge.daemon_process import Daemon, DaemonUnavailable
from mission.transports.bridge.failures import BridgeFailure, failure_in
from mission.transports.bridge.http_client import fits_header, percent_encode, split_url

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Mapping

TOKEN = "OPEN_MISSION_MCP_TOKEN"
URL = "OPEN_MISSION_MCP_URL"
ID = "OPEN_MISSION_AGENT_EXECUTION_ID"

HELP = f"""\
Usage: mission mcp connect [--agent-execution ID]

Serve the signals of one execution on standard input and output. Requires a
running Mission Control daemon.

Options:
  --agent-execution ID  The execution (default: ${ID})
  -h, --help            Show this help

Environment:
  {TOKEN}  The execution's access token
  {URL}    The execution's address, if its daemon has another MISSION_HOME
"""


def run(arguments: list[str], environment: Mapping[str, str] = os.environ) -> int:
    """Serve until the input ends, and return the exit code."""
    try:
        execution_id = _execution(arguments, environment)
    except ValueError as problem:
        return _refuse(f"{problem}\n{HELP.partition(chr(10))[0]}", code=2)
    if execution_id is None:
        sys.stdout.write(HELP)
        return 0
    token = environment.get(TOKEN, "")
    if not token or not fits_header(token):
        return _refuse(f"{TOKEN} is not set to a valid token: the launch of the execution sets it", code=2)
    link = SignalLink(environment, url=environment.get(URL, ""))
    try:
        link.check()
    except (DaemonUnavailable, ValueError) as problem:
        return _refuse(" ".join(filter(None, [str(problem), getattr(problem, "hint", "")])), code=1)
    try:
        code = SignalBridge(execution_id, link, environment, token=token).serve()
    except KeyboardInterrupt:
        code = 130
    os._exit(code)  # threads may still be waiting for answers that are no longer needed


class SignalLink(Link):
    """The link to the daemon that launched the agent, at its address from the launch or its current one."""

    def __init__(self, environment: Mapping[str, str], *, url: str) -> None:
        super().__init__(environment=environment, say=say)
        self._url = url

    def check(self) -> None:
        """Raise an error unless a daemon answers."""
        daemon = self.daemon(instead_of=None)
        try:
            self.release(self.connect(daemon))
        except OSError:
            daemon = self.daemon(instead_of=daemon)
            try:
                self.release(self.connect(daemon))
            except OSError:
                raise _stopped() from None

    def token_was_renewed(self, daemon: Daemon) -> bool:  # noqa: ARG002
        return False  # an execution's access token never changes

    def _described(self, failed: Daemon | None) -> Daemon | None:
        if failed is not None or not self._url:
            return None
        host, port = split_url(self._url)
        host = f"[{host}]" if ":" in host else host
        return Daemon(url=f"http://{host}:{port}", token="", pid=0, version="")

    def _ensured(self) -> Daemon:
        """Return the running daemon, perhaps at another address than at the launch; never start one."""
        daemon = daemon_process.read(self.home)
        if daemon is None or not daemon_process.seems_alive(daemon):
            raise _stopped()
        return daemon


class SignalBridge(Bridge):
    """The bridge to one execution's endpoint."""

    def __init__(self, execution_id: str, link: Link, environment: Mapping[str, str], *, token: str) -> None:
        ours = {name: value for name, value in environment.items() if name != "CLAUDE_CODE_SESSION_ID"}
        target = f"/mcp/executions/{percent_encode(os.fsencode(execution_id))}"
        super().__init__(Options(), {**ours, "MISSION_TOKEN": token}, link=link, target=target)

    def _refused(self, body: bytes) -> BridgeFailure:
        return failure_in(body) or BridgeFailure(
            "UNAUTHENTICATED",
            f"The daemon does not accept the token in {TOKEN}.",
            "It is valid only while its execution runs.",
        )


def _execution(arguments: list[str], environment: Mapping[str, str]) -> str | None:
    """Return the execution's id, or None if help was requested."""
    found = environment.get(ID, "")
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name in {"-h", "--help"}:
            return None
        if name != "--agent-execution":
            raise ValueError(f"unknown argument '{name}'")
        if not equals and not left:
            raise ValueError("--agent-execution requires a value")
        found = value if equals else left.pop(0)
    if not found:
        raise ValueError(f"--agent-execution is missing, and {ID} is not set")
    return found


def _stopped() -> DaemonUnavailable:
    return DaemonUnavailable("The Mission Control daemon is not running.", hint="Start it with 'mission up'.")


def _refuse(problem: str, *, code: int) -> int:
    sys.stderr.write(f"mission mcp connect: {problem}\n")
    return code
