"""Samples of benchmarks, with their smallest settings; packages of others are installed for this process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.contract import SampleEdition, make_sample
from tests.flows.installed_benchmarks import installed, write_example, write_package
from tests.flows.plain_audit import plain_suites

SMALLEST: dict[str, dict[str, Any]] = {
    "a2rbench": {"seeds": 1, "variations": 0, "remapping": False},
    "beyondbench": {"tasks": ["addition/standard", "n_queens/queens_4"], "instances": 2},
    "knowlogic": {"domains": ["nature"], "languages": ["en"], "questions": 3},
    "kumo": {"domains": ["chemical_analysis"], "settings": ["easy"], "instances": 2},
    "toy": {"sums": 2},
    "mastermind": {"codes": 2},
}


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let this process find the packages of others."""
    with installed(write_example(write_package(tmp_path_factory.mktemp("installed")))):
        yield


@pytest.fixture(scope="module")
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SampleEdition:
    """A small edition of the benchmark of this name, which all checks share."""
    with pytest.MonkeyPatch.context() as patch, plain_suites():
        folder: Path = tmp_path_factory.mktemp(request.param)
        patch.chdir(folder)
        return make_sample(request.param, folder, **SMALLEST[request.param])
