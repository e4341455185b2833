"""Players of A2RBench that need no model."""

import json
import random
from dataclasses import dataclass, field
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from perennial.schemas.game import Move, Program
from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.item_text import TEMPLATE, form_of, read_dimension, read_prompt
from perennial.tasks.a2rbench.replies import Answer, read_answer, write_answer
from perennial.tasks.a2rbench.values import join_texts, split_texts, tokens_of
from perennial.tasks.authors import Unusable
from perennial.tasks.play import OneShotGame

# One run on one item (`perennial.schemas.game.Game`): it ends at the first reply, which a judge may read.


class ItemForm(NamedTuple):
    """What is known of an item without its tokens: its cell, its kind, and how many parts its query has.

    `shape` is the number of parts of each axis, by the first part of each.
    """

    domain: str = ""
    variation: int = 0
    is_remapped: bool = False
    shape: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """The form in one line."""
        copy = " copy" if self.is_remapped else ""
        return f"{self.domain} V{self.variation}{copy} {'x'.join(map(str, self.shape))}"


def shape_of(query: Value) -> tuple[int, ...]:
    """Return the numbers of parts of a query, by the first part of each axis."""
    if not isinstance(query, list):
        return ()
    return (len(query), *(shape_of(query[0]) if query else ()))


@dataclass
class ItemGame(OneShotGame):
    """An item as it is played: the prompt, the right answer as canonical JSON, and what was read.

    `form` is for a program that reads no token.
    `judge_call_id` is the call by which a judge was asked, `refused` why its quotation is not used.
    """

    prompt: str
    right: str
    template_hash: str = ""
    form: ItemForm = field(default_factory=ItemForm)
    answer: Answer | None = None
    judge_call_id: str | None = field(default=None, init=False)
    refused: tuple[Unusable, str] | None = field(default=None, init=False)

    @property
    def template(self) -> str:
        """The template of the prompt."""
        return TEMPLATE

    def take(self, reply: str) -> None:
        """Read the reply and compare its answer exactly. The game ends."""
        self.answer = read_answer(reply, form_of(self.prompt))
        if self.answer is None:
            self.end("unparsed")
        else:
            self.end("solved" if self.answer.answer == self.right else "wrong")

    def take_quote(self, answer: str | None, call_id: str) -> None:
        """Compare what the judge quotes of the reply by this call, None where it says that there is none."""
        self.judge_call_id = call_id
        if answer is not None:
            self.answer = Answer(answer, None, 0)
            self.end("solved" if answer == self.right else "wrong")

    def refuse_quote(self, fault: Unusable, call_id: str) -> None:
        """Keep why what the judge said by this call is not used: the reply stays unread."""
        self.judge_call_id, self.refused = call_id, (fault, call_id)


# The most frequent right answers by form of an item, of 1,080 items drawn for it, as JSON.
#
# Forms of which an answer was right more than once; then each cell. Written by
# `python -m tests.benchmarks.a2rbench_guesser --learn`.


USUAL: dict[str, str] = {
    "cube_semantic": '[[["A","H"]]]',
    "cube_symbolic": '[[["8","y"],["q","t"]]]',
    "grid_semantic": '[["3","3"]]',
    "grid_symbolic": '[["r"],["h"],["j"]]',
    "line_semantic": '["O","L"]',
    "line_symbolic": '["8","j","9"]',
}


# The guesser: an answer by the form of an item alone. Its rate is the floor of an edition.


def guess(form: ItemForm) -> str:
    """Return as JSON the answer that was right most often in items of this form, else of this cell."""
    return USUAL.get(form.key) or USUAL.get(form.domain) or "null"


# The players of A2RBench that need no model, by name. They see the prompt's text alone.


def search_prompt(prompt: str) -> str:
    """Return the answer of the first program that fits the examples of a prompt; it names the program."""
    examples, query = read_prompt(prompt)
    dimension = read_dimension(prompt)
    split = [(split_texts(source, dimension), split_texts(wanted, dimension)) for source, wanted in examples]
    fits = find_fits(dimension, split, split_texts(query, dimension))
    if not fits.count:
        return write_answer(None)
    answer = join_texts(fits.answer, dimension, [wanted for _, wanted in examples])
    return write_answer(answer, ", then ".join(fits.agreeing[0]))


def repeat_query(prompt: str) -> str:
    """Return the query as the answer."""
    return write_answer(read_prompt(prompt)[1], "the output is the input")


def copy_nearest(prompt: str) -> str:
    """Return the output of the first example whose input is nearest to the query, token by token."""
    examples, query = read_prompt(prompt)
    dimension = read_dimension(prompt)
    wanted, *others = (
        list(tokens_of(split_texts(value, dimension))) for value in (query, *(start for start, _ in examples))
    )
    distances = [Levenshtein.distance(tokens, wanted) for tokens in others]
    answer = examples[distances.index(min(distances))][1] if examples else query
    return write_answer(answer, "the output is that of the most similar example")


def _search(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: search_prompt(game.prompt)


def _identity(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: repeat_query(game.prompt)


def _nearest(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: copy_nearest(game.prompt)


def _guess(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: write_answer(json.loads(guess(game.form)))


PLAYERS: dict[str, Program[ItemGame]] = {
    program.name: program
    for program in (
        Program(
            "search",
            False,
            "tries the catalogue's rules, all pairs of them and primitives on the examples",
            _search,
        ),
        Program("guesser", False, "gives the answer most often right in items of this form", _guess),
        Program("identity", False, "answers with the query itself", _identity),
        Program("nearest", False, "gives the output of the example that is most like the query", _nearest),
    )
}
