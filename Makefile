# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: demo test lint fmt bench statements docs man screenshots fresh day work check clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)          ## genes that remember, an agent with a quota, a listing, a deletion, the audit log
	$(BIN)/python scripts/demo.py

test: $(STAMP)          ## every test; they wait for processes and terminals more than they compute
	$(BIN)/pytest --numprocesses $$((2 * $$(getconf _NPROCESSORS_ONLN))) --dist worksteal

lint: $(STAMP)          ## style, types, import layers, stale generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory fresh

fresh: $(STAMP)
	$(BIN)/python scripts/make_statements.py --check
	$(BIN)/python scripts/make_docs.py --check
	$(BIN)/python scripts/make_man.py --check
	$(BIN)/python scripts/make_screenshots.py --check

fmt: $(STAMP)           ## formats and fixes what is safe to fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

statements: $(STAMP)    ## compiles the tables and hot statements
	$(BIN)/python scripts/make_statements.py

docs: $(STAMP)          ## rewrites the generated blocks of the docs
	$(BIN)/python scripts/make_docs.py

man: $(STAMP)           ## rewrites the man pages from the command tree
	$(BIN)/python scripts/make_man.py

screenshots: $(STAMP)   ## the pictures of every screen, from the demo's story at a fixed moment
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[screenshots]'
	$(BIN)/python scripts/make_screenshots.py

bench: $(STAMP)         ## paired ratios against the floor and peers, into docs/performance.md
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m bench

day: $(STAMP)           ## a deployer's day with the program as a wheel installs it
	rm -rf build/day
	$(PYTHON) -m venv build/day
	build/day/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt .
	$(MAKE) --no-print-directory --jobs work errand-80-24 errand-120-36

work:                   # the day itself; the errands are done meanwhile
	PATH="$(CURDIR)/build/day/bin:$$PATH" bash tests/day/day.sh

errand-%:
	PATH="$(CURDIR)/build/day/bin:$$PATH" bash tests/day/errand.sh $(subst -, ,$*)

check: lint test        ## what CI runs

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
