"""Items that others published: read as they stand, run, and judged by our own rules."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perennial.schemas.a2rbench.things import OURS, Item, RuleType
from perennial.schemas.errors import UnreadableInput, join_choices, quote
from perennial.schemas.ids import canonical_json, derive_rng
from perennial.schemas.json_text import read_json
from perennial.tasks.a2rbench.catalogue import DIMENSIONS, FORWARD, INVERSE, Value
from perennial.tasks.a2rbench.fits import Fits, find_fits
from perennial.tasks.a2rbench.growing import Phi, Rejected, trial_seeds
from perennial.tasks.a2rbench.inputs import find_trivial
from perennial.tasks.a2rbench.item_text import read_prompt, write_prompt
from perennial.tasks.a2rbench.items import (
    SIGNS,
    AuthoredRule,
    ItemParts,
    UnfitItem,
    instance_id,
    show,
    write_item,
)
from perennial.tasks.a2rbench.measures import measure_code
from perennial.tasks.a2rbench.replies import read_answer, write_answer
from perennial.tasks.a2rbench.values import fault_of_form, map_tokens, split_texts, tokens_of
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail, run_code, run_purely

# Symbol remapping of published items: letters and digits become other letters, all else stays.
#
# As the authors do it: spaces, separators and other signs may be structure. An item of tokens of several
# characters is remapped character by character.

# A text may have all 62 letters and digits: Latin letters with accents too.
_SIGNS = (*SIGNS, *"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ")


def draw_character_remapping(values: Sequence[Value], rng: random.Random) -> dict[str, str] | None:
    """Return a sign for each letter and digit of the values; None where there are more than signs.

    No sign stands in the values already.
    """
    characters = {character for token in tokens_of(list(values)) for character in str(token)}
    replaced = sorted(character for character in characters if character.isalnum())
    signs = [sign for sign in _SIGNS if sign not in characters]
    if len(replaced) > len(signs):
        return None
    return dict(zip(replaced, rng.sample(signs, len(replaced)), strict=True))


def remap_characters(value: Value, phi: Mapping[str, str]) -> Value:
    """Return the value with each character replaced; a number becomes a text."""
    return map_tokens(value, lambda token: "".join(phi.get(character, character) for character in str(token)))


# Lines of the authors' release: JSON Lines, an object per item, each with its own code and data.
#
# Each has question_id, author_model, task_type, dimensionality, rule_description, inverse_rule_description,
# python_code and puzzle_data with examples, question_plaintext and answer_ciphertext. Nothing is run here.

MAX_LINES = 10_000
_MAX_CHARACTERS = 1_000_000
_MAX_EXAMPLES = 200
_TYPES: dict[str, RuleType] = {"SymbolicRule": "symbolic", "SemanticRule": "semantic"}
_TEXTS = ("question_id", "author_model", "rule_description", "inverse_rule_description", "python_code")
_DATA = ("examples", "question_plaintext", "answer_ciphertext")
_FIELDS = (*_TEXTS, "task_type", "dimensionality", "puzzle_data")
_LONGEST_NAME = 100
# An expanded item is named by its seed and its variation.
_VARIATION = re.compile(r"(.+)_V(\d)")


@dataclass(frozen=True, slots=True)
class PublishedLine:
    """A line as it was read: its own text, its rule, and the data that it says the rule gives."""

    question_id: str
    text: str
    rule: AuthoredRule
    variation: int
    examples: tuple[tuple[Value, Value], ...]
    query: Value
    answer: Value


def read_lines(text: str, origin: str) -> list[PublishedLine]:
    """Return the items of a file's text, by question_id.

    Raises UnreadableInput, naming `origin`, line and field, for the first line that is not as expected, for
    an id that stands twice, and for more lines than are read.
    """
    lines_by_id: dict[str, PublishedLine] = {}
    for number, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        if len(lines_by_id) == MAX_LINES:
            raise UnreadableInput(f"{origin}: more than {MAX_LINES:,} items; give a smaller file")
        where = f"{origin}, line {number}"
        line = _read_line(raw.strip(), where)
        if lines_by_id.setdefault(line.question_id, line) is not line:
            raise UnreadableInput(f"{where}, field question_id: {quote(line.question_id)} stands twice")
    if not lines_by_id:
        raise UnreadableInput(f"{origin}: it holds no item; expected JSON Lines of A2RBench's release")
    return [lines_by_id[id_] for id_ in sorted(lines_by_id)]


def _read_line(raw: str, where: str) -> PublishedLine:
    if len(raw) > _MAX_CHARACTERS:
        raise UnreadableInput(f"{where}: {len(raw):,} characters, expected at most {_MAX_CHARACTERS:,}")
    value = read_json(raw, where)
    _require(value, _FIELDS, where)

    def expect(is_fit: bool, name: str, expected: str) -> None:
        if not is_fit:
            raise UnreadableInput(f"{where}, field {name}: {quote(value[name])}, expected {expected}")

    for name in _TEXTS:
        expect(isinstance(value[name], str) and bool(value[name].strip()), name, "a text")
    for name in ("question_id", "author_model"):
        is_fit = len(value[name]) <= _LONGEST_NAME and value[name].isprintable() and value[name] not in OURS
        expected = f"at most {_LONGEST_NAME} printable characters, and not {' or '.join(OURS)}"
        expect(is_fit, name, expected)
    type_, dimension = value["task_type"], value["dimensionality"]
    expect(isinstance(type_, str) and type_ in _TYPES, "task_type", join_choices(_TYPES))
    data = value["puzzle_data"]
    _require(data, _DATA, f"{where}, field puzzle_data")
    expect(type(dimension) is int and dimension in DIMENSIONS, "dimensionality", "1, 2 or 3")
    examples = data["examples"]
    if not isinstance(examples, list) or not 0 < len(examples) <= _MAX_EXAMPLES:
        expected = f"expected a list of 1 to {_MAX_EXAMPLES} examples"
        raise UnreadableInput(f"{where}, field examples: {quote(examples)}, {expected}")
    for number, example in enumerate(examples, start=1):
        _require(example, ("input", "output"), f"{where}, field examples, example {number}")
    id_, variation = value["question_id"], _VARIATION.fullmatch(value["question_id"])
    rule = AuthoredRule(
        name=variation[1] if variation else id_,
        author=value["author_model"],
        dimension=dimension,
        type=_TYPES[type_],
        description=value["rule_description"],
        inverse_description=value["inverse_rule_description"],
        code=value["python_code"],
    )
    return PublishedLine(
        question_id=id_,
        text=raw,
        rule=rule,
        variation=int(variation[2]) if variation else 0,
        examples=tuple((example["input"], example["output"]) for example in examples),
        query=data["question_plaintext"],
        answer=data["answer_ciphertext"],
    )


def _require(value: Any, fields: tuple[str, ...], where: str) -> None:
    if not isinstance(value, dict):
        raise UnreadableInput(f"{where}: {quote(value)}, expected an object with {', '.join(fields)}")
    for name in fields:
        if name not in value:
            raise UnreadableInput(f"{where}: the field {name} is missing")


# Run a published item's code: does it give the published outputs, does its cycle close, is the answer one?
#
# The code runs in the sandbox alone. What does not hold is no item; nothing is repaired.

# Of examples, query and answer as JSON: programs of the catalogue are tried on them, outside the sandbox.
_MOST_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Copied:
    """A symbolic item in other characters (P1): phi, and whether the rule commutes with it.

    `puzzle` and `fits` are the copy's; where there is none, `why` says why.
    """

    phi: Phi | None
    commutes: bool | None
    puzzle: ItemParts | None = None
    fits: Fits | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A line that holds: what it shows, the programs that fit, and its copy where it is symbolic."""

    puzzle: ItemParts
    fits: Fits
    copied: Copied | None


