"""Games as examples: one question that was won and lost for each benchmark, a lost game for each model."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby

from perennial.flows.benchmark import find_installed
from perennial.flows.editions.diagnosis import PROBLEMS
from perennial.flows.editions.report import query_table
from perennial.flows.export.source import open_seat
from perennial.flows.website.visible import Edition, present
from perennial.schemas.disclosure import canary_line
from perennial.schemas.presentation import Card, CardGrid, ChosenGame, Example, Panel, ReadRows
from perennial.schemas.rows import Row
from perennial.schemas.statistics import label_player
from perennial.tasks.report.wording import cell
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import quote, quote_all
from perennial.warehouse.store.store import Store

# Games as pages show them turn by turn: what was shown, replied and came back.

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
    game_turns = [turns.get((row["evaluation"], row["episode_id"]), []) for row in games]
    silent = [
        row["instance_id"]
        for row, moves in zip(games, game_turns, strict=True)
        if not moves or moves[0]["shown"] is None
    ]
    openings = _read_openings(store, edition, silent)
    return [
        _transcript(row, moves, openings.get(row["instance_id"]), characters)
        for row, moves in zip(games, game_turns, strict=True)
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
    parts_by_turn: list[list[tuple[str, str]]] = []
    for index, turn in enumerate(kept):
        prompt = turn["shown"] if turn["shown"] is not None else opening if index == 0 else None
        parts = [("What was shown", prompt), ("Reasoning", turn["reasoning"]), ("Reply", turn["reply"])]
        if turn is turns[-1]:
            parts.append(("What came back", turn["feedback"]))
        parts_by_turn.append([(who, text) for who, text in parts if text])
    limit = fair_limit([len(text) for parts in parts_by_turn for _, text in parts], characters)
    is_cut = len(kept) < len(turns) or any(len(text) > limit for parts in parts_by_turn for _, text in parts)
    named = "player", "answer", "right_answer", "score", "tokens"
    values = {**row, "player": label_player(None, dict(row))}
    facts = [(name.replace("_", " "), values.get(name)) for name in named]
    return Transcript(
        describe_ending(str(row["status"])),
        tuple((name, cut(cell(value), _LONGEST_FACT)) for name, value in facts if value is not None),
        tuple(
            ShownTurn(turn["turn"], tuple((who, cut(text, limit)) for who, text in parts))
            for turn, parts in zip(kept, parts_by_turn, strict=True)
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


_MOST_CHOICES, _LOST_CHOICES = 60, 8
_PUBLIC = "e.instance_id NOT IN (SELECT instance_id FROM private_instances)"
_GOOD_TURNS = 4
_MOST_PANELS = 12
_MOST_CARDS = 200
_LONGEST_CARD = 240
_LONGEST_TEXT = 1_200
# Of each question the best game that was won and the best that was lost: an answer explains more than none,
# and readers come for models. Questions with both come first.
_COLUMNS = (
    "e.evaluation, e.episode_id, e.instance_id, e.player, e.success, e.status, e.score, e.tokens, "
    "i.domain, i.setting, (SELECT any_value(v.answers) FROM evaluations AS v WHERE "
    "v.edition = e.edition AND v.evaluation = e.evaluation) AS answers"
)
_PAIRS = f"""
WITH kinds AS (
    SELECT DISTINCT player, player_group = 'models' AS is_model FROM leaderboard
), games AS (
    SELECT {_COLUMNS}, abs(e.turns - {_GOOD_TURNS}) AS odd_turns,
           10 * (e.status IN ('solved', 'wrong'))::INT + 5 * coalesce(k.is_model, false)::INT AS value
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    LEFT JOIN kinds AS k USING (player)
    WHERE e.version IS NULL AND NOT starts_with(e.player, 'human:') AND e.status <> 'api_error' AND {{where}}
    QUALIFY row_number() OVER (
        PARTITION BY e.instance_id, e.success
        ORDER BY value DESC, odd_turns, e.player, e.evaluation, e.episode_id
    ) = 1
)
FROM (SELECT *, sum(100 + value) OVER (PARTITION BY instance_id) AS whole FROM games)
QUALIFY whole = max(whole) OVER ()
ORDER BY setting <> {{setting}}, sum(odd_turns) OVER (PARTITION BY instance_id), instance_id, success DESC
LIMIT {2 * _MOST_CHOICES}
"""
# A failed call is not a player's fault.
_LOST = f"""
SELECT {_COLUMNS}
FROM episodes AS e
JOIN instances AS i USING (edition, instance_id)
WHERE NOT e.success AND e.version IS NULL AND e.status <> 'api_error'
      AND e.player IN ({{players}}) AND {{where}}
QUALIFY row_number() OVER (
    PARTITION BY e.player ORDER BY e.status <> 'wrong', e.score, e.turns, e.evaluation, e.episode_id
) <= {_LOST_CHOICES}
ORDER BY e.player, e.status <> 'wrong', e.score, e.turns, e.evaluation, e.episode_id
"""
_TEXTS = (
    "SELECT evaluation, episode_id, arg_max(reply, turn) AS reply FROM transcripts "
    "WHERE episode_id IN ({ids}) GROUP BY ALL",
    "SELECT evaluation, episode_id, answer, right_answer, fault FROM episode_answers "
    "WHERE episode_id IN ({ids})",
)


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example on a page: as its benchmark draws it, where that draws any, and as transcripts."""

    edition: str
    domain: str
    setting: str
    canary: str
    drawn: Example | None
    transcripts: tuple[Transcript, ...]


