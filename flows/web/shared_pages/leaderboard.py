"""The leaderboard with filters: setting, domain, kinds of players, own or common instances."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from perennial.flows.editions.diagnosis import PROBLEMS, problems_sql, read_problems
from perennial.flows.web.figures import (
    choose_hidden,
    groups_of,
    kinds_of,
    own_figures,
    read_edition,
    show_rows,
    show_section,
)
from perennial.flows.web.page import ALL, Opened, Page, Rows, Snapshot, Visit, choose
from perennial.schemas.statistics import (
    ABOVE_FLOOR_DOC,
    NEW_DOMAINS,
    THESE_DOMAINS,
    Floor,
    Population,
    describe_populations,
    label_player,
    order_board,
)
from perennial.schemas.units import PLAYED
from perennial.tasks.report.content import ReportData, ReportTable
from perennial.tasks.report.figures.heat_map import heat_map, scale_over_editions
from perennial.tasks.report.figures.interval_rows import success_rows
from perennial.tasks.report.page import SHARED
from perennial.tasks.statistics.clusters import bound_share
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import leaderboard_sql

# Players x domains: the success rate of each as a heat map, and as rows.


def show_domains(visit: Visit) -> None:
    """Show how each player does in each domain of one setting."""
    left, middle, right = st.columns(3)
    edition = visit.choose_edition(column=left)
    setting = choose("Setting", edition.values("setting"), "setting", column=middle)
    hidden = choose_hidden(kinds_of(edition), right)
    data = read_edition(edition, [heat_map], hidden).of_setting(setting)
    show_section(heat_map(data), visit)


DOMAINS = Page("domains", "Players × domains", show_domains)


# The figures of an edition's report, one at a time, and the tables of its benchmark.

# The scale is of several editions, and has a page.
_SHARED = tuple(figure for figure in SHARED if figure is not scale_over_editions)


def show_figures(visit: Visit) -> None:
    """Show one figure as the report has it, of the kinds of players that are chosen."""
    left, middle, right = st.columns(3)
    edition = visit.choose_edition(column=left)
    figures = {figure.key: figure for figure in (*own_figures(edition), *_SHARED)}
    titles = {name: figure.title for name, figure in figures.items()}
    key = choose("Figure", figures, "figure", titles, middle)
    data = read_edition(edition, [figures[key]], choose_hidden(kinds_of(edition), right))
    show_section(figures[key](data), visit)


FIGURES = Page("figures", "Figures", show_figures)


# mypy: disable-error-code="untyped-decorator"

_MOST_PROBLEMS = 8
OWN, COMMON = "each player's own instances", "instances that all shown players have"
_RATES = ("success_rate", "success_rate_low", "success_rate_high")
_DRAWN = (*_RATES, "scored", "population")


def show(visit: Visit) -> None:
    """Show the players of an edition in one setting, with 95% intervals."""
    columns = st.columns(5)
    edition = visit.choose_edition(column=columns[0])
    setting = choose("Setting", edition.values("setting"), "setting", column=columns[1])
    domain = choose("Domain", [ALL, *edition.values("domain")], "domain", column=columns[2])
    kinds = kinds_of(edition)
    hidden = choose_hidden(kinds, columns[3])
    basis = choose("Over", [OWN, COMMON], "basis", column=columns[4])
    visible = [player for player in kinds if player not in hidden]
    rows = _rates(edition, setting, domain, visible, basis)
    if not rows.rows:
        st.info("No player of these kinds has scored answers here: choose other kinds, or another domain.")
        return
    floor = None if edition.declaration is None else edition.declaration.floor
    effort = _read_effort(edition, setting, floor)
    data = read_edition(edition, [success_rows])
    if domain != ALL or basis == COMMON:
        data = data.without_rows()  # What else the figure shows is of all instances.
    _draw(rows, data.of_setting(setting), effort)
    show_rows("leaderboard", _mark(rows, floor, effort))
    st.caption(_explain(edition, domain, basis, rows))
    _show_problems(visit, edition, visible)
    with st.container(horizontal=True):
        visit.link("pairs", "Compare pairs", edition=edition.name, setting=setting)
        visit.link("instances", "Instances", edition=edition.name, setting=setting)


def _show_problems(visit: Visit, edition: Opened, players: list[str]) -> None:
    problems = read_problems(edition.query(problems_sql(edition.name)).rows)
    for problem in [problem for problem in problems if problem.player in players][:_MOST_PROBLEMS]:
        label = f"{problem.player}: {problem.share:.0%} of all episodes {PROBLEMS[problem.status]}"
        visit.link("episodes", label, edition=edition.name, episode=problem.example)


def _rates(edition: Opened, setting: str, domain: str, players: list[str], basis: str) -> Rows:
    if not players:
        return Rows((), ())
    if basis == COMMON:
        rates: Rows = _common_rates(edition, edition.snapshot, setting, domain, players)
        return _order(rates, edition)
    chosen = f"setting = {quote(setting)} AND player IN ({', '.join(map(quote, players))})"
    if domain == ALL:
        measures = () if edition.declaration is None else edition.declaration.measures
        order = leaderboard_sql(edition.name, measures)
        rates = edition.query(f"SELECT * EXCLUDE (setting, place) FROM ({order}) WHERE {chosen}")
        keep = [
            n
            for n, name in enumerate(rates.columns)
            if name in _DRAWN or any(row[n] not in (None, PLAYED) for row in rates.rows)
        ]
        return Rows(
            tuple(rates.columns[n] for n in keep), tuple(tuple(row[n] for n in keep) for row in rates.rows)
        )
    rates = edition.query(
        "SELECT player, instances, attempted, scored, success_rate, success_rate_low, success_rate_high, "
        f"population, score FROM domain_scores WHERE {chosen} AND domain = {quote(domain)}"
    )
    return _order(rates, edition)


def _order(rows: Rows, edition: Opened) -> Rows:
    """Rows over other instances than the leaderboard's in its order, with groups and the floor there."""
    groups, declared = groups_of(edition), edition.declaration
    name = declared.floor.player if declared is not None and declared.floor is not None else ""
    floor = next((row["success_rate"] for row in rows.records() if row["player"] == name), None)
    records = [{"player_group": groups.get(row["player"]), **row, "floor": floor} for row in rows.records()]
    columns: tuple[str, ...] = ("player_group", *rows.columns, "floor")
    asked = edition.query(f"SELECT player, answers FROM player_answers WHERE edition = {quote(edition.name)}")
    answers = dict(asked.rows)
    if {answers.get(row["player"], PLAYED) for row in records} - {PLAYED}:
        columns = (*columns, "answers")
        records = [{**row, "answers": answers.get(row["player"], PLAYED)} for row in records]
    return Rows(columns, tuple(tuple(row[name] for name in columns) for row in order_board(records)))


