"""The table of kinship terms: complete, without a word of two meanings, right on random families."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import Knowledge
from perennial.tasks.knowlogic.kinship.domain import SCENARIO
from perennial.tasks.knowlogic.kinship.models import BornFamily, draw_family, holds
from perennial.tasks.knowlogic.kinship.terms import STEPS, all_paths, read_path, read_terms
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import drawn, list_requests
from tests.knowlogic.kinship.kinship_items import kinship, say, terms
from tests.knowlogic.kinship.kinship_words import Words

# Kinship questions: the level, the terms that are used, introductions.


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


# Words of several relations or of regions.
EXCLUDED = ["大爷", "舅公", "伯公", "叔公", "姨公", "姨夫", "姑夫", "婶子", "妗子", "媳妇", "太太"]
INVERSES = {"f": "sd", "m": "sd", "s": "fm", "d": "fm", "b": "bz", "z": "bz", "h": "w", "w": "h"}


def families(size: int = 8) -> st.SearchStrategy[BornFamily]:
    return st.builds(
        lambda seed, size, is_wide: draw_family(size, derive_rng(0, "family", seed), is_wide=is_wide),
        st.integers(0, 2**32),
        st.integers(2, size),
        st.booleans(),
    )


def test_so_many_paths_do_not_fold_back() -> None:
    assert [sum(1 for _ in all_paths(length)) for length in (1, 2, 3, 4)] == [10, 42, 168, 672]


def test_every_path_of_three_steps_has_a_term_or_a_reason() -> None:
    known = {path.steps for term in terms().values() for path in term.paths}
    rows = load_knowledge().rows("kinship/no_term")
    unknown = {tuple(row["path"].split(".")) for row in rows}
    assert known.isdisjoint(unknown)
    assert len(unknown) == len(rows)
    assert {path for length in (1, 2, 3) for path in all_paths(length)} <= known | unknown
    assert all(row["reason"] and row["en"] for row in rows)


def test_no_two_terms_share_a_meaning_or_a_word() -> None:
    meanings = [(path.steps, path.cousins) for term in terms().values() for path in term.paths]
    assert len(meanings) == len(set(meanings))
    rows = load_knowledge().rows("kinship/terms")
    for key in ("id", "zh", "en"):
        assert len({row[key] for row in rows}) == len(rows)
    words = [word for row in rows for word in (row["zh"], *filter(None, row["also"].split("|")))]
    assert len(words) == len(set(words))
    assert not set(words) & set(EXCLUDED)


def test_the_papers_number_of_compound_relations() -> None:
    assert sum(1 for term in terms().values() if 2 <= term.length <= 3) >= 58


def test_only_cousins_compare_ages_across_the_path() -> None:
    for term in terms().values():
        for path in term.paths:
            is_cousin = any(
                step[0] in "fm" and STEPS[sibling].letter in "bz" and child in "sd"
                for step, sibling, child in zip(path.steps, path.steps[1:], path.steps[2:], strict=False)
            )
            assert is_cousin or not path.cousins
    # 16 paths of three steps: each has an elder and a younger word.
    cousins = [path for term in terms().values() for path in term.paths if path.cousins]
    assert len({path.steps for path in cousins if len(path.steps) == 3}) == 16


def test_generations_are_those_of_the_paths() -> None:
    rise = {"f": 1, "m": 1, "s": -1, "d": -1}
    for term in terms().values():
        for shape in term.shapes:
            assert sum(rise.get(letter, 0) for letter in shape) == term.generation, term.id


@pytest.mark.parametrize(
    "text", ["f.s", "ob.ls", "s.m", "h.w", "f.w", "s.h", "m.h", "ob.f", "f.ob>", "q", ""]
)
def test_a_path_that_folds_back_or_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="path"):
        read_path(text)


@pytest.mark.parametrize("paths", ["f|m", "ob|f.ob|f.lb.s>|lb.s>|f.ob.s<"])
def test_a_row_of_two_sexes_or_of_mixed_ages_is_refused(paths: str) -> None:
    row = {"id": "x", "zh": "x", "en": "x", "generation": "0", "use": "yes", "paths": paths}
    with pytest.raises(ValueError, match=r"term x|path"):
        read_terms(Knowledge({"kinship/terms": (row,)}))


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(families())
def test_terms_on_a_family_are_the_words_of_the_graph(born: BornFamily) -> None:
    words, model = Words(born), born.model()
    for of in range(born.family.size):
        expected = words.words(of)
        for who in range(born.family.size):
            found = [t for t in terms().values() if holds(terms(), model, say("is", who, of, t.id))]
            assert [t.words["zh"] for t in found] == ([expected[who]] if who in expected else [])


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(families())
def test_paths_composed_step_by_step_are_the_relations(born: BornFamily) -> None:
    """Follow each path of the table by single steps on the graph; it must lead to whoever has the term."""
    words, model = Words(born), born.model()

    def step(x: int, name: str) -> set[int]:
        near = {"f": words.parents, "m": words.parents, "s": words.children, "d": words.children}
        people = near.get(name) or (words.spouses if name in "hw" else words.siblings)
        sex, older = STEPS[name].sex, STEPS[name].older
        return {
            y
            for y in people[x]
            if words.male[y] == (sex == "m") and older in (None, born.births[y] < born.births[x])
        }

    for of in range(born.family.size):
        for term in terms().values():
            led: set[int] = set()
            for path in term.paths:
                chains: list[tuple[int, ...]] = [(of,)]
                for place, name in enumerate(path.steps, start=1):
                    chains = [(*chain, y) for chain in chains for y in step(chain[-1], name)]
                    for where, older in path.cousins:
                        if where == place:
                            chains = [
                                chain
                                for chain in chains
                                if (born.births[chain[place]] < born.births[chain[place - 3]]) == older
                            ]
                led |= {chain[-1] for chain in chains}
            found = {
                who for who in range(born.family.size) if holds(terms(), model, say("is", who, of, term.id))
            }
            assert led == found, term.id


@settings(max_examples=40, deadline=None)
@given(families())
def test_relations_are_inverse_to_each_other(born: BornFamily) -> None:
    family = born.family
    for x in range(family.size):
        for y in range(family.size):
            one, other = family.relations[x][y], family.relations[y][x]
            if one is None or other is None:
                assert x == y
                continue
            assert one.persons == other.persons[::-1]
            for letter, back in zip(one.shape, other.shape[::-1], strict=True):
                assert back in INVERSES[letter]
