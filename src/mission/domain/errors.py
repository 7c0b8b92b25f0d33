"""The errors of Mission Control, one class each: code, HTTP status, message and whether a retry helps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from mission.domain.actions import Action


class MissionError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str | None] = None

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, action: Action | None = None, **details: Any
    ) -> None:
        """Create the error; `action` is a next step that the gateway words for its reader."""
        self.message = message or (type(self).__doc__ or "").strip()
        self.action = action
        self._advice = hint if hint is not None or action is not None else self.default_hint
        self.details: Mapping[str, Any] = details
        super().__init__(self.message)

    @property
    def hint(self) -> str | None:
        """Return what to do next, worded for every reader."""
        step = self.action.value if self.action is not None else None
        return " ".join(filter(None, (self._advice, step))) or None

    def with_step(self, words: str) -> Self:
        """Return the same error with its next step worded for its reader."""
        return self._changed(_advice=" ".join(filter(None, (self._advice, words))), action=None)

    def with_details(self, **more: Any) -> Self:
        """Return a copy with more details: calls that share a commit also share its failure."""
        return self._changed(details={**self.details, **more})

    def _changed(self, **changes: Any) -> Self:
        own = type(self).__new__(type(self))  # bypasses the constructor: each class has its own
        own.__dict__.update(self.__dict__, **changes)
        own.args = (own.message,)
        return own

    def as_dict(self) -> dict[str, Any]:
        """Return the error as every transport shows it to its caller."""
        return {"code": self.code, "message": self.message, "hint": self.hint, "details": dict(self.details)}


class InvalidInput(MissionError):
    """An argument is missing or wrong."""

    code = "INVALID_INPUT"
    http_status = 400


class TooLarge(MissionError):
    """The request is larger than Mission Control accepts."""

    code = "TOO_LARGE"
    http_status = 413
    default_hint = "Send less: put long text into a file in the repository and give its path."


class Unauthenticated(MissionError):
    """The token is missing or not valid."""

    code = "UNAUTHENTICATED"
    http_status = 401
    default_hint = "Send 'Authorization: Bearer TOKEN'; the operator's token is in the file 'token' in MISSION_HOME."


class PermissionDenied(MissionError):
    """The caller may not do this."""

    code = "PERMISSION_DENIED"
    http_status = 403


class ToolNotFound(MissionError):
    """There is no tool with this name."""

    code = "TOOL_NOT_FOUND"
    http_status = 404


class NotFound(MissionError):
    """The referenced object does not exist."""

    code = "RESOURCE_NOT_FOUND"
    http_status = 404


class AgentNotFound(NotFound):
    """The agent does not exist."""

    code = "AGENT_NOT_FOUND"


class InvalidState(MissionError):
    """The object's state does not allow this."""

    code = "INVALID_STATE"
    http_status = 409


class InvalidAgentState(InvalidState):
    """The agent's state does not allow this."""

    code = "INVALID_AGENT_STATE"


class IllegalMove(InvalidState):
    """The object cannot change from its current state to that one."""

    def __init__(self, *, kind: str, id: str, current: str, wanted: str, legal: Iterable[str]) -> None:
        legal = list(legal)
        super().__init__(
            f"{kind} {id} is {current} and cannot become {wanted}",
            hint=f"{current} is final: start a new {kind}.",
            current=current,
            wanted=wanted,
            legal=legal,
        )
        if legal:
            self._advice = f"From {current} it can become: {', '.join(legal)}."

    def name_states(self, words: Mapping[str, str]) -> None:
        """Name the legal states in the caller's own words; leave out states that it has no word for."""
        legal = [words[state] for state in self.details["legal"] if state in words]
        if legal:
            self.details = {**self.details, "legal": legal}
            self._advice = f"From {self.details['current']} it can become: {', '.join(legal)}."


class NotOwner(MissionError):
    """The task belongs to another agent."""

    code = "NOT_OWNER"
    http_status = 409


class Conflict(MissionError):
    """Another call changed the same object at the same time."""

    code = "CONFLICT"
    http_status = 409


class ChecksFailed(MissionError):
    """A check of the task failed, so it is not completed."""

    code = "CHECKS_FAILED"
    http_status = 409


class ChecksVoid(MissionError):
    """Files changed while the checks ran, so their outcome says nothing."""

    code = "CHECKS_VOID"
    http_status = 409


class ChecksError(MissionError):
    """A check could not run, so the task is not completed."""

    code = "CHECKS_ERROR"
    http_status = 409


class TransientError(MissionError):
    """A temporary failure; the same call may succeed now."""

    code = "TRANSIENT_ERROR"
    http_status = 503
    retryable = True
    default_hint = "Nothing was changed. Try the same call again in a moment."


class StorageFull(TransientError):
    """The disk that holds Mission Control's data is full; nothing was changed."""

    retryable = False
    default_hint = "Free some space, then try the same call again."


class OutcomeUnknown(TransientError):
    """The database connection was lost during the save; the change may have taken effect."""

    retryable = False
    default_hint = "Check whether it took effect before you repeat it."


class StorageUnusable(TransientError):
    """The database file cannot be used; nothing was changed."""

    retryable = False
    default_hint = "Run 'mission doctor': it shows what is wrong with the file and how to fix it."


class InternalError(MissionError):
    """Something unexpected went wrong in Mission Control; nothing was changed."""

    default_hint = "The operator can find the details in 'mission logs'."

    def as_incident(self, id: str) -> Self:
        """Return the same error with its incident id, also in the message because people copy messages."""
        return self._changed(
            message=f"{self.message.rstrip('.')} (incident {id})",
            _advice=f"'mission audit {id}' shows the operator what happened.",
            details={**self.details, "incident": id},
        )
