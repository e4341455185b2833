"""Who writes rules and inputs, who judges them, and how often they may try: a part of the plan."""

from dataclasses import asdict, dataclass, field
from typing import Literal, get_args

from perennial.schemas.model_calls.calls import ModelChoice
from perennial.schemas.rows import JsonObject

CATALOGUE = "catalogue"

# Roles of models before anybody plays, and the temperatures of their calls (appendix B of the paper).
AuthorRole = Literal["designer", "architect", "judge", "expander"]
TEMPERATURES: dict[AuthorRole, float] = {"designer": 0.5, "architect": 0.2, "judge": 0.1, "expander": 0.5}

# The steps by which a rule (V0) and a variation (V1 to V9) are written, in order.
Step = Literal["rule", "rule_judged", "code", "run", "judged", "inputs", "inputs_run", "inputs_judged"]
STEPS: tuple[Step, ...] = get_args(Step)


@dataclass(frozen=True, slots=True)
class AuthoringPlan:
    """The authors of rules, who take the seeds of each cell in turn: `catalogue`, and models.

    `judge` judges what models wrote; `expander` writes their variations, "": the rule's author does.
    `candidates` is how many rules an author may begin for a seed, `retries` how often a step is tried again
    with what was wrong. `params` are what calls pass on, by role and model.
    """

    authors: tuple[str, ...] = (CATALOGUE,)
    judge: str = ""
    expander: str = ""
    candidates: int = 3
    retries: int = 2
    params: dict[str, dict[str, JsonObject]] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """The authors that are models."""
        return tuple(name for name in self.authors if name != CATALOGUE)

    def author_of(self, number: int) -> str:
        """Return who writes the seed of this number in each cell."""
        return self.authors[number % len(self.authors)]

    def choice(self, role: AuthorRole, model: str) -> ModelChoice:
        """Return a model with what its calls in a role pass on."""
        return ModelChoice(model, self.params[role][model])

    def choices(self) -> tuple[ModelChoice, ...]:
        """Return all models of all roles with what their calls pass on."""
        return tuple(
            ModelChoice(model, own) for of_role in self.params.values() for model, own in of_role.items()
        )

    def as_json(self) -> JsonObject:
        """Return the plan as a JSON object."""
        return {**asdict(self), "authors": list(self.authors)}

    @classmethod
    def from_json(cls, values: JsonObject) -> "AuthoringPlan":
        """Return the plan that `as_json` wrote."""
        return cls(**{**values, "authors": tuple(values["authors"])})
