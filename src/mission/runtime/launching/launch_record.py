"""The record of a launch, stored next to its transcript so that it can be resumed; without values of variables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mission.domain.errors import InvalidState
from mission.runtime.launching.client_choice import Choice
from mission.services.launcher import LaunchRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchRecord:
    """The operator's options that the execution itself does not store."""

    arguments: Sequence[str] = ()
    seconds: float | None = None
    variables: Sequence[str] = ()
    """Names of the client's own variables, such as its API keys."""

    @classmethod
    def of(cls, order: LaunchRequest, choice: Choice) -> LaunchRecord:
        own = choice.launch.own_variables(choice.environment)
        # The path of a custom program may be relative to the folder of a shell that is gone by then.
        program = [] if choice.launch.program else [choice.program]
        return cls(arguments=[*program, *choice.arguments], seconds=order.seconds, variables=own)

    @classmethod
    def read(cls, path: Path) -> LaunchRecord:
        try:
            return cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            return cls()

    def as_text(self) -> str:
        return json.dumps(asdict(self))

    def check(self, environment: Mapping[str, str], order: LaunchRequest) -> None:
        """Raise an error if variables of the launch are missing: their values were never stored."""
        gone = [name for name in self.variables if name not in environment]
        if gone:
            raise InvalidState(
                f"the variables {', '.join(gone)} were lost when the daemon restarted",
                hint=f"Launch again from a shell that has them: mission launch --adapter {order.adapter} --task "
                f"{order.task_id}. The answer is in the task's journal.",
            )
