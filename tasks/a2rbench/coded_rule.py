"""What a rule is to all that runs it: words and code, whoever wrote them."""

from dataclasses import dataclass
from typing import Protocol

from perennial.tasks.a2rbench.catalogue.rule import Dimension, RuleType


class CodedRule(Protocol):
    """A rule in words and as a script that defines `transform_grid` and `inverse_transform_grid`."""

    @property
    def name(self) -> str:
        """Its name, by which items refer to it."""
        ...

    @property
    def author(self) -> str:
        """Who wrote it: `catalogue`, or a model's name."""
        ...

    @property
    def dimension(self) -> Dimension:
        """How deep its values are nested."""
        ...

    @property
    def type(self) -> RuleType:
        """Symbolic or semantic."""
        ...

    @property
    def description(self) -> str:
        """The rule in words."""
        ...

    @property
    def inverse_description(self) -> str:
        """The inverse rule in words."""
        ...

    @property
    def code(self) -> str:
        """The script."""
        ...


@dataclass(frozen=True, slots=True)
class AuthoredRule:
    """A rule that a model or a file supplied (`CodedRule`); its code runs in the sandbox alone."""

    name: str
    author: str
    dimension: Dimension
    type: RuleType
    description: str
    inverse_description: str
    code: str
