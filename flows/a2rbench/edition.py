"""An A2RBench edition: its plan, its rules, the batches of these, items from rows, and as they are played."""

from dataclasses import dataclass
from functools import lru_cache

from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.a2rbench.things import CATALOGUE, DOMAINS, A2RBenchPlan, Item, name_domain
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.schemas.game import Episode
from perennial.schemas.ids import content_id, derive_rng
from perennial.schemas.rows import Rejection, Row
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.catalogue.rule import Rule
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.play import InstanceSeat
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, require_protection


@lru_cache(maxsize=1)
def catalogue_id() -> str:
    """Return the content id of the catalogue: of each rule's name, words and code."""
    return content_id(
        "cat", [(rule.name, rule.description, rule.inverse_description, rule.code) for rule in RULES.values()]
    )


def plan_of(workspace: Workspace) -> A2RBenchPlan:
    """Return A2RBench's own part of the plan of the edition that is staged.

    Raises EditionConflict where the catalogue is not the one that the edition was planned with.
    """
    plan = A2RBenchPlan.from_json(workspace.growth.own)
    if plan.catalogue != catalogue_id():
        raise EditionConflict(
            f"edition {workspace.growth.edition!r} was begun with the catalogue {plan.catalogue}, and "
            f"{catalogue_id()} is installed: install the version of perennial that began it, or begin "
            f"another edition after `perennial editions --prune-staging {workspace.growth.edition}`"
        )
    return plan


def jail_of(plan: A2RBenchPlan, policies: Policies) -> Jail:
    """Return the jail of workers that run code of models.

    Raises InvalidOption where nothing protects this machine from it, unless the operator accepts that
    now, or had to when the edition was begun.
    """
    try:
        return require_protection(accept_unprotected=plan.tier == "none" or bool(policies.own_policy)).jail
    except SandboxRefusal as error:
        raise InvalidOption(f"{error.detail}, with --accept-weak-sandbox") from None


def rules_of(domain: str, seed: int) -> list[Rule]:
    """Return the rules of a cell in the order in which an edition of this seed takes them."""
    rules = [rule for rule in RULES.values() if name_domain(rule.dimension, rule.type) == domain]
    derive_rng(seed, f"a2rbench/rules/{domain}", 0).shuffle(rules)
    return rules


def numbers_of(plan: A2RBenchPlan, domain: str, rule: str, seed: int) -> list[int]:
    """Return the numbers of the seeds of a cell that have this rule: the catalogue's take them in turn."""
    names = [rule.name for rule in rules_of(domain, seed)]
    numbers = [number for number in range(plan.seeds) if plan.authoring.author_of(number) == CATALOGUE]
    return numbers[names.index(rule) :: len(names)]


def batches_of(workspace: Workspace, stage: str) -> list[Batch]:
    """Return a batch of the stage for each rule of the catalogue that has seeds."""
    plan = plan_of(workspace)
    return [
        Batch(stage, (domain, rule.name))
        for domain in DOMAINS
        for rule in rules_of(domain, workspace.seed)
        if numbers_of(plan, domain, rule.name, workspace.seed)
    ]


def item_of(row: Row) -> Item:
    """Return the item of a row of `a2rbench_items`."""
    return Item(**row)


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
