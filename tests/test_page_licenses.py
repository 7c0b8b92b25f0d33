"""What is built in from others comes with their license texts, wherever the page goes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from mission.transports.web.page_files import FILES

ROOT = Path(__file__).parents[1]
TEXTS = FILES / "THIRD-PARTY-LICENSES.txt"


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """The license text of each package, by its name and version."""
    if not (FILES / "index.html").is_file():
        pytest.skip("the page is not built: run 'make test', or python web/build.py")
    _, *parts = TEXTS.read_text(encoding="utf-8").split(f"{'=' * 80}\n")
    return {name.strip(): text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def test_every_package_in_the_page_is_named_with_its_license(sections: dict[str, str]) -> None:
    wanted = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]
    locked = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    built_in = {
        f"{path.removeprefix('node_modules/')} {entry['version']}"
        for path, entry in locked.items()
        if path and not entry.get("dev")
    }

    assert {f"{name} {version}" for name, version in wanted.items()} <= built_in
    assert built_in <= sections.keys()
    assert {name.rpartition(" ")[0] for name in sections.keys() - built_in} == {"rolldown", "vite"}
    assert all("copyright" in text.lower() and "permission" in text.lower() for text in sections.values())


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_the_page_goes_into_what_is_distributed_with_everything_in_its_folder(target: str) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())

    target_settings = settings["tool"]["hatch"]["build"]["targets"][target]
    assert target_settings["artifacts"] == ["src/mission/page", "src/mission/docs"]


def test_no_font_is_built_in(sections: dict[str, str]) -> None:
    """One would need its own license among the texts."""
    assert sections
    assert [file.name for file in FILES.rglob("*") if file.suffix in {".woff", ".woff2", ".ttf", ".otf"}] == []
