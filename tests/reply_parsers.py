"""Every parser of what a model replies, by name, as a function of the reply's text."""

from collections.abc import Callable
from functools import partial
from typing import Any

from perennial.schemas.a2rbench.things import ANALYSIS
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import Proposal
from perennial.schemas.model_calls import Reply
from perennial.tasks.a2rbench import replies as a2rbench_answers
from perennial.tasks.a2rbench.expansion import read_expansion, read_in_lines
from perennial.tasks.a2rbench.item_text import OutputForm
from perennial.tasks.a2rbench.players import is_quoted
from perennial.tasks.a2rbench.rule_author import CodeForm, RuleForm, VerdictForm, read_reply
from perennial.tasks.analysts import excerpt, read_analysis
from perennial.tasks.beyondbench.problem import draw_problem
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.knowlogic import answers as knowlogic_answers
from perennial.tasks.knowlogic.answers import read_leniently
from perennial.tasks.kumo.answers import parse_answer, parse_as_published
from perennial.tasks.kumo.authors.books import read_book_reply, read_revision
from perennial.tasks.kumo.authors.configurations import merge, read_configuration
from perennial.tasks.kumo.authors.proposal import proposal_entries
from perennial.tasks.kumo.authors.read_back import parse_read_back
from perennial.tasks.llm.client import Redaction
from perennial.tasks.llm.reasoning import split_reasoning
from perennial.tasks.llm.replies import find_message
from perennial.tasks.llm.structured import is_cut_off, json_text

Parse = Callable[[str], Any]
_PROPOSAL = Proposal("Name", "category", "goal", "truths", "actions", "truth", "action", "Title")
_NAMES = ["a b", "{}"]


def parsers() -> dict[str, Parse]:
    """Return the parsers: of players' answers in every form, and of what authors, judges and readers say."""
    return {**beyondbench_parsers(), **other_parsers()}


def beyondbench_parsers() -> dict[str, Parse]:
    """Return the parsers of BeyondBench's 44 tasks: one for each form of answer and container."""
    found: dict[str, tuple[list[str], Parse]] = {}
    for name, task in TASKS.items():
        problem = draw_problem(task, task.variations[0].name, task.variations[0].sizes[0], 1, 0)[0]
        form = task.form(problem.params)
        key = f"{type(form).__name__} in {form.container}"
        found.setdefault(key, ([], problem.parse))[0].append(name)
    assert sum(len(names) for names, _ in found.values()) == 44
    return {f"beyondbench {key} ({', '.join(names)})": parse for key, (names, parse) in found.items()}


def other_parsers() -> dict[str, Parse]:
    """Return the parsers of the other benchmarks, and those that all share."""
    reply = partial(Reply, "call", "ok")
    return {
        "think tags": split_reasoning,
        "an error's message": find_message,
        "JSON document": _quiet(json_text),
        "JSON cut off": is_cut_off,
        "kumo move": lambda text: parse_answer(text, _NAMES, _NAMES),
        "kumo move of the paper": lambda text: parse_as_published(text, _NAMES, _NAMES),
        "kumo book": lambda text: read_book_reply(reply(text)),
        "kumo revision": lambda text: read_revision(reply(text), "book"),
        "kumo configuration": lambda text: read_configuration(text, _PROPOSAL),
        "kumo continuation": lambda text: merge('{"truths": ["a', text),
        "kumo continuation of it": lambda text: merge(text, text[-20_000:]),
        "kumo proposals": _quiet(proposal_entries),
        "kumo read back": _quiet(parse_read_back),
        "knowlogic answer": knowlogic_answers.read_answer,
        "knowlogic lenient answer": read_leniently,
        "a2rbench answer in JSON": a2rbench_answers.read_answer,
        "a2rbench answer": partial(a2rbench_answers.read_answer, form=_form(2)),
        "a2rbench cube of texts": partial(a2rbench_answers.read_answer, form=_form(3, texts=True)),
        "a2rbench has an answer": a2rbench_answers.has_answer,
        "a2rbench rule": lambda text: read_reply(reply(text), RuleForm),
        "a2rbench code": lambda text: read_reply(reply(text), CodeForm),
        "a2rbench verdict": lambda text: read_reply(reply(text), VerdictForm),
        "a2rbench expansion": lambda text: read_expansion(reply(text), 1, ()),
        "a2rbench judgement": lambda text: read_in_lines(reply(text), VerdictForm),
        "a2rbench analysis": lambda text: read_analysis(reply(text), ANALYSIS.right, ANALYSIS.styles),
        "a2rbench excerpt": excerpt,
        "a2rbench quote": _quotes_itself,
        "keys in a reply": Redaction(["sk-0123456789abcdef", "aaaaaaaaaaaa"]).text,
    }


def _form(dimension: int, *, texts: bool = False) -> OutputForm:
    """Return the form of items with a few tokens."""
    return OutputForm(dimension, texts, False, False, frozenset("a1AB+"), frozenset())


def _quotes_itself(text: str) -> bool:
    """Return whether a judge that replies with the text quotes a player who replied with it."""
    quoted = a2rbench_answers.read_answer(text)
    return quoted is not None and is_quoted(quoted.answer, excerpt(text).text)


def _quiet(parse: Parse) -> Parse:
    """Return the parser with None where it refuses a text."""

    def parse_quietly(text: str) -> Any:
        try:
            return parse(text)
        except UnreadableInput:
            return None

    return parse_quietly
