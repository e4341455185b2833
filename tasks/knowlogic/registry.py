"""The domains of KnowLogic by name, built from the knowledge base."""

from pkgutil import resolve_name

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import DomainName
from perennial.tasks.knowlogic.domain import Domain

_PLACES: dict[DomainName, str] = {
    "space": "perennial.tasks.knowlogic.space.domain:build",
    "time": "perennial.tasks.knowlogic.time.domain:build",
    "social": "perennial.tasks.knowlogic.social.domain:build",
    "nature": "perennial.tasks.knowlogic.nature.domain:build",
    "mix": "perennial.tasks.knowlogic.mix.domain:build",
}
_built: dict[tuple[str, str], Domain] = {}


def find_domain(name: DomainName, knowledge: Knowledge) -> Domain:
    """Return the domain of that name for this state of the knowledge base, built once."""
    key = (name, knowledge.content_id)
    if key not in _built:
        _built[key] = resolve_name(_PLACES[name])(knowledge)
    return _built[key]
