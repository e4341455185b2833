"""How many model calls a plan needs, and what they cost: an estimate before any of them is made.

Text is counted as four characters per token. The size of books and rules is that of a book written for
truths and actions drawn from the plan's domains (or from a bundled one where all are still to be proposed).
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log2
from typing import NamedTuple

from perennial.flows.stages.estimates import estimate_stage
from perennial.schemas.game import USUAL
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.plan import AMONG, RELIABILITIES, AuthoringPlan, KumoPlan, may_fit
from perennial.schemas.kumo.things import Instance, SeedConfig, Setting
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.game import CLOSED, VARIANTS
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.llm.limits import completion_bound
from perennial.tasks.play import Players, parse_model_player, plays_version
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text

_CHARACTERS_A_TOKEN = 4
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
    return ceil(len(text) / _CHARACTERS_A_TOKEN)
