"""All roles of A2RBench on one scripted server: those who write, judge, answer and read answers."""

from tests.a2rbench import scripted_analyst, scripted_authors, scripted_expander
from tests.server.script import Script


def scripts() -> tuple[Script, ...]:
    """Return the roles of the scripted server, those that are recognised by their model first."""
    return (*scripted_analyst.scripts(), *scripted_expander.scripts(), *scripted_authors.scripts())
