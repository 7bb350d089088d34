# Everything lies in .venv, node_modules and out, all beside this file; `git clean -fdx` removes it.
# On a machine without a GPU the smaller CPU build of torch is taken by
#   PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu make setup

PYTHON ?= python3
BIN := .venv/bin
FOLDERS := pages templates generators cleaners model flows
SOURCES := $(FOLDERS) tests benchmarks docs
LEARNED := --data out/crops --data out/formulas

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check bench weights

help:  ## Say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

setup: .venv/installed  ## Install all that is needed, then say what is there; quick when nothing is to do
	@$(BIN)/python -m proofpress.flows.provision
	@$(BIN)/proofpress doctor

demo: setup  ## Print, clean, judge and shard a dataset of 300 pages, then train the bundled model on it a little
	$(BIN)/proofpress build recipes/demo.yaml --out out/demo --runner processes
	$(BIN)/proofpress train sft recipes/train/demo.yaml --data out/demo --out out/demo-sft --resume
	@echo "The dataset's report: out/demo/report.html"

test: setup  ## Run the tests
	$(BIN)/pytest -n auto

test-slow: setup  ## Run the tests that take more than a few seconds
	$(BIN)/pytest -m slow

check: setup  ## Format, lint, types and the order of the floors
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy $(addprefix -p proofpress.,$(FOLDERS))
	$(BIN)/pytest -q tests/test_layers.py

bench: setup  ## Measure the figures that the README states
	$(BIN)/python benchmarks/press.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/judging.py
	$(BIN)/python benchmarks/rewards.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/decoding.py
	$(BIN)/python benchmarks/cleaning.py
	$(BIN)/python benchmarks/duplicates.py
	$(BIN)/python benchmarks/decontamination.py

weights: setup  ## Train the bundled weights again from nothing, stage by stage: days on two cores; goes on where it was
	$(BIN)/proofpress build recipes/crops.yaml --out out/crops --runner processes
	$(BIN)/proofpress build recipes/formulas.yaml --out out/formulas --runner processes
	$(BIN)/proofpress train sft recipes/train/warmup.yaml --data out/crops --out out/warmup --resume
	$(BIN)/proofpress train sft recipes/train/nano.yaml $(LEARNED) --out out/nano --set init=out/warmup/model --resume
	$(BIN)/proofpress train sft recipes/train/nano_long.yaml $(LEARNED) --out out/long --set init=out/nano/model --resume
	$(BIN)/proofpress train grpo recipes/train/grpo.yaml $(LEARNED) --out out/grpo --set init=out/long/model --resume
	$(BIN)/proofpress train mtp recipes/train/mtp.yaml $(LEARNED) --out out/mtp --set init=out/grpo/model --resume
	$(BIN)/proofpress build recipes/proofs.yaml --out out/proofs --runner processes
	$(BIN)/proofpress calibrate out/proofs --model out/mtp/model --split train
	$(BIN)/python benchmarks/reading.py --model out/mtp/model
	$(BIN)/python benchmarks/judging.py --model out/mtp/model

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	@echo "Python packages: installing into .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
