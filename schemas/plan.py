"""The plan of one refresh: everything that decides what an edition holds."""

from dataclasses import asdict, dataclass
from typing import Any

from schemas.ids import content_id
from schemas.kumo import Setting


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """All settings of a refresh; equal plans give equal editions, table by table.

    `configs` are the content ids of the domains' configurations, in order; `known_editions` are the
    editions published before it began, whose instances it never issues again.
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
    benchmark: str = "kumo"

    def as_json(self) -> dict[str, Any]:
        """Return the plan as a JSON object."""
        values = asdict(self)
        values["settings"] = [setting.name for setting in self.settings]
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "RefreshPlan":
        """Return the plan that `as_json` wrote."""
        tuples = {key: tuple(values[key]) for key in ("configs", "players", "known_editions")}
        settings = tuple(Setting.parse(name) for name in values["settings"])
        return cls(**{**values, **tuples, "settings": settings})

    @property
    def asked(self) -> dict[str, Any]:
        """What the operator asked for: the plan without its name and without what it found there."""
        values = self.as_json()
        return {key: values[key] for key in values if key not in ("edition", "known_editions")}

    @property
    def batches(self) -> tuple[tuple[str, Setting], ...]:
        """Each (configuration id, setting): the unit of work of every stage."""
        return tuple((config_id, setting) for config_id in self.configs for setting in self.settings)

    def batch_key(self, stage: str, *parts: str) -> str:
        """Return the content key of a staged batch: the same plan gives the same key."""
        return content_id(stage, self.asked, list(self.known_editions), *parts)
