"""Every installed benchmark keeps to the contract, and so do packages of others."""

import pytest

from perennial.flows.contract import CHECKS, SampleEdition
from perennial.schemas.benchmark import benchmarks
from tests.contract.conftest import SMALLEST

SLOW = {
    "documentation": pytest.mark.slow,
    "pages": pytest.mark.slow,
}  # tests/web and each benchmark's own tests show their pages too
# The smallest of ours and of others are enough after each change.
DEAR = dict.fromkeys(("a2rbench", "knowlogic", "kumo", "mastermind"), pytest.mark.slow)


@pytest.mark.parametrize(
    "sample", [pytest.param(name, marks=DEAR.get(name, ())) for name in SMALLEST], indirect=True
)
@pytest.mark.parametrize("check", [pytest.param(one, marks=SLOW.get(one, ())) for one in CHECKS])
def test_a_benchmark_keeps_to_the_contract(sample: SampleEdition, check: str) -> None:
    CHECKS[check](sample)


def test_every_installed_benchmark_is_checked() -> None:
    assert set(SMALLEST) == set(benchmarks())
