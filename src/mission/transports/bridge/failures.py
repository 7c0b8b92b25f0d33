"""Why a message gets no answer from the daemon, told so that the model or the person behind the client can act on it.

Standard library only.
"""

from __future__ import annotations

from mission.transports.bridge.client_messages import LONGEST_KEY, object_in

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mission.transports.bridge.client_messages import ClientRequest

SEND_LESS = "Send less: put long material into a file of the repository and name its path."


class BridgeFailure(Exception):
    """Why a request gets no answer from the daemon, in the words of the daemon's error object."""

    def __init__(self, code: str, message: str, hint: str | None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message, "hint": hint, "details": details or {}}


def raise_status(status: int, body: bytes) -> bytes:
    """Turn an answer that is no JSON-RPC message into the failure that it means."""
    if status == 413:
        raise BridgeFailure("TOO_LARGE", "The message is larger than the daemon accepts.", SEND_LESS)
    failure = failure_in(body)
    if failure is not None:
        raise failure
    raise BridgeFailure(
        "INTERNAL_ERROR", f"The daemon's answer (status {status}) cannot be understood.", "See its log."
    )


def failure_in(body: bytes) -> BridgeFailure | None:
    """The daemon's error object, if the text holds one."""
    error = object_in(body).get("error")
    if isinstance(error, dict) and "code" in error and "message" in error:
        return BridgeFailure(str(error["code"]), str(error["message"]), error.get("hint"), error.get("details"))
    return None


def token_advice(environment: Mapping[str, str]) -> tuple[str, str]:
    if environment.get("MISSION_TOKEN"):
        return (
            "The daemon does not accept the token in MISSION_TOKEN.",
            "Put a valid token there, or unset it to act with the operator's; then restart this client.",
        )
    return (
        "The daemon does not accept the token in daemon.json.",
        "Restart the daemon; if that does not help, 'mission token rotate' makes a new token.",
    )


def unknown_outcome() -> BridgeFailure:
    return BridgeFailure(
        "TRANSIENT_ERROR",
        "The connection broke before the answer came, and the call has no usable key: its outcome is unknown.",
        "Look whether the call took effect before you repeat it. A key is a text of up to "
        f'{LONGEST_KEY} characters in _meta["mission/key"]; leave it out to have one made.',
    )


def unexpected(problem: Exception) -> BridgeFailure:
    return BridgeFailure(
        "INTERNAL_ERROR",
        f"The bridge failed unexpectedly ({type(problem).__name__}); the outcome of the call is unknown.",
        "Look whether the call took effect before you repeat it, and report this as a bug.",
    )


def unreachable(job: ClientRequest, message: str, hint: str) -> BridgeFailure:
    """No daemon answered. A call that was sent before may have taken effect, and a new one would have another key."""
    if job.sent and job.method == "tools/call":
        message += " The call had been sent: its outcome is unknown."
        hint += " Then look whether the call took effect before you repeat it."
    return BridgeFailure("TRANSIENT_ERROR", message, hint)
