"""The overfitting experiment: disjoint halves of a domain, and golden play as training data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from perennial.schemas.errors import InvalidOption, count, join_choices
from perennial.schemas.ids import derive_rng, derive_seed
from perennial.schemas.kumo.things import NAMED_SETTINGS, Instance, SeedConfig
from perennial.tasks.kumo.books import rules_of
from perennial.tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_config, instance_id
from perennial.tasks.kumo.game import SYMBOLIC, Board, KumoGame
from perennial.tasks.kumo.players import PLAYERS
from perennial.tasks.kumo.search.solve import Solution
from perennial.tasks.kumo.statistics import domain_graph

# Split a domain into two that share nothing: one to train on, one to see what was learned.
#
# The paper's way ('Environment split via connection analysis'): truths related to one action are connected;
# connected components, found by depth-first search, are dealt alternately to T1 and T2; an action goes to
# side 1 where all of its related truths lie in T1, else to side 2; its outcomes go with it. The sizes of the
# authors' MedicalINDEnv and MedicalOODEnv are those of `balanced`. A domain whose truths are all connected
# has no such split: `bisection` cuts its weakest connections, and says which.


Method = Literal["components", "balanced", "bisection"]
METHODS: tuple[Method, ...] = get_args(Method)
SIDES = ("IND", "OOD")
_NEEDED = tuple(NAMED_SETTINGS.values())
MOST_CUT = 0.1  # of the relations; the paper's split cuts none
_MADE_SPARSE = (
    "`perennial domains sparse NAME --sparse 8,0 --out FILE` writes one that --method components splits "
    "without a cut, as in the paper"
)
_BISECTIONS = 8  # starts of the search for a cut; the lightest cut is taken


@dataclass(frozen=True, slots=True)
class DomainSplit:
    """Two configurations without a common truth or action; what each lacks of the domain is named.

    `components` are the numbers of truths of the connected components, in the order in which they were
    found. `cut` are pairs of an action and a truth of the other side that it ruled out: that rule-out is in
    neither side. `dropped` are the truths that nothing rules out any more, which are in neither side either.
    `relations` is the number of pairs of an action and a truth that it can rule out, in the whole domain.
    """

    sides: tuple[SeedConfig, SeedConfig]
    components: tuple[int, ...]
    relations: int
    cut: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def cut_text(self) -> str:
        """How many of the domain's relations are in neither side."""
        share = len(self.cut) / max(1, self.relations)
        return f"{len(self.cut):,} of {self.relations:,} relations of an action to a truth ({share:.1%})"


def split_domain(config: SeedConfig, method: Method, *, accept_cut: bool = False) -> DomainSplit:
    """The domain's two sides, `NAME IND` and `NAME OOD`.

    Raises InvalidOption where a side is too small for easy and hard instances, and where more than MOST_CUT
    of the relations would be cut, unless that is accepted.
    """
    if method not in METHODS:
        raise InvalidOption(f"--method {method}: expected {join_choices(METHODS)}")
    components = connected_truths(config)
    related = _related_truths(config)
    if method == "bisection":
        first = _bisect(config)
        homes = _homes(related, first)
    else:
        if method == "components":
            first = frozenset[str]().union(*components[::2])
        else:
            first = _deal_to_smaller(sorted(components, key=len, reverse=True))
        homes = {action: truths <= first for action, truths in related.items()}
    sides = (_side(config, homes, first, True), _side(config, homes, first, False))
    kept = {truth for side in sides for truth in side.truths}
    cut = tuple(
        (action, truth)
        for action, truths in related.items()
        for truth in config.truths
        if truth in truths and (truth in first) != homes[action]
    )
    split = DomainSplit(
        sides,
        tuple(len(component) for component in components),
        sum(map(len, related.values())),
        cut,
        tuple(truth for truth in config.truths if truth not in kept),
    )
    _require_size(config, split, method)
    if len(cut) > MOST_CUT * split.relations and not accept_cut:
        raise InvalidOption(
            f"domain {config.name!r}: --method {method} cuts {split.cut_text}, more than {MOST_CUT:.0%}, so "
            f"that its sides are other domains; {_MADE_SPARSE}, or give --accept-cut"
        )
    return split


