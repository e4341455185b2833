"""From a rule with its inputs and outputs to the row of an item."""

import json
import random
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from perennial.prompts.render import template_hash
from perennial.schemas.a2rbench.things import OURS, Item, RuleType
from perennial.schemas.ids import canonical_json, content_id
from perennial.tasks.a2rbench.catalogue import FORWARD, INVERSE, Dimension, Rule, Value
from perennial.tasks.a2rbench.fits import Fits, find_fits
from perennial.tasks.a2rbench.inputs import Example, find_trivial
from perennial.tasks.a2rbench.item_text import TEMPLATE, form_of, read_prompt, write_prompt
from perennial.tasks.a2rbench.measures import compression_of, measure_code
from perennial.tasks.a2rbench.replies import read_answer, write_answer
from perennial.tasks.a2rbench.values import fault_of_shape, map_tokens, tokens_of
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, run_code, run_purely, try_twice


@dataclass(frozen=True, slots=True)
class AuthoredRule:
    """A rule that a model or a file supplied; its code runs in the sandbox alone."""

    name: str
    author: str
    dimension: Dimension
    type: RuleType
    description: str
    inverse_description: str
    code: str
    steps: None = None


# What a rule is to all that runs it, whoever wrote it: words, and a script with both functions.
CodedRule = Rule | AuthoredRule
PREFIX = "a2r"


@dataclass(frozen=True, slots=True)
class ItemParts:
    """What an item shows and asks: examples, query, and the answer to it."""

    examples: tuple[Example, ...]
    query: Value
    answer: Value

    @property
    def inputs(self) -> list[Value]:
        """The inputs of the examples, and the query last."""
        return [*(source for source, _ in self.examples), self.query]

    @property
    def outputs(self) -> list[Value]:
        """The outputs of the examples, and the answer last."""
        return [*(wanted for _, wanted in self.examples), self.answer]


def show(inputs: Sequence[Value], outputs: Sequence[Value]) -> ItemParts:
    """Return what an item of these inputs, the query last, and their outputs shows."""
    return ItemParts(tuple(zip(inputs[:-1], outputs[:-1], strict=True)), inputs[-1], outputs[-1])


def instance_id(puzzle: ItemParts) -> str:
    """Return the id of examples and query, whatever rule they came from."""
    return content_id(PREFIX, puzzle.examples, puzzle.query)


def write_item(
    rule: CodedRule,
    variation: int,
    puzzle: ItemParts,
    fits: Fits,
    *,
    seed_item: str = "",
    original_id: str | None = None,
    phi: Mapping[str, str] | None = None,
    commutes: bool | None = None,
    rejected_draws: int = 0,
) -> Item:
    """Return the row; it is its own seed item where none is given."""
    item_id, compression = instance_id(puzzle), compression_of(puzzle.inputs)
    return Item(
        instance_id=item_id,
        seed_item=seed_item or item_id,
        rule=rule.name,
        author=rule.author,
        type=rule.type,
        dimension=rule.dimension,
        variation=variation,
        is_remapped=original_id is not None,
        of=original_id,
        description=rule.description,
        inverse_description=rule.inverse_description,
        code=rule.code,
        examples=canonical_json(puzzle.examples),
        query=canonical_json(puzzle.query),
        answer=canonical_json(puzzle.answer),
        phi=None if phi is None else canonical_json(dict(phi)),
        commutes=commutes,
        fits=fits.count,
        fits_other=len(fits.other),
        **asdict(measure_code(rule.code)),
        gzip=compression.gzip,
        deflate=compression.deflate,
        prompt=write_prompt(rule.dimension, list(puzzle.examples), puzzle.query),
        template_hash=template_hash(TEMPLATE),
        rejected_draws=rejected_draws,
        steps=rule.steps,
    )


# Symbol remapping P1: other tokens, the same structure, and whether the rule stands it (section 3.3).

