"""KUMO's own part of an edition's plan."""

from dataclasses import asdict, dataclass, field

from perennial.schemas.kumo.authoring import AuthoringPlan
from perennial.schemas.kumo.book_styles import MIXED
from perennial.schemas.kumo.samplers import BALANCED, DEFAULT_SAMPLER
from perennial.schemas.kumo.things import Setting
from perennial.schemas.rows import JsonObject


@dataclass(frozen=True, slots=True)
class KumoPlan:
    """What of KUMO decides an edition's questions.

    `configs` are the content ids of the given domains' configurations, in order. With a `domain_count` the
    domains took turns: so many of them, those first that the last `rest_editions` editions do not hold.
    `worlds` is the number of synthetic worlds, which are drawn with the edition's seed; so are the exchanged
    facts where it is `counterfactual`, and has each given domain a second time with these.
    `sparse` says how sparse its domains and worlds are, "" for those that keep all their rules.
    """

    configs: tuple[str, ...]
    settings: tuple[Setting, ...]
    instances: int
    min_expected_steps: float
    require_test: bool = False
    authoring: AuthoringPlan = field(default_factory=AuthoringPlan)
    domain_count: int | None = None
    rest_editions: int = 0
    worlds: int = 0
    book_style: str = MIXED
    sampler: str = DEFAULT_SAMPLER
    counterfactual: bool = False
    sparse: str = ""

    @property
    def n_domains(self) -> int:
        """The number of its domains, as far as models configure all that they propose."""
        given = len(self.configs) * (2 if self.counterfactual else 1)
        return given + self.worlds + self.authoring.proposals

    @property
    def is_balanced(self) -> bool:
        """Whether its instances are balanced."""
        return self.sampler == BALANCED

    def as_json(self) -> JsonObject:
        """Return the plan as a JSON object."""
        values = asdict(self)
        values["configs"] = list(self.configs)
        values["settings"] = [setting.name for setting in self.settings]
        values["authoring"]["categories"] = [list(quota) for quota in self.authoring.categories]
        return values

    @classmethod
    def from_json(cls, values: JsonObject) -> "KumoPlan":
        """Return the plan that `as_json` wrote."""
        parts = {
            "configs": tuple(values["configs"]),
            "settings": tuple(Setting.parse(name) for name in values["settings"]),
            "authoring": AuthoringPlan.from_json(values["authoring"]),
        }
        return cls(**{**values, **parts})