def connected_truths(config: SeedConfig) -> list[frozenset[str]]:
    """The connected components of the truth graph, in the order of the first truth of each."""
    from networkx import connected_components

    return [frozenset(component) for component in connected_components(domain_graph(config))]


def describe_overlap(split: DomainSplit) -> list[str]:
    """What the sides have in common that they should not: nothing, a line each otherwise."""
    first, second = split.sides
    problems = [
        f"{kind} {name!r} is in both sides"
        for kind, names, others in (
            ("truth", first.truths, second.truths),
            ("action", first.actions, second.actions),
        )
        for name in names
        if name in set(others)
    ]
    for side, other in ((first, second), (second, first)):
        problems += [
            f"action {outcome.action!r} of {side.name!r} rules out {truth!r} of {other.name!r}"
            for outcome in side.outcomes
            for state in outcome.states
            for truth in state.rules_out
            if truth in set(other.truths)
        ]
    return problems


def _deal_to_smaller(components: Sequence[frozenset[str]]) -> frozenset[str]:
    """T1 where each component goes to the side with fewer truths, to T1 where both have as many."""
    sides: tuple[set[str], set[str]] = (set(), set())
    for component in components:
        sides[len(sides[0]) > len(sides[1])].update(component)
    return frozenset(sides[0])


def _bisect(config: SeedConfig) -> frozenset[str]:
    """Half of the truths so that few actions relate to truths of both halves (Kernighan and Lin).

    The weight of a link is the number of actions that make it, so that what is cut are the weakest links.
    """
    from networkx import convert_node_labels_to_integers, cut_size
    from networkx.algorithms.community import kernighan_lin_bisection

    graph = domain_graph(config)
    truths = tuple(graph)
    numbered = convert_node_labels_to_integers(graph)
    cuts = []
    for start in range(_BISECTIONS):
        seed = derive_seed(0, "bisection", start) % 2**32
        halves = kernighan_lin_bisection(numbered, weight="weight", seed=seed)
        half = min((sorted(half) for half in halves), key=lambda half: half[:1])
        cuts.append((cut_size(numbered, half, weight="weight"), half))
    return frozenset(truths[number] for number in min(cuts)[1])


