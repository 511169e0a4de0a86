# make demo    classify digits with the example model
# make test    all checks and tests
# make setup   only the Python environment in .venv
# Each target does its own set-up and works offline once that is done.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    := out

.PHONY: demo test setup lint tests clean

demo: setup
	$(BIN)/model-compiler -model=examples/mnist/mnist.onnx -emit-bundle=$(OUT)/mnist
	$(MAKE) --no-print-directory -C $(OUT)/mnist
	scripts/exec_accuracy.sh -m mnist --bundle $(OUT)/mnist

test: $(VENV)/.test-tools lint tests

lint: $(VENV)/.test-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

tests: $(VENV)/.test-tools
	$(BIN)/pytest -n 2 --dist worksteal

setup: $(VENV)/.installed

$(OUT):
	mkdir -p $@

demo: | $(OUT)

# The stamps remember the set-up, so that a second run needs no network.
$(VENV)/.installed: pyproject.toml scripts/setup.sh
	PYTHON=$(PYTHON) scripts/setup.sh $(VENV)
	touch $@

$(VENV)/.test-tools: $(VENV)/.installed
	PYTHON=$(PYTHON) scripts/setup.sh $(VENV) test
	touch $@

clean:
	rm -rf $(OUT) build dist
