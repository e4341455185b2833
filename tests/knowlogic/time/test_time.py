"""Questions about time: requests kept, texts read back, labels, forms without names and order."""

from collections import Counter
from dataclasses import replace

import pytest

from perennial.schemas.ids import canonical_json
from perennial.schemas.knowlogic.things import GAP, Proposition
from perennial.tasks.knowlogic.problem import fill
from perennial.tasks.knowlogic.time.claims import claim_of
from perennial.tasks.knowlogic.time.engines import events_in, prove
from tests.knowlogic.drawn_problems import Drawn, drawn
from tests.knowlogic.time.time_items import PERSON, domain, problem, say, table

pytestmark = pytest.mark.slow

WEEK, LIFE = "cyclic", "linear"


def draws() -> Drawn:
    return drawn("time", WEEK) + drawn("time", LIFE)


def test_no_option_repeats_a_statement_or_another_option() -> None:
    for _, each in draws():
        given = {claim_of(table(), each.scenario, one) for one in each.statements}
        claims = {claim_of(table(), each.scenario, one) for one in each.options}
        assert len(claims) == len(each.options)
        assert not claims & given


def test_no_option_is_decided_without_a_statement() -> None:
    """The order of a life alone may refute 'seven years before being born'; no option is so."""
    for _, each in draws()[::5]:
        for option in each.options if each.scenario == LIFE else ():
            claim = claim_of(table(), LIFE, option)
            if claim.kind == "order":
                assert not {(claim.left, claim.right), (claim.right, claim.left)} & set(table().orders)
            elif option.template in ("after", "before", "same", "gap", "lasts"):
                possible = problem(LIFE, [option], [])
                assert domain().decide(possible).arrangements > 1


def test_precise_questions_have_one_event_that_fits_and_vague_ones_several() -> None:
    for _, each in draws():
        if each.asked is None or each.type == "precise_slot":
            continue
        others = sorted(set(events_in(table(), each)) - set(each.asked.arguments))
        filled = replace(each, options=tuple(fill(each.asked, event) for event in others))
        assert (domain().decide(filled).verdicts.count(True) > 1) == (each.type == "vague_event")


def rename(said: Proposition, *, is_turned: bool) -> Proposition:
    """Return what is said, of another person, and with 'after' for 'before'."""
    name, (_, *rest) = said.template, said.arguments
    if is_turned and name == "before" and GAP not in rest:
        name, rest = "after", [rest[1], rest[0], rest[2]]
    return Proposition(name, ("f02", *rest))


def test_the_canonical_form_forgets_the_person_and_after_for_before() -> None:
    for _, each in draws():
        other = replace(
            each,
            entities=("f02",),
            statements=tuple(rename(one, is_turned=True) for one in each.statements),
            asked=each.asked and rename(each.asked, is_turned=False),
            options=tuple(rename(one, is_turned=each.asked is None) for one in each.options),
        )
        assert canonical_json(domain().canonical(other)) == canonical_json(domain().canonical(each))


def test_labels_say_what_a_question_uses() -> None:
    seen: Counter[str] = Counter()
    for _, each in draws():
        labels = domain().labels(each)
        seen.update(rule.split(":")[0] for rule in labels.rules)
        seen.update([*labels.properties, *labels.relations, labels.precision])
        of = labels.variables
        level = 0.02 * of["lc"] + 0.2 * of["cg"] + 0.25 * of["na"] + 0.05 * of["dk"]
        assert labels.level == pytest.approx(level + 0.5 * of["dq"] + of["dc"])
        assert of["lc"] == len(each.statements) + len(each.options)
        assert 1 <= labels.chain_length <= len(each.statements)
    properties = {"time_of_occurrence", "start", "end", "duration"}
    relations = {"before", "after", "distance", "same_time", "gap", "longer_duration", "shorter_duration"}
    rules = {"sum_of_differences", "sum_of_differences_modulo_7", "order_of_life", "anchor_year"}
    assert properties | relations | rules | {"same_duration", "precise", "vague"} <= set(seen)


def test_the_chain_length_counts_the_statements_that_decide_the_hardest_option() -> None:
    statements = [say("on", "swim", 0), say("after", "chess", "swim", 1), say("after", "jog", "chess", 1)]
    for option, length in (("on", 1), ("same", 2)):
        said = say("on", "swim", 3) if option == "on" else say("same", "jog", "swim")
        assert domain().labels(problem(WEEK, statements, [said])).chain_length == length
    assert domain().labels(problem(WEEK, statements, [say("on", "jog", 2)])).chain_length == 3


def test_a_proof_needs_all_its_statements() -> None:
    for _, each in draws()[::6]:
        proofs = prove(table(), each)
        # Two spans alone may lie anywhere: too many lives to try.
        compared = ("longer", "shorter", "as_long")
        for option in (one for one in each.options if one.template not in compared):
            needed = proofs.statements_for(claim_of(table(), each.scenario, option))
            (verdict,) = domain().decide(replace(each, options=(option,))).verdicts
            if any(one.template in compared for one in needed):
                continue
            alone = replace(each, statements=tuple(needed), options=(option,))
            assert domain().decide(alone).verdicts == (verdict,)
            for place in range(len(needed) if each.scenario == WEEK else 0):
                fewer = replace(alone, statements=tuple(needed[:place] + needed[place + 1 :]))
                assert domain().decide(fewer).verdicts == (None,)


def test_numbers_agree_in_english() -> None:
    book = domain().phrasebook(LIFE, "en")
    assert book.write(Proposition("lasts", (PERSON, "junior", 1))).endswith("1 year at junior high school.")
    assert book.write(Proposition("lasts", (PERSON, "junior", 2))).endswith("2 years at junior high school.")
