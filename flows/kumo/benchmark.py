"""KUMO as a benchmark: what its entry point names. Nothing heavy is imported before it is needed."""

from schemas.benchmark import Benchmark, Stage


def _growing() -> tuple[Stage, ...]:
    from flows.kumo.stages import STAGES

    return STAGES


BENCHMARK = Benchmark("kumo", _growing)
