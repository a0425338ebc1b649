# Every target sets up .venv by itself if needed; a second run reuses it. `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo test lab notebooks release site bench bench-scale audit measure lint clean

help:  ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): pyproject.toml constraints.txt
	@echo "setting up .venv (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	@touch $(READY)

demo: $(READY)  ## release, simulate a class of 30, grade it, show where to look
	@$(BIN)/python -m autograder.demo

test: $(READY)  ## everything that CI runs
	@$(BIN)/python -m tests.gates

lab: $(READY)  ## JupyterLab with the course
	@$(BIN)/jupyter lab lectures

notebooks: $(READY)  ## build stale notebooks from their text; UNIT=03 builds one
	@$(BIN)/python -m autograder.notebooks $(UNIT)

release: $(READY)  ## write the student repository (folder and zip)
	@$(BIN)/python -m autograder.student_repository

site: $(READY)  ## the course as a website, into build/site; runs no notebook
	@$(BIN)/python docs/site/build.py

audit: $(READY)  ## judge the whole bank of variants
	@$(BIN)/autograder audit

bench: $(READY)  ## measure this engine against stock nbgrader, and the attention code against torch's
	@$(BIN)/autograder bench
	@$(BIN)/python -m autograder.bench_pages
	@$(BIN)/python -m autograder.bench_attention
	@$(BIN)/python -m autograder.bench_multihead

bench-scale: $(READY)  ## how far grading carries: 500 real submissions, 5,000 without work, and what follows for 100,000 (an idle machine)
	@$(BIN)/python -m autograder.bench_scale

measure: $(READY)  ## measure again whatever the documentation states (an idle machine, half an hour), and make the example pages
	@$(BIN)/python -m autograder.measure

lint: $(READY)  ## ruff and mypy
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

clean:  ## remove the environment and what the tools left behind
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
