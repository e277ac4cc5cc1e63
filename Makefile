# `make` lists what there is to do.
.DEFAULT_GOAL := help
.PHONY: help bootstrap demo test check unit integration system contract docs drills fuzz mutants corpus bench-transfer bench-claims bench-verify up down stop-all clean

BIN := .venv/bin
# Four workers on two cores: most tests wait for servers.
WORKERS ?= 4
PYTEST := $(BIN)/python -m pytest -W error -n $(WORKERS) --dist loadgroup $(ARGS)
TIERS := $(wildcard tests/unit tests/contracts tests/integration tests/system tests/fuzz)
CODE := bench deploy docs/examples examples outlast services shared tests

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap: ## Install what is missing: RabbitMQ, Postgres, and the locked Python packages in .venv.
	@deploy/local/bootstrap.sh

demo: bootstrap ## Capture media from links that live for seconds; FILES=folder sends your own, KEEP=1 leaves it up, PROCESSOR=1 makes posters.
	@$(BIN)/outlast demo $(if $(FILES),--files "$(FILES)") $(if $(KEEP),--keep) $(if $(PROCESSOR),--processor)

test: bootstrap ## Run all tests, on real private servers; ARGS="-k word" goes to pytest here and below.
	@deploy/local/bootstrap-examples.sh
	@deploy/local/bootstrap-scanner.sh
	@$(PYTEST) $(TIERS)

check: bootstrap ## Check format, lint, types and the direction of imports.
	@$(BIN)/ruff format --check $(CODE)
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/mypy
	@$(BIN)/lint-imports

unit: bootstrap ## Run the tests that need no server.
	@$(PYTEST) tests/unit

integration: bootstrap ## Run the tests of single parts against real RabbitMQ, Postgres and S3.
	@deploy/local/bootstrap-scanner.sh
	@$(PYTEST) tests/integration

system: bootstrap ## Run the tests of the whole: services as processes, driven from outside.
	@deploy/local/bootstrap-examples.sh
	@deploy/local/bootstrap-scanner.sh
	@$(PYTEST) tests/system

test-rgw: ## Run the tests on a real Ceph RGW, some 5 minutes; installs it where it is missing.
	@deploy/local/bootstrap-bench.sh
	@$(BIN)/python -m pytest -W error $(ARGS) tests/rgw

contract: bootstrap ## Write docs/contract anew from the code: JSON Schemas and the AsyncAPI document.
	@$(BIN)/python -m outlast.contract

docs: bootstrap ## Write docs/providers anew from the files of the providers, and the generated parts of docs/providers.md.
	@$(BIN)/python -m outlast.catalogue

drills: bootstrap ## Run the drills at full size: slow hosts, outages, kills at every step, some 25 minutes on a quiet machine.
	@OUTLAST_DRILLS=full $(BIN)/python -m pytest -W error $(ARGS) tests/system/test_crowds.py tests/system/test_kills.py \
		tests/system/test_bulk.py tests/integration/ingest/test_webhook_burst.py tests/integration/reading/test_plans.py tests/integration/custody/test_sweep_kills.py

fuzz: bootstrap ## Send 50,000 odd links, heads and bodies each through a transfer, 4 minutes; FUZZ=n, SEED=s, CASE=urls/7.
	@$(BIN)/python -W error -m tests.fuzz $(if $(FUZZ),--number $(FUZZ)) $(if $(SEED),--seed $(SEED)) $(if $(CASE),--case $(CASE))

mutants: bootstrap ## Examine 10,000 damaged files in the real probe, and decode what is accepted by other code, 5 minutes; N=n, SEED=s, CASE=n.
	@$(BIN)/python -W error -m tests.mutants $(if $(N),--number $(N)) $(if $(SEED),--seed $(SEED)) $(if $(CASE),--case $(CASE))

corpus: bootstrap ## Send every file of a folder through a whole Outlast and compare the verdicts: CORPUS=folder with a MANIFEST.toml.
	@$(if $(CORPUS),,echo "Name the folder: make corpus CORPUS=folder" >&2; exit 2;) $(BIN)/python -m bench.corpus "$(CORPUS)"

bench-transfer: ## Compare the downloader with rclone and s5cmd on Ceph RGW, some 15 minutes; QUICK=1 only tries it.
	@deploy/local/bootstrap-bench.sh
	@$(BIN)/python -m bench.transfer $(if $(QUICK),--quick)

bench-claims: bootstrap ## Measure a claim among 1,000 tasks and among 1,000,000, some 5 minutes; QUICK=1 only tries it.
	@$(BIN)/python -m bench.claims $(if $(QUICK),--quick)

bench-verify: bootstrap ## Measure images through the probe against the bare checks, and the memory for a video of 1 GiB, 3 minutes; QUICK=1 only tries it.
	@$(BIN)/python -m bench.verify $(if $(QUICK),--quick)

up: bootstrap ## Start the private stack under .local/stack and keep it until Ctrl-C.
	@$(BIN)/outlast up

down: ## Stop the stack of `make up`, and that of `make demo KEEP=1`.
	@$(BIN)/outlast down
	@$(BIN)/outlast down --dir .local/demo

stop-all: # Stop every stack under .local, also that of the tests.
	@for stack in .local/*/stack.json; do \
		[ ! -e "$$stack" ] || $(BIN)/outlast down --dir "$$(dirname "$$stack")" || exit; \
	done

clean: stop-all ## Stop every stack and delete its data, and all caches; .venv stays.
	@rm -rf .local docs/examples/node/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
