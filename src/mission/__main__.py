"""The program `mission`: a fast start for the bridge and the hooks, the command line for everything else."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mission.settings import Settings


def main() -> None:
    try:
        sys.exit(_run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as problem:
        from mission.domain.errors import MissionError  # deferred: the bridge starts without these
        from mission.settings import BadSetting

        if not isinstance(problem, (BadSetting, MissionError)):
            raise
        sys.exit(_refuse(problem))


def _run(arguments: list[str]) -> int:
    if arguments[:2] == ["mcp", "connect"]:
        from mission.transports.bridge import signal_bridge

        return signal_bridge.run(arguments[2:])
    if arguments[:1] == ["mcp"]:
        from mission.transports.bridge import bridge

        return bridge.run(arguments[1:], standalone=_standalone)
    if arguments[:1] == ["hook"]:
        from mission.transports.bridge import client_hook

        return client_hook.run(arguments[1:])
    _open_closed_streams()
    from mission.transports.cli.main import cli

    cli(prog_name="mission")
    return 0


def _open_closed_streams() -> None:
    """Replace streams that the caller closed (`<&-`), so that no command has to think of it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 - open until the program ends


def _standalone(settings: Settings, *, toolsets: str | None, agent: str | None) -> None:
    from mission.serve import run_standalone

    run_standalone(settings, toolsets=toolsets, agent=agent)


def _refuse(problem: Exception) -> int:
    hint = getattr(problem, "hint", None)
    sys.stderr.write(f"mission: {problem}\n" + (f"  {hint}\n" if hint else ""))
    return 2


if __name__ == "__main__":
    main()
