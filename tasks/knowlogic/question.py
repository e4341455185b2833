"""From a problem to its rows: the ids, the labels and the texts in each language."""

from collections.abc import Iterable

from perennial.prompts.render import template_hash
from perennial.schemas.ids import canonical_json, content_id
from perennial.schemas.knowlogic.question import Question
from perennial.schemas.knowlogic.things import Labels, Language
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.problem import Problem, payload_of
from perennial.tasks.knowlogic.wording.layout import prompt_template, write_prompt, write_text


def pair_id(domain: Domain, problem: Problem) -> str:
    """Return the id of the problem whatever its language: that of its canonical form."""
    return content_id("kp", domain.name, problem.scenario, domain.canonical(problem))


def instance_id(pair: str, language: Language) -> str:
    """Return the id of the question in this language."""
    return content_id("kl", pair, language)


def write_questions(
    domain: Domain,
    problem: Problem,
    labels: Labels,
    letters: str,
    languages: Iterable[Language],
    rejected_draws: int = 0,
) -> list[Question]:
    """Return the question in each language."""
    pair, payload = pair_id(domain, problem), payload_of(problem)
    questions = []
    for language in languages:
        shown = write_text(domain, problem, language)
        questions.append(
            Question(
                instance_id=instance_id(pair, language),
                pair=pair,
                language=language,
                domain=domain.name,
                scenario=problem.scenario,
                type=problem.type,
                precision=labels.precision,
                text=shown.text,
                question=shown.question,
                options=list(shown.options),
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
                prompt=write_prompt(shown, language),
                template_hash=template_hash(prompt_template(language)),
                rejected_draws=rejected_draws,
            )
        )
    return questions
