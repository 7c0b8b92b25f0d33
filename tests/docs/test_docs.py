"""The documents say what is there: links, paths, commands, tables of states, and nothing about one machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from mission.domain.ids import KINDS
from mission.domain.missions import mission, phase
from mission.domain.runs import run
from mission.domain.tasks import states, workspace
from mission.settings import NAMES
from mission.transports.cli.main import COMMANDS
from scripts.generate.reference import REFERENCE, ROOT, command_lines, errors, event_types

DOCUMENTS = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
DOCUMENTS += sorted((ROOT / "docs").rglob("*.md"))
DECISIONS = sorted((ROOT / "docs" / "decisions").iterdir())
PACKAGE = ROOT / "src" / "mission"

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0")[:-1] if (path := ROOT / name).is_file()]


def code_in(document: Path) -> list[str]:
    """What stands between backticks in the prose."""
    return CODE.findall(FENCE.sub("", document.read_text()))


def commands_in(document: Path) -> list[str]:
    """Lines that call our program, in examples and in the prose."""
    lines = [line for block in SHELL.findall(document.read_text()) for line in block.splitlines()]
    shown = [line.split("  #")[0].strip() for line in lines] + code_in(document)
    return [line for line in shown if line.startswith("mission ")]


def anchors_in(document: Path) -> set[str]:
    """How a code host names the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", document.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_bytes()) <= 6_000
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 250


@every_document
def test_every_link_leads_to_a_file_and_a_heading_in_it(document):
    dead = []
    for link in LINK.findall(document.read_text()):
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        if "://" not in link and (not target.exists() or (anchor and anchor not in anchors_in(target))):
            dead.append(link)

    assert dead == []


@pytest.mark.parametrize(
    "document",
    [each for each in DOCUMENTS if each not in DECISIONS],  # a decision is not rewritten when a file moves
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_path_that_is_named_exists(document):
    files = {path.relative_to(ROOT) for path in tracked()}
    own = {path.parts[0] for path in files if len(path.parts) > 1}
    missing = []
    for name in code_in(document):
        if not re.fullmatch(r"[\w.][\w./-]*", name):
            continue
        if name.split("/")[0] in own and "/" in name:
            found = (ROOT / name).exists()
        elif name.endswith(".py"):
            found = any(f"/{path}".endswith(f"/{name}") for path in files)
        elif name.endswith("/"):
            found = (PACKAGE / name).is_dir()
        else:
            continue
        if not found:
            missing.append(name)

    assert missing == []


@every_document
def test_every_command_that_is_shown_exists(document):
    wrong = []
    for line in commands_in(document):
        words = re.sub(r"'[^']*'", "", line).split()[1:]
        if not re.fullmatch(r"[a-z]+", words[0]) or words[0] == "hook":
            continue
        options = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
        if words[0] not in COMMANDS or any(option not in _help_of(words[0]) for option in options):
            wrong.append(line)

    assert wrong == []


@every_document
def test_every_make_target_that_is_shown_exists(document):
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    shown = re.findall(r"(?:^|`)make (\w+)", document.read_text(), re.MULTILINE)

    assert set(shown) <= set(targets)


def test_each_setting_error_event_and_command_stands_in_the_reference():
    text = {path.name: path.read_text() for path in REFERENCE.iterdir()}

    assert [name for name in NAMES if f"| `{name}` | `MISSION_{name.upper()}` |" not in text["settings.md"]] == []
    rows = {each: f"| `{each.code}` | {each.http_status} | `{each.__name__}` |" for each in errors()}
    assert [each for each, row in rows.items() if row not in text["errors.md"]] == []
    assert [kind for kind in event_types() if not re.search(rf"^## .*`{kind}`", text["events.md"], re.M)] == []
    assert [words for words in command_lines() if f"## mission {' '.join(words)}\n" not in text["commands.md"]] == []


@pytest.mark.parametrize(
    ("heading", "moves"),
    [
        ("Task", states.MOVES),
        ("Mission", mission.MOVES),
        ("Phase", phase.MOVES),
        ("Workspace", workspace.MOVES),
        ("Run", run.MOVES),
    ],
)
def test_the_glossary_shows_the_legal_moves(heading, moves):
    rows = _table(f"| {heading} | may become |")

    shown = {row[0]: set() if row[1] == "–" else set(row[1].split(", ")) for row in rows}
    assert shown == {str(state): set(map(str, targets)) for state, targets in moves.items()}


def test_the_glossary_shows_every_kind_of_id():
    cells = [cell for row in _table("| Prefix | Kind |") for cell in row]
    pairs = [(prefix, kind) for prefix, kind in zip(cells[::2], cells[1::2], strict=True) if prefix]

    assert {prefix.strip("`").rstrip("_"): kind for prefix, kind in pairs} == KINDS


def test_no_two_decisions_have_the_same_number():
    numbers = [path.name.partition("-")[0] for path in DECISIONS]

    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.name[:60])
def test_a_decision_is_numbered_and_short(path):
    lines = path.read_text().splitlines()

    assert re.match(r"\d{4}-", path.name)
    assert lines[0].startswith(f"# {int(path.name[:4])}. ")
    assert [line for line in lines if line.startswith("## ")] == ["## Context", "## Decision", "## Consequence"]
    assert len(lines) <= 30


def test_no_file_names_a_path_of_the_machine_it_was_written_on():
    forbidden = [f"/{name}".encode() for name in ("work/", "root/", "opt/pypi")]

    named = [path for path in tracked() if any(each in path.read_bytes() for each in forbidden)]
    assert [str(path.relative_to(ROOT)) for path in named] == []


def _help_of(command: str) -> str:
    """What the reference says about a command and its subcommands."""
    page = (REFERENCE / "commands.md").read_text()
    return "".join(part for part in page.split("\n## mission ")[1:] if part.split()[0] == command)


def _table(heading: str) -> list[list[str]]:
    """The rows of a table of the glossary."""
    lines = (ROOT / "docs" / "glossary.md").read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(heading))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows
