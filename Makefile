# `make run` and `make test` do all the set-up they need; everything lives in .venv and .loci.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
export PIP_NO_INPUT := 1

.DEFAULT_GOAL := help
.PHONY: help run test lint types imports fix bench messages tools-docs connect-docs lock browser node clean

help: ## Show what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "  make %-12s %s\n", $$1, $$2}'

run: $(VENV)/.run ## Set up and serve on http://127.0.0.1:8000
	@exec $(BIN)/loci serve

test: $(VENV)/.dev browser node ## Set up and run the whole suite
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

lint: $(VENV)/.dev ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## Check types
	$(BIN)/pyright

imports: $(VENV)/.dev ## Check that imports go downwards only
	$(BIN)/lint-imports

fix: $(VENV)/.dev ## Repair style where a tool can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## Run the benchmarks and print their figures
	$(BIN)/python -m benchmarks

messages: $(VENV)/.dev ## Collect the strings of the interface into the catalogue
	$(BIN)/python scripts/collect_messages.py

tools-docs: $(VENV)/.dev ## Write docs/tools.md from the registry
	$(BIN)/python scripts/generate_tool_docs.py

connect-docs: $(VENV)/.dev ## Write docs/connect/ from the guides of the Connect pages
	$(BIN)/python scripts/generate_connect_docs.py

lock: $(VENV)/.dev ## Resolve the dependencies anew into the lock files
	$(BIN)/python scripts/lock.py

browser: ## Install Chromium for the browser tests where that is possible
	@sh scripts/install_browser.sh

node: $(VENV)/.dev ## Install the official MCP client and conformance suite for the Node tests
	@$(BIN)/python scripts/install_node_packages.py

clean: ## Remove the environment (data in .loci stays)
	rm -rf $(VENV) tests/node/node_modules build dist *.egg-info .pytest_cache .ruff_cache .hypothesis

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit("Loci needs Python 3.11 or newer; this is %d.%d. Name another: make PYTHON=python3.12 …" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.python requirements.lock pyproject.toml
	$(PIP) install --require-hashes --no-deps -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	$(PIP) install --require-hashes --no-deps -r requirements-dev.lock
	@touch $@