# Signs that no item has: Greek and Cyrillic letters that look like no Latin one.
SIGNS = tuple("αβγδεζηθλμξπρσφψωБДЖЗЛФЦЧШЩЭЮЯΓΘΞΣΨΩИЫ")


def draw_remapping(values: Sequence[Value], rng: random.Random) -> dict[str, str] | None:
    """Return a sign for each token of the values; None where there are more tokens than signs."""
    tokens = sorted(set(tokens_of(list(values))))
    if len(tokens) > len(SIGNS):
        return None
    return dict(zip(tokens, rng.sample(SIGNS, len(tokens)), strict=True))


def remap(value: Value, phi: Mapping[str, str]) -> Value:
    """Return the value with each token replaced."""
    return map_tokens(value, phi.__getitem__)


# Try inputs of an item: run the rule's code on them, and test what that gives.
#
# Outputs come from the rule's code, run in the sandbox, and never from an author.


class UnfitItem(Exception):
    """An item that players must not be shown: a named reason, and why in one line."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


def run_inputs(
    rule: CodedRule, inputs: Sequence[Sequence[Value]], jail: Jail, hash_seeds: Sequence[int]
) -> list[ItemParts | UnfitItem]:
    """Return what each list of inputs, the query last, shows; UnfitItem where its cycle does not close.

    The rule runs with each of the hash seeds, its inverse with every other one. Raises Refused where the
    sandbox refuses the code on any of them (section 3.1: g(f(x)) = x).
    """
    flat = [value for values in inputs for value in values]
    if not flat:
        return []
    outputs = run_purely(rule.code, FORWARD, flat, jail=jail, hash_seeds=hash_seeds)
    # In processes that never saw the inputs: a rule cannot remember what it was given.
    back = run_purely(rule.code, INVERSE, outputs, jail=jail, hash_seeds=hash_seeds[1::2] or hash_seeds)
    tried: list[ItemParts | UnfitItem] = []
    start = 0
    for values in inputs:
        part = slice(start, start + len(values))
        tried.append(_test_cycle(rule, list(values), outputs[part], back[part]))
        start += len(values)
    return tried


def _test_cycle(
    rule: CodedRule, inputs: list[Value], outputs: list[Value], back: list[Value]
) -> ItemParts | UnfitItem:
    for number, (source, output, returned) in enumerate(zip(inputs, outputs, back, strict=True), 1):
        if returned != source:
            return UnfitItem("open_cycle", f"the inverse does not give back input {number}")
        fault = fault_of_shape(output, rule.dimension)
        if fault:
            return UnfitItem("bad_shape", f"the output of input {number} is {fault}")
    return show(inputs, outputs)


def check_item(
    rule: CodedRule,
    variation: int,
    puzzle: ItemParts,
    seen: Container[str],
    issued: Container[str] = frozenset(),
) -> Fits:
    """Return the programs that fit an item, which has one answer.

    `known` are ids of items, `issued` content hashes of those of earlier editions. Raises UnfitItem for an
    item that is there already, in which nothing changes, whose answer is trivial, or that a program fits that
    gives another answer.
    """
    item_id = instance_id(puzzle)
    if item_id in seen or item_id.removeprefix(f"{PREFIX}_") in issued:
        raise UnfitItem("not_new", "there is an item with these examples and this query already")
    changed = [source != wanted for source, wanted in zip(puzzle.inputs, puzzle.outputs, strict=True)]
    if not any(changed[:-1]) or (variation == 0 and 2 * sum(changed) <= len(changed)):
        raise UnfitItem("unchanged", "the rule changes none of the examples, or of a seed only a few")
    why = find_trivial(rule.dimension, puzzle.examples, puzzle.query, puzzle.answer)
    if why:
        raise UnfitItem("trivial", why)
    fits = find_fits(rule.dimension, puzzle.examples, puzzle.query, rule.author in OURS)
    why = fault_of_fits(rule, puzzle, fits)
    if why:
        raise UnfitItem("not_unique", why)
    return fits


def fault_of_fits(rule: CodedRule, puzzle: ItemParts, fits: Fits) -> str:
    """Return why the programs that fit leave the item without one answer, "" where they agree with it.

    A rule of perennial's is among those that fit; what a model wrote need not be.
    """
    if fits.count and (fits.other or fits.answer != puzzle.answer):
        return "a program that fits the examples gives another answer"
    if not fits.count and rule.author in OURS:
        return "the rule itself does not fit the examples"
    return ""


# The gate's test of all items of one rule, before anybody plays: run again, compared, read back.


@dataclass
class TestedItems:
    """What holds of the items of one rule, counted, and what does not (`faults`, in words)."""

    items: int = 0
    outputs: int = 0
    cycles: int = 0
    unique: int = 0
    prompts: int = 0
    copies: int = 0
    faults: list[str] = field(default_factory=list)


def check_items(rule: CodedRule, items: Sequence[Item], jail: Jail, hash_seeds: Sequence[int]) -> TestedItems:
    """Return what holds of the items of a rule; its code runs with each of the hash seeds.

    The stored code gives the stored outputs in fresh processes, and its inverse the inputs in other ones;
    all values have the rule's shape; the answer is not trivial; the programs that fit are searched
    for again and agree; a copy is the
    image of its original; the prompt is read back; all columns are those that are computed again.
    """
    tested = TestedItems(len(items))
    puzzles: dict[str, ItemParts] = {}
    for item in items:
        if item.rule != rule.name or item.code != rule.code:
            tested.faults.append(f"{item.instance_id}: the code is not that of {rule.name}")
            continue
        try:
            examples, query, answer = map(json.loads, (item.examples, item.query, item.answer))
            puzzles[item.instance_id] = ItemParts(tuple((x, y) for x, y in examples), query, answer)
        except (ValueError, TypeError):
            tested.faults.append(f"{item.instance_id}: examples, query or answer are no JSON of values")
    items_by_id = {item.instance_id: item for item in items if item.instance_id in puzzles}
    if len(items_by_id) < len(items) and not tested.faults:
        tested.faults.append("an item is there twice")
    _check_prompts(list(items_by_id.values()), tested)
    for seed_item in dict.fromkeys(item.seed_item for item in items_by_id.values()):
        of_seed = [item for item in items_by_id.values() if item.seed_item == seed_item]
        _check_runs(rule, of_seed, puzzles, tested, jail, hash_seeds)
    for item in items_by_id.values():
        _check_item(rule, item, items_by_id, puzzles, tested)
    return tested


def _check_runs(
    rule: CodedRule,
    items: Sequence[Item],
    puzzles: Mapping[str, ItemParts],
    tested: TestedItems,
    jail: Jail,
    hash_seeds: Sequence[int],
) -> None:
    def run(function: str, values: Sequence[Value]) -> list[list[Value]]:
        tried = partial(run_code, rule.code, function, values, jail=jail)
        return [try_twice(partial(tried, hash_seed=hash_seed)) for hash_seed in hash_seeds]

    inputs = [value for item in items for value in puzzles[item.instance_id].inputs]
    wanted = [value for item in items for value in puzzles[item.instance_id].outputs]
    try:
        outputs, back = run(FORWARD, inputs), run(INVERSE, wanted)
    except SandboxRefusal as error:
        tested.faults.append(f"{items[0].seed_item}: the sandbox refuses to run it ({error})")
        return
    same = [all(run == value for run in runs) for value, *runs in zip(wanted, *outputs, strict=True)]
    closed = [all(run == value for run in runs) for value, *runs in zip(inputs, *back, strict=True)]
    tested.outputs += sum(same)
    tested.cycles += sum(closed)
    if not all(same):
        tested.faults.append(f"{items[0].seed_item}: {same.count(False)} outputs are not those of the code")
    if not all(closed):
        tested.faults.append(f"{items[0].seed_item}: {closed.count(False)} cycles do not close")


def _check_item(
    rule: CodedRule,
    item: Item,
    items: Mapping[str, Item],
    puzzles: Mapping[str, ItemParts],
    tested: TestedItems,
) -> None:
    holds = puzzles[item.instance_id]
    for value in (*holds.inputs, *holds.outputs):
        fault = fault_of_shape(value, rule.dimension)
        if fault:
            tested.faults.append(f"{item.instance_id}: {fault}")
            return
    fits = find_fits(rule.dimension, holds.examples, holds.query, rule.author in OURS)
    fault = find_trivial(rule.dimension, holds.examples, holds.query, holds.answer)
    fault = fault or fault_of_fits(rule, holds, fits)
    if fault:
        tested.faults.append(f"{item.instance_id}: {fault}")
    else:
        tested.unique += 1
    if item.is_remapped or item.of is not None:
        _check_copy(item, items, puzzles, tested)
    seed = items.get(item.seed_item)
    if seed is None or seed.variation != 0 or seed.is_remapped:
        tested.faults.append(f"{item.instance_id}: its seed item is none")
    _check_columns(rule, item, holds, fits, tested)


def _check_copy(
    item: Item, items: Mapping[str, Item], puzzles: Mapping[str, ItemParts], tested: TestedItems
) -> None:
    """Compare a copy with the image of its original under phi."""
    original = items.get(item.of or "")
    if original is None or original.is_remapped or original.variation != item.variation:
        tested.faults.append(f"{item.instance_id}: it is a copy of no item of its rule and variation")
        return
    phi = json.loads(item.phi or "{}")
    holds = puzzles[original.instance_id]
    try:
        image = show(remap(holds.inputs, phi), remap(holds.outputs, phi))
    except LookupError:
        image = None
    tokens = set(tokens_of([*holds.inputs, *holds.outputs]))
    if image != puzzles[item.instance_id] or set(phi) != tokens or len(set(phi.values())) < len(phi):
        tested.faults.append(f"{item.instance_id}: it is not the image of its original under phi")
    else:
        tested.copies += 1
    if not (original.commutes and item.commutes):
        tested.faults.append(f"{item.instance_id}: a copy although the rule is not said to commute")


def _check_columns(rule: CodedRule, item: Item, holds: ItemParts, fits: Fits, tested: TestedItems) -> None:
    """Find columns that differ from those of the item when it is written once more."""
    again = write_item(
        rule,
        item.variation,
        holds,
        fits,
        seed_item=item.seed_item,
        original_id=item.of,
        phi=None if item.phi is None else json.loads(item.phi),
        commutes=item.commutes,
        rejected_draws=item.rejected_draws,
    )
    if again != item:
        names = [name for name in Item.__slots__ if getattr(again, name) != getattr(item, name)]
        tested.faults.append(f"{item.instance_id}: {', '.join(names)} are not what the item gives")


def _check_prompts(items: Sequence[Item], tested: TestedItems) -> None:
    """Read each prompt back, and grade its answer and the query as replies."""
    seen: set[str] = set()
    for item in items:
        if item.prompt in seen:
            tested.faults.append(f"{item.instance_id}: another item shows the same prompt")
        seen.add(item.prompt)
        try:
            examples, query = read_prompt(item.prompt)
            is_same = [list(pair) for pair in examples] == json.loads(item.examples)
            is_same = is_same and query == json.loads(item.query)
        except ValueError:
            is_same = False
        if is_same:
            tested.prompts += 1
        else:
            tested.faults.append(f"{item.instance_id}: the prompt shows other examples or another query")
        read = read_answer(f"{item.examples} {write_answer(json.loads(item.answer))}", form_of(item.prompt))
        if read is None or read.answer != item.answer:
            tested.faults.append(f"{item.instance_id}: the right answer is not graded as right")
