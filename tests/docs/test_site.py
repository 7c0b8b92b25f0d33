"""The built documentation: every page is in it, every link leads somewhere, and nothing comes from another host."""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "srcset"), ("iframe", "src")}


class Page(HTMLParser):
    """What a page refers to, and what can be referred to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.inline_scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := given.get(name))}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        self.loaded += [value for name, value in given.items() if (tag, name) in LOADED and value]
        self.inline_scripts += tag == "script" and "src" not in given and given.get("type") != "application/json"


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site() -> Path:
    """The site, built as `make docs` builds it."""
    pytest.importorskip("zensical", reason="the generator is not installed: run 'make test'")
    build = builder()
    build.build()
    found: Path = build.SITE
    return found


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_page_is_in_the_navigation_once() -> None:
    settings = tomllib.loads((DOCS / "zensical.toml").read_text())
    shown = list(_pages_of(settings["project"]["nav"]))

    staged = [name for name in builder().staged_pages().values() if name.endswith(".md")]
    assert sorted(shown) == sorted(name for name in staged if not name.startswith("decisions/0"))


def test_every_source_has_a_page(site: Path) -> None:
    names = [Path(name) for name in builder().staged_pages().values() if name.endswith(".md")]
    wanted = [
        site / (name.parent if name.name == "index.md" else name.with_suffix("")) / "index.html" for name in names
    ]

    assert [str(path.relative_to(site)) for path in wanted if not path.is_file()] == []


def test_no_link_is_dead(pages: dict[Path, Page], site: Path) -> None:
    dead = []
    for path, page in pages.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            known = pages[target].anchors if target in pages else {parts.fragment}
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in known):
                dead.append(f"{path.relative_to(site)}: {link}")

    assert dead == []


def test_nothing_is_loaded_from_another_host_and_no_script_is_inline(pages: dict[Path, Page], site: Path) -> None:
    assert [link for page in pages.values() for link in page.loaded if urlsplit(link).netloc] == []
    assert [str(path) for path, page in pages.items() if page.inline_scripts] == []
    styles = [path.read_text() for path in site.rglob("*.css")]
    assert [text for text in styles if "url(http" in text or "@import" in text] == []


def test_the_generators_license_goes_with_its_files(site: Path) -> None:
    text = (site / "THIRD-PARTY-LICENSES.txt").read_text()

    assert "Permission is hereby granted" in text
    assert "Third-Party licenses" in text


def _pages_of(nav: list[object]) -> Iterator[str]:
    for each in nav:
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            for inner in each.values():
                yield from _pages_of(inner if isinstance(inner, list) else [inner])
