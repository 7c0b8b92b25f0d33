"""Failures of the bridge, worded so that the model or the client's user can act on them.

Standard library only.
"""

from __future__ import annotations

from mission.transports.bridge.client_messages import MAX_KEY_LENGTH, object_in

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mission.transports.bridge.client_messages import ClientRequest

SEND_LESS = "Send less: put long text into a file in the repository and pass its path."


class BridgeFailure(Exception):
    """A request without an answer from the daemon, in the format of the daemon's error object."""

    def __init__(self, code: str, message: str, hint: str | None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message, "hint": hint, "details": details or {}}


def raise_status(status: int, body: bytes) -> bytes:
    """Raise the failure that corresponds to an answer that is not a JSON-RPC message."""
    if status == 413:
        raise BridgeFailure("TOO_LARGE", "The message is larger than the daemon accepts.", SEND_LESS)
    failure = failure_in(body)
    if failure is not None:
        raise failure
    raise BridgeFailure("INTERNAL_ERROR", f"The daemon's response (status {status}) is not valid.", "See its log.")


def failure_in(body: bytes) -> BridgeFailure | None:
    """Return the failure for the daemon's error object in the text, or None."""
    error = object_in(body).get("error")
    if isinstance(error, dict) and "code" in error and "message" in error:
        return BridgeFailure(str(error["code"]), str(error["message"]), error.get("hint"), error.get("details"))
    return None


def token_advice(environment: Mapping[str, str]) -> tuple[str, str]:
    if environment.get("MISSION_TOKEN"):
        return (
            "The daemon does not accept the token in MISSION_TOKEN.",
            "Set a valid token, or unset it to use the operator's; then restart this client.",
        )
    return (
        "The daemon does not accept the token in daemon.json.",
        "Restart the daemon; if that does not help, create a new token with 'mission token rotate'.",
    )


def unknown_outcome() -> BridgeFailure:
    return BridgeFailure(
        "TRANSIENT_ERROR",
        "The connection broke before the answer arrived, and the call has no valid key: its outcome is unknown.",
        "Check whether the call took effect before you retry. A key is a string of up to "
        f'{MAX_KEY_LENGTH} characters in _meta["mission/key"]; omit it to have one generated.',
    )


def unexpected(problem: Exception) -> BridgeFailure:
    return BridgeFailure(
        "INTERNAL_ERROR",
        f"The bridge failed unexpectedly ({type(problem).__name__}); the outcome of the call is unknown.",
        "Check whether the call took effect before you retry, and report this as a bug.",
    )


def unreachable(job: ClientRequest, message: str, hint: str) -> BridgeFailure:
    """Return the failure for a daemon that did not answer. A call that was sent may have taken effect, and a new call
    would have another key."""
    if job.sent and job.method == "tools/call":
        message += " The call had been sent: its outcome is unknown."
        hint += " Then check whether the call took effect before you retry."
    return BridgeFailure("TRANSIENT_ERROR", message, hint)
