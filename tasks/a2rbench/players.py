"""Players of A2RBench that need no model."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from rapidfuzz.distance import Levenshtein

from perennial.schemas.game import Move, Program
from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.item_text import TEMPLATE, form_of, read_dimension, read_prompt
from perennial.tasks.a2rbench.replies import Answer, read_answer, write_answer
from perennial.tasks.a2rbench.values import fill_tokens, join_texts, map_tokens, split_texts, tokens_of
from perennial.tasks.authors import Unusable
from perennial.tasks.play import OneShotGame

# One run on one item (`perennial.schemas.game.Game`): it ends at the first reply, which a judge may read.


@dataclass
class ItemGame(OneShotGame):
    """An item as it is played: the prompt, the right answer as canonical JSON, and what was read.

    `judge_call_id` is the call by which a judge was asked, `refused` why its quotation is not used.
    """

    prompt: str
    right: str
    template_hash: str = ""
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


def look_up(prompt: str) -> str:
    """Copy the query's tokens from where the examples of its shape took theirs; else give the query."""
    dimension, (examples, query) = read_dimension(prompt), read_prompt(prompt)
    asked = split_texts(query, dimension)
    alike = [
        (source, split_texts(wanted, dimension))
        for source, wanted in examples
        if map_tokens(split_texts(source, dimension), _blank) == map_tokens(asked, _blank)
    ]
    forms = {canonical_json(map_tokens(wanted, _blank)) for _, wanted in alike}
    if len(forms) != 1:
        return repeat_query(prompt)
    tokens = list(tokens_of(asked))
    # What all these examples have at a place, in their inputs and in their outputs.
    read = list(zip(*(tokens_of(split_texts(source, dimension)) for source, _ in alike), strict=True))
    written = list(zip(*(tokens_of(wanted) for _, wanted in alike), strict=True))
    copied: list[str] = []
    unused = dict(enumerate(read))
    for signs in written:
        places = [index for index, others in unused.items() if others == signs]
        places += [index for index, others in enumerate(read) if others == signs]
        if not places:
            return repeat_query(prompt)
        copied.append(tokens[places[0]])
        unused.pop(places[0], None)
    answer = join_texts(fill_tokens(alike[0][1], iter(copied)), dimension, [wanted for _, wanted in examples])
    return write_answer(answer, "tokens move as in the example of this shape")


def _blank(_token: str) -> str:
    return ""


def _answering(answer: Callable[[str], str]) -> Callable[[ItemGame, random.Random], Move]:
    """Play by the prompt's text alone."""
    return lambda game, _rng: lambda: answer(game.prompt)


PLAYERS: dict[str, Program[ItemGame]] = {
    program.name: program
    for program in (
        Program(
            "search",
            False,
            "tries the catalogue's rules, pairs of them, the grammar's and primitives on the examples",
            _answering(search_prompt),
        ),
        Program(
            "guesser", False, "looks up the places of an example of the query's shape", _answering(look_up)
        ),
        Program("identity", False, "answers with the query itself", _answering(repeat_query)),
        Program(
            "nearest",
            False,
            "gives the output of the example that is most like the query",
            _answering(copy_nearest),
        ),
    )
}
