"""Run the steps of a workflow as a runner of GitHub would: in order, each `run:` by bash, on this machine.

A step of an action (`uses:`) is taken to succeed. Of GitHub's expressions it knows what the workflow uses.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import yaml

from tests.conftest import REPOSITORY
from tests.flows.prefect_harness import clean_environment

HERE = Path(__file__).parent
_STAND_INS = {
    "gh": f'exec "{sys.executable}" "{HERE}/gh.py" "$@"',
    "aws": f'exec "{sys.executable}" "{HERE}/aws.py" "$@"',
    "pip": 'echo "pip $*"',
}
# GitHub's own for `shell: bash`.
_BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


@dataclass
class Job:
    """What became of a job: the outcome and the output of each of its steps by name."""

    outcomes: dict[str, str] = field(default_factory=dict)
    output: dict[str, str] = field(default_factory=dict)
    website: Path = Path()
    runs: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)


def read_workflow(file: Path) -> Any:
    """Return the workflow; `on:` is the key True, as YAML 1.1 reads it."""
    return yaml.safe_load(file.read_text("utf-8"))


def run_job(
    checkout: Path,
    temp: Path,
    environment: Mapping[str, str],
    program: Sequence[str],
    *,
    secrets: Mapping[str, str],
    inputs: Mapping[str, str] | None = None,
    without: Collection[str] = (),
) -> Job:
    """Run the jobs `refresh` and `keep` of the workflow in this checkout, `without` some steps.

    The scripts find `program` as `perennial`.
    `temp` is the runner's own empty folder, which both share: so what one hands on is there for the other.
    """
    jobs = read_workflow(checkout / ".github/workflows/perennial.yml")["jobs"]
    for step in jobs["refresh"]["steps"]:
        if step["name"] in without:
            step["if"] = "cancelled()"
    with _own_gnupg() as gnupg:
        base = {**_environment(temp, program), "GNUPGHOME": gnupg, **environment}
        done = _run_steps(jobs["refresh"], checkout, temp, base, secrets, inputs or {})
        needs = _Empty({"refresh": SimpleNamespace(outputs=_Empty(done.outputs))})
        if "keep" in jobs and _is_true(jobs["keep"]["if"], {"needs": needs}, failed=False):
            kept = _run_steps(jobs["keep"], temp, temp, base, {}, {})
            done.outcomes |= kept.outcomes
            done.output |= kept.output
            done.runs += kept.runs
    return done


@contextmanager
def _own_gnupg() -> Iterator[str]:
    """Yield the home of a GnuPG whose agent ends with the block; its socket allows no long path."""
    with TemporaryDirectory(prefix="gpg") as home:
        yield home
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)


def _run_steps(
    described: Any,
    checkout: Path,
    temp: Path,
    base: dict[str, str],
    secrets: Mapping[str, str],
    inputs: Mapping[str, str],
) -> Job:
    steps: dict[str, SimpleNamespace] = {}
    contexts = {
        "secrets": _Empty(secrets),
        "inputs": _Empty(inputs),
        "vars": _Empty({}),
        "github": _Empty({"token": "ghs_of_the_test", "repository": "someone/somewhere"}),
        "runner": _Empty({"temp": str(temp)}),
        "steps": steps,
    }
    done = Job(website=temp / "website")
    of_job = {name: _fill(value, contexts) for name, value in described.get("env", {}).items()}
    failed = False
    for step in described["steps"]:
        asked = step.get("if", "success()")
        outcome, outputs = "skipped", {}
        if _is_true(asked, contexts, failed):
            outcome = "success"
            if "run" in step:
                of_step = {name: _fill(value, contexts) for name, value in step.get("env", {}).items()}
                done.runs.append(step["name"])
                code, printed, outputs = _run(step["run"], checkout, temp, base | of_job | of_step)
                done.output[step["name"]] = printed
                outcome = "failure" if code else "success"
        failed |= outcome == "failure"
        done.outcomes[step["name"]] = outcome
        if "id" in step:
            steps[step["id"]] = SimpleNamespace(outcome=outcome, outputs=_Empty(outputs))
    done.outputs = {name: _fill(value, contexts) for name, value in described.get("outputs", {}).items()}
    return done


class _Empty(dict[str, Any]):
    """A context: what is not set is empty."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name, "")


def _environment(temp: Path, program: Sequence[str]) -> dict[str, str]:
    programs = temp / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    for name, line in {**_STAND_INS, "perennial": f'exec {shlex.join(program)} "$@"'}.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    # On a runner the interpreter is `python`.
    if not (programs / "python").exists():
        (programs / "python").symlink_to(sys.executable)
    return {
        **clean_environment(),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "RUNNER_TEMP": str(temp),
        "CI": "true",
    }


def _run(
    script: str, checkout: Path, temp: Path, environment: dict[str, str]
) -> tuple[int, str, dict[str, str]]:
    (temp / "step.sh").write_text(script)
    outputs = temp / "outputs"
    outputs.write_text("")
    done = subprocess.run(
        [*_BASH, str(temp / "step.sh")],
        cwd=checkout,
        env={**environment, "GITHUB_OUTPUT": str(outputs)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
    )
    said = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    return done.returncode, done.stdout, said


def _fill(text: object, contexts: Mapping[str, Any]) -> str:
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(_evaluate(found[1], contexts)), str(text))


def _is_true(condition: str, contexts: Mapping[str, Any], failed: bool) -> bool:
    expression = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", condition.strip())
    asked_of_status = ("always()", "cancelled()", "success()", "failure()")
    if not any(call in expression for call in asked_of_status):
        expression = f"success() && ({expression})"
    status = {"always": lambda: True, "cancelled": lambda: False, "success": lambda: not failed}
    return bool(_evaluate(expression, {**contexts, **status}))


def _evaluate(expression: str, contexts: Mapping[str, Any]) -> Any:
    """Return the value of an expression; a step that did not run yet has no outcome."""
    python = re.sub(r"steps\.(\w+)", r"steps['\1']", expression)
    python = python.replace("&&", " and ").replace("||", " or ")
    python = re.sub(r"!(?!=)", " not ", python)
    return eval(python.strip(), {"__builtins__": {}}, dict(contexts))
