# The studio, the tests, and what they need. Every step leaves a stamp and is skipped while nothing it depends on changed.

VENV := .venv
PYTHON := $(VENV)/bin/python
STAMPS := $(VENV)/stamps
PAGE := src/servelab/static/index.html
WEB_SOURCES := $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/.svelte-check/*' 2>/dev/null)

.PHONY: run web test quick lint lint-web unit browser search schema bench hooks clean

run: $(STAMPS)/installed $(STAMPS)/compiled $(PAGE)
	$(VENV)/bin/servelab

web: $(PAGE)

test: lint lint-web $(STAMPS)/compiled $(PAGE) $(STAMPS)/browser
	$(PYTHON) -m pytest

quick: lint lint-web unit

lint: $(STAMPS)/dev
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

lint-web: $(STAMPS)/node
	$(PYTHON) hatch_build.py npm run --silent lint
	$(PYTHON) hatch_build.py npm run --silent check
	$(PYTHON) hatch_build.py npm run --silent test

unit: $(STAMPS)/dev
	$(PYTHON) -m pytest -m "not browser and not slow and not thorough" --ignore tests/web

browser: $(STAMPS)/dev $(PAGE) $(STAMPS)/browser
	$(PYTHON) -m pytest -m browser

search: $(STAMPS)/dev
	SERVELAB_CASES=search $(PYTHON) -m pytest -m "not browser and not slow" --ignore tests/web

schema: $(STAMPS)/dev $(STAMPS)/node
	$(PYTHON) web/scripts/generate.py

bench: $(STAMPS)/dev $(PAGE)
	$(PYTHON) -m benchmarks

hooks: $(STAMPS)/dev
	$(VENV)/bin/pre-commit install

clean:
	rm -rf $(VENV) build dist src/servelab/static web/node_modules

# Debian's Python comes without ensurepip; its package manager has it.
$(STAMPS)/venv:
	python3 -c "import sys; sys.exit(sys.version_info < (3, 11) and 'servelab needs Python 3.11 or newer')"
	python3 -m venv $(VENV) || { rm -rf $(VENV); apt-get update && apt-get install -y python3-venv && python3 -m venv $(VENV); }
	$(PYTHON) -m pip install --quiet --upgrade "pip>=25.1"
	mkdir -p $(STAMPS) && touch $@

$(STAMPS)/installed: $(STAMPS)/venv pyproject.toml hatch_build.py
	$(PYTHON) -m pip install --quiet hatchling editables
	$(PYTHON) -m pip install --quiet --no-build-isolation --editable .
	touch $@

# The engine's kernels are compiled once for this machine and kept.
$(STAMPS)/compiled: $(STAMPS)/installed $(wildcard src/servelab/sim/*.py)
	$(PYTHON) -c "from servelab.sim import compiled; compiled.run()"
	touch $@

$(STAMPS)/dev: $(STAMPS)/installed
	$(PYTHON) -m pip install --quiet --group dev
	touch $@

$(STAMPS)/node: $(STAMPS)/installed web/package.json web/package-lock.json web/.npmrc
	$(PYTHON) hatch_build.py npm ci --no-audit --no-fund --silent
	touch $@

$(STAMPS)/browser: $(STAMPS)/dev tests/web/install_browser.py
	$(PYTHON) tests/web/install_browser.py
	touch $@

$(PAGE): $(STAMPS)/node $(WEB_SOURCES)
	$(PYTHON) hatch_build.py npm run --silent build -- --outDir ../src/servelab/static --emptyOutDir --logLevel warn
	touch $@
