"""From a rule with its inputs and outputs to the row of an item."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from perennial.schemas.a2rbench.item import Item
from perennial.schemas.ids import canonical_json, content_id
from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.coded_rule import CodedRule
from perennial.tasks.a2rbench.fits import Example, Fits
from perennial.tasks.a2rbench.measures.ast_measures import measure_code
from perennial.tasks.a2rbench.measures.compression import compression_of
from perennial.tasks.a2rbench.wording import prompt_hash, write_prompt

PREFIX = "a2r"


@dataclass(frozen=True, slots=True)
class Shown:
    """What an item shows and asks: examples, query, and the answer to it."""

    examples: tuple[Example, ...]
    query: Value
    answer: Value

    @property
    def inputs(self) -> list[Value]:
        """The inputs of the examples, and the query last."""
        return [*(given for given, _ in self.examples), self.query]

    @property
    def outputs(self) -> list[Value]:
        """The outputs of the examples, and the answer last."""
        return [*(wanted for _, wanted in self.examples), self.answer]


def show(inputs: Sequence[Value], outputs: Sequence[Value]) -> Shown:
    """Return what an item of these inputs, the query last, and their outputs shows."""
    return Shown(tuple(zip(inputs[:-1], outputs[:-1], strict=True)), inputs[-1], outputs[-1])


def read_shown(item: Item) -> Shown:
    """Return what the row shows; raise ValueError where its columns are not the JSON of it."""
    examples = json.loads(item.examples)
    return Shown(
        tuple((given, wanted) for given, wanted in examples), json.loads(item.query), json.loads(item.answer)
    )


def instance_id(shown: Shown) -> str:
    """Return the id of examples and query, whatever rule they came from."""
    return content_id(PREFIX, shown.examples, shown.query)


def write_item(
    rule: CodedRule,
    variation: int,
    shown: Shown,
    fits: Fits,
    *,
    seed_item: str = "",
    of: str | None = None,
    phi: Mapping[str, str] | None = None,
    commutes: bool | None = None,
    rejected_draws: int = 0,
) -> Item:
    """Return the row; it is its own seed item where none is given."""
    own, compression = instance_id(shown), compression_of(shown.inputs)
    return Item(
        instance_id=own,
        seed_item=seed_item or own,
        rule=rule.name,
        author=rule.author,
        type=rule.type,
        dimension=rule.dimension,
        variation=variation,
        is_remapped=of is not None,
        of=of,
        description=rule.description,
        inverse_description=rule.inverse_description,
        code=rule.code,
        examples=canonical_json(shown.examples),
        query=canonical_json(shown.query),
        answer=canonical_json(shown.answer),
        phi=None if phi is None else canonical_json(dict(phi)),
        commutes=commutes,
        fits=fits.count,
        fits_other=len(fits.other),
        **asdict(measure_code(rule.code)),
        gzip=compression.gzip,
        deflate=compression.deflate,
        prompt=write_prompt(rule.dimension, list(shown.examples), shown.query),
        template_hash=prompt_hash(),
        rejected_draws=rejected_draws,
    )
