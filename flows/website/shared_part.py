"""The pages over several editions: home, benchmarks, lists, seeds, downloads, citation, style sheet."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from perennial.flows.website.boards import RAW, SCALED
from perennial.flows.website.examples import ShownExample, read_example
from perennial.flows.website.folder import Content
from perennial.flows.website.machine_files import feed, scores_json, scores_schema
from perennial.flows.website.model_board import make_model_board
from perennial.flows.website.overview import Overview, find_floor
from perennial.flows.website.visible import Edition, present
from perennial.tasks.website.line_chart import LineChart
from perennial.tasks.website.names import benchmark_file
from perennial.tasks.website.render import render
from perennial.warehouse.store.store import Store

MOST_LISTED = 600
"""Editions in one table, so that its page stays below its size."""
_NEWEST = 6
_OF_BENCHMARK = 200
_BOARD_BYTES = 240_000  # of all leaderboards on a page
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
    examples = {name: _read_example(store, overview, name) for name in overview.benchmarks}
    return {
        "style.css": render("style.css.j2", {}),
        "sort.js": render("sort.js.j2", {}),
        "index.html": render("home.html.j2", _home(overview, examples)),
        "editions.html": render("editions.html.j2", {"editions": _lines(overview, listed), "hidden": hidden}),
        "seeds.html": render("seeds.html.j2", tables),
        "data.html": render("data.html.j2", tables),
        "cite.html": render("cite.html.j2", _cite(overview)),
        "feed.xml": feed(every, overview.sizes),
        "scores.json": scores_json(every, rows, overview.sizes),
        "scores.schema.json": scores_schema(),
        **{
            benchmark_file(name): render("benchmark.html.j2", _benchmark(overview, name, example), depth=1)
            for name, example in examples.items()
        },
    }


def _read_example(store: Store, overview: Overview, benchmark: str) -> ShownExample | None:
    edition, settings = overview.main_edition(benchmark), overview.settings.get(benchmark)
    return read_example(store, edition, settings[0] if settings else None) if edition else None


def _home(overview: Overview, examples: Mapping[str, ShownExample | None]) -> dict[str, object]:
    every = overview.editions
    share = _BOARD_BYTES // max(len(overview.benchmarks), 1)
    facts = [
        ("editions", f"{len(every):,}"),
        ("questions", f"{sum(size['instances'] for size in overview.sizes.values()):,}"),
        *([("newest edition", f"{every[0].created_at:%Y-%m-%d}")] if every else []),
    ]
    boards = [make_model_board(overview, name, share) for name in overview.benchmarks]
    return {
        "facts": facts,
        "sections": [(board, examples[board.benchmark]) for board in boards],
        "newest": _lines(overview, every[:_NEWEST]),
        "more": len(every) if len(every) > _NEWEST else 0,
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


def _cite(overview: Overview) -> dict[str, object]:
    cited = [
        (name, present(name).title, present(name).cite) for name in overview.benchmarks if present(name).cite
    ]
    return {"software": _SOFTWARE.format(version=version("perennial-bench")), "benchmarks": cited}


def _benchmark(overview: Overview, benchmark: str, example: ShownExample | None) -> dict[str, object]:
    floor, every = find_floor(benchmark), overview.of_benchmark(benchmark)
    charts = overview.charts(benchmark)
    hidden = len(every) - _OF_BENCHMARK
    return {
        "about": present(benchmark),
        "board": make_model_board(overview, benchmark, _BOARD_BYTES),
        "example": example,
        "floor_doc": floor.doc if floor else "",
        "charts": charts,
        "over_time": _describe_scale(charts),
        "editions": _lines(overview, every[:_OF_BENCHMARK]),
        "hidden_editions": f"{hidden:,} older editions are in scores.json." if hidden > 0 else "",
    }


def _describe_scale(charts: Sequence[LineChart]) -> str:
    return SCALED if any(chart.is_scaled for chart in charts) else RAW
