"""Build the website of a data root: what changed is made again, what is gone is removed.

An edition's page and downloads are one part, made from its files alone; pages over
several editions are another.
Equal data give equal bytes, whether a website is built from nothing or updated.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from perennial.flows.console.input_files import require_folder, show_path
from perennial.flows.website.boards import RAW, SCALED
from perennial.flows.website.edition_part import edition_part
from perennial.flows.website.examples import ShownExample, read_example
from perennial.flows.website.folder import Content, SitePart, has_record, open_site_folder
from perennial.flows.website.model_board import Overview, find_floor, make_model_board, read_overview
from perennial.flows.website.player_part import player_files
from perennial.flows.website.visible import (
    Edition,
    feed,
    key_of_root,
    present,
    read_editions,
    scores_json,
    scores_schema,
)
from perennial.schemas.errors import InvalidOption, PerennialError, UnreadableInput, count
from perennial.schemas.ids import content_id
from perennial.tasks.website.line_chart import LineChart
from perennial.tasks.website.names import benchmark_file
from perennial.tasks.website.render import render
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, published_editions
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store

# The website of `perennial serve --site`: brought up to date by the run that published something.

_VARIABLE = "PERENNIAL__SITE"


def keep_site(store: Store, folder: Path) -> None:
    """Let runs that this process starts keep a website in the folder.

    Raises InvalidOption where it cannot be written or is of others.
    """
    require_folder("--site", folder)
    with open_site_folder(folder, _owners(store)):
        pass
    os.environ[_VARIABLE] = os.path.abspath(folder)


def renew_site(store: Store) -> str:
    """Bring the website up to date; return in a clause what became of it, "" where none is kept.

    A failure is reported and not raised: what was published stays published, and the next run builds again.
    """
    folder = os.environ.get(_VARIABLE)
    if not folder:
        return ""
    try:
        built = build_site(store, Path(folder))
    except (PerennialError, OSError) as error:
        return f"; the website is not up to date: {error}"
    done = f"{count(built.written, 'file')} written, {built.removed:,} removed"
    return f"; website {show_path(Path(folder))}: {done}"


# The pages over several editions: home, benchmarks, lists, seeds, downloads, citation, style sheet.

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


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: editions on the website, and how many files it wrote, kept and removed."""

    editions: int
    written: int
    kept: int
    removed: int


def build_site(
    store: Store,
    folder: Path,
    step: Callable[[str], None] = lambda name: None,
    trials: Collection[str] = (),
    *,
    replace: bool = False,
) -> Built:
    """Make the folder the website of the root's visible editions; `step` gets the name of each part made.

    An edition that `perennial try` grew is shown only where `trials` names it. Where the last edition was
    withdrawn, the folder's pages and downloads are removed. Raises UnreadableInput where there is none to
    show, InvalidOption for a name that is not published, and what `open_site_folder` and `SiteFolder.update`
    raise.
    """
    # Sums of floats depend on their order, which several threads leave open.
    catalog = open_catalog(store, settings={"threads": 1})
    with catalog.closing():
        unknown = sorted(set(trials).difference(catalog.editions))
        if unknown:
            raise InvalidOption(
                f"--trial {unknown[0]}: no edition of that name is published in {store.root}, or it is "
                "withdrawn: `perennial editions list` lists them"
            )
        editions = read_editions(store, catalog, trials)
        is_one_withdrawn = set(published_editions(store)) > set(catalog.editions)
        is_emptied = not editions and is_one_withdrawn and has_record(folder)
        if not editions and not is_emptied:
            raise UnreadableInput(
                f"every edition in {store.root} is a trial, made by `perennial try`, which a website leaves "
                f"out: name it with `--trial {catalog.editions[-1]}`, or publish one with `perennial refresh`"
                if catalog.editions
                else f"no edition is published in {store.root}: publish one with `perennial refresh`, or "
                "name another --root"
            )
        parts = [edition_part(store, edition) for edition in editions]
        if not is_emptied:
            make = partial(_make_overview, store, catalog, editions)
            key = key_of_root(store, editions, catalog.units)
            parts.append(SitePart("pages over all editions", key, make))
        with open_site_folder(folder, _owners(store), replace=replace) as site:
            site.update(parts, step)
    changes = site.changes
    return Built(len(editions), changes.written, changes.kept, changes.removed)


def _owners(store: Store) -> frozenset[str]:
    """Ids of what the root has published, withdrawn or not: websites of one root share one."""
    plans = (read_published_plan(store, edition) for edition in published_editions(store))
    return frozenset(content_id("site", plan.edition, plan.canary) for plan in plans)


def _make_overview(
    store: Store, catalog: Catalog, editions: list[Edition], _drafts: Path
) -> Mapping[str, Content]:
    overview = read_overview(catalog, editions)
    return {**shared_files(store, overview), **player_files(store, overview)}
