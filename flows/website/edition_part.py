"""The page of an edition, and its downloads: made again only when something of the edition changes."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from perennial.flows.editions.diagnosis import PROBLEMS, find_problems
from perennial.flows.editions.report import fill_query, query_table, read_record
from perennial.flows.export.export_edition import SUMS, ExportForm, export_edition
from perennial.flows.website.boards import describe_rows, make_boards, order_settings
from perennial.flows.website.folder import Content, SitePart
from perennial.flows.website.visible import Edition, present
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.disclosure import canary_line
from perennial.schemas.errors import count
from perennial.schemas.people import is_person
from perennial.schemas.rows import Row
from perennial.schemas.statistics import claimed_names, shown_measures
from perennial.schemas.units import BY_LOG
from perennial.tasks.report.wording import decimals, name_populations, p_number, with_interval
from perennial.tasks.website.names import data_folder, edition_file
from perennial.tasks.website.render import render
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import leaderboard_sql
from perennial.warehouse.store.store import Store

_MOST_PROBLEMS = 8


def edition_part(store: Store, edition: Edition) -> SitePart:
    """Return the part that holds the edition's page and downloads."""
    return SitePart(f"edition {edition.name}", edition.key, lambda drafts: _make(store, edition, drafts))


def _make(store: Store, edition: Edition, drafts: Path) -> Mapping[str, Content]:
    files: dict[str, Content] = {}
    listed: list[Row] = []
    folder = data_folder(edition.name)
    if edition.has_download:
        out = drafts / "data"
        exported = export_edition(store, edition.name, out, form=ExportForm.parquet)
        rows = {file.name: file.rows for file in exported.files}
        for name, sha256 in _read_sums(out / SUMS):
            path = out / name
            files[f"{folder}/{name}"] = path
            listed.append(
                {"name": name, "rows": rows.get(name), "size": path.stat().st_size, "sha256": sha256}
            )
        files[f"{folder}/{SUMS}"] = out / SUMS
    catalog = open_catalog(store, edition.units, settings={"threads": 1})
    with catalog.closing():
        values = _read_page(catalog, edition)
    values |= {"files": listed, "folder": folder}
    return {edition_file(edition.name): render("edition.html.j2", values, depth=1), **files}


def _read_sums(file: Path) -> list[tuple[str, str]]:
    lines = (line.partition("  ") for line in file.read_text(encoding="utf-8").splitlines())
    return [(name, sha256) for sha256, _, name in lines]


def _read_page(catalog: Catalog, edition: Edition) -> dict[str, object]:
    installed = benchmarks().get(edition.benchmark)
    about = present(edition.benchmark)
    record = read_record(catalog.query, edition.name)
    figures = installed.figures if installed else ()
    rows = query_table(catalog.query, "leaderboard", leaderboard_sql(edition.name, figures)).records()
    floor, all_measures = (installed.floor, installed.measures) if installed else (None, ())
    names, measures = claimed_names(rows), shown_measures(all_measures, rows)
    private = record["private"]
    where = "in the downloads, as the edition is retired" if edition.is_retired else "in no download"
    facts = [
        ("questions", edition.plan.freshness),
        ("instances", f"{record['instances']:,}"),
        ("domains", f"{record['domains']:,}"),
        ("episodes", f"{record['episodes']:,}"),
        ("evaluations", f"{len(edition.units) - 1:,}{_count_logs(catalog, edition.name)}"),
        ("perennial", record["code_version"]),
        *(
            [("private instances", f"{private:,}, {where}; figures are over all instances")]
            if private
            else []
        ),
    ]
    return {
        "edition": edition,
        "title": about.title,
        "facts": facts,
        "boards": make_boards(
            rows, order_settings(catalog, edition, rows), floor, about.best_player, measures
        ),
        "measures": measures,
        "board_note": " ".join((describe_rows(rows, floor), *(measure.doc for measure in measures))),
        "gaps": _read_gaps(catalog, edition.name, names),
        **_read_savings(catalog, edition.name, names),
        "problems": _describe_problems(catalog, edition.name, names),
        "seed_note": _describe_seed(edition),
        "data_note": _describe_data(edition, private),
        "bibtex": _bibtex(edition, about.title),
        "canary": canary_line(edition.plan.canary),
    }


