"""Episodes as pages show them: of public instances only, with what was shown, replied and came back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from flows.benchmark import benchmarks
from flows.editions.diagnosis import PROBLEMS
from flows.export.games import open_seat
from flows.website.visible import Edition, present
from schemas.disclosure import canary_line
from schemas.people.persons import is_person
from schemas.rows import Row
from tasks.report.wording import cell
from warehouse.catalog.catalog import Catalog, open_catalog
from warehouse.catalog.sql.confinement import quote
from warehouse.store.store import Store

WORST_EACH = 2
PAGE_CHARACTERS = 60_000
"""The texts of a page, cut to it: escaped, they stay below two thirds of what a page may hold."""
_MOST_TURNS = 12
_LONGEST_FACT = 400
_GOOD_TURNS = 4
_WORST_FIRST = "e.score, e.tokens DESC NULLS LAST, e.turns DESC, e.episode_id"
_PUBLIC = "e.instance_id NOT IN (SELECT instance_id FROM private_instances)"
_EPISODES = (
    "SELECT e.evaluation, e.episode_id, e.instance_id, e.player, e.run, e.status, e.score, e.tokens, "
    "i.domain, i.setting "
    "FROM episodes AS e JOIN instances AS i USING (edition, instance_id) WHERE e.version IS NULL AND {where} "
    "{order}"
)
_TURNS = (
    "SELECT evaluation, episode_id, turn, shown, reasoning, reply, feedback FROM transcripts "
    "WHERE {where} ORDER BY evaluation, episode_id, turn"
)
_ANSWERS = (
    "SELECT evaluation, episode_id, answer, right_answer FROM episode_answers WHERE {where} ORDER BY ALL"
)


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn: its number, and who said what, in order."""

    number: int
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """An episode on a page; `cut`: some of its texts or turns are left out."""

    edition: str
    player: str
    domain: str
    setting: str
    ended: str
    facts: tuple[tuple[str, str], ...]
    turns: tuple[ShownTurn, ...]
    cut: bool
    canary: str


def read_worst(
    store: Store, edition: Edition, players: Iterable[str], characters: int
) -> dict[str, list[Transcript]]:
    """Return the worst episodes of each of the players, each in so many characters; none of persons.

    Failed calls are not a player's fault, and are left out.
    """
    chosen = ", ".join(map(quote, sorted(name for name in {*players} if not is_person(name))))
    if not chosen:
        return {}
    where = f"NOT e.success AND e.status <> 'api_error' AND e.player IN ({chosen}) AND {_public(edition)}"
    order = (
        f"QUALIFY row_number() OVER (PARTITION BY e.player ORDER BY {_WORST_FIRST}) <= {WORST_EACH} "
        f"ORDER BY e.player, {_WORST_FIRST}"
    )
    with _open(store, edition) as catalog:
        found: dict[str, list[Transcript]] = {}
        for transcript in _read(
            store, edition, catalog, _EPISODES.format(where=where, order=order), characters
        ):
            found.setdefault(transcript.player, []).append(transcript)
    return found


def read_example(store: Store, edition: Edition, setting: str | None) -> Transcript | None:
    """Return a solved episode, best of the program that plays best, in that setting, of a few turns."""
    installed = benchmarks().get(edition.benchmark)
    best = present(edition.benchmark).best_player
    named = dict.fromkeys((*([best] if best else []), *(installed.playing().references if installed else ())))
    places = (f"e.player = {quote(name)} DESC, " for name in named)
    where = f"e.success AND NOT starts_with(e.player, 'human:') AND {_public(edition)}"
    order = (
        f"ORDER BY {''.join(places)}i.setting <> {quote(setting or '')}, abs(e.turns - {_GOOD_TURNS}), "
        "e.episode_id LIMIT 1"
    )
    with _open(store, edition) as catalog:
        sql = _EPISODES.format(where=where, order=order)
        return next(iter(_read(store, edition, catalog, sql, PAGE_CHARACTERS // 2)), None)


@contextmanager
def _open(store: Store, edition: Edition) -> Iterator[Catalog]:
    catalog = open_catalog(store, edition.units, settings={"threads": 1})
    with catalog.closing():
        yield catalog


def _public(edition: Edition) -> str:
    return "true" if edition.is_retired else _PUBLIC


def _read(store: Store, edition: Edition, catalog: Catalog, sql: str, characters: int) -> list[Transcript]:
    episodes = _records(catalog, sql)
    ids = ", ".join(quote(row["episode_id"]) for row in episodes)
    if not ids:
        return []
    where = f"edition = {quote(edition.name)} AND episode_id IN ({ids})"
    turns: dict[tuple[str, str], list[Row]] = {}
    for turn in _records(catalog, _TURNS.format(where=where)):
        turns.setdefault((turn["evaluation"], turn["episode_id"]), []).append(turn)
    answers = {
        (row["evaluation"], row["episode_id"]): row for row in _records(catalog, _ANSWERS.format(where=where))
    }
    silent = [row["instance_id"] for row in episodes if not _is_shown(turns.get(_id(row), []))]
    openings = _read_openings(store, edition, silent)
    return [
        _transcript(
            edition,
            row,
            turns.get(_id(row), []),
            answers.get(_id(row), {}),
            openings.get(row["instance_id"]),
            characters,
        )
        for row in episodes
    ]


def _records(catalog: Catalog, sql: str) -> list[Row]:
    names, rows = catalog.query(sql)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _id(row: Row) -> tuple[str, str]:
    return row["evaluation"], row["episode_id"]


def _is_shown(turns: Sequence[Row]) -> bool:
    return bool(turns) and turns[0]["shown"] is not None


def _read_openings(store: Store, edition: Edition, instances: Sequence[str]) -> dict[str, str]:
    """Return what a model is shown first of each instance: programs get no messages."""
    installed = benchmarks().get(edition.benchmark)
    if not instances or installed is None:
        return {}
    seats = installed.playing().seats(store, edition.name, sorted(set(instances)), {})
    return {
        seat.instance_id: "\n\n".join(message["content"] for message in open_seat(seat).messages)
        for seat in seats
    }


def _transcript(
    edition: Edition,
    row: Row,
    turns: Sequence[Row],
    answers: Mapping[str, object],
    opening: str | None,
    characters: int,
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
    facts = (
        ("player", row["player"]),
        ("answer", answers.get("answer")),
        ("right answer", answers.get("right_answer")),
        ("score", row["score"]),
        ("tokens", row["tokens"]),
    )
    return Transcript(
        edition.name,
        row["player"],
        row["domain"],
        row["setting"],
        PROBLEMS.get(row["status"], row["status"].replace("_", " ")),
        tuple((name, cut(cell(value), _LONGEST_FACT)) for name, value in facts if value is not None),
        tuple(
            ShownTurn(turn["turn"], tuple((who, cut(text, limit)) for who, text in parts))
            for turn, parts in zip(kept, said, strict=True)
        ),
        is_cut,
        canary_line(edition.plan.canary),
    )


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
