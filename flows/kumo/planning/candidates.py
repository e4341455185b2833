"""The domains that were named, or are bundled, or stand in a clone of the authors' repository."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from perennial.flows.console.input_files import json_files
from perennial.flows.kumo.planning.domain_choice import choose_domain
from perennial.flows.kumo.release.domain_files import FoundDomain, read_domains
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.kumo.things import SeedConfig, Setting
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest, check_request
from perennial.tasks.kumo.sampling.sample import why_none_exists
from perennial.tasks.kumo.validation import refuse_unsafe
from perennial.tasks.kumo.worlds import make_sparse
from perennial.warehouse.kumo.bundled_domains import bundled_domains


@dataclass(frozen=True, slots=True)
class PlannedDomain:
    """A configuration that a refresh will use, where it comes from, and what was let pass.

    `turn` says why it is this domain's turn, "" where domains take no turns.
    """

    config: SeedConfig
    source: str
    warnings: tuple[str, ...]
    turn: str = ""


@dataclass(frozen=True, slots=True)
class CandidateDomains:
    """The domains that are used or take turns, and a line about each that was left out of a clone."""

    domains: tuple[PlannedDomain, ...]
    left_out: tuple[str, ...] = ()


def load_candidates(settings: KumoSettings, sizes: Sequence[Setting]) -> CandidateDomains:
    """Return what the settings name: domains, a clone, or all bundled ones where they name neither.

    Names of a clone's domains choose among these; without such a name all of them are meant. Raises
    InvalidOption for a domain that is named twice, UnusableConfig for one that cannot be sampled; what of a
    clone cannot is left out.
    """
    clone = read_domains(Path(settings.domains_from)) if settings.domains_from else []
    in_clone = {domain.name for domain in clone}
    chosen = in_clone.intersection(settings.domains)
    names = list(chain.from_iterable(_files_of(name) for name in settings.domains if name not in in_clone))
    if not settings.has_domains:
        names = list(bundled_domains())
    domains: dict[str, PlannedDomain] = {}
    names_by_key: dict[object, str] = {}
    for name in names:
        config, source = choose_domain(name)
        config = make_sparse(config, settings.sparse)
        warnings = tuple(finding.message for finding in refuse_unsafe(config))
        if twin := _find_twin(names_by_key, name, config):
            first = domains[twin].config.name
            raise InvalidOption(
                f"{twin!r} and {name!r} are one domain, {first!r} and {config.name!r}: name and goal, or "
                "truths, actions and outcome states, are the same, and an edition holds a domain once; drop "
                "one of them, or give them different names or goals"
            )
        domains[name] = PlannedDomain(config, source, warnings)
    left_out: tuple[str, ...] = ()
    if clone:
        clone = [domain for domain in clone if not chosen or domain.name in chosen]
        left_out = _add_clone(domains, names_by_key, settings, sizes, clone)
    return CandidateDomains(tuple(domains.values()), left_out)


def _files_of(name: str) -> list[str]:
    """The domain's name or file itself, or the files of the folder."""
    if name in bundled_domains() or not Path(name).is_dir():
        return [name]
    return [str(file) for file in json_files(Path(name))]


def _add_clone(
    domains: dict[str, PlannedDomain],
    names_by_key: dict[object, str],
    settings: KumoSettings,
    sizes: Sequence[Setting],
    clone: Sequence[FoundDomain],
) -> tuple[str, ...]:
    instances = settings.instances_of_each(len(domains) + sum(domain.config is not None for domain in clone))
    left_out = []
    for domain in clone:
        problem = domain.problem
        if domain.config is not None:
            config = make_sparse(domain.config, settings.sparse)
            twin = _find_twin(names_by_key, domain.name, config)
            problem = f"the same as {twin}" if twin else _why_unfit(config, settings, sizes, instances)
            domains |= {} if problem else {domain.name: PlannedDomain(config, "file", domain.notes)}
        if problem:
            left_out.append(f"{domain.name} is left out: {problem}")
    if not domains:
        raise InvalidOption(
            f"--domains-from {settings.domains_from}: none of {len(clone)} domains can be used; {left_out[0]}"
        )
    return tuple(left_out)