def try_line(line: PublishedLine, jail: Jail) -> Held | Rejected:
    """Return what holds of the line, or the rule that it breaks and why."""
    puzzle = ItemParts(line.examples, line.query, line.answer)
    try:
        _check_runs(line, puzzle, jail)
        fits = _check_shown(line, puzzle)
    except SandboxRefusal as error:
        rule = "raises" if error.reason == "raised" else "refused_by_sandbox"
        return Rejected(line.variation, rule, str(error))
    except UnfitItem as error:
        return Rejected(line.variation, error.reason, str(error))
    return Held(puzzle, fits, _copy(line, puzzle, jail) if line.rule.type == "symbolic" else None)


def _check_runs(line: PublishedLine, puzzle: ItemParts, jail: Jail) -> None:
    dimension = line.rule.dimension
    size = len(canonical_json([puzzle.inputs, puzzle.outputs]))
    if size > _MOST_CHARACTERS:
        raise UnfitItem(
            "too_large", f"the data have {size:,} characters, expected at most {_MOST_CHARACTERS:,}"
        )
    for value in (*puzzle.inputs, *puzzle.outputs):
        fault = fault_of_form(value, dimension)
        if fault:
            raise UnfitItem("bad_shape", f"a value has {fault}: {quote(value)}")
    hash_seeds = trial_seeds(line.rule, 0)
    outputs = run_purely(line.rule.code, FORWARD, puzzle.inputs, jail=jail, hash_seeds=hash_seeds)
    different = [index for index, wanted in enumerate(puzzle.outputs) if outputs[index] != wanted]
    if different:
        first = different[0]
        raise UnfitItem(
            "outputs_differ",
            f"the code gives another output for {len(different)} of {len(outputs)} inputs, first for "
            f"{_name_input(first, puzzle)}: {quote(outputs[first])}, "
            f"published {quote(puzzle.outputs[first])}",
        )
    # In processes that never saw the inputs: a rule cannot remember what it was given.
    back = run_purely(line.rule.code, INVERSE, outputs, jail=jail, hash_seeds=hash_seeds[1::2])
    for index, (source, returned) in enumerate(zip(puzzle.inputs, back, strict=True)):
        # The inverse may give rows as lists where the item has texts.
        if fault_of_form(returned, dimension) or _split(returned, line) != _split(source, line):
            raise UnfitItem(
                "open_cycle",
                f"the inverse gives {quote(returned)} for {_name_input(index, puzzle)}, expected "
                f"{quote(source)}",
            )


