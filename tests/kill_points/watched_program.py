"""`python -m tests.kill_points.watched_program GIVEN -m MODULE …`: runs a runner with its points watched."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

from tests.kill_points import points


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text())
    if sys.argv[2] != "-m" or not sys.argv[3].startswith("mission.runtime.runner"):
        raise SystemExit(f"not a runner: {sys.argv}")
    points.install(given, writes=False)
    module = sys.argv[3]
    sys.argv = sys.argv[3:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
