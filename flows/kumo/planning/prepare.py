"""From KUMO's settings to its part of an edition's plan: which domains, by whom, and at what cost."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, log2
from pathlib import Path
from typing import NamedTuple

from perennial.flows.benchmark import Preparation
from perennial.flows.kumo.planning.candidates import (
    CandidateDomains,
    PlannedDomain,
    load_candidates,
    request_of,
    take_turns,
)
from perennial.flows.kumo.release.domain_files import read_messages
from perennial.flows.kumo.write_books import count_domains
from perennial.flows.stages.estimates import estimate_stage
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.plan import (
    AMONG,
    KUMO_2025,
    OUTCOMES,
    RELIABILITIES,
    AuthoringPlan,
    KumoPlan,
    may_fit,
    plan_protocol,
    refuse_few_domains,
)
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.kumo.things import Instance, SeedConfig, Setting
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import PERENNIAL, EditionPlan, EvaluationPlan
from perennial.schemas.rows import JsonObject
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.game import CLOSED, SYMBOLIC, VARIANTS
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.kumo.sampling.request import check_request
from perennial.tasks.kumo.worlds import (
    LEAST_ACTIONS,
    LEAST_TRUTHS,
    MIXED,
    check_sparse,
    draw_world,
    make_counterfactual,
)
from perennial.tasks.llm.limits import completion_bound
from perennial.tasks.play import Players, parse_model_player, plays_version
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text
from perennial.warehouse.kumo.published_domains import domains_by_edition
from perennial.warehouse.store.store import Store

# How models are asked: perennial's own way, or that of the KUMO authors, with their release's templates.


# The authors' domain of the same subject and nouns, of those bundled domains that have one.
COUNTERPARTS = {
    "Chemical Analysis": "ChemicalEnv",
    "Fantasy Artefacts": "FantasyEnv",
    "Medical Diagnosis": "MedicalEnv",
    "Music Identification": "MusicEnv",
    "Student Assessment": "EducationEnv",
}


def choose_protocol(settings: KumoSettings, domains: Iterable[str]) -> JsonObject:
    """Return what an evaluation of these domains keeps of its protocol, nothing for perennial's own.

    Raises InvalidOption for settings that do not fit together and for a domain that the authors have no
    messages for, UnreadableInput for a template that is missing or altered.
    """
    if settings.protocol == PERENNIAL:
        if settings.release:
            raise InvalidOption(
                f"--release {settings.release!r} is read under --protocol {KUMO_2025} only: give both or none"
            )
        return {}
    if not settings.release:
        raise InvalidOption(
            f"--protocol {KUMO_2025} asks with the message templates of the KUMO authors: name a clone of "
            "their repository with --release"
        )
    for name in (*settings.players, *settings.anchors):
        if name.startswith(f"{SYMBOLIC}:"):
            raise InvalidOption(
                f"player {name!r}: --protocol {KUMO_2025} shows no rules as a mapping; leave it out"
            )
    for name in settings.books:
        if name in AMONG:
            raise InvalidOption(
                f"--books {name}: --protocol {KUMO_2025} has no words for several books: leave one out"
            )
    if settings.reliability != [OUTCOMES]:
        raise InvalidOption(
            f"--reliability {','.join(settings.reliability)}: --protocol {KUMO_2025} has no words for wrong "
            "reports: leave one out"
        )
    theirs = {name: _their_domain(name) for name in domains}
    messages = read_messages(Path(settings.release), sorted(set(theirs.values())))
    return plan_protocol({name: messages[domain] for name, domain in sorted(theirs.items())})


def protocol_of(settings: KumoSettings, store: Store, growth: EditionPlan) -> JsonObject:
    """Return the protocol of an evaluation of a published edition.

    Raises InvalidOption where models are to be shown more books than it has domains.
    """
    if any(name in AMONG for name in settings.books):
        refuse_few_domains(settings.books, count_domains(store, growth.edition))
    domains = store.read_table(table_file("kumo_domains", growth.edition), ["domain"]).to_pylist()
    return choose_protocol(settings, [row["domain"] for row in domains])


def _their_domain(name: str) -> str:
    domain = COUNTERPARTS.get(name, name)
    if not domain.isidentifier() or not domain.endswith("Env"):
        raise InvalidOption(
            f"domain {name!r}: --protocol {KUMO_2025} needs a domain of the KUMO authors, called <Name>Env, "
            f"or one of the bundled {', '.join(COUNTERPARTS)}; name such domains with --domains"
        )
    return domain


_WARNINGS_SHOWN = 2  # of a domain
Prepared = Preparation[tuple[PlannedDomain, ...]]


def prepare(settings: KumoSettings, store: Store) -> Prepared:
    """Return the plan's own part and the domains that it names, after every check that needs no work."""
    check_sparse(settings.sparse)
    authoring = settings.authoring(has_domains=settings.has_domains)
    sizes = tuple(Setting.parse(name) for name in settings.settings)
    number = settings.number_of_domains(bool(authoring.proposals))
    loaded = CandidateDomains(()) if number == 0 else load_candidates(settings, sizes)
    candidates = loaded.domains
    worlds = settings.number_of_worlds(bool(authoring.proposals))
    n_domains = len(candidates) if number is None else number
    if settings.counterfactual:
        _refuse_no_fact(settings, candidates, n_domains)
        n_domains *= 2
    instances = settings.instances_of_each(n_domains + worlds + authoring.n_domains)
    for domain in candidates:
        for size in sizes:
            check_request(encode_config(domain.config), request_of(settings, size, instances), workers=1)
    if worlds:
        _refuse_larger_than_worlds(sizes, worlds)
    domains = _choose_domains(candidates, number, settings.rest_editions, store)
    if not (domains or worlds or authoring.proposals):
        raise InvalidOption(
            "--domain-count 0 without worlds and proposed domains leaves nothing to ask: add --worlds 2, or "
            "leave it out"
        )
    plan = KumoPlan(
        configs=tuple(domain.config.config_id for domain in domains),
        settings=sizes,
        instances=instances,
        min_expected_steps=settings.min_expected_steps,
        require_test=settings.require_test,
        authoring=authoring,
        domain_count=number,
        rest_editions=settings.rest_editions if number else 0,
        worlds=worlds,
        book_style=settings.book_style,
        sampler=settings.chosen_sampler(),
        counterfactual=settings.counterfactual,
        sparse=(settings.sparse or MIXED) if worlds else settings.sparse,
    )
    if (authoring.proposals or worlds) and settings.protocol != PERENNIAL:
        others = "models propose new ones" if authoring.proposals else f"{worlds} new worlds are drawn"
        raise InvalidOption(
            f"--protocol {settings.protocol} needs domains of the KUMO authors, and {others}: "
            "name domains with --domains, and leave out --propose and --worlds"
        )
    # Of all candidates: whose turn it is may change before the same command resumes.
    protocol = choose_protocol(settings, [domain.config.name for domain in candidates])
    prepared = _preparation(plan, domains)
    prepared = replace(prepared, protocol=protocol, warnings=(*loaded.left_out, *prepared.warnings))
    if number is None:
        return prepared
    return replace(prepared, found=("configs",), resume=partial(_resume, candidates=candidates))