@st.cache_data(max_entries=64, show_spinner=False)
def _common_rates(_edition: Opened, key: Snapshot, setting: str, domain: str, players: list[str]) -> Rows:
    """Return rates over the instances that all of the players have scored answers on."""
    listed = ", ".join(map(quote, players))
    widest = THESE_DOMAINS
    if _edition.declaration is not None:
        widest = _edition.declaration.find_population(lambda sql: _edition.query(sql).rows)
    cluster_column = "i.domain" if widest == NEW_DOMAINS else "i.instance_id"
    within = "" if domain == ALL else f" AND i.domain = {quote(domain)}"
    common_rows = _edition.query(
        f"""
        WITH rates AS (
            SELECT e.instance_id, e.player, avg(e.success::INT) AS rate, count(*) AS runs,
                   coalesce(i.cluster, {cluster_column}) AS cluster, i.domain
            FROM episodes AS e JOIN instances AS i USING (instance_id)
            WHERE e.version IS NULL AND e.status <> 'api_error' AND i.setting = {quote(setting)}{within}
              AND e.player IN ({listed})
            GROUP BY ALL
        ), taking_part AS (SELECT count(DISTINCT player) AS players FROM rates),
        common AS (
            SELECT instance_id FROM rates GROUP BY ALL
            HAVING count(*) = (SELECT players FROM taking_part)
        )
        SELECT player, list(rate ORDER BY instance_id) AS rates, sum(runs)::BIGINT AS runs,
               list(cluster ORDER BY instance_id) AS clusters, list(domain ORDER BY instance_id) AS domains
        FROM rates SEMI JOIN common USING (instance_id) GROUP BY ALL
        """
    ).rows
    rows = [
        (player, len(rates), runs, sum(rates) / len(rates), *_bound(rates, runs, clusters, domains, widest))
        for player, rates, runs, clusters, domains in common_rows
    ]
    return Rows(("player", "common_instances", "scored", *_RATES, "population"), tuple(rows))


