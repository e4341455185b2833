"""An A2RBench edition: its plan, its rules, the batches of these, items from rows, and as they are played."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.a2rbench.things import (
    CATALOGUE,
    DOMAINS,
    DRAWN,
    OURS,
    VARIATIONS,
    A2RBenchPlan,
    Item,
    name_domain,
)
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.schemas.game import Episode
from perennial.schemas.ids import content_id, derive_rng
from perennial.schemas.rows import Rejection, Row, Rows
from perennial.tasks.a2rbench.catalogue import RULES, Rule
from perennial.tasks.a2rbench.grammar import draw_rules, grammar_id
from perennial.tasks.a2rbench.growing import Rejected
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.play import InstanceSeat
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, Protection, require_protection
from perennial.warehouse.a2rbench.published_rules import published_names
from perennial.warehouse.staging import question_row


@lru_cache(maxsize=1)
def catalogue_id() -> str:
    """Return the content id of the catalogue, each rule's name, words and code, and of the grammar."""
    catalogue = [
        (rule.name, rule.description, rule.inverse_description, rule.code) for rule in RULES.values()
    ]
    return content_id("cat", catalogue, grammar_id())


def plan_of(workspace: Workspace) -> A2RBenchPlan:
    """Return A2RBench's own part of the plan of the edition that is staged.

    Raises EditionConflict where catalogue or grammar are not those that the edition was planned with.
    """
    plan = A2RBenchPlan.from_json(workspace.growth.own)
    if plan.catalogue != catalogue_id():
        raise EditionConflict(
            f"edition {workspace.growth.edition!r} was begun with the rules {plan.catalogue}, and "
            f"{catalogue_id()} is installed: install the version of perennial that began it, or begin "
            f"another edition after `perennial editions prune {workspace.growth.edition}`"
        )
    return plan


def jail_of(plan: A2RBenchPlan, policies: Policies) -> Jail:
    """Return the jail of workers that run code of models.

    Raises InvalidOption where nothing protects this machine from it, unless the operator accepts that
    now, or had to when the edition was begun.
    """
    return protect(accept_weak=plan.tier == "none" or bool(policies.own_policy)).jail


def protect(*, accept_weak: bool) -> Protection:
    """Return what protects this machine from code of others; raise InvalidOption as `jail_of` does."""
    try:
        return require_protection(accept_unprotected=accept_weak)
    except SandboxRefusal as error:
        raise InvalidOption(f"{error.detail}, with --accept-weak-sandbox") from None


def rules_of(workspace: Workspace, domain: str) -> dict[str, tuple[Rule, list[int]]]:
    """Return perennial's rules of a cell in this edition by name, with the numbers of their seeds.

    Each drawn seed has a rule that no earlier edition has; the catalogue's rules take their seeds in turn.
    """
    growth, authoring = workspace.growth, plan_of(workspace).authoring
    numbers: dict[str, list[int]] = {name: [] for name in OURS}
    for number in range(plan_of(workspace).seeds):
        numbers.get(authoring.author_of(number), []).append(number)
    earlier = published_names(workspace.staging.store, tuple(growth.known_editions))
    drawn = _draw_rules(domain, workspace.seed, len(numbers[DRAWN]), earlier)
    rules = {rule.name: (rule, [number]) for rule, number in zip(drawn, numbers[DRAWN], strict=True)}
    listed = [rule for rule in RULES.values() if name_domain(rule.dimension, rule.type) == domain]
    derive_rng(workspace.seed, f"a2rbench/rules/{domain}", 0).shuffle(listed)
    for index, rule in enumerate(listed[: len(numbers[CATALOGUE])]):
        rules[rule.name] = rule, numbers[CATALOGUE][index :: len(listed)]
    return rules


_draw_rules = lru_cache(maxsize=2 * len(DOMAINS))(draw_rules)


def batches_of(workspace: Workspace, stage: str) -> list[Batch]:
    """Return a batch of the stage for each rule of perennial's that has seeds."""
    return [Batch(stage, (domain, name)) for domain in DOMAINS for name in rules_of(workspace, domain)]


def item_of(row: Row) -> Item:
    """Return the item of a row of `a2rbench_items`."""
    return Item(**row)


def shared_row(item: Item, number: int, seed: int | None) -> dict[str, object]:
    """Return the item's row of `instances`."""
    # Where an item is missing, so is its index.
    index = {"seed": number, "augmented": number * (VARIATIONS - 1) + item.variation - 1}
    return question_row(
        item.instance_id,
        benchmark="a2rbench",
        domain=item.domain,
        setting=item.setting,
        seed=seed,
        index=index.get(item.setting, number * VARIATIONS + item.variation),
        cluster=item.rule,
        # Rules of different dimensions may have the same code.
        origin=content_id("ao", item.code),
    )


def rejection_rows(stage: str, rule: str, number: int, rejected: Iterable[Rejected]) -> Rows:
    """Return a row of `rejections` for each item of a seed that does not exist."""
    return [
        Rejection(stage, f"{rule} seed {number} V{rejection.variation}", rejection.rule, rejection.why).row()
        for rejection in rejected
    ]


PLAYED = ("instance_id", "answer", "prompt", "template_hash")


@dataclass(frozen=True, slots=True)
class ItemSeat(InstanceSeat):
    """An item as it is played: the prompt as published, the right answer."""

    instance_id: str
    answer: str
    prompt: str
    template_hash: str = ""

    def start(self) -> ItemGame:
        """Return a fresh game of it."""
        return ItemGame(self.prompt, self.answer, self.template_hash)

    def own_rows(self, episode_id: str, episode: Episode[ItemGame]) -> dict[str, list[Row]]:
        """Return the row of `a2rbench_answers`, and of `rejections` where a judge's quotation is not used."""
        game = episode.game
        read, refused = game.answer, game.refused
        row = {
            "episode_id": episode_id,
            "answer": None if read is None else read.answer,
            "rule": None if read is None else read.rule,
            "parse": "none" if read is None else "program" if game.judge_call_id is None else "judge",
            "format_level": None if read is None or game.judge_call_id is not None else read.level,
            "collapsed": read is None,
            "judge_call_id": game.judge_call_id,
        }
        if refused is None:
            return {"a2rbench_answers": [row]}
        fault, call_id = refused
        # By its instance, so that exports leave it out with a private one.
        message = f"{episode.player}, run {episode.run}: {fault.message}"
        rejection = Rejection("episodes", self.instance_id, fault.rule, message, call_id).row()
        return {"a2rbench_answers": [row], "rejections": [rejection]}


def make_seat(row: Row) -> ItemSeat:
    """Return the seat of an item as a row of its table."""
    return ItemSeat(*(row[column] for column in PLAYED))
