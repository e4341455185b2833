"""What an analyst is shown of a question: the statements that decide each option, and rows of knowledge."""

from dataclasses import replace

import pytest

from perennial.prompts.render import render
from perennial.schemas.knowlogic.things import ANALYSIS, DOMAINS, LETTERS, DomainName
from perennial.tasks.knowlogic.closure import list_knowledge, write_proof
from perennial.tasks.knowlogic.problem import find_domain, problem_of
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import draw


@pytest.mark.parametrize("name", DOMAINS)
def test_the_statements_named_decide_by_the_other_engine_too(name: DomainName) -> None:
    domain = find_domain(name, load_knowledge())
    for question in draw(name, 6, 3)[::4]:
        problem = problem_of(question.payload)
        whole = domain.check(problem).verdicts
        for line, letter, option, verdict in zip(
            write_proof(domain, problem), LETTERS, problem.options, whole, strict=False
        ):
            assert line.startswith(f"{letter} {'holds' if verdict else 'does not hold'}: ")
            numbers = [int(word.strip(",")) for word in line.split() if word.strip(",").isdigit()]
            kept = tuple(problem.statements[number - 1] for number in numbers)
            assert len(numbers) < len(problem.statements) or name in ("social", "space", "nature", "mix")
            alone = replace(problem, statements=kept, options=(option,))
            assert domain.decide(alone).verdicts == (verdict,)


def test_knowledge_is_the_rows_of_what_the_question_names() -> None:
    knowledge = load_knowledge()
    (question, *_) = draw("nature", 6, 3)
    problem = problem_of(question.payload)
    lines = list_knowledge(knowledge, problem, {*question.properties, *question.relations, *question.rules})
    cells = {row["id"]: row for row in knowledge.rows("nature/cells")}
    shown = [line for line in lines if line.startswith("nature/cells: ")]
    assert len(shown) == len(problem.entities)
    for entity in map(str, problem.entities):
        (line,) = (line for line in shown if line.startswith(f"nature/cells: id {entity}"))
        for name in question.properties:
            value = cells[entity][name]
            assert (f"{name} {value}" in line) == (value not in ("", "-", "?"))
        assert "source" not in line


def test_an_analyst_of_an_imported_question_has_its_text_alone() -> None:
    values = {"prompt": "Who?", "language": "en", "letters": "B", "chain_length": None}
    about = {"mark": "M", "reply": "[A]", "read": "A", "success": False, "styles": ()}
    text = render(ANALYSIS.prompt, **values, **about, proof=(), knowledge=(), categories=ANALYSIS.wrong)
    assert "no proof is at hand" in text
    assert all(f"- `{category}`: " in text for category in ANALYSIS.wrong)
    assert "reasoning_style" not in text
