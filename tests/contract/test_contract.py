"""Every installed benchmark keeps to the contract, and so do packages of others."""

import pytest

from perennial.flows.contract.checks import CHECKS
from perennial.flows.contract.sample import Sample
from perennial.schemas.benchmark import benchmarks
from tests.contract.conftest import SMALLEST

SLOW = {"pages": pytest.mark.slow}  # tests/web and each benchmark's own tests show their pages too


@pytest.mark.parametrize("sample", SMALLEST, indirect=True)
@pytest.mark.parametrize("check", [pytest.param(one, marks=SLOW.get(one, ())) for one in CHECKS])
def test_a_benchmark_keeps_to_the_contract(sample: Sample, check: str) -> None:
    CHECKS[check](sample)


def test_every_installed_benchmark_is_checked() -> None:
    assert set(SMALLEST) == set(benchmarks())
