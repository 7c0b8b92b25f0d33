"""Files that say how a tree is checked: which are read, within which bounds, and never through a link."""

from __future__ import annotations

import os

import pytest

from mission.domain.checks.suggestions import suggest
from mission.git import project_files
from mission.git.project_files import read_project_files


@pytest.fixture
def tree(tmp_path):
    top = tmp_path / "tree"
    top.mkdir()
    return top


def write(tree, **files):
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)


def test_texts_are_read_and_other_files_only_noticed(tree):
    write(
        tree,
        **{
            "pyproject.toml": "[tool.pytest]",
            "uv.lock": "large",
            "README.md": "no",
            ".github/workflows/ci.yml": "jobs:",
            ".github/workflows/deep/x.yml": "no",
            ".ci/run": "make test",
            ".venv/bin/pytest": "program",
            "requirements-dev.txt": "pytest",
            "requirements/test.txt": "pytest",
            "web/package.json": "{}",
            "web/package-lock.json": "{}",
            "web/deep/package.json": "no",
            "node_modules/package.json": "no",
            ".hidden/package.json": "no",
            "App.sln": "x",
        },
    )

    assert read_project_files(tree) == {
        "pyproject.toml": "[tool.pytest]",
        "uv.lock": "",
        ".github/workflows/ci.yml": "jobs:",
        ".ci/run": "make test",
        ".venv/bin/pytest": "",
        "requirements-dev.txt": "pytest",
        "requirements/test.txt": "pytest",
        "web/package.json": "{}",
        "web/package-lock.json": "",
        "App.sln": "",
    }


def test_what_is_read_is_what_suggestions_need(tree):
    write(
        tree,
        **{
            "pyproject.toml": "[tool.pytest]\n[tool.mypy]",
            ".venv/bin/pytest": "",
            "Makefile": "lint:\n\tmypy src\n",
            ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: make lint\n",
        },
    )

    assert [each.run for each in suggest(read_project_files(tree))] == ["make lint", ".venv/bin/pytest"]


def test_no_link_is_followed(tree, tmp_path):
    secret = tmp_path / "secret"
    write(secret, **{"package.json": "secret", "ci.yml": "secret", "bin/pytest": ""})
    (tree / "package.json").symlink_to(secret / "package.json")
    (tree / "web").symlink_to(secret)
    (tree / ".venv").symlink_to(secret)
    (tree / ".github").mkdir()
    (tree / ".github" / "workflows").symlink_to(secret)
    (tree / ".ci").mkdir()
    (tree / ".ci" / "run").symlink_to(secret / "ci.yml")

    assert read_project_files(tree) == {}


def test_pipes_folders_and_strange_names_are_left_out(tree):
    os.mkfifo(tree / "Makefile")
    (tree / "package.json").mkdir()
    write(tree, **{".ci/a\nb": "x", "we\tb/package.json": "{}", "tox.ini": "ok"})

    assert read_project_files(tree) == {"tox.ini": "ok"}


def test_large_files_and_large_trees_are_bounded(tree, monkeypatch):
    monkeypatch.setattr(project_files, "LARGEST_FILE", 10)
    monkeypatch.setattr(project_files, "LARGEST_TOTAL", 25)
    monkeypatch.setattr(project_files, "MOST_FOLDERS", 2)
    write(tree, **{"package.json": "x" * 11, "Makefile": "y" * 10})
    write(tree, **{f"f{number}/Makefile": "z" * 8 for number in range(4)})

    assert read_project_files(tree) == {"Makefile": "y" * 10, "f0/Makefile": "z" * 8}


def test_bytes_that_are_not_text_do_no_harm(tree):
    (tree / "Makefile").write_bytes(b"test:\n\tpytest \xff\n")

    assert read_project_files(tree) == {"Makefile": "test:\n\tpytest \ufffd\n"}


def test_a_missing_tree_has_no_files(tmp_path):
    assert read_project_files(tmp_path / "missing") == {}
