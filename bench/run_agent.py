"""A stand-in agent of a run: says that it runs, shows signs of life while others are measured, and reports its task.

Its folder has one file for each agent that runs. While the file `active` exists, it prints a signal each second; once
`finish` exists, it changes a file and reports. Standard library only, so that fifty of them fit on a small machine.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

LOOK_SECONDS = 1.0


def main(folder: Path) -> None:
    name = os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"]
    (folder / name).touch()
    number = 0
    while not (folder / "finish").exists():
        if not folder.exists():  # the measurement was interrupted
            return
        if (folder / "active").exists():
            number += 1
            signal(f"e{number}", {"type": "progress", "summary": f"{number} of the files read"})
        time.sleep(LOOK_SECONDS)
    Path(f"made-by-{name}.txt").write_text("done\n")
    signal("done", {"type": "completed_claim", "summary": "It is done"})


def signal(event_id: str, content: dict[str, Any]) -> None:
    envelope = {
        "version": 1,
        "agentExecutionId": os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"],
        "eventId": event_id,
        "signal": content,
    }
    print(f"@task::{json.dumps(envelope)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
