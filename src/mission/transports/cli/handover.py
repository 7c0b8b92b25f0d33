"""Hand this shell's variables for agent clients to the daemon, in a private file, so that no keys go over HTTP."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mission.private_files import write_private
from mission.settings import load_or_default


@contextmanager
def handed_over(clients: Iterable[str]) -> Iterator[dict[str, str]]:
    """Write what these clients may see of the environment, and yield the argument that names the file."""
    from mission.runtime.adapters.launch_adapter import launches  # deferred: imports all adapters

    known = launches()
    chosen = [known[name] for name in dict.fromkeys(clients) if name in known]
    if not chosen:
        yield {}
        return
    folder = load_or_default().home / "handover"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{secrets.token_hex(8)}.json"
    seen = {name: value for launch in chosen for name, value in launch.environment(os.environ).items()}
    write_private(path, json.dumps(seen))
    try:
        yield {"handover": path.name}
    finally:
        path.unlink(missing_ok=True)