def _check_shown(line: PublishedLine, puzzle: ItemParts) -> Fits:
    """Return the programs that fit; raise UnfitItem for an item that no player must be shown."""
    try:
        measure_code(line.rule.code)
    except (ValueError, RecursionError):
        raise UnfitItem("no_function", f"the code has no `def {FORWARD}` outside of other blocks") from None
    if all(source == wanted for source, wanted in puzzle.examples):
        raise UnfitItem("unchanged", "the rule changes none of the examples")
    for number, (source, _) in enumerate(puzzle.examples, start=1):
        if _split(source, line) == _split(puzzle.query, line):
            raise UnfitItem("answer_shown", f"the query is the input of example {number}")
    examples = [[source, wanted] for source, wanted in puzzle.examples]
    read, query = read_prompt(write_prompt(line.rule.dimension, list(puzzle.examples), puzzle.query))
    reply = read_answer(write_answer(puzzle.answer))
    if [list(pair) for pair in read] != examples or query != puzzle.query:
        raise UnfitItem("unreadable", "the prompt shows other examples or another query")
    if reply is None or reply.answer != canonical_json(puzzle.answer):
        raise UnfitItem("unreadable", "the right answer is not graded as right")
    return _find_fits(line, puzzle)


def _find_fits(line: PublishedLine, puzzle: ItemParts) -> Fits:
    """Return the programs that fit; raise UnfitItem for a second answer and for a trivial one."""
    examples = [(_split(source, line), _split(wanted, line)) for source, wanted in puzzle.examples]
    query, answer = _split(puzzle.query, line), _split(puzzle.answer, line)
    why = find_trivial(line.rule.dimension, examples, query, answer)
    if why:
        raise UnfitItem("trivial", why)
    fits = find_fits(line.rule.dimension, examples, query, has_grammar=False)
    others = fits.other if fits.answer == answer else fits.agreeing
    if others:
        name = ", then ".join(others[0])
        raise UnfitItem("not_unique", f"{name} fits the examples as well and gives another answer")
    return fits


