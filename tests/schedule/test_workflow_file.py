"""`perennial init --github`: the file itself, as actionlint and a careful reader see it."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.settings.models import load_models
from tests.conftest import REPOSITORY
from tests.flows.hand_made_root import Run, perennial
from tests.schedule.runner import read_workflow

WORKFLOW = Path(".github/workflows/perennial.yml")
KEEPS = ("release", "s3://bucket/perennial")


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "perennial-bench"\n')
    return lambda *arguments: perennial(monkeypatch, capsys, *arguments)


@pytest.fixture(params=KEEPS)
def workflow(request: pytest.FixtureRequest, give: Run) -> Any:
    done = give("init", "--github", "--keep", request.param)
    assert done.code == 0
    return read_workflow(WORKFLOW)


def test_actionlint_finds_nothing(workflow: Any) -> None:
    linter = shutil.which("actionlint")
    if linter is None:
        pytest.skip(
            "actionlint is not on the PATH: install it from its releases to check the workflow with it"
        )
    done = subprocess.run([linter, "-no-color", str(WORKFLOW)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    # It does look: a label that no runner has, and an input that the shell would run.
    spoiled = (
        WORKFLOW.read_text()
        .replace("ubuntu-24.04", "ubuntu-none")
        .replace('"$EDITION"', "${{ github.head_ref }}")
    )
    WORKFLOW.write_text(spoiled)
    again = subprocess.run([linter, "-no-color", str(WORKFLOW)], capture_output=True, text=True)
    assert again.returncode == 1
    assert "ubuntu-none" in again.stdout
    assert "untrusted" in again.stdout


def test_each_job_has_the_least_permissions(workflow: Any) -> None:
    jobs = workflow["jobs"]
    refresh = jobs["refresh"]
    assert workflow["permissions"] == {}
    assert refresh["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    # What may write to the repository runs nothing that was installed or checked out.
    assert ("keep" in jobs) == (refresh["env"]["PERENNIAL_ROOT"] == "data")
    if "keep" in jobs:
        assert jobs["keep"]["permissions"] == {"contents": "write"}
        programs = re.findall(r"(?:^|\| |\$\()([a-z]+) ", jobs["keep"]["steps"][-1]["run"], re.MULTILINE)
        assert {"pip", "python", "perennial"}.isdisjoint(programs)
        assert len(jobs["keep"]["steps"]) == 2
        assert jobs["publish"]["needs"] == ["refresh", "keep"]


def test_secrets_are_only_in_the_steps_that_need_them_and_in_no_argument(workflow: Any) -> None:
    for job in workflow["jobs"].values():
        assert "secrets." not in str({name: value for name, value in job.items() if name != "steps"})
        for step in job["steps"]:
            names = set(re.findall(r"secrets\.(\w+)", str(step)))
            if step["name"] not in ("Grow this month's edition", "Evaluate the models of models.toml"):
                assert not [name for name in names if name.endswith("API_KEY")], step["name"]
            if step["name"] in ("Install perennial", "Choose the month") or "uses" in step:
                assert not names
            uses = re.findall(r"[^\n]*\$ROOT_PASSPHRASE[^\n]*", step.get("run", ""))
            assert all(re.search(r'3<<< "\$ROOT_PASSPHRASE"|^ *if \[ -z "', line) for line in uses)


def test_the_sections_that_its_head_cites_exist(workflow: Any) -> None:
    cited = re.findall(r'(docs/[a-z_]+\.md), "([^"]+)"', WORKFLOW.read_text())
    assert cited
    for page, heading in cited:
        assert f"\n## {heading}\n" in (REPOSITORY / page).read_text("utf-8")


def test_two_runs_never_overlap_and_the_checkout_keeps_no_token(workflow: Any) -> None:
    refresh = workflow["jobs"]["refresh"]
    assert workflow["concurrency"] == {"group": "perennial-data-root", "cancel-in-progress": False}
    assert set(workflow[True]) == {"schedule", "workflow_dispatch"}
    assert refresh["steps"][0]["with"]["persist-credentials"] is False


def test_actions_are_pinned_and_values_reach_the_shell_by_variables_alone(workflow: Any) -> None:
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    pins = re.findall(r"uses: (\S+) # v\d+\.\d+\.\d+$", WORKFLOW.read_text(), re.MULTILINE)
    assert pins == [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", pin) for pin in pins)
    assert not [step["name"] for step in steps if "${{" in step.get("run", "")]


def test_what_was_paid_for_is_kept_whatever_fails(workflow: Any) -> None:
    by_id = {step.get("id"): step for step in workflow["jobs"]["refresh"]["steps"]}
    order = [step.get("id") for step in workflow["jobs"]["refresh"]["steps"]]
    assert by_id["keep"]["if"] == "${{ always() && steps.restore.outcome == 'success' }}"
    assert order.index("restore") < order.index("keep") < order.index("website")


def test_each_secret_that_models_need_is_passed_on(give: Run) -> None:
    Path("models.toml").write_text(
        '[one]\nbase_url = "https://example.org/v1"\nkey_env = "ONE_KEY"\n\n'
        '[two]\nheaders = { api-key = "${TWO_KEY}" }\n'
    )
    assert len(load_models()) == 2
    said = give("init", "--github")
    assert "PERENNIAL_API_KEY, OPENAI_API_KEY, ONE_KEY, TWO_KEY" in said.out
    for step in read_workflow(WORKFLOW)["jobs"]["refresh"]["steps"]:
        if step["name"].startswith(("Grow", "Evaluate")):
            assert step["env"]["ONE_KEY"] == "${{ secrets.ONE_KEY }}"
            assert step["env"]["TWO_KEY"] == "${{ secrets.TWO_KEY }}"
    text = WORKFLOW.read_text()
    assert set(re.findall(r"secrets\.(\w+)", text)) == {
        *("ROOT_PASSPHRASE", "PERENNIAL_API_KEY", "OPENAI_API_KEY", "ONE_KEY", "TWO_KEY")
    }


def test_an_existing_file_is_kept_and_a_wrong_place_is_refused(give: Run) -> None:
    WORKFLOW.parent.mkdir(parents=True)
    WORKFLOW.write_text("mine\n")
    done = give("init", "--github")
    assert (done.code, WORKFLOW.read_text()) == (0, "mine\n")
    assert f"{WORKFLOW} is there already, and was kept" in done.out
    for arguments, said in (
        (
            ("--github", "--keep", "gs://bucket"),
            "--keep 'gs://bucket': expected release, or s3://BUCKET/PREFIX",
        ),
        (("--github", "--keep", "s3://bucket/$(id)"), "expected release, or s3://BUCKET/PREFIX"),
        (("--keep", "release"), "it says where the workflow of --github keeps the data root"),
    ):
        refused = give("init", *arguments)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert said in refused.err


def test_a_file_in_the_place_of_its_folder_is_refused(give: Run) -> None:
    WORKFLOW.parent.parent.mkdir()
    WORKFLOW.parent.write_text("no folder\n")
    refused = give("init", "--github")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert f"{WORKFLOW}: cannot be written" in refused.err


@pytest.mark.parametrize("keep", KEEPS)
def test_it_installs_its_clone_or_a_wheel_by_its_hash_and_nothing_by_name(give: Run, keep: str) -> None:
    extra = "" if keep == "release" else "[s3]"
    give("init", "--github", "--keep", keep)
    assert f"pip install '.{extra}'" in WORKFLOW.read_text()
    WORKFLOW.unlink()
    Path("pyproject.toml").unlink()
    refused = give("init", "--github", "--keep", keep)
    assert (refused.code, refused.err.count("\n"), WORKFLOW.exists()) == (2, 1, False)
    assert "name it by --wheel" in refused.err
    wheel = Path("perennial_bench-0.1.0-py3-none-any.whl")
    wheel.write_bytes(b"a wheel")
    assert give("init", "--github", "--keep", keep, "--wheel", str(wheel)).code == 0
    (step,) = [
        step for step in read_workflow(WORKFLOW)["jobs"]["refresh"]["steps"] if "Install" in step["name"]
    ]
    check, install = step["run"].splitlines()
    assert install == f"pip install './{wheel}{extra}'"
    assert subprocess.run(["bash", "-c", check], capture_output=True).returncode == 0
    wheel.write_bytes(b"another")
    assert subprocess.run(["bash", "-c", check], capture_output=True).returncode == 1


@pytest.mark.parametrize(
    "name", ["absent.whl", "perennial_bench-1.whl", "sub/perennial_bench-1.whl", "x';id;'.whl"]
)
def test_a_wheel_that_the_workflow_cannot_install_is_refused(give: Run, name: str) -> None:
    refused = give("init", "--github", "--wheel", name)
    assert (refused.code, refused.err.count("\n"), WORKFLOW.exists()) == (2, 1, False)
    assert "--wheel" in refused.err
    assert give("init", "--wheel", name).code == 2


def test_nothing_tells_to_install_perennial_by_a_name_that_nobody_owns() -> None:
    """On an index anyone could register the name of the distribution."""
    files = [REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")]
    for package in ("flows", "schemas", "tasks", "warehouse", "prompts"):
        files += [path for path in (REPOSITORY / package).rglob("*") if path.suffix in (".py", ".j2", ".md")]
    by_name = re.compile(r"pip install[^\n`]*['\" ]perennial-bench|'perennial-bench\[")
    assert [path.name for path in files if by_name.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("code", [0, 7])
def test_the_script_for_cron_builds_the_website_whatever_an_evaluation_ends_with(
    tmp_path: Path, code: int
) -> None:
    script = (REPOSITORY / "docs/deploy/monthly.sh").read_text("utf-8")
    here = script.replace("/srv/perennial", str(tmp_path))
    assert here != script
    (tmp_path / "keys.sh").write_text("export MODEL_KEY=key\n")
    program = tmp_path / "perennial"
    program.write_text(f'#!/bin/sh\necho "$1 $MODEL_KEY"\n[ "$1" != evaluate ] || exit {code}\n')
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", here],
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.splitlines() == ["refresh key", "evaluate key", "site key"]
