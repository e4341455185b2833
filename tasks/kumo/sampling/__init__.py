"""Sampling: distinct instances of a domain, by construction and by SAT (Algorithms 1 and 2)."""

from perennial.tasks.kumo.sampling.request import SamplingRequest, check_request
from perennial.tasks.kumo.sampling.sample import (
    Sample,
    SamplingCounts,
    prepare,
    sample_instances,
    why_none_exists,
)
from perennial.tasks.kumo.sampling.solver import solver_name

__all__ = [
    "Sample",
    "SamplingCounts",
    "SamplingRequest",
    "check_request",
    "prepare",
    "sample_instances",
    "solver_name",
    "why_none_exists",
]
