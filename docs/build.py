"""Build the site of the documentation from docs/ into src/mission/docs, from where the daemon serves it at /docs.

The build hook (hatch_build.py) runs this for every wheel that is built from source. `make docs` runs it too and copies
the site to dist/docs, ready for any web server. Standard library only, except for Zensical itself.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SITE = ROOT / "src" / "mission" / "docs"
STAMP = "sources.sha256"
LICENSES = "THIRD-PARTY-LICENSES.txt"
GENERATOR = "zensical==0.0.73"
CONFIG = "zensical.toml"
ADDED = {
    ROOT / "ARCHITECTURE.md": "development/architecture.md",
    ROOT / "CONTRIBUTING.md": "development/contributing.md",
    ROOT / "CHANGELOG.md": "development/changelog.md",
    DOCS / "decisions": "decisions/index.md",
}
"""Pages of the site that come from elsewhere, so that the code host finds them where it expects them."""
LEFT_OUT = frozenset({"build.py", CONFIG, "__pycache__"})
UNUSED = ("404.html", "sitemap.xml", "assets/stylesheets/classic")
"""Files of the generator that would need the site's address, or that no page uses."""

UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
"""The head of a page that the search leaves out: decisions use the same words as the pages that people look for."""

LINK = re.compile(r"\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")
INLINE_SCRIPT = re.compile(r"<script>(.+?)</script>", re.DOTALL)


class CannotBuild(Exception):
    """Raised when the site cannot be built; the message says what is missing."""


def is_fresh() -> bool:
    """Return whether the built site is up to date."""
    stamp = SITE / STAMP
    return stamp.is_file() and stamp.read_text() == digest()


def build() -> bool:
    """Build the site unless it is fresh, and return whether it was built."""
    if is_fresh():
        return False
    if importlib.util.find_spec("zensical") is None:
        raise CannotBuild(f"Zensical is missing: pip install '{GENERATOR}'")
    sources = digest()
    with tempfile.TemporaryDirectory(dir=SITE.parent, prefix=".docs-") as folder:
        stage = Path(folder)
        _stage_sources(stage / "docs")
        shutil.copy(DOCS / CONFIG, stage / CONFIG)
        _generate(stage)
        made = stage / "site"
        _remove_unused(made)
        _move_scripts_to_files(made)
        (made / LICENSES).write_text(_licenses(made), encoding="utf-8")
        (made / STAMP).write_text(sources)
        shutil.rmtree(SITE, ignore_errors=True)
        made.rename(SITE)
    return True


def digest() -> str:
    """Return a hash of everything that the site is built from."""
    found = hashlib.sha256()
    own = [path for path in DOCS.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in sorted([*own, *(path for path in ADDED if path.is_file())]):
        found.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def staged_pages() -> dict[Path, str]:
    """Return every source of a page or picture with its path in the site's own folder."""
    own = {
        path: path.relative_to(DOCS).as_posix()
        for path in DOCS.rglob("*")
        if path.is_file() and not LEFT_OUT & set(path.relative_to(DOCS).parts)
    }
    return own | ADDED


def _stage_sources(folder: Path) -> None:
    pages = staged_pages()
    for source, name in pages.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            target.write_text(_list_decisions(source), encoding="utf-8")
        elif source.suffix == ".md":
            text = source.read_text(encoding="utf-8")
            head = UNSEARCHED if source.parent.name == "decisions" else ""
            target.write_text(head + LINK.sub(_relinked(source, name, pages), text), encoding="utf-8")
        else:
            shutil.copy(source, target)


def _relinked(source: Path, name: str, pages: dict[Path, str]) -> Callable[[re.Match[str]], str]:
    """Return a function that points a link of the source tree to the same page of the site."""

    def relink(link: re.Match[str]) -> str:
        target = pages.get((source.parent / link[1]).resolve())
        if target is None:
            return link[0]
        return f"]({os.path.relpath(target, os.path.dirname(name))}{link[2] or ''})"

    return relink


def _list_decisions(folder: Path) -> str:
    rows = [f"- [{_title(path)}]({path.name})" for path in sorted(folder.glob("*.md"))]
    return "# Decisions\n\nChoices that would surprise a reader of the code, with their reasons.\n\n" + "\n".join(rows)


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").replace("`", "")


def _generate(stage: Path) -> None:
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=stage, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotBuild(f"zensical build failed:\n{(done.stdout + done.stderr)[-4000:]}")


def _remove_unused(site: Path) -> None:
    for name in UNUSED:
        path = site / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _licenses(site: Path) -> str:
    """Return the license of the generator, whose code is in the site, and of the code that it contains."""
    own = importlib.metadata.distribution("zensical").read_text("licenses/LICENSE.md")
    return f"{own}\n{(site / 'assets' / 'javascripts' / 'LICENSE').read_text(encoding='utf-8')}"


def _move_scripts_to_files(site: Path) -> None:
    """Replace inline scripts by files: the daemon's policy lets a browser run files of its own and nothing else."""
    folder = site / "assets" / "javascripts"
    for page in site.rglob("*.html"):
        up = os.path.relpath(folder, page.parent)
        page.write_text("".join(_without_inline_scripts(page.read_text(encoding="utf-8"), folder, up)))


def _without_inline_scripts(text: str, folder: Path, address: str) -> Iterator[str]:
    for number, part in enumerate(INLINE_SCRIPT.split(text)):
        if number % 2 == 0:
            yield part
            continue
        name = f"inline.{hashlib.sha256(part.encode()).hexdigest()[:8]}.js"
        (folder / name).write_text(part, encoding="utf-8")
        yield f'<script src="{address}/{name}"></script>'


def main() -> None:
    try:
        if build():
            print("Built the documentation.")
    except CannotBuild as error:
        sys.exit(f"The documentation cannot be built. {error}")
    if len(sys.argv) > 1:
        shutil.rmtree(sys.argv[1], ignore_errors=True)
        shutil.copytree(SITE, sys.argv[1], ignore=shutil.ignore_patterns(STAMP))
        print(f"The site is in {sys.argv[1]}; any web server can serve it.")


if __name__ == "__main__":
    main()
