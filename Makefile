# make run    set up and start the app (PORT=8600 chooses the port)
# make test   set up, lint and run the quick tests: five minutes on two cores
# make test-all   set up, lint and run every test, with many random examples (SEED=n repeats those of a failure)
# make opening   record anew what Watch, Learn and Method show while the solver is compiled, and the puzzles of the game (minutes), after a change of the engine or the stage
# make docs   the site of documents, with the API pages, in docs/site/VERSION
# make release   check and build a release; with PUBLISH=1, tag it and push the tag as well
# make lint, make format: check and fix the style of Python and JavaScript
# make bench, make bench-ui: benchmarks of the solver and the app
# make bench-field   our default against all other methods that are here, and docs/benchmarks.md: hours
# make screenshots, make moving-picture: the pictures of the pages, and the moving one of the README
# make walk   half an hour of a random walk through the app, in a browser

PORT ?= 8501
BIN := .venv/bin
FRONTEND := pages/_shared/frontend
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal
# Of the random examples of make test-all: another one every time.
SEED := $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')

VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' bender_core/__init__.py)

# What takes one core goes side by side.
MAKEFLAGS += --jobs=2

# Modules are compiled once, not by every process that imports them, even where the environment forbids to keep them.
export PYTHONDONTWRITEBYTECODE :=

# The first Python with wheels of all pinned packages.
PYTHON ?= $(firstword $(foreach python,python3 python3.14 python3.13 python3.12 python3.11,$(shell \
  $(python) -c 'import sys; 11 <= sys.version_info.minor <= 14 and print("$(python)")' 2>/dev/null)))

# $(call apt-install,packages,purpose): install Debian packages as root, else ask for them; one call at a time, as apt
# does not wait for another apt.
apt-install = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
  then echo "Installing $(1)"; export DEBIAN_FRONTEND=noninteractive; \
    flock Makefile sh -c "apt-get update -qq && apt-get install -y -qq $(1) >/dev/null"; \
  else echo "Missing for $(2): as root, apt-get install $(1)" >&2; false; fi

.PHONY: setup browser run test test-all jitless bounds soak lint lint-python types lint-javascript format opening docs release bench bench-field bench-ui walk screenshots moving-picture clean
.DEFAULT_GOAL := run

setup: .venv/.warm

# Packages for running.
.venv/.installed: requirements.txt
	@[ "$(PYTHON)" ] || { echo "Bender Lab needs Python 3.11 to 3.14; name it with PYTHON=…" >&2; false; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  package=$$($(PYTHON) -c 'import sys; print("python3.%d-venv" % sys.version_info.minor)'); \
	  $(call apt-install,$$package,the virtual environment); }
	@echo "Installing the packages into .venv"
	@rm -rf .venv  # which may be a link
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -r requirements.txt
	@touch $@

# Additional packages for testing.
.venv/.developing: .venv/.installed requirements-dev.txt
	@echo "Installing the packages for tests"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -r requirements-dev.txt
	@touch $@

.venv/.warm: .venv/.installed $(wildcard bender_core/kernels/*.py bender_core/kernels/*/*.py)
	@echo "Compiling the solver, first time only"
	@$(BIN)/python -m bender_core warm-up
	@touch $@

# Without a browser its tests are skipped, unless BENDER_REQUIRE_BROWSER is set.
# Chromium without windows starts and draws faster, but comes without a font; who may not install has perhaps the other.
browser:
	@command -v chromium-headless-shell >/dev/null || { [ "$$(id -u)" != 0 ] && command -v chromium >/dev/null; } \
	  || { $(call apt-install,chromium-headless-shell fonts-liberation,the browser tests); } || true

run: setup
	$(BIN)/streamlit run app.py --server.port $(PORT)

# All but what is slow: with few random examples, the same every time; of the browser tests, one for every page.
test: setup lint browser
	$(PYTEST) --hypothesis-profile quick -m "not slow and not wheel"

# What takes one core comes first: the solver compiles beside what does without it.
test-all: setup lint browser bounds jitless soak docs
	@echo "Random examples of seed $(SEED); make test-all SEED=$(SEED) takes them again"
	$(PYTEST) --hypothesis-profile thorough --hypothesis-seed $(SEED)

# The library again: interpreted, with bounds checking (compiled again, quickly), and under long random use.
jitless: .venv/.developing
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest tests/unit -m jitless

bounds: .venv/.developing
	NUMBA_BOUNDSCHECK=1 NUMBA_OPT=1 NUMBA_LOOP_VECTORIZE=0 NUMBA_SLP_VECTORIZE=0 \
	  $(BIN)/pytest tests/unit/kernels -m bounds

soak: setup .venv/.developing
	BENDER_MEMORY_MB=256 $(BIN)/python -m benchmarks.soak --seconds 20

# The linter and formatter of JavaScript.
$(FRONTEND)/node_modules: $(FRONTEND)/package-lock.json
	@command -v npm >/dev/null || { $(call apt-install,npm,the linter of JavaScript); }
	@npm ci --prefix $(FRONTEND) --loglevel=error --no-audit --no-fund >/dev/null
	@touch $@

lint: lint-python types lint-javascript

lint-python: .venv/.developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/.developing
	$(BIN)/mypy

lint-javascript: $(FRONTEND)/node_modules
	npm run --prefix $(FRONTEND) --silent lint

format: .venv/.developing $(FRONTEND)/node_modules
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	npm run --prefix $(FRONTEND) --silent format

opening: setup
	$(BIN)/python -m pages._shared.watch.record
	$(BIN)/python -m pages._shared.learn.record
	$(BIN)/python -m pages._shared.game.record
	$(BIN)/python -m pages._shared.method.record

docs: .venv/.developing
	rm -rf docs/site/$(VERSION)
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env --conf-dir docs \
	  --doctree-dir docs/site/.doctrees . docs/site/$(VERSION)
	@echo "The documents are in docs/site/$(VERSION)/index.html"

# Where docker does not run, its command is printed.
release: .venv/.developing
	$(BIN)/python scripts/release.py check
	rm -rf dist
	$(BIN)/python -m build
	$(MAKE) docs
	@image="docker build --tag bender-lab:$(VERSION) ."; \
	  if docker info >/dev/null 2>&1; then $$image; else echo "Where docker runs: $$image"; fi
	$(BIN)/python scripts/release.py $(if $(PUBLISH),publish,dry)

bench: setup
	$(BIN)/python -m benchmarks

# One run at a time; what is in benchmarks/field/field.sqlite is not measured again.
bench-field: setup .venv/.developing
	$(BIN)/python -m benchmarks.field

bench-ui: setup .venv/.developing browser
	$(BIN)/python -m benchmarks.ui
	$(BIN)/python -m benchmarks.sessions

# Half an hour of it; with BENDER_WALK_SEED=n, another walk.
walk: setup .venv/.developing browser
	BENDER_WALK_SECONDS=1800 $(BIN)/pytest --numprocesses 0 tests/browser/test_walk.py

screenshots: setup .venv/.developing browser
	PYTHONPATH=. $(BIN)/python docs/take_screenshots.py

moving-picture: setup .venv/.developing browser
	PYTHONPATH=. $(BIN)/python docs/take_moving_picture.py

clean:
	rm -rf .venv $(FRONTEND)/node_modules benchmarks/field/field.sqlite* dist docs/site test-failures .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
