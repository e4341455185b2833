"""Which models author an edition, and how often they may try: a part of its plan."""

from dataclasses import dataclass, field

from perennial.schemas.kumo.categories import Quota
from perennial.schemas.model_calls.calls import ModelChoice
from perennial.schemas.rows import JsonObject

AUTHOR_ROLES = ("proposer", "configurer", "writer", "second_writer", "reviser", "judge")


@dataclass(frozen=True, slots=True)
class AuthoringPlan:
    """The models by role ("" where the embedded default does it by rule) and the limits of their work.

    `proposals` is the number of new domains asked for, `params` what every author's call passes on, but for
    the models to which `model_params` gives others (models.toml).
    `continuations` and `repairs` bound the work on one configuration, `book_rounds` the revisions of a book.
    """

    proposer: str = ""
    configurer: str = ""
    writer: str = ""
    second_writer: str = ""
    reviser: str = ""
    judge: str = ""
    proposals: int = 0
    categories: tuple[Quota, ...] = ()
    params: JsonObject = field(default_factory=dict)
    continuations: int = 3
    repairs: int = 3
    book_rounds: int = 3
    model_params: dict[str, JsonObject] = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: JsonObject) -> "AuthoringPlan":
        """Return the plan that `dataclasses.asdict` and JSON made of one."""
        return cls(**{**values, "categories": tuple(map(tuple, values["categories"]))})

    def choice(self, role: str) -> ModelChoice:
        """Return the model of this role with what its calls pass on."""
        return self.choice_of(getattr(self, role))

    def choice_of(self, model: str) -> ModelChoice:
        """Return a model that authors with what its calls pass on."""
        return ModelChoice(model, self.model_params.get(model, self.params))

    def reviser_of(self, role: str) -> ModelChoice:
        """Return the model that reads back and revises what this role wrote: itself where no other does."""
        is_other = self.reviser != self.writer
        return self.choice("reviser" if is_other else role)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that author, each once."""
        named = (getattr(self, role) for role in AUTHOR_ROLES)
        return tuple(dict.fromkeys(model for model in named if model))