def _bound(
    rates: list[float], runs: int, clusters: list[str], domains: list[str], widest: Population
) -> tuple[float | None, float | None, Population | None]:
    """Return the interval of the mean as the published figures have it, and its population."""
    cluster, domain = (np.unique(names, return_inverse=True)[1] for names in (clusters, domains))
    bounds = bound_share(np.array(rates), runs, cluster, domain, widest)
    return bounds.low, bounds.high, bounds.population


def _read_effort(edition: Opened, setting: str, floor: Floor | None) -> dict[str, float]:
    """Return the figure by which the floor's mark goes, by player; nothing where the floor has none."""
    if floor is None or floor.effort is None:
        return {}
    rows = edition.query(
        "SELECT player, value FROM statistics WHERE domain = 'all' AND other = '' "
        f"AND setting = {quote(setting)} AND statistic = {quote(floor.effort.statistic)} "
        f"AND convention = {quote(floor.effort.convention)}"
    )
    return dict(rows.rows)


def _mark(rows: Rows, floor: Floor | None, effort: Mapping[str, float]) -> Rows:
    """Return the rows, with the mark of the floor added to players that do none of the work."""
    if floor is None or floor.effort is None:
        return rows
    at, column = rows.columns.index("player"), floor.effort.column
    named = (
        (*row[:at], label_player(floor, {"player": row[at], column: effort.get(row[at])}), *row[at + 1 :])
        for row in rows.rows
    )
    return Rows(rows.columns, tuple(named))


def _draw(rows: Rows, data: ReportData, effort: Mapping[str, float]) -> None:
    """Show the rates as the report draws them, with these rows as its headline."""
    (setting,) = data.settings
    more = data.floor.effort.column if data.floor and data.floor.effort else "effort"
    drawn = [{**row, "setting": setting, more: effort.get(row["player"])} for row in rows.records()]
    columns = tuple(drawn[0])
    table = ReportTable("headline", columns, tuple(tuple(row[name] for name in columns) for row in drawn), "")
    section = success_rows(replace(data, tables={**data.tables, "headline": table}))
    show_section(replace(section, tables=()))


def _explain(edition: Opened, domain: str, basis: str, rows: Rows) -> str:
    populations = describe_populations(rows.column("population"))
    text = f"Rates are means over instances of the mean over runs; 95% intervals are for {populations}."
    if basis == COMMON:
        return f"{text} Only the instances on which every shown player has a scored answer count."
    if domain == ALL and edition.declaration is not None:
        text += " " + " ".join(measure.doc for measure in edition.declaration.measures)
    if edition.declaration is not None and edition.declaration.floor is not None:
        text += f" {edition.declaration.floor.doc} {ABOVE_FLOOR_DOC}"
    if "not_asked" in rows.columns and any(rows.column("not_asked")):
        text += (
            " Not asked are instances that a model's own context does not hold: compare such players over "
            "the instances that all shown players have."
        )
    return text


LEADERBOARD = Page("leaderboard", "Leaderboard", show)
