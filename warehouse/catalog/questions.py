"""Saved questions: SQL that analysts run by name, the shared files first and then those of each benchmark.

A file begins with the question as a comment; lines such as `-- $player = %` name its parameters and their
defaults, which are patterns of LIKE.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from warehouse.catalog.question_views import question_of, view_packages, without_comments
from warehouse.catalog.sql.confinement import quote

_PARAMETER = re.compile(r"^\$(\w+) = (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Question:
    """A saved question: its name, its text, the defaults of its parameters, and its SQL."""

    name: str
    text: str
    defaults: Mapping[str, str]
    sql: str

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
    text = " ".join(_PARAMETER.sub("", comment).split())
    return Question(
        file.removesuffix(".sql"), text, dict(_PARAMETER.findall(comment)), without_comments(sql).strip()
    )