def _why_unfit(config: SeedConfig, settings: KumoSettings, sizes: Sequence[Setting], instances: int) -> str:
    """Why this number of instances cannot be drawn for one of the sizes; "" if it can.

    The size is impossible, the solver proves that no instance exists, or duplicates are too likely.
    """
    from perennial.tasks.kumo.space import count_boards, repeat_probability, space_size, sufficient_size

    encoded, most = encode_config(config), settings.max_collision_probability
    for size in sizes:
        request = request_of(settings, size, instances)
        try:
            check_request(encoded, request, workers=1)
        except InvalidOption as error:
            return str(error)
        if proof := why_none_exists(encoded, request):
            return proof
        if request.is_balanced:
            space = count_boards(
                encoded, size, settings.min_expected_steps, sufficient_size(0, instances, most)
            )
        else:
            space = space_size(encoded, size, settings.min_expected_steps, settings.require_test)
        if repeat_probability(space.least, 0, instances) > most:
            return (
                f"setting {size.name}: {space}, and {instances} draws may repeat one with a probability "
                f"above {most:g} (--max-collision-probability)"
            )
    return ""


def request_of(settings: KumoSettings, size: Setting, instances: int) -> SamplingRequest:
    """Return what is to be drawn of a domain."""
    return SamplingRequest(
        size,
        instances,
        0,
        settings.min_expected_steps,
        settings.require_test,
        sampler=settings.chosen_sampler(),
    )


def _find_twin(names_by_key: dict[object, str], name: str, config: SeedConfig) -> str:
    """Which given domain is this one by name and goal, or by what its instances are made of.

    Notes what this one is in `given`.
    """
    encoded = encode_config(config)
    parts = frozenset(encoded.truth_tokens), frozenset(chain.from_iterable(encoded.state_tokens))
    first = {names_by_key.setdefault(key, name) for key in (config.domain_id, parts)} - {name}
    return next(iter(first), "")


# Which domains take their turn in an edition: the least recently used first.
#
# A domain's last use is the latest of the earlier editions that hold it. Domains that were never used come
# first, then those whose last use is longest ago; ties go by the order in which they were given. So no domain
# of the last `rest` editions is taken while there are enough others.


PastEdition = tuple[str, Collection[str]]
"""An earlier edition and the ids of the domains that it holds."""


@dataclass(frozen=True, slots=True)
class DomainTurn:
    """A domain that is taken: its index among the given ones, and why it is its turn."""

    index: int
    why: str


def take_turns(
    domain_ids: Sequence[str], history: Sequence[PastEdition], count: int, rest: int
) -> tuple[DomainTurn, ...]:
    """Return the turns of `count` of the domains, in the order in which they were given.

    `history` holds the earlier editions, the latest first; a domain rests until `rest` editions did not
    hold it. Raises InvalidOption where there are fewer than `count` domains.
    """
    if count > len(domain_ids):
        raise InvalidOption(
            f"--domain-count {count}: there are only {len(domain_ids)} domains to take turns; "
            "ask for fewer, or name more with --domains"
        )
    ages = [_age(domain_id, history) for domain_id in domain_ids]
    by_age = sorted(range(len(domain_ids)), key=lambda index: (-ages[index], index))
    return tuple(DomainTurn(index, _why(ages[index], history, rest)) for index in sorted(by_age[:count]))


def _age(domain_id: str, history: Sequence[PastEdition]) -> int:
    """How many editions came after the last one that holds the domain: all of them for a new one."""
    held = (age for age, (_, held_ids) in enumerate(history) if domain_id in held_ids)
    return next(held, len(history))


def _why(age: int, history: Sequence[PastEdition], rest: int) -> str:
    if age == len(history):
        return "used in no edition so far"
    if age >= rest:
        return f"not used in the last {age} editions; last used in {history[age][0]}"
    return f"should still rest, but so should all others; last used in {history[age][0]}"
