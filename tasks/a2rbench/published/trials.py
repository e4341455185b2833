"""Run a published item's code: does it give the published outputs, does its cycle close, is the answer one?

The code runs in the sandbox alone. What does not hold is no item; nothing is repaired.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from perennial.schemas.errors import quote
from perennial.schemas.ids import canonical_json, derive_rng
from perennial.tasks.a2rbench.catalogue.rule import FORWARD, INVERSE, Value
from perennial.tasks.a2rbench.fits import Fits, find_fits
from perennial.tasks.a2rbench.hash_seeds import trial_seeds
from perennial.tasks.a2rbench.items import Shown, instance_id, show
from perennial.tasks.a2rbench.measures.ast_measures import measure_code
from perennial.tasks.a2rbench.published.copies import draw_character_remapping, remap_characters
from perennial.tasks.a2rbench.published.lines import PublishedLine
from perennial.tasks.a2rbench.replies.answers import read_answer, write_answer
from perennial.tasks.a2rbench.seeds import Phi, Rejected
from perennial.tasks.a2rbench.trials import UnfitItem
from perennial.tasks.a2rbench.uniqueness.trivial import find_trivial
from perennial.tasks.a2rbench.values import fault_of_form, split_texts
from perennial.tasks.a2rbench.wording import read_prompt, write_prompt
from perennial.tasks.sandbox.refusal import Refused
from perennial.tasks.sandbox.run import Jail, run_code, run_purely

# Of examples, query and answer as JSON: programs of the catalogue are tried on them, outside the sandbox.
_MOST_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Copied:
    """A symbolic item in other characters (P1): phi, and whether the rule commutes with it.

    `shown` and `fits` are the copy's; where there is none, `why` says why.
    """

    phi: Phi | None
    commutes: bool | None
    shown: Shown | None = None
    fits: Fits | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A line that holds: what it shows, the programs that fit, and its copy where it is symbolic."""

    shown: Shown
    fits: Fits
    copied: Copied | None


def try_line(line: PublishedLine, jail: Jail) -> Held | Rejected:
    """Return what holds of the line, or the rule that it breaks and why."""
    shown = Shown(line.examples, line.query, line.answer)
    try:
        _check_runs(line, shown, jail)
        fits = _check_shown(line, shown)
    except Refused as error:
        rule = "raises" if error.reason == "raised" else "refused_by_sandbox"
        return Rejected(line.variation, rule, str(error))
    except UnfitItem as error:
        return Rejected(line.variation, error.reason, str(error))
    return Held(shown, fits, _copy(line, shown, jail) if line.rule.type == "symbolic" else None)


def _check_runs(line: PublishedLine, shown: Shown, jail: Jail) -> None:
    dimension = line.rule.dimension
    size = len(canonical_json([shown.inputs, shown.outputs]))
    if size > _MOST_CHARACTERS:
        raise UnfitItem(
            "too_large", f"the data have {size:,} characters, expected at most {_MOST_CHARACTERS:,}"
        )
    for value in (*shown.inputs, *shown.outputs):
        fault = fault_of_form(value, dimension)
        if fault:
            raise UnfitItem("bad_shape", f"a value has {fault}: {quote(value)}")
    hash_seeds = trial_seeds(line.rule, 0)
    outputs = run_purely(line.rule.code, FORWARD, shown.inputs, jail=jail, hash_seeds=hash_seeds)
    different = [place for place, wanted in enumerate(shown.outputs) if outputs[place] != wanted]
    if different:
        first = different[0]
        raise UnfitItem(
            "outputs_differ",
            f"the code gives another output for {len(different)} of {len(outputs)} inputs, first for "
            f"{_name_input(first, shown)}: {quote(outputs[first])}, published {quote(shown.outputs[first])}",
        )
    # In processes that never saw the inputs: a rule cannot remember what it was given.
    back = run_purely(line.rule.code, INVERSE, outputs, jail=jail, hash_seeds=hash_seeds[1::2])
    for place, (given, returned) in enumerate(zip(shown.inputs, back, strict=True)):
        # The inverse may give rows as lists where the item has texts.
        if fault_of_form(returned, dimension) or _split(returned, line) != _split(given, line):
            raise UnfitItem(
                "open_cycle",
                f"the inverse gives {quote(returned)} for {_name_input(place, shown)}, expected "
                f"{quote(given)}",
            )


def _check_shown(line: PublishedLine, shown: Shown) -> Fits:
    """Return the programs that fit; raise UnfitItem for an item that no player must be shown."""
    try:
        measure_code(line.rule.code)
    except (ValueError, RecursionError):
        raise UnfitItem("no_function", f"the code has no `def {FORWARD}` outside of other blocks") from None
    if all(given == wanted for given, wanted in shown.examples):
        raise UnfitItem("unchanged", "the rule changes none of the examples")
    for number, (given, _) in enumerate(shown.examples, start=1):
        if _split(given, line) == _split(shown.query, line):
            raise UnfitItem("answer_shown", f"the query is the input of example {number}")
    examples = [[given, wanted] for given, wanted in shown.examples]
    read, query = read_prompt(write_prompt(line.rule.dimension, list(shown.examples), shown.query))
    reply = read_answer(write_answer(shown.answer))
    if [list(pair) for pair in read] != examples or query != shown.query:
        raise UnfitItem("unreadable", "the prompt shows other examples or another query")
    if reply is None or reply.answer != canonical_json(shown.answer):
        raise UnfitItem("unreadable", "the right answer is not graded as right")
    return _find_fits(line, shown)


def _find_fits(line: PublishedLine, shown: Shown) -> Fits:
    """Return the programs that fit; raise UnfitItem for a second answer and for a trivial one."""
    examples = [(_split(given, line), _split(wanted, line)) for given, wanted in shown.examples]
    query, answer = _split(shown.query, line), _split(shown.answer, line)
    why = find_trivial(line.rule.dimension, examples, query, answer)
    if why:
        raise UnfitItem("trivial", why)
    fits = find_fits(line.rule.dimension, examples, query)
    others = fits.other if fits.answer == answer else fits.agreeing
    if others:
        name = ", then ".join(others[0])
        raise UnfitItem("not_unique", f"{name} fits the examples as well and gives another answer")
    return fits


def _copy(line: PublishedLine, shown: Shown, jail: Jail) -> Copied:
    """Return the item in other characters; its outputs come from the code as well."""
    values: Sequence[Value] = [*shown.inputs, *shown.outputs]
    phi = draw_character_remapping(values, derive_rng(0, f"a2rbench/{instance_id(shown)}/phi", 0))
    if phi is None:
        return Copied(None, None, why="the item has more letters and digits than there are signs")
    inputs, wanted = (remap_characters(each, phi) for each in (shown.inputs, shown.outputs))
    try:
        outputs = run_code(line.rule.code, FORWARD, inputs, jail=jail)
    except Refused as error:
        return Copied(phi, commutes=False, why=f"the code fails on phi(x): {error!s}")
    for place, (one, other) in enumerate(zip(outputs, wanted, strict=True)):
        if one != other:
            why = f"f(phi(x)) is not phi(f(x)) for {_name_input(place, shown)}"
            return Copied(phi, commutes=False, why=why)
    copy = show(inputs, outputs)
    try:
        return Copied(phi, True, copy, _find_fits(line, copy))
    except UnfitItem as error:
        return Copied(phi, commutes=True, why=str(error))


def _split(value: Value, line: PublishedLine) -> Value:
    return split_texts(value, line.rule.dimension)


def _name_input(place: int, shown: Shown) -> str:
    return "the query" if place == len(shown.examples) else f"example {place + 1}"
