"""Rows of tables as Python has them: a value per column, of whatever type the column has."""

from typing import Any

Row = dict[str, Any]
Rows = list[Row]
