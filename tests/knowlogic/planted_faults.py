"""Faults planted in sound pairs of questions, or in their engines, for the gate to find."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from perennial.schemas.knowlogic.things import EngineDecision, Proposition, Question
from perennial.tasks.knowlogic.growing import check_pair
from perennial.tasks.knowlogic.layout import write_prompt, write_questions
from perennial.tasks.knowlogic.problem import Domain, Problem, payload_of, problem_of
from tests.knowlogic import toy_edition
from tests.knowlogic.toy_edition import BOTH

DOMAIN = toy_edition.domain()
# A seed for which so few have each of the pairs that faults are planted in.
GROWN = toy_edition.grow(48, seed=8)
PAIRS = {question.pair: [each for each in GROWN if each.pair == question.pair] for question in GROWN}
Pair = list[Question]


def pick(wanted: Callable[[Question], bool]) -> Pair:
    return next(pair for pair in PAIRS.values() if wanted(pair[0]))


def pick_statements(letters: str) -> Pair:
    return pick(
        lambda each: (each.type, each.letters, each.has_none) == ("correct_statements", letters, False)
    )


def drop_statement(problem: Problem) -> Problem:
    return replace(problem, statements=problem.statements[1:])


def is_tight(question: Question) -> bool:
    """Whether two arrangements remain without the first statement, in which options B and D stay decided."""
    decision = DOMAIN.decide(drop_statement(problem_of(question.payload)))
    return decision.arrangements == 2 and [v is None for v in decision.verdicts] == [True, False] * 2


# The first two options are right, so that the second in place of the first changes no letter.
STATEMENTS = pick_statements("AB")
TIGHT = pick(lambda each: each.type == "correct_statements" and is_tight(each))
PRECISE = pick(lambda each: each.type == "precise_entity" and not each.has_none)
NONE = pick(lambda each: each.has_none and each.type == "vague_entity")


def faults(pair: Pair, domain: Domain = DOMAIN) -> list[str]:
    return check_pair(domain, pair, BOTH).faults


def edit(pair: Pair, place: int, /, **values: Any) -> Pair:
    """Return the pair with other values of one of its rows."""
    changed = [replace(each, **values) if each is pair[place] else each for each in pair]
    assert changed != pair
    return changed


def edit_all(pair: Pair, /, **values: Any) -> Pair:
    changed = [replace(each, **values) for each in pair]
    assert changed != pair
    return changed


def reword(pair: Pair, place: int, old: str, new: str) -> Pair:
    """Return the pair with words of one of its texts, and of its prompt, replaced."""
    values = asdict(pair[place])
    for name in ("text", "question", "prompt"):
        values[name] = values[name].replace(old, new)
    values["options"] = [option.replace(old, new) for option in values["options"]]
    assert values != asdict(pair[place])
    return edit(pair, place, **values)


def replan(pair: Pair, change: Callable[[Problem], Problem]) -> Pair:
    """Return the pair as it is written of another problem, with the letters and labels of the first."""
    problem = change(problem_of(pair[0].payload))
    assert payload_of(problem) != pair[0].payload
    labels = DOMAIN.labels(problem_of(pair[0].payload))
    return write_questions(DOMAIN, problem, labels, pair[0].letters, BOTH, pair[0].rejected_draws)


def relabel(pair: Pair, letters: str) -> Pair:
    assert letters != pair[0].letters
    return edit_all(pair, letters=letters)


def open_option(problem: Problem) -> Problem:
    """Return the problem without its statements but one: nearly every option is left open."""
    return replace(problem, statements=problem.statements[:1])


def swap_options(pair: Pair, place: int) -> Pair:
    first, second, *others = pair[place].options
    shown = pair[place].as_text._replace(options=(second, first, *others))
    return edit(
        pair, place, options=[second, first, *others], prompt=write_prompt(shown, pair[place].language)
    )


def add_foreign_statement(pair: Pair) -> Pair:
    """Return the pair with a statement of another scenario in its Chinese text."""
    return reword(pair, 0, "已知：\n", "已知：\n王伟在最上层。\n")


def other_problem(pair: Pair) -> Pair:
    other = next(each for each in PAIRS.values() if each[0].pair != pair[0].pair)
    return [pair[0], replace(other[1], pair=pair[0].pair)]


def without_none(pair: Pair) -> Pair:
    texts = {"zh": "以上选项都不对", "en": "No option"}
    changed = pair
    for place, question in enumerate(pair):
        changed = reword(changed, place, question.options[-1], texts[question.language])
    return changed


def fail(*_given: object) -> Any:
    raise ValueError("no proof")


def with_engines(change: Callable[[EngineDecision], EngineDecision], *names: str) -> Domain:
    """Return the domain whose engines, or those of these names, find something else."""

    def turn(engine: Callable[[Problem], EngineDecision]) -> Callable[[Problem], EngineDecision]:
        return lambda problem: change(engine(problem))

    return replace(DOMAIN, **{name: turn(getattr(DOMAIN, name)) for name in names or ("decide", "check")})


def _other_scenario(pair: Pair) -> str:
    return next(each for each in DOMAIN.shares if each != pair[0].scenario)


def _name(text: str) -> str:
    return text.partition(",")[0]


def _two_names(text: str) -> tuple[str, str]:
    first, second = text.partition(" stand")[0].replace(" and ", ", ").split(", ")[:2]
    return first, second


def _zh_name(text: str) -> str:
    return text.partition("、")[0]


# Pairs that are at fault.
PLANTED: dict[str, Pair] = {
    "a statement is missing: two arrangements": replan(TIGHT, drop_statement),
    "options are left open": replan(STATEMENTS, open_option),
    "an option repeats a statement": replan(
        STATEMENTS, lambda p: replace(p, options=(p.statements[0], *p.options[1:]))
    ),
    "an option is repeated": replan(STATEMENTS, lambda p: replace(p, options=(p.options[1], *p.options[1:]))),
    "a statement is repeated": replan(
        STATEMENTS, lambda p: replace(p, statements=(*p.statements, p.statements[0]))
    ),
    "there are two options": replan(NONE, lambda p: replace(p, options=p.options[:2])),
    "statements contradict each other": replan(
        STATEMENTS,
        lambda p: replace(
            p,
            statements=(
                *p.statements,
                Proposition("left", p.entities[:2]),
                Proposition("left", p.entities[1::-1]),
            ),
        ),
    ),
    "a letter is wrong": relabel(PRECISE, "A" if PRECISE[0].letters != "A" else "B"),
    "a letter is missing": relabel(STATEMENTS, "" if len(STATEMENTS[0].letters) == 1 else "A"),
    "a letter is too many": relabel(PRECISE, "ABC"),
    "letters differ between the languages": edit(PRECISE, 1, letters="ABCD"),
    "options of one language are swapped": swap_options(PRECISE, 0),
    "options of the prompt alone are swapped": edit(PRECISE, 1, prompt=swap_options(PRECISE, 1)[1].prompt),
    "a name is changed": reword(STATEMENTS, 1, _name(STATEMENTS[1].text), "Bartholomew"),
    "a name stands for another": reword(STATEMENTS, 1, *_two_names(STATEMENTS[1].text)),
    "an English name in a Chinese text": reword(STATEMENTS, 0, _zh_name(STATEMENTS[0].text), "James"),
    "Chinese punctuation in an English text": reword(STATEMENTS, 1, ".\n", "。\n"),
    "the prompt alone has words of the other language": edit(
        STATEMENTS, 1, prompt=STATEMENTS[1].prompt.replace("Options:", "Options (选项):")
    ),
    "a statement of another scenario": add_foreign_statement(STATEMENTS),
    "the question is another": reword(STATEMENTS, 1, "are correct", "are incorrect"),
    "the level is changed": edit_all(STATEMENTS, level=STATEMENTS[0].level + 0.1),
    "the class is changed": edit_all(
        STATEMENTS, difficulty="hard" if STATEMENTS[0].difficulty == "easy" else "easy"
    ),
    "the chain is longer": edit_all(STATEMENTS, chain_length=STATEMENTS[0].chain_length + 1),
    "a relation is missing": edit_all(STATEMENTS, relations=[]),
    "variables are changed": edit_all(STATEMENTS, variables=json.dumps({"nm": 1})),
    "the precision is changed": edit_all(PRECISE, precision="vague"),
    "the type is changed": edit_all(STATEMENTS, type="incorrect_statements"),
    "the scenario is changed": edit_all(STATEMENTS, scenario=_other_scenario(STATEMENTS)),
    "the number of statements is changed": edit(STATEMENTS, 0, statements=99),
    "the pair is broken": other_problem(STATEMENTS),
    "a language is missing": STATEMENTS[:1],
    "a language stands twice": [STATEMENTS[0], STATEMENTS[0]],
    "the language has the wrong label": [
        replace(STATEMENTS[0], language="en"),
        replace(STATEMENTS[1], language="zh"),
    ],
    "'none of the above' is missing": without_none(NONE),
    "'none of the above' is not marked": edit_all(NONE, has_none=False),
    "the id is another": edit(STATEMENTS, 0, instance_id="kl_0"),
    "the pair's id is another": edit_all(STATEMENTS, pair="kp_0"),
    "the payload is nothing": edit_all(STATEMENTS, payload="{}"),
    "no statement is needed": edit_all(STATEMENTS, chain_length=0),
    "the introduction is missing": edit(STATEMENTS, 1, text=STATEMENTS[1].text.partition("\n")[2]),
}
# Domains that are at fault; of each the pair is sound, or the planted one of the same name.
BROKEN: dict[str, Domain] = {
    "an engine finds another arrangement": with_engines(
        lambda found: replace(found, arrangements=2), "check"
    ),
    "both engines find two arrangements": with_engines(lambda found: replace(found, arrangements=2)),
    "both engines find no arrangement": with_engines(lambda found: replace(found, arrangements=0)),
    "an engine decides an option otherwise": with_engines(
        lambda found: replace(found, verdicts=(not found.verdicts[0], *found.verdicts[1:])), "check"
    ),
    "an engine leaves an option open": with_engines(
        lambda found: replace(found, verdicts=(None, *found.verdicts[1:])), "check"
    ),
    "both engines decide three of four options": with_engines(
        lambda found: replace(found, verdicts=found.verdicts[:3])
    ),
    "an engine fails": with_engines(fail, "check"),
    "introductions are not read": replace(DOMAIN, read_intro=fail),
    "no statement is needed": replace(
        DOMAIN, labels=lambda problem: replace(DOMAIN.labels(problem), chain_length=0)
    ),
    "the canonical form forgets the statements": replace(DOMAIN, canonical=lambda problem: [problem.type]),
}
