"""What a page is, and what it is given: the visit, with the URL as the state of the page."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from perennial.flows.web.plain_text import plain
from perennial.flows.web.reading import Rows, Snapshot
from perennial.schemas.benchmark import Declaration, benchmarks
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.confinement import quote

ALL = "all"


@dataclass(frozen=True)
class Visit:
    """One run of a page: the data root as it is now, and links to the other pages."""

    snapshot: Snapshot
    pages: Mapping[str, object]

    def link(self, page: str, label: str, **parameters: str) -> None:
        """Show a link to a page in this state; the label is text."""
        # Outside of the explorer, as in a test of one page, there is nothing to link to.
        if page in self.pages:
            st.page_link(self.pages[page], label=plain(label), query_params=parameters, icon="")

    def go(self, page: str, **parameters: str) -> None:
        """Go to a page in this state."""
        if page in self.pages:
            st.switch_page(self.pages[page], query_params=parameters)

    def choose_edition(self, benchmark: str | None = None, key: str = "edition") -> "Opened":
        """Return the edition that the URL names, or the newest one, after showing which there are."""
        listed = self.list_editions()
        fitting = [one for one in listed if benchmark in (None, one["benchmark"])]
        if not fitting:
            raise UnreadableInput(
                f"no edition{f' of {benchmark}' if benchmark else ''} is published in this data root: run "
                "`perennial refresh` first, or serve another --root"
            )
        return self.open_edition(choose("Edition", [one["edition"] for one in fitting], key))

    def open_edition(self, name: str) -> "Opened":
        """Return the edition of that name."""
        part = self.snapshot.of(name)
        (own,) = part.query("SELECT benchmark FROM editions").rows[0]
        return Opened(name, part, benchmarks().get(own), own)

    def list_editions(self) -> list[Row]:
        """Return name and benchmark of each visible edition, the newest first."""
        # Page Editions names those that cannot be read.
        rows = [row for own in self.snapshot.query_by_edition("FROM editions").values() for row in own or ()]
        return sorted(rows, key=lambda row: (-row["created_at"].timestamp(), row["edition"]))


@dataclass(frozen=True)
class Opened:
    """An edition with what reads it; `declaration` is None where its benchmark is not installed here."""

    name: str
    snapshot: Snapshot
    declaration: Declaration | None
    benchmark_name: str

    def query(self, sql: str) -> Rows:
        """Return the rows of the SQL over this edition alone."""
        return self.snapshot.query(sql)

    def require(self, table: str, column: str, value: str) -> Row:
        """Return the edition's row with this id; raise UnreadableInput where there is none."""
        found = self.query(f"FROM {table} WHERE {column} = {quote(value)} LIMIT 1").records()
        if not found:
            raise UnreadableInput(
                f"{column} {value!r} is not in edition {self.name}: check the link, or choose another edition"
            )
        return found[0]


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its name in the URL, its title, and what shows it."""

    name: str
    title: str
    show: Callable[[Visit], None]


def parameter(name: str) -> str:
    """Return the parameter of the URL, "" where it has none."""
    return str(st.query_params.get(name, ""))


def number_parameter(name: str, most: int) -> int:
    """Return the whole number that the URL gives, at most so large; 1 where it gives none."""
    given = parameter(name)
    if not (given.isascii() and given.isdecimal()):
        return 1
    # Python refuses to read a number of thousands of digits.
    digits = given.lstrip("0")[: len(str(most)) + 1]
    return min(int(digits), most) if digits else 1


def choose(
    label: str, options: Iterable[str], key: str, titles: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the option that the URL names, else the first, after letting the visitor choose.

    `titles` are shown in place of options. Raises InvalidOption where the URL names one that does not exist.
    """
    listed = list(options)
    given = parameter(key)
    if given and given not in listed:
        shown = ", ".join(listed[:8]) + (", ..." if len(listed) > 8 else "")
        raise InvalidOption(f"{label.lower()} {given!r} of the link is not here; there are: {shown}")
    index = listed.index(given) if given else 0
    # The URL is the state: with another value of it the box is another one.
    name = f"{key}:{given}"

    def keep() -> None:
        st.query_params[key] = st.session_state[name]

    shown_as = {"format_func": lambda option: titles.get(option, option)} if titles else {}
    return str(st.selectbox(label, listed, index, key=name, on_change=keep, **shown_as))


def choose_several(label: str, options: Sequence[str], key: str) -> list[str]:
    """Return the options that the URL names, separated by commas; none means all."""
    given = [one for one in parameter(key).split(",") if one in options]
    name = f"{key}:{','.join(given)}"

    def keep() -> None:
        st.query_params[key] = ",".join(st.session_state[name])

    chosen = st.multiselect(label, options, given, key=name, on_change=keep, placeholder="all")
    return list(chosen) or list(options)
