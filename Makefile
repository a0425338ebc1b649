# Every target first installs what it needs into .venv; a second run reuses it. `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo test test-full quick lab models notebooks release site bench bench-scale audit mutate fuzz measure lint clean

help:  ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# .venv/.instructor, .venv/.site, .venv/.dev: the extra of pyproject.toml of that name is installed
.venv/.%: pyproject.toml constraints.txt
	@test -x $(BIN)/python || { echo "making .venv"; $(PYTHON) -m venv .venv; }
	@echo "installing the packages for '$*' into .venv (minutes the first time)"
	@$(BIN)/python -m pip install --constraint constraints.txt --editable ".[$*]" \
		| awk '/^Collecting|^Installing/ { print "  " substr($$0, 1, 100); fflush() }'
	@touch $@

demo: .venv/.instructor  ## release, simulate a class of 30, grade it, show where to look
	@$(BIN)/python -m autograder.demo

test: .venv/.dev  ## what a change can break: lint, unit tests, the bank, attacks, pages
	@$(BIN)/python -m tests.gates

test-full: .venv/.dev  ## the long rest: every lecture in full, stock nbgrader, faults, surroundings
	@$(BIN)/python -m tests.gates full

quick: .venv/.dev  ## lint, types and the fast unit tests, for work in between
	@$(BIN)/python -m tests.gates quick

lab: .venv/.lab  ## JupyterLab with the course
	@$(BIN)/jupyter lab lectures

models: .venv/.dev  ## train the models of the website, with the course's own code (two minutes)
	@$(BIN)/python -m tools.models

notebooks: .venv/.instructor  ## build stale notebooks from their text; UNIT=03 builds one
	@$(BIN)/python -m autograder.authoring.notebooks $(UNIT)

release: .venv/.instructor  ## write the student repository (folder and zip)
	@$(BIN)/python -m autograder.authoring.student_repository $(UNITS)

site: .venv/.site  ## the course as a website, into build/site; runs no notebook
	@$(BIN)/python docs/site/build.py

audit: .venv/.instructor  ## judge the whole bank of attempts
	@$(BIN)/autograder audit

mutate: .venv/.instructor  ## judge right answers with one small mistake each, made by a machine (minutes)
	@$(BIN)/autograder mutate $(UNIT)

fuzz: .venv/.dev  ## random submissions and downloads by the thousand: a result or one line about each
	@COURSE_FUZZ=2000 $(BIN)/python -m pytest tests/autograder/test_collect_hostile.py tests/autograder/grading/test_any_submission.py

bench: .venv/.dev  ## measure this engine against stock nbgrader, and the attention code against torch's
	@$(BIN)/autograder bench
	@$(BIN)/python -m tools.bench.pages
	@$(BIN)/python -m tools.bench.attention
	@$(BIN)/python -m tools.bench.multihead

bench-scale: .venv/.dev  ## how far grading carries: 500 real submissions, 5,000 without work (an idle machine)
	@$(BIN)/python -m tools.bench.scale

measure: .venv/.dev  ## measure again whatever the documentation states (an idle machine, half an hour)
	@$(BIN)/python -m tools.measure

lint: .venv/.dev  ## ruff and mypy
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

clean:  ## remove the environment and what the tools left behind
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
