# `make` lists what there is to do.
.DEFAULT_GOAL := help
.PHONY: help bootstrap demo test check unit integration system up down stop-all clean

BIN := .venv/bin
# Four workers on two cores: most tests wait for servers.
WORKERS ?= 4
PYTEST := $(BIN)/python -m pytest -W error -n $(WORKERS) --dist loadgroup $(ARGS)
TIERS := $(wildcard tests/unit tests/contracts tests/integration tests/system)
CODE := deploy outlast services shared tests

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap: ## Install what is missing: RabbitMQ, Postgres, and the locked Python packages in .venv.
	@deploy/local/bootstrap.sh

demo: bootstrap ## Capture media from links that live for seconds; FILES=folder sends your own, KEEP=1 leaves it up.
	@$(BIN)/outlast demo $(if $(FILES),--files "$(FILES)") $(if $(KEEP),--keep)

test: bootstrap ## Run all tests, on real private servers; ARGS="-k word" goes to pytest here and below.
	@$(PYTEST) $(TIERS)

check: bootstrap ## Check format, lint, types and the direction of imports.
	@$(BIN)/ruff format --check $(CODE)
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/mypy
	@$(BIN)/lint-imports

unit: bootstrap ## Run the tests that need no server.
	@$(PYTEST) tests/unit

integration: bootstrap ## Run the tests of single parts against real RabbitMQ, Postgres and S3.
	@$(PYTEST) tests/integration

system: bootstrap ## Run the tests of the whole: services as processes, driven from outside.
	@$(PYTEST) tests/system

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
	@rm -rf .local .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
