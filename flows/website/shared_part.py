"""The pages over several editions: home, benchmarks, lists, seeds, downloads, citation, style sheet."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from flows.website.boards import RAW, SCALED, describe_rows, make_boards
from flows.website.folder import Content
from flows.website.machine_files import feed, scores_json, scores_schema
from flows.website.overview import Overview, find_floor
from flows.website.transcripts import read_example
from flows.website.visible import Edition, present
from schemas.errors import count
from schemas.people.persons import PERSON
from schemas.rows import Row
from tasks.report.wording import decimals, with_interval
from tasks.website.names import benchmark_file
from tasks.website.render import render
from warehouse.store.store import Store

MOST_LISTED = 600
"""Editions or players in one table, so that its page stays below its size."""
_NEWEST = 12
_OF_BENCHMARK = 200
_SOFTWARE = """@software{{perennial,
  title = {{perennial: fresh reasoning benchmarks for language models}},
  author = {{{{The perennial authors}}}},
  version = {{{version}}},
  license = {{Apache-2.0}}
}}"""


def shared_files(store: Store, overview: Overview) -> dict[str, Content]:
    """Return the content of each of these files by name."""
    every = overview.editions
    listed = every[:MOST_LISTED]
    hidden = (
        f"{len(every) - len(listed):,} older editions are in scores.json." if len(every) > len(listed) else ""
    )
    rows = [row for edition in every for row in overview.scores.get(edition.name, ())]
    tables = {"editions": listed, "hidden": hidden}
    return {
        "style.css": render("style.css.j2", {}),
        "index.html": render("home.html.j2", _home(overview)),
        "editions.html": render("editions.html.j2", {"editions": _lines(overview, listed), "hidden": hidden}),
        "players.html": render("players.html.j2", _players(overview)),
        "seeds.html": render("seeds.html.j2", tables),
        "data.html": render("data.html.j2", tables),
        "cite.html": render("cite.html.j2", _cite(overview)),
        "feed.xml": feed(every, overview.sizes),
        "scores.json": scores_json(every, rows, overview.sizes),
        "scores.schema.json": scores_schema(),
        **{
            benchmark_file(name): render("benchmark.html.j2", _benchmark(store, overview, name), depth=1)
            for name in overview.benchmarks
        },
    }


def _home(overview: Overview) -> dict[str, object]:
    every = overview.editions
    charts = [chart for name in overview.benchmarks for chart in overview.charts(name)]
    facts = [
        ("editions", f"{len(every):,}"),
        ("questions", f"{sum(size['instances'] for size in overview.sizes.values()):,}"),
        ("players", f"{len(overview.players):,}"),
        *([("newest edition", f"{every[0].created_at:%Y-%m-%d}")] if every else []),
    ]
    return {
        "facts": facts,
        "cards": [_card(overview, name) for name in overview.benchmarks],
        "charts": charts,
        "over_time": _over_time(charts),
        "newest": _lines(overview, every[:_NEWEST]),
        "more": len(every) if len(every) > _NEWEST else 0,
    }


def _over_time(charts: Sequence[object]) -> str:
    return SCALED if any("common scale" in getattr(chart, "title", "") for chart in charts) else RAW


def _card(overview: Overview, benchmark: str) -> Mapping[str, object]:
    about = present(benchmark)
    answered = overview.answered(benchmark)
    leaders = []
    if answered:
        board = [row for row in overview.scores[answered[0].name] if row["kind"] == "models" and row["rank"]]
        for setting in overview.settings[benchmark]:
            own = [row for row in board if row["setting"] == setting]
            if own:
                best = min(own, key=lambda row: row["rank"])
                leaders.append(f"{setting}: {best['player']} {decimals(best['success_rate'], 2)}")
    return {
        "name": benchmark,
        "title": about.title,
        "asks": about.asks[0] if about.asks else "",
        "editions": count(len(overview.of_benchmark(benchmark)), "edition"),
        "leader": f"Best model in {'; '.join(leaders[:3])}" if leaders else "",
    }


def _lines(overview: Overview, editions: Sequence[Edition]) -> list[Mapping[str, object]]:
    """Return the lines of a table of editions."""
    return [
        {
            "name": edition.name,
            "benchmark": edition.benchmark,
            "title": present(edition.benchmark).title,
            "created_at": edition.created_at,
            "freshness": edition.plan.freshness,
            **overview.sizes[edition.name],
        }
        for edition in editions
    ]


def _players(overview: Overview) -> dict[str, object]:
    newest = {name: answered[0] for name in overview.benchmarks if (answered := overview.answered(name))}
    columns = [(name, setting) for name in newest for setting in overview.settings[name]]
    rates = {
        (name, row["setting"], row["player"]): decimals(row["success_rate"], 2)
        for name, edition in newest.items()
        for row in overview.scores[edition.name]
    }
    met: dict[str, set[str]] = {}
    for edition, rows in overview.scores.items():
        for row in rows:
            met.setdefault(row["player"], set()).add(edition)
    hidden = len(overview.players) - MOST_LISTED
    return {
        "hidden": f"{hidden:,} more players are in scores.json." if hidden > 0 else "",
        "headings": [f"{present(name).title}, {setting}" for name, setting in columns],
        "rows": [
            {
                "player": player,
                "kind": overview.kinds.get(player, ""),
                "editions": f"{len(met[player]):,}",
                "scores": [rates.get((*column, player), "") for column in columns],
            }
            for player in overview.players[:MOST_LISTED]
        ],
    }


def _cite(overview: Overview) -> dict[str, object]:
    cited = [
        (name, present(name).title, present(name).cite) for name in overview.benchmarks if present(name).cite
    ]
    return {"software": _SOFTWARE.format(version=version("perennial-bench")), "benchmarks": cited}


def _benchmark(store: Store, overview: Overview, benchmark: str) -> dict[str, object]:
    about, floor = present(benchmark), find_floor(benchmark)
    every, answered = overview.of_benchmark(benchmark), overview.answered(benchmark)
    settings = overview.settings.get(benchmark, [])
    newest = answered[0] if answered else None
    rows = overview.scores[newest.name] if newest else []
    example = read_example(store, newest, settings[0] if settings else None) if newest else None
    charts = overview.charts(benchmark)
    hidden = len(every) - _OF_BENCHMARK
    headings, bounds = _bounds(overview, newest, settings, about.best_player) if newest else ([], [])
    return {
        "about": about,
        "example": example,
        "example_note": _describe_example(example.player, example.domain, example.setting) if example else "",
        "floor_doc": floor.doc if floor else "",
        "bound_headings": headings,
        "bounds": bounds,
        "charts": charts,
        "over_time": _over_time(charts),
        "newest": newest.name if newest else "",
        "boards": make_boards(rows, settings, overview.kinds, floor),
        "board_note": describe_rows(rows, floor),
        "editions": _lines(overview, every[:_OF_BENCHMARK]),
        "hidden_editions": f"{hidden:,} older editions are in scores.json." if hidden > 0 else "",
    }


def _describe_example(player: str, domain: str, setting: str) -> str:
    return f"Played by {player}, in domain {domain}, setting {setting}, of edition"


def _bounds(
    overview: Overview, edition: Edition, settings: Sequence[str], best_player: str
) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return headings and, per setting, the rates of floor, optimum, best model and people."""
    floor = find_floor(edition.benchmark)
    rows = overview.scores[edition.name]
    drawn = {row["setting"]: row for row in overview.people if row["edition"] == edition.name}
    columns: dict[str, dict[str, str]] = {}

    def put(heading: str, row: Row) -> None:
        text = with_interval(row["success_rate"], row["success_rate_low"], row["success_rate_high"])
        columns.setdefault(heading, {})[row["setting"]] = text

    for row in rows:
        if floor is not None and row["player"] == floor.player:
            put(f"floor ({floor.player})", row)
    for row in rows:
        if best_player and row["player"] == best_player:
            put(f"optimum ({best_player})", row)
    for row in rows:
        if row["kind"] == "models" and row["rank"] is not None:
            others = [
                one["rank"] for one in rows if one["kind"] == "models" and one["setting"] == row["setting"]
            ]
            if row["rank"] == min(rank for rank in others if rank is not None):
                put("best model", row)
    for row in rows:
        if row["player"] == PERSON:
            put("people", row)
    for setting, row in drawn.items():
        words = f"{decimals(row['rate'])} ({row['people']:,} took part)"
        columns.setdefault("people, one per instance", {})[setting] = words
    return list(columns), [
        (setting, [column.get(setting, "") for column in columns.values()])
        for setting in settings
        if any(setting in column for column in columns.values())
    ]
