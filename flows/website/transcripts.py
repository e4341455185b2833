"""Games as pages show them turn by turn: what was shown, replied and came back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.diagnosis import PROBLEMS
from perennial.flows.editions.figure_data import query_table
from perennial.flows.export.games import open_seat
from perennial.flows.website.visible import Edition
from perennial.schemas.rows import Row
from perennial.tasks.report.wording import cell
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.confinement import quote, quote_all
from perennial.warehouse.store.store import Store

PAGE_CHARACTERS = 60_000
"""The texts of a page, cut to it: escaped, they stay below two thirds of what a page may hold."""
_MOST_TURNS = 12
_LONGEST_FACT = 400
_TURNS = (
    "SELECT evaluation, episode_id, turn, shown, reasoning, reply, feedback FROM transcripts "
    "WHERE edition = {edition} AND episode_id IN ({ids}) ORDER BY evaluation, episode_id, turn"
)


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn: its number, and who said what, in order."""

    number: int
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A game on a page; `cut`: some of its texts or turns are left out."""

    ended: str
    facts: tuple[tuple[str, str], ...]
    turns: tuple[ShownTurn, ...]
    cut: bool


def read_transcripts(
    store: Store, edition: Edition, catalog: Catalog, games: Sequence[Row], characters: int
) -> list[Transcript]:
    """Return the transcripts of these games, each in so many characters; none of them may be private."""
    ids = quote_all(row["episode_id"] for row in games)
    if not ids:
        return []
    turns: dict[tuple[str, str], list[Row]] = {}
    sql = _TURNS.format(edition=quote(edition.name), ids=ids)
    for turn in query_table(catalog.query, "turns", sql).records():
        turns.setdefault((turn["evaluation"], turn["episode_id"]), []).append(turn)
    said = [turns.get((row["evaluation"], row["episode_id"]), []) for row in games]
    silent = [
        row["instance_id"]
        for row, found in zip(games, said, strict=True)
        if not found or found[0]["shown"] is None
    ]
    openings = _read_openings(store, edition, silent)
    return [
        _transcript(row, found, openings.get(row["instance_id"]), characters)
        for row, found in zip(games, said, strict=True)
    ]


def _read_openings(store: Store, edition: Edition, instances: Sequence[str]) -> dict[str, str]:
    """Return what a model is shown first of each instance: programs get no messages."""
    installed = find_installed(edition.benchmark)
    if not instances or installed is None:
        return {}
    seats = installed.take_seats(store, edition.name, sorted(set(instances)), {})
    return {
        seat.instance_id: "\n\n".join(message["content"] for message in open_seat(seat).messages)
        for seat in seats
    }


def _transcript(
    row: Mapping[str, object], turns: Sequence[Row], opening: str | None, characters: int
) -> Transcript:
    kept = (
        [*turns] if len(turns) <= _MOST_TURNS else [*turns[: _MOST_TURNS // 2], *turns[-_MOST_TURNS // 2 :]]
    )
    said: list[list[tuple[str, str]]] = []
    for place, turn in enumerate(kept):
        shown = turn["shown"] if turn["shown"] is not None else opening if place == 0 else None
        parts = [("What was shown", shown), ("Reasoning", turn["reasoning"]), ("Reply", turn["reply"])]
        if turn is turns[-1]:
            parts.append(("What came back", turn["feedback"]))
        said.append([(who, text) for who, text in parts if text])
    limit = fair_limit([len(text) for parts in said for _, text in parts], characters)
    is_cut = len(kept) < len(turns) or any(len(text) > limit for parts in said for _, text in parts)
    named = "player", "answer", "right_answer", "score", "tokens"
    facts = [(name.replace("_", " "), row.get(name)) for name in named]
    return Transcript(
        describe_ending(str(row["status"])),
        tuple((name, cut(cell(value), _LONGEST_FACT)) for name, value in facts if value is not None),
        tuple(
            ShownTurn(turn["turn"], tuple((who, cut(text, limit)) for who, text in parts))
            for turn, parts in zip(kept, said, strict=True)
        ),
        is_cut,
    )


def describe_ending(status: str) -> str:
    """Return how a game ended, in words."""
    return PROBLEMS.get(status, status.replace("_", " "))


def fair_limit(lengths: Iterable[int], total: int) -> int:
    """Return the longest that any text may be so that all of them together are no longer than `total`."""
    remaining, listed = total, sorted(lengths)
    for number, length in enumerate(listed):
        share = remaining // (len(listed) - number)
        if length > share:
            return share
        remaining -= length
    return total


def cut(text: str, most: int) -> str:
    """Return the text with its middle left out where it is longer; answers are at the end."""
    if len(text) <= most:
        return text
    head = max(most // 3, 1)
    return f"{text[:head]}\n[...]\n{text[len(text) - max(most - head - 7, 0) :]}"
