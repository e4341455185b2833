"""Reproduce the tables and figures of the KUMO paper."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

from perennial.flows.console.row_formats import Terminal
from perennial.flows.kumo.release.import_release import EDITION, import_release, show_import_progress
from perennial.schemas.errors import UnreadableInput
from perennial.tasks.papers import Comparison, compare
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, published_editions
from perennial.warehouse.kumo.paper import PrintedValue, printed_values
from perennial.warehouse.store.store import Store

# Set the numbers that the KUMO paper prints beside those computed from the imported release.


# The text extraction of figure 3 garbles a few per cent of its cells, so that these are judged together.

# How many domains the paper's means are over: fewer give another mean, which is shown and not judged.
DOMAINS = {"all": 100, "five": 5}

Key = tuple[str, str, str, str]  # metric, setting, domain, player


def compare_paper(store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
    """Return a comparison for each printed number, from the release, which is imported where PATH is given.

    Raises UnreadableInput where neither PATH nor the data root has the authors' release.
    """
    if path is not None:
        console = Terminal(stderr=True, soft_wrap=True)
        with show_import_progress(console) as advance:
            import_release(store, path, domains=[], models=[], tell=console.print, on_progress=advance)
    if EDITION not in published_editions(store):
        raise UnreadableInput(
            f"no edition {EDITION} in {store.root!r}: expected the authors' released data; give its folder, "
            "perennial reproduce-paper kumo PATH"
        )
    step("computing the paper's figures")
    return compare_figures(compute_figures(open_catalog(store)))


def compute_figures(catalog: Catalog) -> dict[Key, float]:
    """Return all that the paper prints, computed from the catalog's edition of the release."""
    sql = files("perennial.warehouse.kumo.paper").joinpath("computed.sql").read_text(encoding="utf-8")
    _, rows = catalog.query(sql)
    return {(metric, setting, domain, player): value for metric, setting, domain, player, value in rows}


def compare_figures(computed: Mapping[Key, float]) -> list[Comparison]:
    """Return a comparison for each printed value, and for each player of a figure without legible numbers."""
    return [row for value in printed_values() for row in _compare(value, computed)]


def _compare(value: PrintedValue, computed: Mapping[Key, float]) -> list[Comparison]:
    if value.player != "*":
        return [_comparison(value, value.player, computed)]
    cell = value.metric, value.setting, value.domain
    players = sorted(key[3] for key in computed if key[:3] == cell)
    return [_comparison(value, player, computed) for player in players] or [_comparison(value, "*", computed)]


def _comparison(value: PrintedValue, player: str, computed: Mapping[Key, float]) -> Comparison:
    ours = computed.get((value.metric, value.setting, value.domain, value.computed_of or player))
    held = computed.get(("domains", value.setting, value.domain, ""), 0.0)
    is_partial = held < DOMAINS.get(value.domain, 0)
    partial = f"the edition holds {held:.0f} of {DOMAINS[value.domain]} domains" if is_partial else ""
    return compare(
        value.item,
        value.metric,
        value.printed,
        ours,
        tolerance=value.tolerance,
        setting=value.setting,
        domain=value.domain,
        player=player,
        settings="version 2" if value.version == "2" else "",
        computed_of=value.computed_of,
        reason=_reason(value, ours, partial),
        # A mean over players that the paper does not name is shown and not judged.
        is_judged=value.metric != "mean_tokens" and not is_partial,
    )


def _reason(value: PrintedValue, ours: float | None, partial: str) -> str:
    if ours is not None or value.remark:
        return "; ".join(filter(None, (value.remark, partial)))
    if value.metric.startswith("correlation"):
        return "no external scores: perennial import scores FILE"
    return "the imported edition does not hold it"