def read_given_domains(store: Store, edition: str) -> tuple[PlannedDomain, ...]:
    """Return the domains of a published edition that were given: nothing drawn, and none of a model."""
    rows = store.read_table(table_file("kumo_domains", edition)).to_pylist()
    sources = {row["domain_id"]: row["source"] for row in rows}
    configs = store.read_table(table_file("kumo_seed_configs", edition)).to_pylist()
    return tuple(
        PlannedDomain(parse_config(row["config"], edition), sources[row["domain_id"]], tuple(row["warnings"]))
        for row in configs
        if sources[row["domain_id"]] not in ("model", "world", "counterfactual")
    )


# How many model calls a plan needs, and what they cost: an estimate before any of them is made.
#
# Text is counted as four characters per token. The size of books and rules is that of a book written for
# truths and actions drawn from the plan's domains (or from a bundled one where all are still to be proposed).


_CHARACTERS_PER_TOKEN = 4
_PROMPT = 700  # tokens of a template without what fills it
_PROPOSAL = 150  # tokens of one proposal
_PROPOSAL_ROUNDS = 5
_REPLY = 150  # tokens of a player's turn that thinks briefly
_LONG_REPLY = 2_000  # tokens of one that thinks at length, where no limit is set
_TURN = 120  # tokens of a turn's message


class _Work(NamedTuple):
    """Calls of one kind, and the tokens of them all."""

    calls: float
    prompts: float
    completions: float

    @classmethod
    def alike(cls, calls: float, prompt: float, completion: float) -> "_Work":
        """So many calls that have so many tokens each."""
        return cls(calls, calls * prompt, calls * completion)


