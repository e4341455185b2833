"""Which models author an edition, and how often they may try: a part of its plan."""

from dataclasses import dataclass, field
from typing import Any

AUTHOR_ROLES = ("proposer", "configurer", "writer", "reviser")


@dataclass(frozen=True, slots=True)
class AuthoringPlan:
    """The models by role ("" where the embedded default does it by rule) and the limits of their work.

    `proposals` is the number of new domains asked for, `params` what every author's call passes on.
    `continuations` and `repairs` bound the work on one configuration, `book_rounds` the revisions of a book.
    """

    proposer: str = ""
    configurer: str = ""
    writer: str = ""
    reviser: str = ""
    proposals: int = 0
    categories: tuple[str, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)
    continuations: int = 3
    repairs: int = 3
    book_rounds: int = 3

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "AuthoringPlan":
        """Return the plan that `dataclasses.asdict` and JSON made of one."""
        return cls(**{**values, "categories": tuple(values["categories"])})

    @property
    def models(self) -> tuple[str, ...]:
        """The models that author, each once."""
        named = (getattr(self, role) for role in AUTHOR_ROLES)
        return tuple(dict.fromkeys(model for model in named if model))
