"""Rows of tables, and JSON objects, as Python has them: what is under a key is checked where it is read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

Row = dict[str, Any]  # a value per column, of whatever type the column has
Rows = list[Row]
# Such as a plan's own part, a protocol, parameters of a call, a printed document.
JsonObject = dict[str, Any]
ReadJson = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Something that is refused or missing: at which stage, what, by which rule, and why in one line.

    Data is in fields of its own, as nobody reads it from the message: see table `rejections`.
    """

    stage: str
    subject: str
    rule: str
    message: str
    call_id: str | None = None
    player: str | None = None
    domain: str | None = None
    setting: str | None = None
    amount: int | None = None

    def row(self) -> Row:
        """Its row of the table."""
        return asdict(self)
