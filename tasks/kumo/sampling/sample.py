"""Sample distinct instances of a domain: balanced, or by Algorithms 1 and 2 of Lin et al. (2025).

Each index draws attempt after attempt (`draw`: balanced by `lists`; as published by construction, by the
solver where that fails) until one is an instance that was neither issued earlier nor accepted for a smaller
index. An index that finds nothing new takes its instance from the solver's enumeration (`rest`), which
proves when nothing is left. Acceptance goes by index, so the number of processes changes nothing.
"""

from collections.abc import Callable, Container
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from perennial.schemas.errors import PerennialError
from perennial.schemas.kumo.things import (
    DEFAULT_SAMPLER,
    Instance,
    Outcome,
    OutcomeState,
    SeedConfig,
    Setting,
)
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest, check_request


@dataclass(frozen=True, slots=True)
class SamplingCounts:
    """What sampling went through; the same for any number of workers.

    candidates: instances that met the minimum of expected steps and need a test where one is required;
    duplicates: those of them that were known or accepted already; too_easy: instances that did not;
    unsatisfiable_selections: selections of truths that no observations fit, or lists that are not
    balanced; solver_calls: selections that were left to the solver, or its calls; enumerated: instances that
    an enumeration went through. Of the balanced sampler, lists: how many were judged, random ones
    and those of walks; walked: instances from walks; checked: lists that the other engine judged
    again; disagreements: its verdicts that were different.
    """

    candidates: int
    duplicates: int
    too_easy: int
    unsatisfiable_selections: int
    solver_calls: int
    enumerated: int
    lists: int
    walked: int
    checked: int
    disagreements: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Distinct instances with their canonical ids; `shortfall` says why there are fewer than asked for."""

    instances: tuple[Instance, ...]
    ids: tuple[str, ...]
    counts: SamplingCounts
    shortfall: PerennialError | None


@cache
def prepare() -> bool:
    """Make the default sampler's passes ready, once a process; whether they were compiled.

    They are where numba's cache has none. The sampler of 2025 has passes of its own, made ready when it
    first draws.
    """
    sides = tuple(OutcomeState(side, None, None, (side,)) for side in ("a", "b"))
    coin = SeedConfig("coin", ("a", "b"), ("look",), (Outcome("look", "str", sides),))
    from perennial.tasks.kumo.sampling.balanced import boards
    from perennial.tasks.kumo.sampling.draw import CandidateSource

    domain = encode_config(coin), SamplingRequest(Setting(2, 1), 1, 0, sampler=DEFAULT_SAMPLER)
    source = CandidateSource(*domain)
    sample_instances(*domain, source=source)
    # Random lists, which so small a domain needs none of.
    source.lists.is_rare  # noqa: B018
    return boards.was_compiled()


def why_none_exists(encoded: EncodedConfig, request: SamplingRequest) -> str:
    """The solver's proof that no instance exists, in words; "" where it is not proved."""
    from perennial.tasks.kumo.sampling.collect import Collection
    from perennial.tasks.kumo.sampling.draw import CandidateSource

    collection = Collection(encoded, request, frozenset(), CandidateSource(encoded, request))
    collection.probe()
    return str(collection.shortfall or "")


def sample_instances(
    encoded: EncodedConfig,
    request: SamplingRequest,
    *,
    known_ids: Container[str] = frozenset(),
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    source: Any = None,
) -> Sample:
    """`request.count` distinct instances, none of which has a known id.

    A function of (configuration, request, known ids) alone: instance i is the first attempt of index i
    whose id is neither known nor accepted for a smaller index (above a minimum of 1 expected steps an
    instance counts as too easy where the search runs out of time). Where fewer exist the sample holds all of
    them and the shortfall is InstancesExhausted, or UnsatisfiableSetting where none exists at all.
    `workers` processes draw candidates; `progress` is called with the number of instances found so far.
    `source` is that of an earlier request that differs in indices and counts alone: what it has made ready.
    Raises InvalidOption where the request makes no sense.
    """
    check_request(encoded, request, workers)
    from perennial.tasks.kumo.sampling.collect import Collection, batches
    from perennial.tasks.kumo.sampling.draw import CandidateSource

    source = source or CandidateSource(encoded, request)
    collection = Collection(encoded, request, known_ids, source)
    collection.probe()
    progress = progress or (lambda done: None)
    if source.lists.all_lists:
        collection.accept_listed(source.lists.all_lists, progress)
        workers, request = 1, replace(request, count=0)
    with closing(batches(encoded, request, workers, source)) as candidates:
        while collection.shortfall is None and (batch := next(candidates, None)) is not None:
            collection.accept(*batch)
            progress(len(collection.ids))
    remainder = collection.remainder
    lists, unsatisfiable, calls, *others, too_easy, duplicates = collection.tally.tolist()
    number, too_easy = len(collection.ids) + duplicates, too_easy + remainder.too_easy
    judged = (unsatisfiable, calls, remainder.walked, lists, *others)
    counts = SamplingCounts(number, duplicates, too_easy, *judged)
    return Sample(tuple(collection.instances), tuple(collection.ids), counts, collection.shortfall)
