# `make verify` and `make test` need only Python 3.11 or newer and make: they create .venv first.
# An environment of your own: make VENV=/path/to/it test

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Tests run side by side, one worker per core.
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help install verify java expectations test lint readers chromium slow bench results report lemmas abc clean

help:  ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

# The package is installed with setuptools from the constraints, not in an isolated build
# environment, which would fetch whatever version is newest.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, set PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt setuptools
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--no-build-isolation --editable '.[dev]'
	touch $@

install: $(STAMP)  ## Set up the environment

verify: $(STAMP)  ## Set up, then check the KIP-320 protocol to depth 12
	$(BIN)/verify bmc --spec kip320 --depth 12

# Spark needs Java; tests that need it skip where it neither is nor may be installed.
java:
	@command -v java > /dev/null || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null \
		&& apt-get install --quiet --yes openjdk-17-jre-headless > /dev/null; } \
		|| echo "There is no Java, so the tests of verify sweep skip: install openjdk-17-jre-headless"

expectations: $(STAMP)  ## What .ci/verify.toml expects of the protocols
	$(BIN)/verify ci .ci/verify.toml

test: lint readers java chromium  ## Lint, types, import contract and all tests but the slow ones
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS)

lint: $(STAMP)  ## Style, types and the import contract
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tests/import_contract.py

# Tests that need it are skipped where it cannot be had.
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo -n)
APT := $(SUDO) apt-get --quiet --yes -o Acquire::Retries=0 -o Acquire::http::Timeout=10

readers:  ## Install berkeley-abc, which reads exported AIGER, where apt may
	@command -v berkeley-abc >/dev/null || { $(APT) update && $(APT) install berkeley-abc; } >/dev/null 2>&1 \
		|| echo "berkeley-abc is not installed and could not be: its tests are skipped"

chromium:  ## Install Chromium, which opens reports, where apt may
	@command -v chromedriver >/dev/null || { $(APT) update && $(APT) install chromium chromium-driver; } >/dev/null 2>&1 \
		|| echo "Chromium is not installed and could not be: the tests of HTML reports are skipped"

slow: $(STAMP) readers  ## The slow tests
	$(BIN)/python -m pytest -m slow

bench: $(STAMP)  ## Benchmarks, as a table of medians
	$(BIN)/python -m results.generators.benchmark
	$(BIN)/python -m results.generators.report_benchmark

# The modules of results/generators make the tables. The sweep finds violations, which is no failure of
# the sweep: its page says which of them disagree with what is known.
# The whole report, results/run/standard.html, is several megabytes: git ignores it with the sweep's rows.
results: $(STAMP) java  ## Run the standard sweep and regenerate results/ but for the next three
	rm -rf results/run
	$(BIN)/verify sweep results/standard.toml --out results/run --master 'local[2]' || test $$? -eq 10
	$(BIN)/python -m results.generators.standard_results results/run > results/README.md
	$(BIN)/verify report results/run --title 'Standard sweep' --html results/run/standard.html
	$(BIN)/python -m results.generators.golden_table > results/golden.md
	$(BIN)/python -m results.generators.expected kafka > results/kafka-bmc.md
	$(BIN)/python -m results.generators.proofs_table > results/proofs.md
	$(BIN)/python -m results.generators.benchmark > results/benchmarks.md

report: $(STAMP) java  ## Run a small sweep and make its report, results/report.html
	rm -rf results/run-report
	$(BIN)/verify sweep results/report.toml --out results/run-report --master 'local[2]' || test $$? -eq 10
	$(BIN)/verify report results/run-report --title 'Known-bad variants and proofs' --html results/report.html

lemmas: $(STAMP)  ## Prove the lemmas over their grids of constants, for results/
	$(BIN)/python -m results.generators.lemma_grid > results/lemmas.md

abc: $(STAMP) readers  ## Compare IC3 with ABC's pdr, for results/
	$(BIN)/python -m results.generators.abc_comparison > results/abc-pdr.md

clean:  ## Remove the environment and everything generated
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find encodings results specs tests verifier -name __pycache__ -type d -prune -exec rm -rf {} +
