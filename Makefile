# generate   the shoe company from nothing
# test       linters, types and the tests of every rule, in some minutes
# test-all   the same with each rule on every company, country and fault; test-fast: what takes seconds
# bench      the figures; house: how the source is written
# docs       makes the generated references anew, and all pages as a site in build/site
# golden     keeps what a seed gives today, and brings what the pages tell of it up to date
# torture    damaged files, kills, full disks, bad networks, hostile requests (make torture MINUTES=20)
# clients    others' programs on what we make: sf, jsforce, CumulusCI, datasets (npm, PyPI; seven minutes)
# audit      licences, the lock of CI and known vulnerabilities; lock: makes that lock anew
# talk       four companies in outputs/talk, and whether their conversations read as people's
# mutants    whether the tests notice changed logic (make mutants SAMPLE=50 SEED=7)
#
# Python 3.11 or newer, make and git are enough.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

# The tests start the program some hundred times; with its bytecode kept each start takes a third less.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: generate test tests test-all test-fast clients bench docs house golden talk mutants torture audit lock lint style types clean

COMPANIES = shoes bank saas utility

generate: $(VENV)/.run
	$(BIN)/python -m pipeline generate --company shoes

# mypy works on a single core, so it runs beside the tests.
test: $(VENV)/.dev
	$(MAKE) --no-print-directory style
	$(MAKE) --no-print-directory --jobs=2 types tests

tests: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not thorough"

test-all: lint
	$(BIN)/python -m pytest

test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest -m quick -n 2

clients: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'datasets>=4'
	ORGWEAVE_CLIENTS=$(VENV)/clients $(BIN)/python -m pytest -n 0 -m clients tests/test_clients.py tests/test_bundle.py

lint: style types

style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	@code=0; for one in bench bench_scale bench_soql bench_server bench_tools bench_tasks bench_upload bench_evaluate; do $(BIN)/python -m tests.$$one || code=1; done; exit $$code

docs: $(VENV)/.dev $(VENV)/.site
	$(BIN)/python -m docs.make_reference
	$(VENV)/site/bin/mkdocs build --quiet

house: $(VENV)/.dev
	$(BIN)/python -m tests.house

golden: $(VENV)/.dev
	$(BIN)/python -m tests.golden_digests
	$(BIN)/python -m tests.golden_pages
	$(BIN)/python -m tests.golden_pictures
	$(BIN)/python -m docs.make_reference

talk: $(VENV)/.dev
	@for name in $(COMPANIES); do $(BIN)/python -m pipeline generate --company $$name --out outputs/talk/$$name || exit 1; done
	$(BIN)/python -m tests.talk $(COMPANIES:%=outputs/talk/%)

mutants: $(VENV)/.dev
	$(BIN)/python -m tests.mutants $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

torture: $(VENV)/.dev
	$(BIN)/python -m tests.torture $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

# Its tools have an environment of their own: what audits the program is no part of it.
audit: $(VENV)/.dev $(VENV)/.audit
	$(BIN)/python -m tests.audit --pip-audit $(VENV)/audit/bin/pip-audit

lock: $(VENV)/.audit
	$(VENV)/audit/bin/uv pip compile pyproject.toml requirements/build.in --all-extras --universal --python-version 3.11 --generate-hashes --no-annotate --default-index https://pypi.org/simple --no-emit-index-url --custom-compile-command "make lock" --quiet --output-file requirements/ci.lock

$(VENV)/.run: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[report]'
	touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.run

# What builds the site is no part of the program either. MkDocs 2 has other themes and no hooks.
$(VENV)/.site:
	$(PYTHON) -m venv $(VENV)/site
	$(VENV)/site/bin/python -m pip install --quiet --disable-pip-version-check 'mkdocs>=1.6,<2'
	touch $@

$(VENV)/.audit:
	$(PYTHON) -m venv $(VENV)/audit
	$(VENV)/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit uv cyclonedx-bom
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
