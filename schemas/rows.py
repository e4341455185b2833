"""Rows of tables, and JSON objects, as Python has them: what is under a key is checked where it is read."""

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]  # a value per column, of whatever type the column has
Rows = list[Row]
# Such as a plan's own part, a protocol, parameters of a call, a printed document.
JsonObject = dict[str, Any]
ReadJson = Mapping[str, Any]
