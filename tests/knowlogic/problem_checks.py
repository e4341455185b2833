"""What must hold for every problem of every domain: its engines agree, and its texts are read back."""

from perennial.schemas.knowlogic.things import Language
from perennial.tasks.knowlogic.layout import read_text, says_the_same, write_text
from perennial.tasks.knowlogic.problem import Domain, Problem


def check_engines(domain: Domain, problem: Problem) -> None:
    """Check that both engines give the same."""
    assert domain.check(problem) == domain.decide(problem)


def check_text(domain: Domain, problem: Problem, language: Language) -> None:
    """Check that the text is read back as a problem that says the same and has the same answer."""
    read = read_text(domain, write_text(domain, problem, language), language)
    assert says_the_same(problem, read)
    assert domain.decide(read) == domain.decide(problem)