def _count_logs(catalog: Catalog, edition: str) -> str:
    sql = f"FROM evaluations WHERE edition = {quote(edition)} AND answers = {quote(BY_LOG)}"
    number = catalog.count(sql)
    return f", {number:,} by log" if number else ""


def _read_gaps(catalog: Catalog, edition: str, names: Mapping[str, str]) -> list[Row]:
    """Return the players' contamination gaps as texts; none for an edition without a private share."""
    from perennial.tasks.report.figures.heat_map import CONTAMINATION

    rows = query_table(catalog.query, CONTAMINATION.name, fill_query(CONTAMINATION, edition)).records()
    return [
        {
            "player": names.get(row["player"], row["player"]),
            "gap": with_interval(row["gap"], row["gap_low"], row["gap_high"]),
            "p": p_number(row["p_holm"]),
            "detectable": decimals(row["detectable_gap"]),
            "cutoff": row["training_cutoff"] or "",
        }
        for row in rows
        if row["gap"] is not None
    ]


def _read_savings(catalog: Catalog, edition: str, names: Mapping[str, str]) -> dict[str, object]:
    """Return which cheaper model could replace each model and what each costs, as texts with their notes."""
    from perennial.tasks.report.figures.costs import CHEAPER_DOC, CHEAPER_MODELS, describe_saving
    from perennial.tasks.report.figures.scatter import COST_FRONTIER, FRONTIER_DOC, describe_cost

    rows, frontier = (
        query_table(catalog.query, query.name, fill_query(query, edition)).records()[:200]
        for query in (CHEAPER_MODELS, COST_FRONTIER)
    )
    savings, costs = (
        [(*(names.get(text, text) for text in describe(row)), row["setting"]) for row in described]
        for describe, described in ((describe_saving, rows), (describe_cost, frontier))
    )
    notes = {"savings_note": f"{CHEAPER_DOC} {name_populations(rows)}", "costs_note": FRONTIER_DOC}
    return {"savings": savings, "costs": costs, **notes}


def _describe_problems(catalog: Catalog, edition: str, names: Mapping[str, str]) -> list[str]:
    """Return the commonest problems, without persons and without examples, which may be private."""
    faults = [fault for fault in find_problems(catalog, edition) if not is_person(fault.player)]
    lines = [
        f"{names.get(fault.player, fault.player)}: {fault.episodes:,} of "
        f"{count(fault.attempted, 'episode')} ({fault.share:.0%}) {PROBLEMS[fault.status]}"
        for fault in faults[:_MOST_PROBLEMS]
    ]
    return [*lines, *([f"and {len(faults) - _MOST_PROBLEMS:,} more"] if len(faults) > _MOST_PROBLEMS else [])]


def _describe_seed(edition: Edition) -> str:
    plan = edition.plan
    if plan.imported_from:
        return "The questions are imported: others drew them, and no seed of theirs is known."
    if not plan.is_fresh:
        return "The seed was given, so these questions could be known before they were published."
    if edition.seed is None:
        return "The seed is secret. Its SHA-256 was published with the questions, before anybody played."
    return "The seed is revealed: its SHA-256 is the commitment that was published before anybody played."


def _describe_data(edition: Edition, private: int) -> str:
    if not edition.has_download:
        return "There is no download: the data are imported, and their license is not ours to give."
    left_out = f" {count(private, 'private instance')} and all that refers to them are left out."
    return (
        "All tables as Parquet (Apache-2.0), as perennial export writes them: questions, answers, calls."
        + (left_out if private and not edition.is_retired else "")
    )


def _bibtex(edition: Edition, title: str) -> str:
    key = "".join(char for char in edition.name if char.isalnum() or char in "-.")
    fields = {
        "title": f"{title}: edition {edition.name}",
        "author": "{The perennial authors}",
        "year": f"{edition.created_at:%Y}",
        "version": version("perennial-bench"),
        "note": f"SHA-256 of its manifest: {edition.manifest_sha256}",
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{{key},\n{lines}\n}}"
