"""From what the operator asked for to the plan of an edition, new or already begun."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import chain

from flows.console.clock import refuse_clock_set_back
from flows.kumo.domain_choice import choose_domain
from flows.refresh.domain_rotation import PastEdition, take_turns
from flows.refresh.player_choice import check_models, choose_players
from schemas.errors import EditionConflict, InvalidOption
from schemas.kumo.authoring import AuthoringPlan
from schemas.kumo.plan import KumoPlan
from schemas.kumo.things import SeedConfig, Setting
from schemas.plan import EditionPlan, EvaluationPlan, Plan, RefreshPlan
from schemas.settings import RefreshSettings
from schemas.units import split_unit
from tasks.kumo.encoding import encode_config
from tasks.kumo.players import PLAYERS
from tasks.kumo.sampling import SamplingRequest, check_request
from tasks.kumo.validation import refuse_unsafe
from warehouse.catalog.catalog import published_editions, row_file
from warehouse.catalog.withdrawals import withdrawn_units
from warehouse.editions.domain_history import domains_by_edition
from warehouse.editions.publish import unit_plan
from warehouse.kumo.bundled_domains import bundled_domains
from warehouse.staging.staging import Staging, staged_units
from warehouse.store.store import Store

_BENCHMARK = "kumo"
FIRST = "1"  # the name of the evaluation that a refresh makes


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
class PreparedRefresh:
    """A plan, its domains, and how far it is: new, staged (to be resumed) or already published."""

    plan: RefreshPlan
    domains: tuple[PlannedDomain, ...]
    resumed: bool
    published: bool


def prepare_refresh(settings: RefreshSettings, store: Store, *, needs_key: bool = True) -> PreparedRefresh:
    """Return the plan for these settings, after every check that needs no work.

    `needs_key` False is for those who only look at the plan. A staged edition with equal settings is
    resumed. Raises InvalidOption, UnreadableInput, UnusableConfig or EditionConflict, before anything is
    written.
    """
    refuse_clock_set_back(store, datetime.now(UTC))
    authoring = settings.authoring(has_domains=bool(settings.domains))
    candidates = _candidates(settings, authoring)
    players = choose_players(settings, authoring)
    check_models(settings, authoring, players, store, needs_key=needs_key)
    sizes = tuple(Setting.parse(name) for name in settings.settings)
    for domain in candidates:
        for size in sizes:
            request = SamplingRequest(size, settings.instances, settings.seed, settings.min_expected_steps)
            check_request(encode_config(domain.config), request, workers=1)
    domains = _taken(candidates, settings, store)
    published = published_editions(store)
    own = KumoPlan(
        tuple(domain.config.config_id for domain in domains),
        sizes,
        settings.instances,
        settings.min_expected_steps,
        settings.preset,
        authoring,
        settings.domain_count,
        settings.rest_editions if settings.domain_count else 0,
    )
    seed, version = settings.seed, code_version()
    params = settings.player_params() if set(players) - set(PLAYERS) else {}
    turns = ("configs",) if settings.domain_count else ()
    asked = RefreshPlan(
        EditionPlan("", _BENCHMARK, own.as_json(), seed, published, version, found=turns),
        EvaluationPlan("", FIRST, _BENCHMARK, players, settings.runs, seed, version, params),
    )
    prepared = (
        _named(settings.edition, asked, domains, store)
        if settings.edition
        else _unnamed(asked, domains, store)
    )
    if prepared.resumed and settings.domain_count:
        return replace(prepared, domains=_begun_with(prepared, candidates))
    return prepared


def code_version() -> str:
    """Return the installed version of perennial."""
    try:
        return version("perennial-bench")
    except PackageNotFoundError:
        return "unknown"


def _named(
    edition: str, asked: RefreshPlan, domains: tuple[PlannedDomain, ...], store: Store
) -> PreparedRefresh:
    published = edition in asked.growth.known_editions
    if published:
        _refuse_withdrawn(edition, store)
    begun = _begun(store, edition, asked.named(edition).evaluation)
    if begun is None:
        return PreparedRefresh(asked.named(edition), domains, resumed=False, published=False)
    if begun.asked == asked.asked:
        return _resumed(begun, domains, store)
    differing = ", ".join(
        f"{key} was {_short(value)} and is now {_short(asked.asked[key])}"
        for key, value in begun.asked.items()
        if asked.asked.get(key) != value
    )
    if published:
        raise EditionConflict(
            f"edition {edition!r} is already published in {store.root}, with other settings ({differing}), "
            "and is never changed: choose another --edition, or leave it out"
        )
    raise EditionConflict(
        f"edition {edition!r} was begun with other settings ({differing}): give the same settings to go on, "
        f"another --edition, or remove {store.location(Staging(store, edition).folder)}"
    )


def _begun(store: Store, edition: str, evaluation: EvaluationPlan) -> RefreshPlan | None:
    """Return the plan of a refresh of this edition that was begun; None where its edition never was.

    Its evaluation is this one where nothing of it is there.
    """
    growth = _plan_of(store, edition)
    first = _plan_of(store, evaluation.unit)
    if not isinstance(growth, EditionPlan):
        return None
    return RefreshPlan(growth, first if isinstance(first, EvaluationPlan) else evaluation)


def _plan_of(store: Store, unit: str) -> Plan | None:
    return unit_plan(store, unit) if store.exists(row_file(unit)) else Staging(store, unit).read_plan()


def _resumed(plan: RefreshPlan, domains: tuple[PlannedDomain, ...], store: Store) -> PreparedRefresh:
    published = all(store.exists(row_file(part.unit)) for part in (plan.growth, plan.evaluation))
    return PreparedRefresh(plan, domains, resumed=True, published=published)


def _refuse_withdrawn(edition: str, store: Store) -> None:
    event = withdrawn_units(store).get(edition)
    if event is not None:
        raise EditionConflict(
            f"edition {edition!r} is published in {store.root} and withdrawn ({event.why}), and its name "
            f"stays taken: choose another --edition, or `perennial editions --reinstate {edition} --why TEXT`"
        )


def _unnamed(asked: RefreshPlan, domains: tuple[PlannedDomain, ...], store: Store) -> PreparedRefresh:
    withdrawn = withdrawn_units(store)
    staged = {edition for edition, name in map(split_unit, staged_units(store)) if name in ("", FIRST)}
    for edition in sorted(staged - set(withdrawn)):
        begun = _begun(store, edition, asked.named(edition).evaluation)
        if begun is not None and begun.asked == asked.asked:
            return _resumed(begun, domains, store)
    name = _free_name({*asked.growth.known_editions, *staged})
    return PreparedRefresh(asked.named(name), domains, resumed=False, published=False)


def _free_name(taken: set[str]) -> str:
    """Name an edition by its date, the only use of the clock before publishing."""
    stem = f"kumo-{datetime.now(UTC):%Y-%m-%d}"
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _candidates(settings: RefreshSettings, authoring: AuthoringPlan) -> tuple[PlannedDomain, ...]:
    """Return the given domains: those that were named, or all bundled ones.

    Where new ones are proposed, the bundled ones are left out, unless so many of them were asked for.
    """
    unnamed = [] if authoring.proposals and not settings.domain_count else list(bundled_domains())
    domains = {name: _domain(name) for name in settings.domains or unnamed}
    _refuse_same_domain_twice(domains)
    return tuple(domains.values())


def _taken(
    candidates: tuple[PlannedDomain, ...], settings: RefreshSettings, store: Store
) -> tuple[PlannedDomain, ...]:
    """Return the domains whose turn it is: all of them where no number was asked for."""
    if settings.domain_count is None:
        return candidates
    history = [PastEdition(*held) for held in domains_by_edition(store, _BENCHMARK)]
    ids = [domain.config.domain_id for domain in candidates]
    turns = take_turns(ids, history, settings.domain_count, settings.rest_editions)
    return tuple(replace(candidates[turn.place], turn=turn.why) for turn in turns)


def _begun_with(prepared: PreparedRefresh, candidates: Sequence[PlannedDomain]) -> tuple[PlannedDomain, ...]:
    """Return the domains of an edition that was begun, whosever turn it would be now.

    Raises EditionConflict where one of them is no longer given, or no longer the same.
    """
    given = {domain.config.config_id: domain for domain in candidates}
    plan = prepared.plan
    own = KumoPlan.from_json(plan.growth.own)
    missing = [config_id for config_id in own.configs if config_id not in given]
    if missing and not prepared.published:
        raise EditionConflict(
            f"edition {plan.edition!r} was begun with configuration {missing[0]}, which is none of the "
            f"{len(given)} domains that are given now: give the domains of then to go on, or remove its "
            "staging folder"
        )
    begun = (given[config_id] for config_id in own.configs if config_id in given)
    return tuple(replace(domain, turn=f"edition {plan.edition} was begun with it") for domain in begun)


def _domain(name: str) -> PlannedDomain:
    config, source = choose_domain(name)
    warnings = refuse_unsafe(config)
    return PlannedDomain(config, source, tuple(finding.message for finding in warnings))


def _refuse_same_domain_twice(domains: Mapping[str, PlannedDomain]) -> None:
    """Refuse two names for one domain, by its name and goal or by what its instances are made of."""
    given: dict[object, str] = {}
    for name, domain in domains.items():
        config = domain.config
        first = given.setdefault(config.domain_id, name)
        if first != name:
            raise InvalidOption(
                f"domain {config.name!r} was given twice, as {first!r} and {name!r}: an edition holds "
                "a domain once, drop one of them or give them different names or goals"
            )
        encoded = encode_config(config)
        parts = frozenset(encoded.truth_tokens), frozenset(chain.from_iterable(encoded.state_tokens))
        first = given.setdefault(parts, name)
        if first != name:
            raise InvalidOption(
                f"{first!r} and {name!r} are one domain under two names, {domains[first].config.name!r} and "
                f"{config.name!r}: truths, actions and outcome states are the same, so their instances would "
                "be too; drop one of them"
            )


def _short(value: object, width: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."
