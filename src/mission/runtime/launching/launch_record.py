"""What is kept of a launch, beside its transcript, for the one that goes on with it; no value of a variable."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from mission.domain.errors import InvalidState
from mission.runtime.launching.client_choice import Choice
from mission.services.launcher import LaunchRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchRecord:
    """The operator's wishes that an execution's record does not hold."""

    arguments: Sequence[str] = ()
    seconds: float | None = None
    variables: Sequence[str] = ()
    """Names of those that are the client's own, such as its keys."""

    @classmethod
    def of(cls, order: LaunchRequest, choice: Choice) -> LaunchRecord:
        patterns = choice.launch.variables
        own = [name for name in choice.environment if any(fnmatchcase(name, pattern) for pattern in patterns)]
        # A program of one's own may have been named from the folder of a shell that is gone by then.
        program = [] if choice.launch.program else [choice.program]
        return cls(arguments=[*program, *choice.arguments], seconds=order.seconds, variables=sorted(own))

    @classmethod
    def read(cls, path: Path) -> LaunchRecord:
        try:
            return cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            return cls()

    def as_text(self) -> str:
        return json.dumps(asdict(self))

    def check(self, environment: Mapping[str, str], order: LaunchRequest) -> None:
        """Refuse to go on without variables that the launch had: they were never written down."""
        gone = [name for name in self.variables if name not in environment]
        if gone:
            raise InvalidState(
                f"{', '.join(gone)} came from a shell, and the daemon that had them is gone",
                hint=f"Launch it again from that shell: mission launch --adapter {order.adapter} --task "
                f"{order.task_id}. The answer stands in the task's journal.",
            )
