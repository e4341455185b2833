"""Draw one fresh instance for a person: sampled, solved exactly, with a book of the template."""

from math import inf

from perennial.flows.kumo.planning.domain_choice import choose_domain
from perennial.flows.kumo.seats import KumoSeat
from perennial.schemas.ids import content_id, derive_rng
from perennial.schemas.kumo.things import AS_PUBLISHED, DEFAULT_SAMPLER, Setting
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.game import Board
from perennial.tasks.kumo.sampling import SamplingRequest, sample_instances
from perennial.tasks.kumo.search import NODE_LIMIT, WORK_LIMIT, solve_instances
from perennial.tasks.kumo.validation import refuse_unsafe
from perennial.warehouse.kumo.bundled_domains import bundled_domains

_SETTING = "easy"


def draw_seat(domain: str, setting: str, seed: int) -> KumoSeat:
    """Return the seat of one instance; equal domains, settings and seeds give the same one.

    Without a domain a bundled one is drawn. Raises InvalidOption for an unknown domain or setting,
    UnsatisfiableSetting where there is no such instance.
    """
    name = domain or derive_rng(seed, "play/domain", 0).choice(sorted(bundled_domains()))
    size = Setting.parse(setting or _SETTING)
    config, _ = choose_domain(name)
    refuse_unsafe(config)
    encoded = encode_config(config)
    sampler = DEFAULT_SAMPLER if size.n_valid == 1 else AS_PUBLISHED
    request = SamplingRequest(size, 1, seed, 1.0, True, sampler=sampler)
    sample = sample_instances(encoded, request)
    if sample.shortfall is not None:
        raise sample.shortfall
    instance, instance_id = sample.instances[0], sample.ids[0]
    board = encode_instance(encoded, instance)
    limits = {"time_limit": inf, "work_limit": WORK_LIMIT, "node_limit": NODE_LIMIT}
    (solution,) = solve_instances([board], threads=1, is_balanced=request.is_balanced, **limits)  # type: ignore[arg-type]
    rules = rules_of(encoded, instance)
    book = write_book(config, instance, rules, derive_rng(seed, f"book/{instance_id}", 0))
    return KumoSeat(
        instance_id,
        content_id("bk", instance_id, 0, book),
        Board(config, instance, board, book, rules, solution),
    )
