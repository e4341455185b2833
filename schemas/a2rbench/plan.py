"""A2RBench's own part of an edition's plan."""

from dataclasses import asdict, dataclass, field

from perennial.schemas.a2rbench.authoring import AuthoringPlan
from perennial.schemas.rows import JsonObject


@dataclass(frozen=True, slots=True)
class A2RBenchPlan:
    """What of A2RBench decides an edition's items.

    `seeds` of each cell, each with the variations V0 to V`variations`, and copies in other tokens where
    `remapping` is on; `catalogue` is the content id of the rules. `tier` is the protection that the machine
    gave to workers when the edition was begun.
    """

    seeds: int
    variations: int
    remapping: bool
    catalogue: str
    tier: str
    authoring: AuthoringPlan = field(default_factory=AuthoringPlan)

    def as_json(self) -> JsonObject:
        """Return the plan as a JSON object."""
        return {**asdict(self), "authoring": self.authoring.as_json()}

    @classmethod
    def from_json(cls, values: JsonObject) -> "A2RBenchPlan":
        """Return the plan that `as_json` wrote."""
        return cls(**{**values, "authoring": AuthoringPlan.from_json(values["authoring"])})