def read_example(store: Store, edition: Edition, setting: str | None) -> ShownExample | None:
    """Return an example of the edition, of that setting where it has one; None where nobody played."""
    with open_edition(store, edition) as catalog:
        sql = _PAIRS.format(where=_public_only(edition), setting=quote(setting or ""))
        pairs = [[*games] for _, games in groupby(_read_games(catalog, sql), lambda row: row["instance_id"])]
        if not pairs:
            return None
        drawn, games = _draw(edition, catalog, pairs)
        transcripts = [] if drawn else read_transcripts(store, edition, catalog, games, PAGE_CHARACTERS // 4)
        return _as_shown_example(edition, drawn, games[0], transcripts)


def read_lost_games(
    store: Store, edition: Edition, catalog: Catalog, players: Iterable[str], characters: int
) -> dict[str, ShownExample]:
    """Return a lost game of each of the players, with its transcript in so many characters."""
    sql = _LOST.format(where=_public_only(edition), players=quote_all(sorted(players)))
    drawn_games = {
        player: _draw(edition, catalog, [[row] for row in games])
        for player, games in groupby(_read_games(catalog, sql), lambda row: row["player"])
    }
    lost = [row for _, (row,) in drawn_games.values()]
    transcripts = read_transcripts(store, edition, catalog, lost, characters)
    return {
        player: _as_shown_example(edition, drawn, row, [transcript])
        for (player, (drawn, (row,))), transcript in zip(drawn_games.items(), transcripts, strict=True)
    }


@contextmanager
def open_edition(store: Store, edition: Edition) -> Iterator[Catalog]:
    """Open a snapshot of the edition and its evaluations."""
    catalog = open_catalog(store, edition.units, settings={"threads": 1})
    with catalog.closing():
        yield catalog


def _public_only(edition: Edition) -> str:
    return "true" if edition.is_retired else _PUBLIC


def _read_games(catalog: Catalog, sql: str) -> list[Row]:
    rows = query_table(catalog.query, "games", sql).records()
    by_episode = {(row["evaluation"], row["episode_id"]): row for row in rows}
    for query in _TEXTS if rows else ():
        filled = query.format(ids=quote_all(row["episode_id"] for row in rows))
        for texts in query_table(catalog.query, "texts", filled).records():
            by_episode.get((texts["evaluation"], texts["episode_id"]), {}).update(texts)
    return rows


def _draw(
    edition: Edition, catalog: Catalog, choices: Sequence[Sequence[Row]]
) -> tuple[Example | None, Sequence[Row]]:
    """Return one of the choices as its benchmark draws it, with its games; the first where it draws none."""
    draw = present(edition.benchmark).draw
    drawn = draw(catalog.query, [tuple(map(_choose, games)) for games in choices]) if draw else None
    if drawn is None:
        return None, choices[0]
    key = drawn.games[0].game.episode_id
    return _limit(drawn), next(games for games in choices if key in [row["episode_id"] for row in games])


def _as_shown_example(
    edition: Edition, drawn: Example | None, row: Row, transcripts: Sequence[Transcript]
) -> ShownExample:
    canary = canary_line(edition.plan.canary)
    return ShownExample(edition.name, row["domain"], row["setting"], canary, drawn, tuple(transcripts))


def _choose(row: Row) -> ChosenGame:
    ids = {name: row[name] for name in ("evaluation", "episode_id", "instance_id")}
    texts: Row = {name: row.get(name) for name in ("reply", "answer", "right_answer", "fault")}
    ids["player"] = label_player(None, row)
    return ChosenGame(**ids, is_won=row["success"], ended=describe_ending(row["status"]), **texts)


def choose_question(
    read: ReadRows, choices: Sequence[tuple[ChosenGame, ...]], select: str, order: str
) -> tuple[Row, tuple[ChosenGame, ...]] | None:
    """Return the first question in this order with its games; `select` reads questions by `instance_id`."""
    ids = quote_all(games[0].instance_id for games in choices)
    sql = f"{select} WHERE instance_id IN ({ids}) ORDER BY {order}, instance_id LIMIT 1"
    for row in query_table(read, "questions", sql).records():
        return row, next(games for games in choices if games[0].instance_id == row["instance_id"])
    return None


def _limit(example: Example) -> Example:
    """Return the example with long texts cut and long lists ended: what models reply has any length."""
    games = [
        replace(game, panels=_limit_panels(game.panels), why=cut(game.why, _LONGEST_TEXT))
        for game in example.games
    ]
    return Example(_limit_panels(example.question), tuple(games))


def _limit_panels(panels: tuple[Panel, ...]) -> tuple[Panel, ...]:
    kept = panels
    if len(panels) > _MOST_PANELS:
        kept = (*panels[: _MOST_PANELS // 2], Panel("..."), *panels[-_MOST_PANELS // 2 :])
    return tuple(
        Panel(
            cut(panel.heading, _LONGEST_CARD),
            cut(panel.quote, _LONGEST_TEXT),
            cut(panel.text, _LONGEST_TEXT),
            tuple(map(_limit_card, panel.cards[:_MOST_CARDS])),
            tuple(map(_limit_grid, panel.grids[:4])),
        )
        for panel in kept
    )


def _limit_grid(grid: CardGrid) -> CardGrid:
    lines = grid[: _MOST_CARDS // 4]
    return tuple(tuple(map(_limit_card, line[: _MOST_CARDS // max(len(lines), 1)])) for line in lines)


def _limit_card(card: Card) -> Card:
    return replace(card, text=cut(card.text, _LONGEST_CARD))
