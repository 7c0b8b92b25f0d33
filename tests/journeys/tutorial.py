"""Runs the shell blocks of a page of the documentation, in order and in one shell, as a reader types them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = re.compile(r"^(?P<before>[^\n]*)\n+```(?P<language>sh|toml)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"Save this as `([\w.]+)`")
NEWEST = (
    '$(mission missions --json | python3 -c \'import json,sys; print(json.load(sys.stdin)["workflows"][0]["id"])\')'
)
SECONDS = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Tutorial:
    """A page, and where it is tried: a home of its own, with a `mission` and a `claude` on the PATH."""

    page: Path
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def script(self) -> str:
        """Return the page's commands. `m_…` is the newest mission, and a file is saved where the page says so."""
        lines = ["set -euo pipefail"]
        for block in BLOCK.finditer(self.page.read_text()):
            name = FILE.search(block["before"])
            if block["language"] == "sh":
                lines.append(block["text"].replace("m_…", NEWEST))
            elif name is not None:
                lines.append(f"cat > {name[1]} <<'PLAN'\n{block['text']}PLAN")
        return "\n".join(lines)

    def run(self) -> subprocess.CompletedProcess[str]:
        self._write_mission()
        return subprocess.run(
            ["bash", "-c", self.script()],
            cwd=self.folder,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def mission(self, *words: str) -> str:
        """Return what a command of ours prints."""
        command = [sys.executable, "-m", "mission", *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.variables(), capture_output=True, text=True, check=True
        )
        return done.stdout

    def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.mission("call", tool, json.dumps(arguments), "--json"))
        return found

    def variables(self) -> dict[str, str]:
        git = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()}
        own = {
            "HOME": str(self.folder),
            "MISSION_HOME": str(self.folder / "mission-home"),
            "MISSION_PORT": "0",
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
        }
        return {**git, **own, **self.environment}

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    def program(self, name: str, command: str) -> None:
        """Put a program on the PATH."""
        self.programs.mkdir(exist_ok=True)
        path = self.programs / name
        path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        path.chmod(0o755)

    def _write_mission(self) -> None:
        self.program("mission", f"'{sys.executable}' -m mission")


_PERSON = {"NAME": "Ada", "EMAIL": "ada@example.org"}
