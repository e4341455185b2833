"""Players of A2RBench that need no model, and the judge: a model that reads answers for them."""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import Levenshtein

from perennial.schemas.a2rbench.things import SHAPES
from perennial.schemas.game import Move, Program
from perennial.schemas.ids import canonical_json
from perennial.schemas.model_calls import ModelChoice
from perennial.tasks.a2rbench.catalogue import Value
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.item_text import TEMPLATE, OutputForm, form_of, read_dimension, read_prompt
from perennial.tasks.a2rbench.replies import Answer, has_answer, read_answer, write_answer
from perennial.tasks.a2rbench.values import fill_tokens, join_texts, map_tokens, split_texts, tokens_of
from perennial.tasks.analysts import excerpt
from perennial.tasks.authors import Unusable, author_request, unusable_status
from perennial.tasks.llm.structured import Ask
from perennial.tasks.play import OneShotGame, SecondReader

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


# Whether an answer that a model says it has read is one piece of the reply, and not its own solution.
#
# A piece is a run of words with nothing but brackets, quotation marks, commas, bars and blanks between them.

_MARKS = ",;|[](){}\"'“”‘’`*_&\\\\"
_WORD = re.compile(rf"[^\s{re.escape(_MARKS)}]+")
# At the end of a sentence, and before what "the output:" names.
_ENDS = ".:!?="
_OPENING, _CLOSING = re.compile(r"[\[({]|```|\n\s*\n"), re.compile(r"[\])}]|```|\n\s*\n")

# Short words that lead to an answer or on from it; no part of it unless they are its tokens.
_LINKS = {
    *("and", "are", "as", "be", "by", "for", "get", "in", "is", "it"),
    *("of", "or", "so", "that", "the", "then", "to", "was", "we"),
}


def is_quoted(answer: str, reply: str, form: OutputForm | None = None) -> bool:
    """Return whether the answer (JSON) is one contiguous piece of the reply, which states nothing longer.

    Its tokens stand there in order, one by one, or the tokens of a row, or all of them, as one word. What is
    no longer than a token and goes on beside the piece belongs to it: `A B` is no quotation of `[A, B, C]`.
    What the form's prompt shows is the puzzle, and no answer. An answer without tokens must stand there as
    JSON, as one whose tokens are marks or hold blanks.
    """
    value = json.loads(answer)
    if form is not None and form.is_shown(value):
        return False
    tokens = list(_walk_tokens(value))
    if not tokens or any(_WORD.fullmatch(token) is None or token[-1] in _ENDS for token in tokens):
        return answer in "".join(reply.split())
    words = list(_WORD.finditer(reply))
    longest = max(map(len, tokens))
    spellings = {tuple(tokens), tuple(_join_rows(value)), ("".join(tokens),)}
    return any(_has_run(reply, words, spelling, longest) for spelling in spellings)


def _walk_tokens(value: object) -> Iterator[str]:
    """The keys and leaves of a JSON value in their order; what is no text as JSON."""
    if isinstance(value, list):
        for part in value:
            yield from _walk_tokens(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (key, *_walk_tokens(part))
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def _join_rows(value: Value) -> Iterator[str]:
    """Yield each innermost list as one word."""
    if isinstance(value, list) and any(isinstance(part, list) for part in value):
        for part in value:
            yield from _join_rows(part)
    else:
        yield "".join(map(str, tokens_of(value)))


def _has_run(reply: str, words: Sequence[re.Match[str]], run: tuple[str, ...], longest: int) -> bool:
    """Return whether the reply's words hold the run, and the run does not go on before or after."""
    plain = [word[0].rstrip(_ENDS) for word in words]
    text, wanted = "\0" + "\0".join(plain) + "\0", "\0" + "\0".join(run) + "\0"
    longest = max(longest, *map(len, run))
    position, first, counted = text.find(wanted), 0, 0
    while position >= 0:
        # Words before this place: each has a mark before it.
        first += text.count("\0", counted, position)
        counted = position
        last = first + len(run) - 1
        inside = all(word[0][-1] not in _ENDS for word in words[first:last])
        before = first > 0 and _goes_on(reply, words[first - 1], words[first], longest, 0)
        after = last + 1 < len(words) and _goes_on(reply, words[last], words[last + 1], longest, 1)
        if inside and not before and not after:
            return True
        position = text.find(wanted, position + 1)
    return False


def _goes_on(reply: str, left: re.Match[str], right: re.Match[str], longest: int, beside: int) -> bool:
    """Return whether the word beside a run, the left (0) or the right one (1), may belong to it."""
    gap = reply[left.end() : right.start()]
    word = (left, right)[beside][0].rstrip(_ENDS)
    if len(word) > longest or word in _LINKS or left[0][-1] in _ENDS:
        return False
    # A bracket that opens before the run, or closes behind it, with none that does the opposite.
    if beside == 0:
        return _OPENING.search(gap) is None or re.search(r"[\])}]", gap) is not None
    return _CLOSING.search(gap) is None or re.search(r"[\[({]", gap) is not None


# The judge: a model quotes the final answer of a reply in which the program found none.
#
# It is shown the reply alone, neither the item nor its answer. What it quotes is compared by the program, and
# refused where it is not one piece of the reply, or where the puzzle shows it. It is asked once for each
# reply.

JUDGE_SYSTEM, JUDGE_TEMPLATE = "a2rbench/answer_judge/system.md.j2", "a2rbench/answer_judge/quote.md.j2"
_LONGEST = 200


def judge_by(judge: ModelChoice) -> SecondReader[ItemGame]:
    """Return what asks this judge to quote a reply's answer, and gives the game what it quotes.

    It raises EndpointFailed where the call came to no answer. Players who say that they have no answer
    (`null`) are taken at their word.
    """

    async def read(ask: Ask, game: ItemGame, reply: str) -> None:
        form = form_of(game.prompt)
        if has_answer(reply, form):
            return
        excerpt_text, mark = excerpt(reply)
        shape = ("text", *SHAPES)[min(_measure_depth(json.loads(game.right)), len(SHAPES))]
        request = author_request(
            "judge", judge, JUDGE_SYSTEM, JUDGE_TEMPLATE, 0, form=shape, reply=excerpt_text, mark=mark
        )
        judge_reply = await ask(request)
        fault = unusable_status(judge_reply)
        if fault is not None:
            game.refuse_quote(fault, judge_reply.call_id)
            return
        quoted = read_answer(judge_reply.content, form)
        if quoted is not None and not is_quoted(quoted.answer, excerpt_text, form):
            text = quoted.answer if len(quoted.answer) <= _LONGEST else f"{quoted.answer[:_LONGEST]}..."
            message = (
                f"the quoted answer {text} is no one piece of the reply that states it; expected one, or null"
            )
            game.refuse_quote(Unusable("not_quoted", message), judge_reply.call_id)
        elif quoted is None and not has_answer(judge_reply.content, form):
            message = "the judge's reply holds no JSON object with final_answer; expected one"
            game.refuse_quote(Unusable("no_quote", message), judge_reply.call_id)
        else:
            game.take_quote(None if quoted is None else quoted.answer, judge_reply.call_id)

    return read


def _measure_depth(value: Value) -> int:
    """Return how deep lists are nested in a value; 0: it is a text."""
    return 1 + max(map(_measure_depth, value), default=0) if isinstance(value, list) else 0
