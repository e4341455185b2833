"""Editions and their evaluations: what is published, how it came about, and what was withdrawn."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from perennial.flows.cli.operate.editions import LISTED
from perennial.flows.web.figures import show_rows
from perennial.flows.web.page import Opened, Page, Rows, Snapshot, Visit, choose, parameter, plain
from perennial.schemas.errors import count
from perennial.schemas.rows import Row
from perennial.schemas.units import evaluation_of, is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.withdrawals import withdrawn_units
from perennial.warehouse.disclosure import is_retired
from perennial.warehouse.editions.manifest import read_manifest
from perennial.warehouse.editions.seeds import reveal_file
from perennial.warehouse.store.store import Store

_EVALUATIONS = """
SELECT evaluation, created_at, code_version, (counts::JSON->>'episodes')::BIGINT AS episodes,
       array_to_string((settings::JSON->'players')::VARCHAR[], ', ') AS players, answers, manifest_sha256
FROM evaluations ORDER BY created_at, evaluation
"""
_VALIDATIONS = """
SELECT validation, expectations, unsuccessful, suite, validated_rows, rows
FROM validations WHERE evaluation = {} ORDER BY suite = 'cross_table', validation
"""


def show(visit: Visit) -> None:
    """Show all editions, then one with its evaluations, manifest and report."""
    store = Store(visit.snapshot.root)
    hidden = withdrawn_units(store)
    listed = _list(visit.snapshot, store, hidden)
    if not listed.rows:
        st.info(
            "Nothing is published in this data root yet: `perennial refresh` grows an edition. "
            "To see another one, start `perennial web --root FOLDER`."
        )
        return
    st.text(_describe(listed, hidden))
    show_rows("editions", listed, lambda row: _open(visit, row["edition"], hidden))
    damaged = [row["edition"] for row in listed.records() if row["status"] == "damaged"]
    for edition in damaged:
        st.error(f"Edition {plain(edition)} cannot be read: `perennial verify` says which file is damaged.")
    names = [name for name in listed.column("edition") if name not in hidden and not is_evaluation(name)]
    readable = [name for name in names if name not in damaged]
    if not readable:
        return
    st.header("One edition")
    name = choose("Edition", readable, "edition")
    _show_one(visit, store, visit.open_edition(name))


def _describe(listed: Rows, hidden: Any) -> str:
    """Return what the data root holds in words: its visible editions by benchmark, questions and answers."""
    visible = [row for row in listed.records() if row["edition"] not in hidden and row["benchmark"]]
    editions = Counter(row["benchmark"] for row in visible if not is_evaluation(row["edition"]))
    totals = (
        count(sum(row[name] or 0 for row in visible), name.removesuffix("s"))
        for name in ("instances", "episodes")
    )
    named = ", ".join(f"{count(number, 'edition')} of {name}" for name, number in editions.most_common())
    return f"This data root holds {named or 'no readable edition'}: {' and '.join(totals)}."


def _open(visit: Visit, edition: str, hidden: Any) -> None:
    name = edition.partition("@")[0]
    if name not in hidden and parameter("edition") != name:
        st.query_params["edition"] = name
        st.rerun()


def _list(snapshot: Snapshot, store: Store, hidden: Any) -> Rows:
    everything = Snapshot(snapshot.root, published_units(store), snapshot.figures)
    groups: list[list[Row]] = [
        [{"edition": edition, "damaged": True}] if rows is None else rows
        for edition, rows in sorted(everything.query_by_edition(f"FROM ({LISTED})").items())
    ]
    # The newest edition first, each followed by its evaluations; those that cannot be read last.
    groups.sort(
        key=lambda group: group[0]["created_at"].timestamp() if "created_at" in group[0] else 0, reverse=True
    )
    records = [record for group in groups for record in group]
    for record in records:
        event = hidden.get(record["edition"])
        record["status"] = "damaged" if record.get("damaged") else "withdrawn" if event else "published"
        record["why"] = event.why if event else None
    columns = (
        *("edition", "status", "benchmark", "freshness", "created_at", "instances", "episodes", "players"),
        *("private_share", "seed_commitment", "code_version", "why"),
    )
    return Rows(columns, tuple(tuple(record.get(column) for column in columns) for record in records))


def _show_one(visit: Visit, store: Store, edition: Opened) -> None:
    row = edition.query("FROM editions").records()[0]
    settings = json.loads(row["settings"])
    revealed = store.exists(reveal_file(edition.name))
    share = settings.get("private_share") or 0
    private = "none"
    if share:
        retired = is_retired(store, edition.name)
        private = (
            f"{share:.0%} of the instances, {'in exports, as it is retired' if retired else 'in no export'}"
        )
    facts = {
        "benchmark": row["benchmark"],
        "published": f"{row['created_at']:%Y-%m-%d %H:%M} UTC",
        "freshness": row["freshness"],
        "seed": row["seed"] if row["seed"] is not None else "revealed" if revealed else "secret",
        "seed commitment": row["seed_commitment"] or "none",
        "private instances": private,
        "perennial": row["code_version"],
        "canary": row["canary"],
        "manifest SHA-256": row["manifest_sha256"],
    }
    show_rows(
        "facts",
        Rows(
            ("fact", "value"),
            tuple((name, "none" if value is None else str(value)) for name, value in facts.items()),
        ),
    )
    with st.container(horizontal=True):
        for page, label in (
            ("leaderboard", "Leaderboard"),
            ("domains", "Players and domains"),
            ("instances", "Instances"),
            ("pairs", "Pairs"),
        ):
            visit.link(page, label, edition=edition.name)
        here = urlsplit(st.context.url or "")
        base = f"{here.scheme}://{here.netloc}" if here.netloc else ""
        st.download_button(
            "Report (HTML)", lambda: _report(visit, edition.name, base), f"{edition.name}.html", "text/html"
        )
    st.header("Evaluations")
    show_rows("evaluations", edition.query(_EVALUATIONS))
    st.header("Manifest")
    units = [edition.name, *(evaluation_of(edition.name, name) for name in _names(edition))]
    unit = choose("Of", units, "unit") if parameter("unit") in ("", *units) else edition.name
    _show_manifest(store, unit)
    st.header("Audit")
    show_rows("audit", edition.query(_VALIDATIONS.format(quote(split_unit(unit)[1]))))
    st.caption(f"`perennial audit {unit} --docs FOLDER` shows each expectation in Data Docs.")


def _names(edition: Opened) -> list[str]:
    return [str(name) for name in edition.query(_EVALUATIONS).column("evaluation")]


def _show_manifest(store: Store, unit: str) -> None:
    _, manifest = read_manifest(store, unit)
    made = manifest.made
    rows = tuple((file.table, file.rows, file.size, file.sha256, file.name) for file in manifest.files)
    show_rows("manifest", Rows(("table", "rows", "bytes", "sha256", "file"), rows))
    with st.expander(
        f"What else the manifest says ({count(len(made), 'entry').replace('entrys', 'entries')})"
    ):
        st.json(made, expanded=1)


def _report(visit: Visit, edition: str, explorer: str) -> bytes:
    from perennial.flows.editions.report import report_data
    from perennial.tasks.report.page import render_page

    data = report_data(Store(visit.snapshot.root), edition)
    return render_page(replace(data, explorer=explorer)).encode()


EDITIONS = Page("editions", "Editions", show)
