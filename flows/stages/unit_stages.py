"""The stages of what is staged: a benchmark's own of an edition; play and what follows it of answers."""

from flows.stages.play_episodes import play_stage
from flows.stages.workspace import Workspace
from schemas.benchmark import Stage, find_benchmark
from schemas.units import is_evaluation


def stages_of(unit: str, benchmark: str) -> tuple[Stage, ...]:
    """Return the stages by which this edition or evaluation of the benchmark is made, in order."""
    own = find_benchmark(benchmark)
    return (play_stage(benchmark), *own.playing().analysing()) if is_evaluation(unit) else own.growing()


def staged_stages(workspace: Workspace) -> tuple[Stage, ...]:
    """Return the stages of what is staged."""
    return stages_of(workspace.plan.unit, workspace.plan.benchmark)
