"""The plan of one refresh: everything that decides what an edition holds."""

from dataclasses import asdict, dataclass, field
from typing import Any

from schemas.ids import content_id
from schemas.kumo.authoring import AuthoringPlan
from schemas.kumo.things import Setting


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """All settings of a refresh; equal plans give equal editions, table by table.

    `configs` are the content ids of the given domains' configurations, in order; `known_editions` are
    the editions published before it began, whose instances it never issues again. `player_params` are
    passed on with every call of a model that plays. `imported_from` is a digest of what an imported edition
    was read from. With a `domain_count` the domains took turns: this many of them, first those that the last
    `rest_editions` editions do not hold.
    """

    edition: str
    configs: tuple[str, ...]
    settings: tuple[Setting, ...]
    instances: int
    runs: int
    players: tuple[str, ...]
    seed: int
    min_expected_steps: float
    preset: str
    known_editions: tuple[str, ...]
    code_version: str
    authoring: AuthoringPlan = field(default_factory=AuthoringPlan)
    player_params: dict[str, Any] = field(default_factory=dict)
    imported_from: str = ""
    domain_count: int | None = None
    rest_editions: int = 0
    benchmark: str = "kumo"

    def as_json(self) -> dict[str, Any]:
        """Return the plan as a JSON object."""
        values = asdict(self)
        values["settings"] = [setting.name for setting in self.settings]
        values["authoring"]["categories"] = list(self.authoring.categories)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "RefreshPlan":
        """Return the plan that `as_json` wrote."""
        tuples = {key: tuple(values[key]) for key in ("configs", "players", "known_editions")}
        settings = tuple(Setting.parse(name) for name in values["settings"])
        authoring = AuthoringPlan.from_json(values["authoring"]) if "authoring" in values else AuthoringPlan()
        return cls(**{**values, **tuples, "settings": settings, "authoring": authoring})

    @property
    def asked(self) -> dict[str, Any]:
        """What the operator asked for: the plan without its name and without what it found there.

        Where domains take turns it is without them too: whose turn it is was found there.
        """
        values = self._lasting
        return {key: values[key] for key in values if key != "configs" or self.domain_count is None}

    def batch_key(self, stage: str, *parts: str) -> str:
        """Return the content key of a staged batch: the same plan gives the same key."""
        return content_id(stage, self._lasting, list(self.known_editions), *parts)

    @property
    def _lasting(self) -> dict[str, Any]:
        values = self.as_json()
        return {key: values[key] for key in values if key not in ("edition", "known_editions")}
