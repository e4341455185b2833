"""From what the operator asked for to the plan of an edition, new or already begun."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from perennial.flows.benchmark import Benchmark, Preparation, find_benchmark
from perennial.flows.console.input_files import refuse_clock_set_back
from perennial.flows.refresh.models import check_models, choose_params, state_facts
from perennial.flows.run.code_version import code_version
from perennial.schemas.disclosure import commitment_of, draw_seed, is_public
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.people import PERSON, is_person
from perennial.schemas.plan import EditionPlan, EvaluationPlan, Plan, RefreshPlan
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.units import split_unit
from perennial.tasks.play import plays_version
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.catalog.withdrawals import withdrawn_units
from perennial.warehouse.editions.publish import unit_plan
from perennial.warehouse.editions.seeds import keep_seed
from perennial.warehouse.editions.selectors import LATEST
from perennial.warehouse.staging import Staging, read_unfinished, run_key, staged_units
from perennial.warehouse.store.store import Store

# Which players a refresh has, and which versions of its questions they play.


def choose_players(
    settings: RefreshSettings, benchmark: Benchmark, part: Mapping[str, object], anchors: Sequence[str] = ()
) -> tuple[str, ...]:
    """The players' names: the given ones, else all programs that fit the benchmark's part of the plan.

    The `anchors` that are not among them follow.
    Any name that is not a program's is a model's. Raises InvalidOption where none is left, or where one that
    is given cannot play.
    """
    unfit = benchmark.unfit(part)
    chosen = rename_aliases(settings.players, benchmark)
    anchors = rename_aliases(anchors, benchmark)
    for option, names in (("players", chosen), ("anchors", anchors)):
        for name in names:
            if name in unfit:
                raise InvalidOption(f"player {name!r} {unfit[name]}: leave it out of --{option}")
    for name in (*chosen, *anchors):
        if is_person(name):
            raise InvalidOption(
                f"player {name!r}: {PERSON} is the name of people, who play in a study (`perennial study`): "
                "name a model or a program"
            )
    players = chosen or [name for name in benchmark.programs if name not in unfit]
    if not players:
        raise InvalidOption("no player is left to play: name at least one with --players")
    return tuple(dict.fromkeys((*players, *anchors)))


def rename_aliases(players: Sequence[str], benchmark: Benchmark) -> list[str]:
    """The players with programs under their own names, each once."""
    aliases = benchmark.aliases
    return list(dict.fromkeys(aliases.get(name, name) for name in players))


def describe_aliases(players: Sequence[str], benchmark: Benchmark) -> list[str]:
    """One sentence for each given player that is another name of a program."""
    aliases = benchmark.aliases
    return [f"player {name!r} is now called {aliases[name]!r}" for name in players if name in aliases]


def choose_versions(
    settings: RefreshSettings, benchmark: Benchmark, part: Mapping[str, object], players: Sequence[str]
) -> tuple[str, ...]:
    """The versions of each question to play; raise InvalidOption for a player that would play none."""
    versions = settings.versions(part)
    if USUAL not in versions:
        programs = [name for name in benchmark.programs if plays_version(benchmark, name, versions[0])]
        for name in players:
            if not plays_version(benchmark, name, versions[0]):
                raise InvalidOption(
                    f"player {name!r} plays only the usual version of a question, and this evaluation is of "
                    f"{', '.join(versions)} alone: name {', '.join([*programs, 'models'])} with --players"
                )
    return versions


FIRST = "1"  # the name of the evaluation that a refresh makes


@dataclass(frozen=True, slots=True)
class PreparedRefresh:
    """A plan, what its benchmark prepared, and how far it is: new, staged (to be resumed) or published."""

    plan: RefreshPlan
    part: Preparation
    resumed: bool
    published: bool


def prepare_refresh(
    settings: RefreshSettings,
    store: Store,
    *,
    needs_key: bool = True,
    together: Collection[str] = (),
    is_trial: bool = False,
) -> PreparedRefresh:
    """Plan a refresh, after every check that needs no work.

    `needs_key` False is for those who only look at the plan. A staged edition with equal settings is
    resumed; of a run of several benchmarks, which are `together`, one that this run has published too. A
    seed that is to be drawn has no commitment yet: see `settle_seed`. `is_trial`: an edition that was
    begun is resumed where these players are to be asked its questions in another way. Raises InvalidOption,
    UnreadableInput, UnusableConfig or EditionConflict, before anything is written.
    """
    refuse_clock_set_back(store, datetime.now(UTC))
    if settings.edition == LATEST:
        raise InvalidOption(f"edition: {LATEST} means the newest edition, choose another name")
    benchmark = find_benchmark(settings.benchmark)
    prepared = benchmark.prepare(settings, store)
    players = choose_players(settings, benchmark, prepared.own, settings.anchors)
    check_models(
        settings, benchmark, prepared.authors, players, store, needs_key=needs_key, protocol=prepared.protocol
    )
    published = published_editions(store)
    seed = settings.seed
    asked = RefreshPlan(
        EditionPlan(
            edition="",
            benchmark=benchmark.name,
            own=prepared.own,
            seed=seed if seed is not None and is_public(seed) else None,
            known_editions=published,
            code_version=code_version(),
            found=prepared.found,
            is_fresh=seed is None,
            private_share=settings.private_share,
            is_trial=is_trial,
        ),
        plan_answers(settings, benchmark, prepared.own, players, prepared.protocol),
    )
    if seed is not None:
        asked = asked.with_commitment(commitment_of(seed))
    planned = (
        _prepare_named(settings.edition, asked, prepared, store)
        if settings.edition
        else _prepare_unnamed(asked, prepared, store, together, is_trial)
    )
    if planned.resumed and prepared.resume is not None:
        return replace(planned, part=prepared.resume(planned.plan.growth, planned.published))
    return planned


def plan_answers(
    settings: RefreshSettings,
    benchmark: Benchmark,
    part: Mapping[str, object],
    players: tuple[str, ...],
    protocol: Mapping[str, object],
) -> EvaluationPlan:
    """Plan the first evaluation of an edition whose name and seed are not known yet.

    `part` is the benchmark's part of the edition's plan. Raises what `choose_versions` raises.
    """
    params, model_params = choose_params(settings, benchmark, players)
    anchors = rename_aliases(settings.anchors, benchmark)
    return EvaluationPlan(
        edition="",
        name=FIRST,
        benchmark=benchmark.name,
        players=players,
        runs=settings.runs,
        seed=0,
        code_version=code_version(),
        player_params=params,
        anchors=tuple(name for name in anchors if name in players),
        versions=choose_versions(settings, benchmark, part, players),
        protocol=dict(protocol),
        model_params=model_params,
        facts=state_facts(settings, benchmark, players),
    )


def _prepare_named(edition: str, asked: RefreshPlan, prepared: Preparation, store: Store) -> PreparedRefresh:
    published = edition in asked.growth.known_editions
    if published:
        _refuse_withdrawn(edition, store)
    begun = _find_begun(store, edition, asked.with_name(edition).evaluation)
    if begun is None:
        return PreparedRefresh(asked.with_name(edition), prepared, resumed=False, published=False)
    if begun.asked == asked.asked:
        return _resume(begun, prepared, store)
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
        f"edition {edition!r} was begun with other settings ({differing}): give the same settings to resume, "
        f"another --edition, or remove {store.location(Staging(store, edition).folder)}"
    )


def _find_begun(store: Store, edition: str, evaluation: EvaluationPlan) -> RefreshPlan | None:
    """The plan of a refresh of this edition that was begun; None if its edition never was.

    Its evaluation is this one where nothing of it is there; what is not published takes this one's facts.
    """
    growth = _plan_of(store, edition)
    first = _plan_of(store, evaluation.unit)
    if not isinstance(growth, EditionPlan):
        return None
    if not isinstance(first, EvaluationPlan):
        first = replace(evaluation, seed=growth.public_seed, canary=growth.canary)
    elif not store.exists(row_file(first.unit)):
        first = replace(first, facts=evaluation.facts)
    return RefreshPlan(growth, first)


def _plan_of(store: Store, unit: str) -> Plan | None:
    return unit_plan(store, unit) if store.exists(row_file(unit)) else Staging(store, unit).read_plan()


def _resume(plan: RefreshPlan, prepared: Preparation, store: Store) -> PreparedRefresh:
    published = all(store.exists(row_file(part.unit)) for part in (plan.growth, plan.evaluation))
    return PreparedRefresh(plan, prepared, resumed=True, published=published)


def _refuse_withdrawn(edition: str, store: Store) -> None:
    event = withdrawn_units(store).get(edition)
    if event is not None:
        raise EditionConflict(
            f"edition {edition!r} is published in {store.root} and withdrawn ({event.why}), and its name "
            f"stays taken: choose another --edition, or `perennial editions reinstate {edition} --why TEXT`"
        )


def _prepare_unnamed(
    asked: RefreshPlan, prepared: Preparation, store: Store, together: Collection[str], is_trial: bool
) -> PreparedRefresh:
    withdrawn = withdrawn_units(store)
    staged = {edition for edition, name in map(split_unit, staged_units(store)) if name in ("", FIRST)}
    kept = read_unfinished(store).get(run_key(together, asked)) if together else None
    for edition in ([kept] if kept else []) + sorted(staged - set(withdrawn)):
        begun = _find_begun(store, edition, asked.with_name(edition).evaluation)
        if begun is not None and is_trial:
            begun = _ask_anew(begun, asked, store)
        if begun is not None and begun.asked == asked.asked:
            return _resume(begun, prepared, store)
    name = _free_name(asked.growth.benchmark, {*asked.growth.known_editions, *staged})
    return PreparedRefresh(asked.with_name(name), prepared, resumed=False, published=False)


def _ask_anew(begun: RefreshPlan, asked: RefreshPlan, store: Store) -> RefreshPlan:
    """The begun plan, with the evaluation that is asked for if it has the same players."""
    first = begun.evaluation
    if store.exists(row_file(first.unit)) or first.players != asked.evaluation.players:
        return begun
    evaluation = replace(asked.evaluation, edition=first.edition, seed=first.seed, canary=first.canary)
    return RefreshPlan(begun.growth, evaluation)


def _free_name(benchmark: str, taken: set[str]) -> str:
    """Name an edition by its date, the only use of the clock before publishing."""
    stem = f"{benchmark}-{datetime.now(UTC):%Y-%m-%d}"
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _short(value: object, width: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."


# Settle an edition's seed before any work: draw it where none is given, keep it, commit to it.


def settle_seed(plan: RefreshPlan, seed: int | None, store: Store) -> RefreshPlan:
    """Put the commitment of the seed into the plan; a secret seed is kept first.

    A seed is drawn where none is given, unless the plan has its commitment: it was begun before.
    """
    if seed is not None and not is_public(seed):
        keep_seed(store.root, seed)
    if plan.growth.seed_commitment:
        return plan
    return plan.with_commitment(keep_seed(store.root, draw_seed()))
