"""The stages of what is staged: a benchmark's own of an edition; play and what follows it of answers."""

from perennial.flows.benchmark import Stage, find_benchmark
from perennial.flows.stages.play_episodes import play_stage
from perennial.schemas.units import is_evaluation
from perennial.warehouse.lineage import StageTables, jobs_of


def stages_of(unit: str, benchmark: str) -> tuple[Stage, ...]:
    """Return the stages by which this edition or evaluation of the benchmark is made, in order."""
    own = find_benchmark(benchmark)
    return (play_stage(benchmark), *own.reading_stages()) if is_evaluation(unit) else own.stages()


def list_jobs(unit: str, benchmark: str) -> tuple[StageTables, ...]:
    """Return its stages as jobs of its lineage, and the one that publishes it."""
    made = stages_of(unit, benchmark)
    return jobs_of(
        unit, benchmark, (StageTables(one.name, one.doc, one.reads, one.writes, one.earlier) for one in made)
    )
