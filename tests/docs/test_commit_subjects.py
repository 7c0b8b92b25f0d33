"""Commit subjects: what the hook refuses, and the history since 0.2.0."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOK = ROOT / "scripts" / "commit-msg"
FIRST_VERSION = '__version__ = "0.2.0"'


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def verdict(subject: str, folder: Path) -> subprocess.CompletedProcess[str]:
    message = folder / "COMMIT_EDITMSG"
    message.write_text(f"{subject}\n\nThe body says why.\n")
    return subprocess.run([HOOK, message], capture_output=True, text=True)


@pytest.mark.parametrize(
    "subject",
    ["Show the failing output of a check", "A" + "b" * 71, "Merge branch 'main' into feature.", "Feed the index"],
)
def test_the_hook_takes_a_short_imperative_subject(subject: str, tmp_path: Path) -> None:
    assert verdict(subject, tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ("A" * 73, "72 characters"),
        ("Show the output.", "full stop"),
        ("show the output", "capital letter"),
        ("Added a check", "imperative"),
        ("Fixing the check", "imperative"),
        ("Fix: the check", "prefix"),
        ("", "empty"),
    ],
)
def test_the_hook_says_what_is_wrong_with_a_subject(subject: str, reason: str, tmp_path: Path) -> None:
    refused = verdict(subject, tmp_path)

    assert refused.returncode == 1
    assert reason in refused.stderr


def test_every_subject_since_0_2_0_passes_the_hook(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    if git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("a shallow clone lacks the history")
    first = git("log", "--reverse", "--format=%H", "-S", FIRST_VERSION, "--", "src/mission/__init__.py").split("\n")[0]
    assert first, "no commit sets the version to 0.2.0"

    subjects = git("log", "--format=%s", f"{first}~..HEAD").split("\n")

    assert [each for each in subjects if verdict(each, tmp_path).returncode] == []