# Which share of the instances has a book of that version beside its final one: all goes well, nothing does.
_SHARES = {
    **dict.fromkeys((USUAL, "template", *AMONG, *RELIABILITIES), (1.0, 1.0)),
    **dict.fromkeys(("first", "second"), (0.0, 1.0)),
}


def estimate_calls(
    kumo_plan: KumoPlan,
    configs: Sequence[SeedConfig],
    players: Players,
    plan: EvaluationPlan,
    prices: Prices,
    shares: Mapping[str, tuple[float, float]] = _SHARES,
) -> list[StageEstimate]:
    """Return the estimate of each stage that calls a model; none where no stage does.

    `shares` are the least and the largest share of the instances that have each version of the book.
    """
    authoring = kumo_plan.authoring
    stages: list[StageEstimate] = []
    if authoring.proposals:
        least = _Work.alike(1, _PROMPT, _PROPOSAL * authoring.proposals)
        most = _Work.alike(_PROPOSAL_ROUNDS, _PROMPT, _PROPOSAL * authoring.proposals)
        stages.append(_stage("proposals", authoring.proposer, least, most, prices))
        stages += _configurations(authoring, prices)
    playing = [name for name in plan.players if name not in PLAYERS]
    if not authoring.writer and not playing:
        return stages
    sizes = {setting: _book_tokens(plan.seed, configs, setting) for setting in kumo_plan.settings}
    if authoring.writer:
        stages += _books(kumo_plan, sizes, prices)
    return [
        *stages,
        *(
            _episodes(kumo_plan, plan, name, sizes, prices, version, shares[version])
            for version in plan.versions
            for name in playing
            if plays_version(players, name, version)
        ),
    ]


def _configurations(authoring: AuthoringPlan, prices: Prices) -> Iterable[StageEstimate]:
    size = _tokens(bundled_text(next(iter(bundled_domains()))))
    attempts = 1 + authoring.repairs
    least = _Work.alike(2 * authoring.proposals, _PROMPT, size / 2)
    most = _Work.alike(
        authoring.proposals * (1 + attempts * (1 + authoring.continuations)), _PROMPT + size, size
    )
    for role, name in (("configurer", "configs"), ("second_configurer", "second configs")):
        if model := getattr(authoring, role):
            yield _stage(name, model, least, most, prices)


def _books(plan: KumoPlan, sizes: Mapping[Setting, int], prices: Prices) -> Iterable[StageEstimate]:
    domains = plan.n_domains
    number = domains * len(sizes) * plan.instances
    mean = sum(sizes.values()) / len(sizes)
    rounds = plan.authoring.book_rounds
    written = _Work.alike(number, _PROMPT + mean, mean)
    checked = _Work.alike(number, _PROMPT + mean, mean)
    revised = _Work.alike(number * (1 + 2 * rounds), _PROMPT + 2 * mean, mean)
    for role, which in (("writer", ""), ("second_writer", "second ")):
        if writer := getattr(plan.authoring, role):
            reviser = plan.authoring.reviser_of(role).model
            yield _stage(f"{which}books", writer, written, written, prices, may_batch=True)
            yield _stage(f"{which}check, revision", reviser, checked, revised, prices, may_batch=True)
            if judge := plan.authoring.judge:
                judged = _Work.alike(number * (1 + rounds), _PROMPT + 2 * mean, _REPLY)
                yield _stage(f"{which}judgement", judge, checked, judged, prices, may_batch=True)


def _episodes(
    kumo_plan: KumoPlan,
    plan: EvaluationPlan,
    player: str,
    sizes: Mapping[Setting, int],
    prices: Prices,
    version: str,
    share: tuple[float, float],
) -> StageEstimate:
    chosen = parse_model_player(player, plan.params_of, VARIANTS)
    choice = chosen.choice
    episodes = kumo_plan.n_domains * kumo_plan.instances * plan.runs
    long_reply = min(_LONG_REPLY, completion_bound(choice.params) or _LONG_REPLY)
    least, most = _Work(0, 0, 0), _Work(0, 0, 0)
    for setting, book in sizes.items():
        if version in RELIABILITIES and not may_fit(setting):
            continue
        size = 0 if chosen.variant == CLOSED else book * AMONG.get(version, 1)
        # The optimum takes about 1.5 tests for each halving of the truths; one turn more names the truth.
        turns = 1 + 1.5 * log2(max(2, setting.n_truths))
        fewest, largest = (episodes * part for part in share)
        usual = _conversations(fewest, turns, size, min(_REPLY, long_reply))
        longest = _conversations(largest, min(50, 2 * turns), size, long_reply)
        least, most = (
            _Work(*map(sum, zip(*pair, strict=True))) for pair in ((least, usual), (most, longest))
        )
    books = "" if version in RELIABILITIES else " books"
    stage = "episodes" if version == USUAL else f"episodes, {version}{books}"
    return _stage(stage, player, least, most, prices, choice.model)


