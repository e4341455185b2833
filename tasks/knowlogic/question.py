"""From a problem to its rows: the ids, the labels and the texts in each language."""

from collections.abc import Iterable

from prompts.render import template_hash
from schemas.ids import canonical_json, content_id
from schemas.knowlogic.question import Question
from schemas.knowlogic.things import Labels, Language
from tasks.knowlogic.domain import Domain
from tasks.knowlogic.problem import Problem, payload_of
from tasks.knowlogic.wording.layout import prompt_template, write_prompt, write_text


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
                instance_id(pair, language),
                pair,
                language,
                domain.name,
                problem.scenario,
                problem.type,
                labels.precision,
                shown.text,
                shown.question,
                list(shown.options),
                letters,
                problem.has_none,
                list(labels.properties),
                list(labels.relations),
                list(labels.rules),
                labels.chain_length,
                canonical_json(dict(labels.variables)),
                labels.level,
                labels.difficulty,
                len(problem.statements),
                len(problem.entities),
                payload,
                write_prompt(shown, language),
                template_hash(prompt_template(language)),
                rejected_draws,
            )
        )
    return questions
