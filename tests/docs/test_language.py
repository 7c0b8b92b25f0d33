"""Plain English in what people and models read: no quaint words, American spelling, docstrings that start well."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ = re.compile(r"^(src|web/src|bench|scripts|docs)/.*\.(py|tsx?|md)$|^(README|ARCHITECTURE|CONTRIBUTING)\.md$")
EXEMPT = re.compile(r"^docs/decisions/|/migrations/versions/|\.test\.tsx?$|^web/src/api/types\.ts$")

BANNED = {
    r"(?<!\")\bmend(s|ed|ing)?\b": "fix",
    r"\banew\b": "again",
    r"\bwhoever\b": "name who it is",
    r"\bworthless\b": "revoked, invalid",
    r"\bgo(es|ing)? on\b": "continue, resume",
    r"\bbeside\b": "next to, in addition to",
    r"\bstands? (here|there|still|in|for itself)\b": "is",
    r"(?<!there )\bis no (?!(longer|more|one|way|need|such|reason)\b)\w+": "is not a",
    r"\bbears\b": "has",
    r"\bof late\b": "recently",
    r"\bmishap\b": "error",
    r"\b(colour|behaviour|licence|recognis|summaris|normalis|organis|initialis)\w*\b": "American spelling",
}
"""What a native reader stumbles over, and what to write instead."""

NO_VERB = re.compile(r"(What|Whether|Who|How|Nothing|Where|Which|Why|When)\b")


def texts() -> Iterator[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if READ.search(name) and not EXEMPT.search(name) and (ROOT / name).is_file():
            yield ROOT / name


@pytest.mark.parametrize(("word", "instead"), BANNED.items())
def test_a_word_that_readers_stumble_over_is_nowhere(word: str, instead: str) -> None:
    pattern = re.compile(word, re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in texts()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if pattern.search(line)
    ]

    assert found == [], f"write instead: {instead}"


def test_docstrings_start_with_a_verb_or_a_noun_not_with_a_question() -> None:
    found = []
    for path in texts():
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text())):
                is_documented = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                if is_documented and NO_VERB.match(ast.get_docstring(node) or ""):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}")

    assert found == []
