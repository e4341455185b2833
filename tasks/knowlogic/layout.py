"""A problem's text in one language, and the problem that a text says (nothing is taken from elsewhere)."""

import re
from collections.abc import Iterable
from dataclasses import replace

from perennial.prompts.knowlogic.sentences import load_sentences, prompt_hash
from perennial.prompts.render import render
from perennial.schemas.ids import canonical_json, content_id
from perennial.schemas.knowlogic.things import (
    GAP,
    LETTERS,
    Labels,
    Language,
    Proposition,
    Question,
    QuestionText,
    QuestionType,
)
from perennial.tasks.knowlogic.problem import Domain, Problem, fill, payload_of

_TEMPLATES: dict[Language, str] = {lang: f"knowlogic/question_{lang}.md.j2" for lang in ("zh", "en")}
_STATEMENT_TYPES: tuple[QuestionType, ...] = ("correct_statements", "incorrect_statements")
_HEADS: dict[Language, tuple[str, str]] = {"zh": ("问题：", "选项："), "en": ("Question:", "Options:")}


def frame(name: str, language: Language) -> str:
    """Fixed words around a question (`prompts/knowlogic/frame.toml`)."""
    return str(load_sentences("frame")[name][language])


def prompt_template(language: Language) -> str:
    """The template of a question's prompt."""
    return _TEMPLATES[language]


def write_prompt(text: QuestionText, language: Language) -> str:
    """The prompt that players are shown."""
    asks_incorrect = text.question.casefold() == frame("incorrect_statements", language).casefold()
    return render(prompt_template(language), **text._asdict(), asks_incorrect=asks_incorrect).strip()


def split_prompt(prompt: str) -> tuple[QuestionText, Language]:
    """Text, question and options of a prompt, and its language; raise ValueError for another text."""
    for language, (question, options) in _HEADS.items():
        pattern = rf"(.*?)\n\n{question}\n(.*?)\n\n{options}\n((?:[A-D]\. [^\n]*\n){{4}})\n.*"
        if match := re.fullmatch(pattern, prompt, re.DOTALL):
            lines = tuple(line[3:] for line in match[3].splitlines())
            return QuestionText(match[1], match[2], lines), language
    raise ValueError("the prompt has not the form of a question: text, question, four options")


def write_text(domain: Domain, problem: Problem, language: Language) -> QuestionText:
    """The problem's text in a language."""
    book = domain.phrasebook(problem.scenario, language)
    lines = (
        domain.write_intro(problem, language),
        frame("known", language),
        *map(book.write, problem.statements),
    )
    if problem.asked is None:
        question, options = frame(problem.type, language), tuple(map(book.write, problem.options))
    else:
        question, options = (
            book.write(problem.asked),
            tuple(book.write_filler(problem.asked, problem.filler(option)) for option in problem.options),
        )
    if problem.has_none:
        options += (frame("none_of_the_above", language),)
    return QuestionText("\n".join(lines), question, options)


def read_text(domain: Domain, text: QuestionText, language: Language) -> Problem:
    """The problem that a text says: equal to the one that it was written from.

    Raises ValueError for a line that no template of the language says. A gap question is read as precise: the
    text does not say how many choices are right (`same_statement` compares without it).
    """
    intro, marker, statements = text.text.partition(f"\n{frame('known', language)}\n")
    if not marker:
        raise ValueError("the text has no line that introduces its statements")
    opening = domain.read_intro(intro, language)
    book = domain.phrasebook(opening.scenario, language)
    options = text.options
    if options[-1] == frame("none_of_the_above", language):
        options = options[:-1]
    asked: Proposition | None = None
    for type_ in _STATEMENT_TYPES:
        if text.question == frame(type_, language):
            read = tuple(map(book.read, options))
            break
    else:
        asked = book.read(text.question)
        type_, read = (
            "precise_entity",
            tuple(fill(asked, book.read_filler(asked, option)) for option in options),
        )
    if len(text.options) != len(LETTERS) or (asked is not None and GAP not in asked.arguments):
        raise ValueError("a question has four options, and a gap or statements to choose from")
    lines = tuple(map(book.read, statements.split("\n")))
    return Problem(opening.scenario, opening.entities, opening.details, lines, type_, asked, read)


def says_the_same(problem: Problem, read: Problem) -> bool:
    """Whether a problem read from a text is this one; precision and kind of a gap are not in the text."""
    has_type = problem.asked is not None or problem.type == read.type
    return has_type and replace(read, type=problem.type) == problem


# From a problem to its rows: the ids, the labels and the texts in each language.


def pair_id(domain: Domain, problem: Problem) -> str:
    """The id of the problem whatever its language: that of its canonical form."""
    return content_id("kp", domain.name, problem.scenario, domain.canonical(problem))


def instance_id(pair: str, language: Language) -> str:
    """The id of the question in this language."""
    return content_id("kl", pair, language)


def write_questions(
    domain: Domain,
    problem: Problem,
    labels: Labels,
    letters: str,
    languages: Iterable[Language],
    rejected_draws: int = 0,
) -> list[Question]:
    """The question in each language."""
    pair, payload = pair_id(domain, problem), payload_of(problem)
    questions = []
    for language in languages:
        printed = write_text(domain, problem, language)
        questions.append(
            Question(
                instance_id=instance_id(pair, language),
                pair=pair,
                language=language,
                domain=domain.name,
                scenario=problem.scenario,
                type=problem.type,
                precision=labels.precision,
                text=printed.text,
                question=printed.question,
                options=list(printed.options),
                letters=letters,
                has_none=problem.has_none,
                properties=list(labels.properties),
                relations=list(labels.relations),
                rules=list(labels.rules),
                chain_length=labels.chain_length,
                variables=canonical_json(dict(labels.variables)),
                level=labels.level,
                difficulty=labels.difficulty,
                statements=len(problem.statements),
                entities=len(problem.entities),
                payload=payload,
                prompt=write_prompt(printed, language),
                template_hash=prompt_hash(prompt_template(language)),
                rejected_draws=rejected_draws,
            )
        )
    return questions
