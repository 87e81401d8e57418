# chessgloss. `make` lists the targets; each may be repeated at no cost.
#
#   VENV=DIR      where the Python environment is or goes (conda: VENV="$CONDA_PREFIX")
#   PYTHON=FILE   the Python to make it with, 3.11 or later
#   PYTEST=ARGS   what `make test` passes to pytest
#   CUDA=1        torch for NVIDIA's cards, 4 GB more than the one for the processor alone

VENV   ?= .venv
CUDA   ?=
# Where torch for the processor alone is. Its build differs by platform, so that it is the one
# package whose hash is not pinned; CUDA=1 was not tried by us.
TORCH_CPU ?= https://download.pytorch.org/whl/cpu
PYTHON ?= python3
PYTEST ?= -q -n 2 --dist loadfile
N       ?=
PROFILE ?= smoke
P       ?=
MODEL   ?= qwen2.5-coder-1.5b-q4_k_m
PURPOSE ?=
DRY     ?=
JUDGE   ?=
PRICE   ?=
CONCURRENCY ?= 1

PY   := $(VENV)/bin/python
# pip says what it fetches where somebody watches.
QUIET := $(shell test -t 2 || echo -qq)
PIP  := $(PY) -m pip install $(QUIET) --disable-pip-version-check --no-warn-script-location
DOIT := $(PY) -m doit
APT  := apt-get install -y --no-install-recommends

.DEFAULT_GOAL := help
.PHONY: help reproduce book pdf test test-release chapter smoke record sync pairs gates check format clean tools campaign exercises bench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

reproduce: sync ## execute every chapter anew, compare with the committed results, build the book (21 min)
	@$(DOIT) reproduce

book: sync ## execute the chapters that are out of date and build _build/html
	@$(DOIT) book

test: sync ## run the test suite (5 min)
	@$(PY) -m pytest $(PYTEST)

chapter: sync ## execute one chapter, build its page: make chapter N=04 PROFILE=smoke P="seed=2"
	@$(DOIT) chapter -n "$(N)" -p "$(PROFILE)" $(if $(P),-g"$(P)")

test-release: sync ## run the tests that take long: walks in a copy, kills, other processors
	@$(PY) -m pytest $(PYTEST) -m release

exercises: sync ## every chapter with its exercises unsolved, into _build/exercises
	@$(DOIT) exercises

smoke: sync ## execute every chapter at its smallest sizes, into _build/smoke
	@$(DOIT) --continue smoke

gates: sync ## open every built page in Chromium: widths, themes, words for pictures, weight
	@$(PY) book/gates.py _build/html

pdf: book ## print the book into _build/chessgloss.pdf (needs pdfunite, of poppler-utils)
	@$(PY) book/pdf.py

campaign: sync ## faults and bad input by the thousand, into book/reliability.md (hours)
	@$(PY) benchmarks/campaign.py

bench: sync ## measure anew what is of older code, beside peers and the last version (minutes)
	@$(PY) benchmarks/bench.py

record: sync ## record a language model's answers: make record MODEL=gpt-4o PURPOSE=all DRY=1
	@$(PY) data/recordings/record.py $(PURPOSE) --model "$(MODEL)" $(if $(JUDGE),--judge "$(JUDGE)") \
	  --concurrency $(CONCURRENCY) $(if $(PRICE),--price $(PRICE)) $(if $(DRY),--dry-run)

pairs: sync ## bring each notebook's .py and .ipynb together; the newer wins
	@$(DOIT) pairs

check: sync ## style, format and types
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: sync ## format the code and mend what ruff can
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

clean: ## remove what was built; artefacts in .cache and the environment stay
	rm -rf _build .pytest_cache .ruff_cache .mypy_cache

sync: tools $(VENV)/.synced node_modules/.synced ## install what is missing

$(VENV)/.synced: requirements.lock requirements.hashes pyproject.toml | tools
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "chessgloss needs Python 3.11 or later; say which with PYTHON=/path/to/python" >&2; exit 1; }
	@test -x $(PY) || { echo "making $(VENV)"; $(PYTHON) -m venv $(VENV); } || { \
	  echo "venv failed; on Debian: sudo apt-get install python3-venv" >&2; exit 1; }
	@echo "installing requirements.lock: 2.4 GB on disk, some minutes"
	@$(if $(CUDA),false,$(PIP) --index-url $(TORCH_CPU) --retries 0 --timeout 15 \
	  "$$(grep ^torch== requirements.lock)" 2>/dev/null) || $(PIP) "$$(grep ^torch== requirements.lock)"
	@$(PIP) --require-hashes -r requirements.hashes
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

node_modules/.synced: package.json package-lock.json | tools
	@if command -v npm >/dev/null; then \
	  npm ci --loglevel=error --no-progress && touch $@; \
	else \
	  echo "npm is missing: no Stockfish 8 (concept labels) and no MathJax (formulas)." >&2; \
	  echo "  sudo apt-get install nodejs npm" >&2; \
	fi

# Programs from the system: installed by root, named to anyone else, who goes on without.
tools:
	@missing=""; \
	command -v stockfish >/dev/null || test -x /usr/games/stockfish || missing="$$missing stockfish"; \
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || missing="$$missing chromium"; \
	command -v node >/dev/null || missing="$$missing nodejs"; \
	command -v npm >/dev/null || missing="$$missing npm"; \
	test -x $(PY) || $(PYTHON) -c 'import ensurepip' 2>/dev/null || missing="$$missing python3-venv"; \
	test -n "$$missing" || exit 0; \
	if command -v apt-get >/dev/null && test "$$(id -u)" = 0; then \
	  echo "installing$$missing"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive $(APT) -qq $$missing >/dev/null; \
	else \
	  echo "Not on this machine:$$missing. To have all of it:" >&2; \
	  echo "  sudo $(APT)$$missing" >&2; \
	  echo "Without stockfish no chapter that asks an engine can be executed again, without" >&2; \
	  echo "nodejs and npm no concept label can be made and formulas stay as TeX, without" >&2; \
	  echo "chromium the tests of the pages are skipped. The committed chapters, their pages" >&2; \
	  echo "and all other tests work." >&2; \
	fi
