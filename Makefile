# `make verify` and `make test` need only Python 3.11 or newer and make: they create .venv first.
# An environment of your own: make VENV=/path/to/it test

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Tests run side by side, one worker per core. Each takes its part of the files in order (worksteal), so that
# neighbours share what is slow to start, and at the end takes tests of the others.
WORKERS ?= auto
# Compiled modules are kept: the tests start many processes, each of which would compile all anew.
unexport PYTHONDONTWRITEBYTECODE
# As in the command itself: NumPy starts no threads for matrices, which none of the tests multiplies.
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help install verify announce java readers chromium expectations check test quick lint wheel thorough slow bench results report lemmas abc scaling clean docs vsix

help:  ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

# The package is installed with setuptools from the constraints, not in an isolated build
# environment, which would fetch whatever version is newest.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, set PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt setuptools
	# compat: a path and no import hook, so that mypy and editors find verifier from anywhere.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--no-build-isolation --config-settings editable_mode=compat --editable '.[dev]'
	touch $@

install: $(STAMP)  ## Set up the environment

verify: $(STAMP)  ## Set up, then check the KIP-320 protocol to depth 12
	$(BIN)/verify bmc --spec kip320 --depth 12

# Tests that need a program of the system skip where it is not installed. These targets install it with apt-get,
# where that may be done without asking; `make quick` asks for all of them. Nothing is installed with:
# make SYSTEM_PACKAGES=no quick
SYSTEM := $(PYTHON) tests/system_packages.py
export SYSTEM_PACKAGES

java readers chromium:  # for Spark, for exported AIGER, for HTML reports
	@$(SYSTEM) install $@

announce:
	@$(SYSTEM) announce

expectations: $(STAMP)  ## What .ci/verify.toml expects of the protocols
	$(BIN)/verify ci .ci/verify.toml

# tests/tiers.toml says what the tiers run. At the end pytest lists the tests that were skipped, each with its reason.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# The plugin for clients of language servers takes 0.4 s to load in each process, and none of these tests is one.
check: lint  ## Lint, and about a hundred tests that touch every room (under a minute)
	$(PYTEST) --tier check -p no:pytest-lsp

test: lint  ## Lint, and the tests that tell whether the tool works (three minutes; installs no system package)
	$(PYTEST) --tier test
	@$(SYSTEM) missing

quick: announce lint readers java chromium  ## Lint and all quick tests, as CI does; installs the system packages they need
	$(PYTEST) --tier quick
	@$(SYSTEM) missing

thorough: $(STAMP)  ## All tests that `make test` leaves out, but the slow ones
	$(PYTEST) --tier thorough

lint: $(STAMP)  ## Style, types, the import contract and texts
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tests/import_contract.py
	$(BIN)/python tests/style.py

wheel:  ## Build sdist and wheel into dist/, and try the wheel outside the checkout
	$(PYTHON) tests/try_wheel.py dist

slow: $(STAMP)  ## The slow tests
	$(BIN)/python -m pytest --tier slow

bench: $(STAMP)  ## Benchmarks, as a table of medians
	$(BIN)/python -m results.generators.benchmark
	$(BIN)/python -m results.generators.report_benchmark

# The modules of results/generators make the tables. The sweep finds violations, which is no failure of
# the sweep: its page says which of them disagree with what is known.
# TEXTS: a folder with TLC and the original texts, for the table of temporal properties (see its generator).
# The whole report, results/run/standard.html, is several megabytes: git ignores it with the sweep's rows.
results: $(STAMP) java  ## Run the standard sweep and regenerate results/ but for the next three
	rm -rf results/run
	$(BIN)/verify sweep results/standard.toml --out results/run --master 'local[2]' || test $$? -eq 10
	$(BIN)/python -m results.generators.standard_results results/run > results/README.md
	$(BIN)/verify report results/run --title 'Standard sweep' --html results/run/standard.html
	$(BIN)/python -m results.generators.golden_table > results/golden.md
	$(BIN)/python -m results.generators.expected kafka > results/kafka-bmc.md
	$(BIN)/python -m results.generators.proofs_table > results/proofs.md
	$(BIN)/python -m results.generators.live_table $(TEXTS) > results/liveness.md
	$(BIN)/python -m results.generators.benchmark > results/benchmarks.md

report: $(STAMP) java  ## Run a small sweep and make its report, results/report.html
	rm -rf results/run-report
	$(BIN)/verify sweep results/report.toml --out results/run-report --master 'local[2]' || test $$? -eq 10
	$(BIN)/verify report results/run-report --title 'Known-bad variants and proofs' --html results/report.html

docs: $(STAMP)  ## Make docs/engines.md, docs/language.md and the types of the API from what the code declares
	$(BIN)/python -m results.generators.engines_page > docs/engines.md
	$(BIN)/python -m results.generators.language_page > docs/language.md
	$(BIN)/python -m results.generators.engine_methods > verifier/api/engine_methods.pyi

# It is built in a copy: tools that read the package need not pass over thousands of files of npm's.
vsix:  ## Build the VS Code extension, dist/protoverify.vsix (needs npm)
	rm -rf build/vscode
	mkdir -p build dist
	cp -r verifier/server/editor/vscode build/vscode
	cd build/vscode && npm ci --ignore-scripts && npm run package -- --out ../../dist/protoverify.vsix

lemmas: $(STAMP)  ## Prove the lemmas over their grids of constants, for results/
	$(BIN)/python -m results.generators.lemma_grid > results/lemmas.md

abc: $(STAMP) readers  ## Compare IC3 with ABC's pdr, for results/
	$(BIN)/python -m results.generators.abc_comparison > results/abc-pdr.md

scaling: $(STAMP)  ## Measure how far each engine goes as constants grow, for results/ (hours; goes on where it was interrupted)
	$(BIN)/python -m results.generators.scaling_points
	$(BIN)/python -m results.generators.scaling > results/scaling.md

clean:  ## Remove the environment and everything generated
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find encodings results specs tests verifier -name __pycache__ -type d -prune -exec rm -rf {} +
