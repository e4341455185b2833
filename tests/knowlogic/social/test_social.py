"""Questions of general social relations: requests kept, texts read back, forms without names and order."""

from collections import Counter
from dataclasses import replace

import pytest

from perennial.schemas.ids import canonical_json
from perennial.schemas.knowlogic.things import Proposition
from perennial.tasks.knowlogic.social.domain import SCENARIO
from perennial.tasks.knowlogic.social.relations import claim_of, facts_of, proposition_of
from tests.knowlogic.drawn_problems import drawn
from tests.knowlogic.social.social_items import general, table


@pytest.mark.slow
def test_no_option_repeats_a_statement_or_another_option() -> None:
    for _, problem in drawn("social", SCENARIO):
        given = {fact for each in problem.statements for fact in facts_of(each).facts}
        claims = [claim_of(each) for each in problem.options]
        assert len(set(claims)) == len(claims)
        named = {
            (each.relation, each.left.person, each.right.person) for each in claims if each.names_everyone
        }
        assert not named & given
        assert len(set(problem.statements)) == len(problem.statements)


def test_the_canonical_form_forgets_which_facts_share_a_sentence() -> None:
    for _, problem in drawn("social", SCENARIO):
        statements = []
        for each in problem.statements:
            said = facts_of(each)
            if len(said.facts) < 2:
                statements.append(each)
            else:
                statements += [
                    Proposition("among" if fact in said.several else "name_1", (fact[1], fact[2], fact[0]))
                    for fact in said.facts
                ]
        other = replace(problem, statements=tuple(statements))
        assert canonical_json(general().canonical(other)) == canonical_json(general().canonical(problem))


def test_labels_say_what_a_question_uses() -> None:
    seen: Counter[str] = Counter()
    for request, problem in drawn("social", SCENARIO):
        labels = general().labels(problem)
        seen.update([*labels.properties, labels.precision, *(rule.split(":")[0] for rule in labels.rules)])
        variables = labels.variables
        assert labels.chain_length == variables["cl"] >= 1
        assert labels.level == pytest.approx(
            0.4 * variables["cl"] + 0.3 * variables["nm"] + 0.3 * variables["ne"]
        )
        assert len(problem.entities) - 1 <= variables["ne"] <= 9
        if request.type == "vague_entity":
            assert labels.precision == "vague"
    kinds = {"sex", "given_name", "precise", "vague", "inverse", "implied", "narrowed"}
    assert kinds <= set(seen)


def test_claims_and_propositions_say_the_same() -> None:
    for _, problem in drawn("social", SCENARIO):
        for option in problem.options:
            assert proposition_of(claim_of(option)) == option


def test_every_relation_is_used_by_some_question() -> None:
    used: set[str] = set()
    for _, problem in drawn("social", SCENARIO):
        used |= set(general().labels(problem).relations)
    assert sorted(set(table().by_id) - used) == []