def _homes(related: dict[str, frozenset[str]], first: frozenset[str]) -> dict[str, bool]:
    """For each action whether it goes to side 1: to the side of most of its related truths.

    A side that gets fewer than half of the actions takes those of the other that lose least by it: the
    number of different instances grows fast with the number of actions.
    """
    margins = {action: 2 * len(truths & first) - len(truths) for action, truths in related.items()}
    homes = {action: margin >= 0 for action, margin in margins.items()}
    for side in (True, False):
        lacking = max(0, len(homes) // 2 - sum(home is side for home in homes.values()))
        movable = [
            action
            for action, truths in related.items()
            if homes[action] is not side and (truths & first if side else truths - first)
        ]
        homes |= dict.fromkeys(sorted(movable, key=lambda action: abs(margins[action]))[:lacking], side)
    return homes


def _related_truths(config: SeedConfig) -> dict[str, frozenset[str]]:
    encoded = encode_config(config)
    return {
        action: frozenset(truth for i, truth in enumerate(encoded.truths) if mask >> i & 1)
        for action, mask in zip(encoded.actions, encoded.related, strict=True)
    }


def _side(config: SeedConfig, homes: dict[str, bool], first: frozenset[str], is_first: bool) -> SeedConfig:
    """One side, in the configuration's order: its truths that something rules out, or never did."""
    truths = {truth for truth in config.truths if (truth in first) is is_first}
    actions = tuple(action for action in config.actions if homes.get(action) is is_first)
    outcomes = tuple(outcome.only(truths) for outcome in config.outcomes if outcome.action in set(actions))
    before, after = (
        set[str]().union(*(outcome.ruled_out for outcome in listed)) for listed in (config.outcomes, outcomes)
    )
    kept = tuple(
        truth for truth in config.truths if truth in truths and (truth in after or truth not in before)
    )
    return replace(
        config,
        name=f"{config.name} {SIDES[not is_first]}",
        truths=kept,
        actions=actions,
        outcomes=outcomes,
        truth_notes={name: note for name, note in config.truth_notes.items() if name in kept},
        action_notes={name: note for name, note in config.action_notes.items() if name in actions},
    )


def _require_size(config: SeedConfig, split: DomainSplit, method: Method) -> None:
    too_small = [
        f"side {name} has {count(len(side.truths), 'truth')} and {count(len(side.actions), 'action')}"
        for name, side in zip(SIDES, split.sides, strict=True)
        if any(len(side.truths) < s.n_truths or len(side.actions) < s.n_actions for s in _NEEDED)
    ]
    if too_small:
        sizes = ", ".join(f"{s.name} {s.n_truths} truths and {s.n_actions} actions" for s in _NEEDED)
        remedy = (
            "use another domain" if method == "bisection" else f"{_MADE_SPARSE}; or use --method bisection"
        )
        raise InvalidOption(
            f"domain {config.name!r} cannot be split by --method {method}: its truths form "
            f"{count(len(split.components), 'connected component')}, and {'; '.join(too_small)}, but needed "
            f"are for {sizes}: {remedy}"
        )


# Golden trajectories: a program's play on an instance as the chat of a model that is shown the rules.
#
# The messages are those of the last call of `symbolic:MODEL` in an evaluation, and its reply, word for word
# but for the edition's canary: a trajectory belongs to no edition, and holds the canary of none ('Details of
# overfitting resistance experiment').


Policy = Literal["algorithm-3", "optimum"]
POLICIES: tuple[Policy, ...] = ("algorithm-3", "optimum")


def golden_trajectories(
    encoded: EncodedConfig,
    instances: Sequence[Instance],
    boards: Sequence[EncodedInstance],
    solutions: Sequence[Solution],
    setting: str,
    policy: Policy,
) -> Iterator[dict[str, Any]]:
    """The record of each instance whose search came to its end: `messages`, and what they are of.

    `policy` says whose play it is: Algorithm 3's also where only bounds of the optimum are known.
    Raises InvalidOption where the optimum does not apply to the instances, or the play does not win.
    """
    for instance, board, solution in zip(instances, boards, solutions, strict=True):
        if solution.expected_steps is None:
            continue
        rules = rules_of(encoded, instance)
        game = KumoGame(Board(encoded.config, instance, board, rules=rules, solution=solution))
        messages = _play(game, policy)
        if game.status != "solved":
            raise InvalidOption(
                f"setting {setting}: the play of {policy} does not win instance {instance.index}, so it is "
                "not a golden trajectory: let `perennial domains validate` look at the configuration"
            )
        is_bound = solution.optimum is not None and solution.optimum.status == "bounds"
        yield {
            "messages": messages,
            "instance_id": instance_id(encoded, instance),
            "domain": encoded.config.name,
            "setting": setting,
            "policy": "algorithm-3" if is_bound else policy,
            "tests": game.tests,
            "expected_steps": solution.expected_steps,
            "promise_steps": None if solution.optimum is None else solution.optimum.steps,
            "seed": instance.seed,
            "index": instance.index,
        }


def _play(game: KumoGame, policy: Policy) -> list[dict[str, str]]:
    program = PLAYERS[policy]
    move = program.start(game, derive_rng(game.board.instance.seed, policy, game.board.instance.index))
    opening = game.opening(SYMBOLIC)
    messages = [*opening.kept]
    while game.status is None:
        reply = move()
        game.take(reply)
        if game.status is not None:
            *earlier, last = messages
            messages = [*earlier, {**last, "content": last["content"] + opening.tail}]
        messages.append({"role": "assistant", "content": reply})
        if game.status is None:
            messages.append(game.next_message())
    return [dict(message) for message in messages]
