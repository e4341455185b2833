"""KnowLogic's own part of an edition's plan."""

from dataclasses import asdict, dataclass

from perennial.schemas.knowlogic.things import DomainName, Language
from perennial.schemas.rows import JsonObject


@dataclass(frozen=True, slots=True)
class KnowLogicPlan:
    """What of KnowLogic decides an edition's questions.

    `questions` of each of the `domains`, each in all `languages`; `knowledge` is the content id of the
    knowledge base that they are drawn from, "" for an imported edition.
    """

    domains: tuple[DomainName, ...]
    questions: int
    languages: tuple[Language, ...]
    knowledge: str

    def as_json(self) -> JsonObject:
        """Return the plan as a JSON object."""
        return asdict(self) | {"domains": list(self.domains), "languages": list(self.languages)}

    @classmethod
    def from_json(cls, values: JsonObject) -> "KnowLogicPlan":
        """Return the plan that `as_json` wrote."""
        return cls(**{**values, **{name: tuple(values[name]) for name in ("domains", "languages")}})
