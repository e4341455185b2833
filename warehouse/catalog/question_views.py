"""The SQL of the views, one per analyst's question, shared and of each benchmark, and of the macros."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.tables import TABLES

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

SHARED = "perennial.warehouse.catalog"
_ANSWERS = "episode_answers"


def question_views() -> dict[str, str]:
    """Return the SQL of each view by name: the shared ones, then those of each benchmark."""
    views = {name: sql for package in view_packages() for name, sql in _views_of(package)}
    answers = (benchmark.answers for benchmark in benchmarks().values() if benchmark.answers)
    return {**views, _ANSWERS: "\nUNION ALL\n".join((views[_ANSWERS], *answers))}


@cache
def macro_statements() -> tuple[str, ...]:
    """The statements that create the macros over any two columns and comment them, in order."""
    sql = (files(SHARED) / "macros.sql").read_text(encoding="utf-8")
    return tuple(part.strip() for part in sql.split("\n;\n") if part.strip())


@cache
def macro_names() -> frozenset[str]:
    """The names of all macros."""
    return frozenset(
        re.findall(r"^CREATE OR REPLACE MACRO (\w+)", "\n".join(macro_statements()), re.MULTILINE)
    )


def view_packages() -> tuple[str, ...]:
    """Return the packages that hold a folder of views, the shared one first."""
    return (SHARED, *(benchmark.sql for benchmark in benchmarks().values() if benchmark.sql))


def view_names(package: str) -> tuple[str, ...]:
    """Return the names of the views of one such package."""
    return tuple(name for name, _ in _views_of(package))


@cache
def _views_of(package: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8"))
        for entry in list_files(package, "views")
        if entry.name.endswith(".sql")
    )


def list_files(package: str, folder: str) -> "list[Traversable]":
    """Return the files of a package's folder, by name; none where it has no such folder."""
    place = files(package) / folder
    return sorted(place.iterdir(), key=lambda entry: entry.name) if place.is_dir() else []


def question_of(sql: str) -> str:
    """Return the comment that opens a view's SQL: the question, and what it counts."""
    comment = re.match(r"(?:--.*\n)+", sql)
    return re.sub(r"^-- ?", "", comment[0], flags=re.MULTILINE).strip() if comment else ""


def words_of(sql: str) -> list[str]:
    """Return the words of the SQL in small letters, each once, without comments on lines of their own."""
    return list(dict.fromkeys(re.findall(r"\w+", without_comments(sql).lower())))


def without_comments(sql: str) -> str:
    """Return the SQL without comments on lines of their own."""
    return re.sub(r"^\s*--.*$", "", sql, flags=re.MULTILINE)


def in_order(names: Iterable[str], views: Mapping[str, str]) -> Iterator[str]:
    """Yield those of the names that are views, and what their SQL names, each once, what is needed first."""
    seen: set[str] = set()

    def follow(names: Iterable[str]) -> Iterator[str]:
        for name in names:
            if name in views and name not in seen:
                # Before, as its SQL may have its own name as a word.
                seen.add(name)
                if name not in TABLES:
                    yield from follow(words_of(views[name]))
                yield name

    return follow(names)
