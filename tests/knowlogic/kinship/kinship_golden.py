"""The golden texts of kinship: each template, each term, a question of each type."""

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import DIFFICULTIES, GAP, Language, Proposition
from perennial.tasks.knowlogic.kinship.domain import SCENARIO, TYPES
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.layout import write_text
from perennial.tasks.knowlogic.problem import Request
from tests.knowlogic.kinship.kinship_items import kinship, say, terms


def propositions() -> list[Proposition]:
    """Return each template, questions, and each term in a sentence."""
    return [
        say("male", "m13"),
        say("female", "f13"),
        say("older", "m13", "f13"),
        say("holder_is", "m13", "wife_sister_husband", "f02", "tang_elder_male"),
        say("is_of_holder", "f02", "m13", "father_elder_brother", "wife"),
        say("holder_is_of_holder", "f02", "brother_son", "m13", "biao_younger_female", "husband"),
        say("is", GAP, "f02", "mother_brother"),
        say("is", "m13", GAP, "mother_brother"),
        say("is_of_holder", GAP, "m13", "daughter_husband", "younger_sister"),
        *map(_say, terms().values()),
    ]


def _say(term: Term) -> Proposition:
    """Return a sentence with a term, of people of the sexes that it needs."""
    has_husband = all(shape[0] == "h" for shape in term.shapes)
    return say("is", "m13" if term.sex == "m" else "f13", "f02" if has_husband else "m02", term.id)


def write(language: Language) -> str:
    """Return all sentences, and a question of each type."""
    book = kinship().phrasebook(SCENARIO, language)
    lines = [*map(book.write, propositions())]
    for number, type_ in enumerate(TYPES):
        request = Request(SCENARIO, DIFFICULTIES[number % 3], type_, 1 + number // 3)
        rng = derive_rng(2, "golden", number)
        problem = next(filter(None, (kinship().draw(request, rng) for _ in range(300))))
        text = write_text(kinship(), problem, language)
        lines += ["", text.text, text.question, *text.options]
    return "\n".join(lines) + "\n"