def _conversations(episodes: float, turns: float, book: int, reply: float) -> _Work:
    """The calls of so many episodes: each turn sends all that was said before it once more."""
    prompt = _PROMPT + book + (turns + 1) / 2 * _TURN + (turns - 1) / 2 * reply
    return _Work.alike(episodes * turns, prompt, reply)


def _stage(
    stage: str,
    model: str,
    least: _Work,
    most: _Work,
    prices: Prices,
    priced_as: str = "",
    may_batch: bool = False,
) -> StageEstimate:
    price = prices.get(priced_as or model)
    in_batches = may_batch and price is not None and price.batch_share < 1
    if price is not None and in_batches:
        price = price.in_batch()
    return estimate_stage(
        stage,
        model,
        price,
        calls=(least.calls, most.calls),
        prompts=(least.prompts, most.prompts),
        completions=(least.completions, most.completions),
        in_batches=in_batches,
    )


def _book_tokens(seed: int, configs: Sequence[SeedConfig], setting: Setting) -> int:
    """The mean size of a book of this setting over the plan's domains, in tokens."""
    measured = configs or [parse_config(bundled_text(next(iter(bundled_domains()))), "bundled domain")]
    return ceil(sum(_tokens(_some_book(seed, config, setting)) for config in measured) / len(measured))


def _some_book(seed: int, config: SeedConfig, setting: Setting) -> str:
    encoded = encode_config(config)
    rng = derive_rng(seed, "estimate", 0)
    truths = rng.sample(encoded.truths, min(setting.n_truths, len(encoded.truths)))
    actions = rng.sample(encoded.actions, min(setting.n_actions, len(encoded.actions)))
    nothing_seen = tuple(None for _ in actions)
    instance = Instance(
        truths=tuple(truths),
        actions=tuple(actions),
        states=nothing_seen,
        observations=("",) * len(actions),
        valid_truths=(),
        seed=seed,
        index=0,
    )
    return write_book(config, instance, rules_of(encoded, instance), rng)


def _tokens(text: str) -> int:
    return ceil(len(text) / _CHARACTERS_PER_TOKEN)


def estimate_refresh(
    prepared: Prepared, players: Players, plan: EvaluationPlan, prices: Prices
) -> list[StageEstimate]:
    """Estimate the model calls of all stages of an edition and of its evaluation."""
    kumo_plan, domains = KumoPlan.from_json(prepared.own), prepared.inputs or ()
    # Some world is of the size of those that the edition's seed will give.
    configs = [domain.config for domain in domains] + [draw_world(0, 0).config] * bool(kumo_plan.worlds)
    if kumo_plan.counterfactual:
        configs += [make_counterfactual(domain.config, 0) for domain in domains]
    return estimate_calls(kumo_plan, configs, players, plan, prices)


def estimate_evaluation(
    store: Store, players: Players, plan: EvaluationPlan, prices: Prices
) -> list[StageEstimate]:
    """Return the model calls of an evaluation of a published edition, before any of them is made."""
    rows = store.read_table(table_file("kumo_seed_configs", plan.edition), ["config"]).to_pylist()
    configs = [parse_config(row["config"], plan.edition) for row in rows]
    grown = KumoPlan.from_json(read_published_plan(store, plan.edition).own)
    # Of its stages only the episodes are still to come, in whichever way its domains came.
    ids = tuple(config.config_id for config in configs)
    kumo_plan = replace(grown, configs=ids, worlds=0, authoring=AuthoringPlan(), counterfactual=False)
    return estimate_calls(kumo_plan, configs, players, plan, prices, _shares_of_books(store, plan))


def _shares_of_books(store: Store, plan: EvaluationPlan) -> dict[str, tuple[float, float]]:
    """The share of the instances that have each version of the book, as least and largest share."""
    shares = dict.fromkeys((USUAL, *AMONG, *RELIABILITIES), (1.0, 1.0))
    if set(plan.versions) - set(shares):
        table = store.read_table(table_file("kumo_books", plan.edition), ["version"])
        counts = Counter(table["version"].to_pylist())
        for version in plan.versions:
            share = counts[version] / max(1, counts["final"])
            shares.setdefault(version, (share, share))
    return shares


