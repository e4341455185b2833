"""The gate's test of all items of one rule, before anybody plays: run again, compared, read back."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from perennial.schemas.a2rbench.item import Item
from perennial.tasks.a2rbench.catalogue.rule import FORWARD, INVERSE, Value
from perennial.tasks.a2rbench.coded_rule import CodedRule
from perennial.tasks.a2rbench.fits import Fits, find_fits
from perennial.tasks.a2rbench.items import Shown, read_shown, show, write_item
from perennial.tasks.a2rbench.remapping import remap
from perennial.tasks.a2rbench.replies.answers import read_answer, write_answer
from perennial.tasks.a2rbench.replies.form import form_of
from perennial.tasks.a2rbench.trials import fault_of_fits
from perennial.tasks.a2rbench.uniqueness.trivial import find_trivial
from perennial.tasks.a2rbench.values import fault_of_shape, tokens_of
from perennial.tasks.a2rbench.wording import read_prompt
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.run import Jail, run_code


@dataclass
class Tested:
    """What holds of the items of one rule, counted, and what does not (`faults`, in words)."""

    items: int = 0
    outputs: int = 0
    cycles: int = 0
    unique: int = 0
    prompts: int = 0
    copies: int = 0
    faults: list[str] = field(default_factory=list)


def check_items(rule: CodedRule, items: Sequence[Item], jail: Jail, hash_seeds: Sequence[int]) -> Tested:
    """Return what holds of the items of a rule; its code runs with each of the hash seeds.

    The stored code gives the stored outputs in fresh processes, and its inverse the inputs in other ones;
    all values have the rule's shape; the answer is not trivial; the programs that fit are searched
    for again and agree; a copy is the
    image of its original; the prompt is read back; all columns are those that are computed again.
    """
    tested = Tested(len(items))
    shown: dict[str, Shown] = {}
    for item in items:
        if item.rule != rule.name or item.code != rule.code:
            tested.faults.append(f"{item.instance_id}: the code is not that of {rule.name}")
            continue
        try:
            shown[item.instance_id] = read_shown(item)
        except (ValueError, TypeError):
            tested.faults.append(f"{item.instance_id}: examples, query or answer are no JSON of values")
    own = {item.instance_id: item for item in items if item.instance_id in shown}
    if len(own) < len(items) and not tested.faults:
        tested.faults.append("an item is there twice")
    _check_prompts(list(own.values()), tested)
    for seed_item in dict.fromkeys(item.seed_item for item in own.values()):
        of_seed = [item for item in own.values() if item.seed_item == seed_item]
        _check_runs(rule, of_seed, shown, tested, partial(_run, jail, hash_seeds))
    for item in own.values():
        _check_item(rule, item, own, shown, tested)
    return tested


def _run(
    jail: Jail, hash_seeds: Sequence[int], code: str, function: str, inputs: Sequence[Value]
) -> list[list[Value]]:
    """Return the outputs with each of the hash seeds; where time ran out, the machine may have been busy."""
    found = []
    for hash_seed in hash_seeds:
        run = partial(run_code, code, function, inputs, jail=jail, hash_seed=hash_seed)
        try:
            found.append(run())
        except Refused as error:
            if error.reason != "time":
                raise
            found.append(run())
    return found


def _check_runs(
    rule: CodedRule,
    items: Sequence[Item],
    shown: Mapping[str, Shown],
    tested: Tested,
    run: Callable[[str, str, Sequence[Value]], list[list[Value]]],
) -> None:
    """Run the code on all inputs of one seed, and its inverse on the outputs that are stored."""
    inputs = [value for item in items for value in shown[item.instance_id].inputs]
    wanted = [value for item in items for value in shown[item.instance_id].outputs]
    try:
        outputs = run(rule.code, FORWARD, inputs)
        back = run(rule.code, INVERSE, wanted)
    except Refused as error:
        tested.faults.append(f"{items[0].seed_item}: the sandbox refuses to run it ({error})")
        return
    same = [all(each == value for each in found) for value, *found in zip(wanted, *outputs, strict=True)]
    closed = [all(each == value for each in found) for value, *found in zip(inputs, *back, strict=True)]
    tested.outputs += sum(same)
    tested.cycles += sum(closed)
    if not all(same):
        tested.faults.append(f"{items[0].seed_item}: {same.count(False)} outputs are not those of the code")
    if not all(closed):
        tested.faults.append(f"{items[0].seed_item}: {closed.count(False)} cycles do not close")


def _check_item(
    rule: CodedRule, item: Item, own: Mapping[str, Item], shown: Mapping[str, Shown], tested: Tested
) -> None:
    holds = shown[item.instance_id]
    for value in (*holds.inputs, *holds.outputs):
        fault = fault_of_shape(value, rule.dimension)
        if fault:
            tested.faults.append(f"{item.instance_id}: {fault}")
            return
    fits = find_fits(rule.dimension, holds.examples, holds.query)
    fault = find_trivial(rule.dimension, holds.examples, holds.query, holds.answer)
    fault = fault or fault_of_fits(rule, holds, fits)
    if fault:
        tested.faults.append(f"{item.instance_id}: {fault}")
    else:
        tested.unique += 1
    if item.is_remapped or item.of is not None:
        _check_copy(item, own, shown, tested)
    seed = own.get(item.seed_item)
    if seed is None or seed.variation != 0 or seed.is_remapped:
        tested.faults.append(f"{item.instance_id}: its seed item is none")
    _check_columns(rule, item, holds, fits, tested)


def _check_copy(item: Item, own: Mapping[str, Item], shown: Mapping[str, Shown], tested: Tested) -> None:
    """Compare a copy with the image of its original under phi."""
    original = own.get(item.of or "")
    if original is None or original.is_remapped or original.variation != item.variation:
        tested.faults.append(f"{item.instance_id}: it is a copy of no item of its rule and variation")
        return
    phi = json.loads(item.phi or "{}")
    holds = shown[original.instance_id]
    try:
        image = show(remap(holds.inputs, phi), remap(holds.outputs, phi))
    except LookupError:
        image = None
    tokens = set(tokens_of([*holds.inputs, *holds.outputs]))
    if image != shown[item.instance_id] or set(phi) != tokens or len(set(phi.values())) < len(phi):
        tested.faults.append(f"{item.instance_id}: it is not the image of its original under phi")
    else:
        tested.copies += 1
    if not (original.commutes and item.commutes):
        tested.faults.append(f"{item.instance_id}: a copy although the rule is not said to commute")


def _check_columns(rule: CodedRule, item: Item, holds: Shown, fits: Fits, tested: Tested) -> None:
    """Find columns that differ from those of the item when it is written once more."""
    again = write_item(
        rule,
        item.variation,
        holds,
        fits,
        seed_item=item.seed_item,
        of=item.of,
        phi=None if item.phi is None else json.loads(item.phi),
        commutes=item.commutes,
        rejected_draws=item.rejected_draws,
    )
    if again != item:
        names = [name for name in Item.__slots__ if getattr(again, name) != getattr(item, name)]
        tested.faults.append(f"{item.instance_id}: {', '.join(names)} are not what the item gives")


def _check_prompts(items: Sequence[Item], tested: Tested) -> None:
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
