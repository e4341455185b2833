"""Saved questions: SQL that analysts run by name, the shared files first and then those of each benchmark.

A file begins with the question as a comment; lines such as `-- $player = %` name its parameters and their
defaults, which are patterns of LIKE, and a line `-- No row: ...` says what is so where it has no answer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from perennial.warehouse.catalog.question_views import question_of, view_packages, without_comments
from perennial.warehouse.catalog.sql.confinement import quote

_PARAMETER = re.compile(r"^\$(\w+) = (.*)$", re.MULTILINE)
_NO_ROW = re.compile(r"^No row: (.*)\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Question:
    """A saved question: its name, text, defaults of parameters and SQL, and why it may have no row."""

    name: str
    text: str
    defaults: Mapping[str, str]
    sql: str
    no_row: str = "nothing in the data root fits"

    def ask(self, given: Mapping[str, str]) -> str:
        """Return the SQL with these values and the other defaults in place of its parameters."""
        values = {**self.defaults, **given}
        return re.sub(r"\$(\w+)", lambda found: quote(values[found[1]]), self.sql)


@cache
def saved_questions() -> dict[str, Question]:
    """Return all saved questions by name."""
    folders = (files(package) / "questions" for package in view_packages())
    found = (entry for folder in folders if folder.is_dir() for entry in folder.iterdir())
    questions = (_read(entry.name, entry.read_text(encoding="utf-8")) for entry in found)
    return {question.name: question for question in questions}


def _read(file: str, sql: str) -> Question:
    comment = question_of(sql)
    text = " ".join(_NO_ROW.sub("", _PARAMETER.sub("", comment)).split())
    of = (file.removesuffix(".sql"), text, dict(_PARAMETER.findall(comment)), without_comments(sql).strip())
    return Question(*of, *_NO_ROW.findall(comment))
