"""Kinship questions: the level, the terms that are used, golden texts, introductions."""

from collections import Counter

import pytest

from perennial.schemas.ids import derive_rng
from perennial.tasks.knowlogic.kinship.domain import SCENARIO
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import drawn, list_requests
from tests.knowlogic.kinship.kinship_items import kinship, terms


def test_the_level_is_the_papers_formula() -> None:
    for _, problem in drawn("social", SCENARIO):
        labels = kinship().labels(problem)
        cl, nm, ne = (labels.variables[name] for name in ("cl", "nm", "ne"))
        assert labels.level == pytest.approx(0.4 * cl + 0.3 * nm + 0.3 * ne)
        pairs = {frozenset(each.arguments[:2]) for each in problem.statements if each.template == "is"}
        assert ne == len(pairs)
        assert labels.chain_length == cl


@pytest.mark.slow
def test_questions_use_nearly_all_terms_that_they_may_and_no_other() -> None:
    used: Counter[str] = Counter()
    wanted = {term.id for term in terms().values() if term.used}
    asked = [each for each in list_requests("social", SCENARIO) if each.type.endswith("statements")]
    for number in range(600):
        found = kinship().draw(asked[number % len(asked)], derive_rng(6, "terms", number))
        if found is not None:
            used.update(str(each) for said in (*found.statements, *found.options) for each in said.arguments)
    # Some are rare: a false option has the terms of a true one.
    met = {id_ for id_ in terms() if used[id_]}
    assert met <= wanted
    assert len(met) >= 0.75 * len(wanted)


def test_an_introduction_has_as_many_people_as_it_says() -> None:
    _, problem = drawn("social", SCENARIO)[0]
    intro = kinship().write_intro(problem, "en")
    other = intro.replace("five", "six") if "five" in intro else intro.replace("six", "five")
    assert other != intro
    with pytest.raises(ValueError, match="introduction"):
        kinship().read_intro(other, "en")


def test_terms_that_no_question_uses_say_why() -> None:
    for row in load_knowledge().rows("kinship/terms"):
        assert row["use"] in ("yes", "no")
        assert row["source"]
        if row["use"] == "no":
            assert row["note"].startswith(("four generations", "rare word")), row["id"]
