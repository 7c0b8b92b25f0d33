"""The documents say what is there: links, paths, commands, tables of states, and nothing about one machine."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from mission.domain.ids import KINDS
from mission.domain.missions import mission, phase
from mission.domain.plans.plan_file import parse_plan
from mission.domain.runs import run
from mission.domain.tasks import states, workspace
from mission.settings import NAMES
from mission.transports.cli.main import cli
from mission.transports.cli.proof.evidence import ListByDefault
from scripts.generate.reference import REFERENCE, REGISTRY, ROOT, command_lines, errors, event_types

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


def commands_in(document: Path) -> list[list[str]]:
    """The words of each command of ours, in examples and in the prose, without `mission`."""
    text = document.read_text()
    found = [line for block in SHELL.findall(text) for line in _whole_lines(block)]
    words = [_split(line) for line in [*found, *code_in(document)]]
    return [line[1:] for line in words if len(line) > 1 and line[0] == "mission"]


def _whole_lines(block: str) -> list[str]:
    """The commands of a block; one that is quoted across lines, or continued by a backslash, is one of them."""
    lines: list[str] = []
    for line in block.replace("\\\n", " ").splitlines():
        if lines and lines[-1].count("'") % 2:
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def _split(line: str) -> list[str]:
    """The words of a command, up to a comment, another command or a redirection."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return []
    ends = [number for number, word in enumerate(words) if word in {"|", "&&", ";", ">", "--"}]
    return words[: ends[0]] if ends else words


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
def test_every_command_that_is_shown_exists_with_its_options(document):
    wrong = []
    for words in commands_in(document):
        if re.fullmatch(r"[a-z]+", words[0]) and words[0] != "hook" and (problem := _problem_with(words)):
            wrong.append(f"mission {' '.join(words)}: {problem}")

    assert wrong == []


@every_document
def test_every_tool_that_is_called_takes_these_arguments(document):
    wrong = []
    for words in commands_in(document):
        if words[0] == "call" and len(words) > 2 and words[2].startswith("{") and "…}" not in words[2]:
            known = REGISTRY.get(words[1]).input_schema["properties"]
            wrong += [f"{words[1]}: {name}" for name in json.loads(words[2]) if name not in known]

    assert wrong == []


def test_the_page_of_keys_lists_every_shortcut_of_the_page():
    shell = ROOT / "web" / "src" / "features" / "shell"
    listed = (shell / "keyboard" / "keyboard-shortcuts.tsx").read_text().partition("const KEYS")[2]
    keys = re.findall(r'^  \[\[(.+?)\], "(.+?)"\],$', listed, re.MULTILINE)
    pages = re.findall(r'name: "(\w+)", key: "(\w)"', (shell / "navigation" / "navigation.ts").read_text())
    wanted = [f"| {' '.join(_key(key) for key in names.split(', '))} | {words} |" for names, words in keys]
    wanted += [f"| `g` `{key}` | {name} |" for name, key in pages]

    text = (ROOT / "docs" / "howto" / "keyboard.md").read_text()
    assert len(wanted) > 15
    assert [row for row in wanted if row not in text] == [], "change docs/howto/keyboard.md"


def _key(text: str) -> str:
    key = text.strip('"')
    return key if key == "…" else f"`{key}`"


@every_document
def test_every_plan_that_is_shown_is_valid(document):
    blocks = re.findall(r"^```toml\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)

    for block in blocks:
        if "[mission]" in block and "[[tasks]]" in block:
            assert parse_plan(block, source=document.name).tasks


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


def _problem_with(words: list[str]) -> str | None:
    """What click says about a command's name and options; nothing is run."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words:
        if isinstance(command, ListByDefault) and words[0] not in command.commands:
            words = ["list", *words]
        inner = command.get_command(None, words[0])  # type: ignore[arg-type]
        if inner is None:
            return "there is no such command"
        command, words = inner, words[1:]
    try:
        command.make_parser(click.Context(command, **command.context_settings)).parse_args(words)
    except click.BadOptionUsage:
        return None  # the prose may name an option without its value
    except click.UsageError as error:
        return error.message
    return None


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
