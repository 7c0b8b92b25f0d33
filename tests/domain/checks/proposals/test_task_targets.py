"""Targets of task runners, read as text."""

from __future__ import annotations

import time

from mission.domain.checks.proposals.task_targets import Target, just_targets, make_targets, task_targets


def test_a_makefile_is_read_with_its_variables():
    text = """
PYTHON := .venv/bin/python
PYTHON = ignored
RUN = $(PYTHON) -m
export FLAGS ?= -q
test check: build | lint ## run the tests
\t@$(RUN) pytest $(FLAGS) \\
\t  tests
ifdef X
\tmore $(UNKNOWN)
endif
build: ; make -C src
%.o: %.c
\tcc $<
X := y:z
.PHONY: test
"""

    assert make_targets(text) == {
        "test": Target(
            needs=["build", "lint"], commands=["@.venv/bin/python -m pytest -q  \t  tests", "more $(UNKNOWN)"]
        ),
        "check": Target(
            needs=["build", "lint"], commands=["@.venv/bin/python -m pytest -q  \t  tests", "more $(UNKNOWN)"]
        ),
        "build": Target(commands=["make -C src"]),
    }


def test_variables_that_contain_themselves_end():
    begun = time.process_time()
    targets = make_targets("A = $(A)$(A)$(A)\nB = $(C)\nC = $(B)\ntest:\n\t$(A) $(B)\n" * 100)

    assert len(targets["test"].commands) == 100
    assert time.process_time() - begun < 5


def test_a_justfile_gives_recipes_that_need_no_arguments():
    text = """
set dotenv-load
version := "1"
# tests
[group('x')]
test *args: build lint
    pytest {{args}}
@lint level="all":
    ruff check .
one name:
    echo {{name}}
"""

    assert just_targets(text) == {
        "test": Target(needs=["build", "lint"], commands=["pytest {{args}}"]),
        "lint": Target(commands=["ruff check ."]),
    }


def test_a_taskfile_gives_tasks():
    text = """
version: '3'
tasks:
  test:
    desc: all tests
    deps:
      - lint
      - task: build
    cmds:
      - go test ./...
      - cmd: go vet ./...
      - task: docs
  lint: golangci-lint run
"""

    assert task_targets(text) == {
        "test": Target(needs=["lint", "build", "docs"], commands=["go test ./...", "go vet ./..."]),
        "lint": Target(commands=["golangci-lint run"]),
    }