def _copy(line: PublishedLine, puzzle: ItemParts, jail: Jail) -> Copied:
    """Return the item in other characters; its outputs come from the code as well."""
    values = [*puzzle.inputs, *puzzle.outputs]
    phi = draw_character_remapping(values, derive_rng(0, f"a2rbench/{instance_id(puzzle)}/phi", 0))
    if phi is None:
        return Copied(None, None, why="the item has more letters and digits than there are signs")
    inputs, wanted = (remap_characters(side, phi) for side in (puzzle.inputs, puzzle.outputs))
    try:
        outputs = run_code(line.rule.code, FORWARD, inputs, jail=jail)
    except SandboxRefusal as error:
        return Copied(phi, commutes=False, why=f"the code fails on phi(x): {error!s}")
    for index, (output, other) in enumerate(zip(outputs, wanted, strict=True)):
        if output != other:
            why = f"f(phi(x)) is not phi(f(x)) for {_name_input(index, puzzle)}"
            return Copied(phi, commutes=False, why=why)
    copy = show(inputs, outputs)
    try:
        return Copied(phi, True, copy, _find_fits(line, copy))
    except UnfitItem as error:
        return Copied(phi, commutes=True, why=str(error))


def _split(value: Value, line: PublishedLine) -> Value:
    return split_texts(value, line.rule.dimension)


def _name_input(index: int, puzzle: ItemParts) -> str:
    return "the query" if index == len(puzzle.examples) else f"example {index + 1}"


# From lines that were tried to items: each with its seed item, a copy after its original.


@dataclass
class ImportedLine:
    """A line, the item and the copy that it became, and what of it does not exist, with the reason."""

    line: PublishedLine
    item: Item | None = None
    copy: Item | None = None
    rejected: list[Rejected] = field(default_factory=list)


def write_published(tried: Sequence[tuple[PublishedLine, Held | Rejected]]) -> list[ImportedLine]:
    """Return what became of each line, in the order of rules and variations.

    A rule's V0 is the seed item of its variations, whose code, author and cell it has; without it they are
    none. An item that another line gives already is left out.
    """
    written: list[ImportedLine] = []
    seeds: dict[str, tuple[PublishedLine, Item]] = {}
    issued: set[str] = set()
    for line, outcome in sorted(tried, key=lambda pair: (pair[0].rule.name, pair[0].variation)):
        imported = ImportedLine(line)
        written.append(imported)
        fault = outcome if isinstance(outcome, Rejected) else _find_fault(line, outcome.puzzle, seeds, issued)
        if isinstance(fault, Rejected):
            imported.rejected.append(fault)
            continue
        assert isinstance(outcome, Held)
        seed = seeds.get(line.rule.name)
        copied = outcome.copied
        imported.item = write_item(
            line.rule,
            line.variation,
            outcome.puzzle,
            outcome.fits,
            seed_item=seed[1].instance_id if seed else "",
            commutes=copied.commutes if copied else None,
        )
        issued.add(imported.item.instance_id)
        seeds.setdefault(line.rule.name, (line, imported.item))
        if copied is not None:
            _write_copy(imported, imported.item, copied, issued)
    return written


def _find_fault(
    line: PublishedLine, puzzle: ItemParts, seeds: dict[str, tuple[PublishedLine, Item]], issued: set[str]
) -> Rejected | None:
    """Return why the line is no item beside those before it."""
    seed = seeds.get(line.rule.name)
    if instance_id(puzzle) in issued:
        return Rejected(line.variation, "not_new", "another line has these examples and this query")
    if seed is None:
        why = f"no item is V0 of {line.rule.name}"
        return Rejected(line.variation, "no_seed_item", why) if line.variation else None
    if line.variation == 0:
        return Rejected(0, "not_new", f"{seed[0].question_id} is V0 of {line.rule.name} already")
    rule, other = line.rule, seed[0].rule
    same = (rule.code, rule.author, rule.type, rule.dimension)
    if same != (other.code, other.author, other.type, other.dimension):
        why = f"code, author, type or dimension are not those of {seed[0].question_id}"
        return Rejected(line.variation, "another_rule", why)
    return None


def _write_copy(imported: ImportedLine, original: Item, copied: Copied, issued: set[str]) -> None:
    line, why = imported.line, copied.why
    if copied.puzzle is not None and copied.fits is not None:
        if instance_id(copied.puzzle) not in issued:
            imported.copy = write_item(
                line.rule,
                line.variation,
                copied.puzzle,
                copied.fits,
                seed_item=original.seed_item,
                original_id=original.instance_id,
                phi=copied.phi,
                commutes=True,
            )
            issued.add(imported.copy.instance_id)
            return
        why = "another item has these examples and this query"
    imported.rejected.append(Rejected(line.variation, "not_remapped", why))