def _preparation(plan: KumoPlan, domains: tuple[PlannedDomain, ...]) -> Prepared:
    summary: dict[str, object] = {"domains": [domain.config.name for domain in domains]}
    if plan.domain_count:
        summary["turns"] = {domain.config.name: domain.turn for domain in domains}
    n_domains = plan.n_domains
    number = n_domains * len(plan.settings) * plan.instances
    writers = [role for role in ("writer", "second_writer") if getattr(plan.authoring, role)]
    books = number * (1 + len(writers))  # the template's beside those of models
    uses = {
        "authoring": plan.authoring.models,
        "rest_editions": plan.domain_count,
        "worlds": plan.worlds,
        "counterfactual": plan.counterfactual,
        "sparse": plan.sparse,
    }
    return Preparation(
        plan.as_json(),
        inputs=domains,
        warnings=tuple(warning for domain in domains for warning in _first_warnings(domain)),
        authors=tuple(map(plan.authoring.choice_of, plan.authoring.models)),
        shown=summary,
        unused=tuple(name for name, used in uses.items() if not used),
        counts={"instances": number, "books": books},
        sizes={setting.name: (n_domains, n_domains * plan.instances) for setting in plan.settings},
    )


def _first_warnings(domain: PlannedDomain) -> tuple[str, ...]:
    """What is printed of the domain's warnings; its row of kumo_seed_configs has them all."""
    hidden = len(domain.warnings) - _WARNINGS_SHOWN
    if hidden <= 1:
        return domain.warnings
    more = (
        f"domain {domain.config.name!r}: {hidden} more warnings, which kumo_seed_configs.warnings will hold"
    )
    return (*domain.warnings[:_WARNINGS_SHOWN], more)


def _resume(plan: EditionPlan, published: bool, candidates: Sequence[PlannedDomain]) -> Prepared:
    return _preparation(KumoPlan.from_json(plan.own), _resume_domains(plan, published, candidates))


def _choose_domains(
    candidates: tuple[PlannedDomain, ...], number: int | None, rest_editions: int, store: Store
) -> tuple[PlannedDomain, ...]:
    """The domains whose turn it is: all of them where they take no turns."""
    if number is None:
        return candidates
    ids = [domain.config.domain_id for domain in candidates]
    turns = take_turns(ids, domains_by_edition(store), number, rest_editions) if number else ()
    return tuple(replace(candidates[turn.index], turn=turn.why) for turn in turns)


def _resume_domains(
    plan: EditionPlan, published: bool, candidates: Sequence[PlannedDomain]
) -> tuple[PlannedDomain, ...]:
    """The domains of an edition that was begun, whosever turn it would be now.

    Raises EditionConflict where one of them is no longer given, or no longer the same.
    """
    by_config = {domain.config.config_id: domain for domain in candidates}
    kumo_plan = KumoPlan.from_json(plan.own)
    missing = [config_id for config_id in kumo_plan.configs if config_id not in by_config]
    if missing and not published:
        raise EditionConflict(
            f"edition {plan.edition!r} was begun with configuration {missing[0]}, which is not among the "
            f"{len(by_config)} domains that are given now: give the same domains to resume, or remove its "
            "staging folder"
        )
    begun = (by_config[config_id] for config_id in kumo_plan.configs if config_id in by_config)
    return tuple(replace(domain, turn=f"edition {plan.edition} was begun with it") for domain in begun)


def _refuse_no_fact(settings: KumoSettings, candidates: Sequence[PlannedDomain], n_domains: int) -> None:
    if settings.protocol != PERENNIAL:
        raise InvalidOption(
            f"--counterfactual: --protocol {settings.protocol} has no words for facts that are not true; "
            "leave one of the two out"
        )
    if not n_domains:
        raise InvalidOption(
            "--counterfactual exchanges the facts of given domains, and there are none: name some with "
            "--domains, or give --domain-count 3"
        )
    for domain in candidates:
        if domain.config.is_counterfactual:
            raise InvalidOption(
                f"domain {domain.config.name!r} is counterfactual already: leave --counterfactual out, or "
                "name the true domain alone"
            )


def _refuse_larger_than_worlds(sizes: Sequence[Setting], worlds: int) -> None:
    for size in sizes:
        if size.n_truths > LEAST_TRUTHS or size.n_actions > LEAST_ACTIONS:
            raise InvalidOption(
                f"setting {size.name}: a world has {LEAST_TRUTHS} truths and {LEAST_ACTIONS} actions at "
                f"least, and {worlds} are to be drawn: use a smaller setting, or --worlds 0"
            )
