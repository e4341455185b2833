"""Profiles: players on an edition of each benchmark, side by side, and how benchmarks go together."""

from collections.abc import Sequence

import altair as alt
import streamlit as st

from flows.console.terminal import printable
from flows.web.page import ALL, Page, Visit, choose, choose_several
from flows.web.reading import Rows, Snapshot
from flows.web.tables import frame_of, show_rows
from tasks.statistics.multiplicity import MODELS
from warehouse.catalog.sql.confinement import quote

_COEFFICIENTS = ("spearman", "pearson")
_WIDTH = 290
# What is written in a field: nothing where it is too narrow.
_NUMBER = "bandwidth('x') > 26 ? format(datum.{}, '.2f') : ''"
_INTERVAL = "bandwidth('x') > 58 ? datum.interval : ''"
_ACROSS = alt.Axis(labelAngle=-40, labelLimit=160, labelOverlap=False)
_DOWN = alt.Axis(labelLimit=160, labelOverlap=False)
_HAS_PROFILES = "SELECT count(*) FROM statistics WHERE statistic = 'rank_in_kind'"
_SCORES = """
SELECT benchmark, setting, {domain}player, kind, instances, score, score_low, score_high, rank, rank_in_kind,
       episodes, episodes_with_cost, cost_usd
FROM profiles WHERE domain {of} 'all'{chosen}
ORDER BY benchmark, setting, {domain}rank, player
"""


def show(visit: Visit) -> None:
    """Show the scores of players on the chosen editions, their correlations, and one benchmark's domains."""
    editions = _choose_editions(visit)
    if not editions:
        st.info(
            "No edition in this data root has profiles: publish one with `perennial refresh`, or compute "
            "those of editions from an earlier version with `perennial analyse`."
        )
        return
    part = visit.snapshot.of(*editions.values())
    kinds = part.query("SELECT DISTINCT kind FROM profiles ORDER BY kind").column("kind")
    wanted = choose_several("Players", kinds, "kinds")
    chosen = f" AND kind IN ({', '.join(map(quote, wanted))})"
    scores = part.query(_SCORES.format(domain="", of="=", chosen=chosen))
    _draw_scores(scores)
    show_rows("profiles", scores)
    st.caption(
        "score: success rate over the instances that all players of the setting with enough of them have "
        "(instances of them), with its 95% interval; rank: among all players there, rank_in_kind: among "
        "models, programs and so on; cost_usd: of all the player's episodes there. Settings are never "
        "counted together. Grey: players that are not models."
    )
    with st.container(horizontal=True):
        for benchmark, edition in editions.items():
            visit.link("leaderboard", f"{benchmark}: {edition}", edition=edition)
    st.header("Correlations over models")
    _show_correlations(part)
    st.header("Domains")
    benchmark = choose("Benchmark", list(editions), "benchmark")
    domains = part.query(
        _SCORES.format(domain="domain, ", of="<>", chosen=f"{chosen} AND benchmark = {quote(benchmark)}")
    )
    _show_domains(domains, benchmark)


def _choose_editions(visit: Visit) -> dict[str, str]:
    """Return the edition of each benchmark that the URL names, else the newest that has profiles."""
    listed: dict[str, list[str]] = {}
    for one in visit.list_editions():
        if visit.snapshot.of(one["edition"]).query(_HAS_PROFILES).rows[0][0]:
            listed.setdefault(one["benchmark"], []).append(one["edition"])
    if not listed:
        return {}
    chosen = {}
    for place, (benchmark, editions) in zip(st.columns(len(listed)), sorted(listed.items()), strict=True):
        with place:
            chosen[benchmark] = choose(f"Edition of {benchmark}", editions, f"of_{benchmark}")
    return chosen


def _draw_scores(rows: Rows) -> None:
    """Draw a chart for each setting, side by side as far as there is room."""
    frame = frame_of(rows)
    means = frame.groupby(["kind", "player"])["rank_in_kind"].mean().reset_index()
    means["other"] = means["kind"] != MODELS
    order = list(means.sort_values(["other", "kind", "rank_in_kind", "player"])["player"])
    scale = alt.Scale(domain=[0, 1])
    with st.container(horizontal=True):
        for (benchmark, setting), own in frame.groupby(["benchmark", "setting"], sort=False):
            base = alt.Chart(own).encode(
                y=alt.Y(
                    "player:N", sort=order, title=None, axis=alt.Axis(labelLimit=130, labelOverlap=False)
                ),
                color=alt.condition(f"datum.kind == '{MODELS}'", alt.value("#1f77b4"), alt.value("#8a9199")),
                tooltip=[
                    *("player:N", "kind:N", "score:Q", "score_low:Q", "score_high:Q"),
                    *("instances:Q", "cost_usd:Q"),
                ],
            )
            chart = alt.layer(
                base.mark_rule().encode(x=alt.X("score_low:Q", scale=scale, title=None), x2="score_high"),
                base.mark_point(filled=True, size=50).encode(x=alt.X("score:Q", scale=scale, title=None)),
            )
            title = f"{printable(benchmark)}, {printable(setting)}"
            st.altair_chart(chart.properties(width=_WIDTH, height=alt.Step(18), title=title), width="content")


def _show_correlations(part: Snapshot) -> None:
    coefficient = choose("Coefficient", _COEFFICIENTS, "coefficient")
    rows = part.query(
        "SELECT benchmark, setting, other_benchmark, other_setting, players, correlation, correlation_low, "
        "correlation_high, p_holm, "
        "reliability, other_reliability, disattenuated, disattenuated_low, disattenuated_high, "
        f"undefined FROM profile_correlations WHERE coefficient = {quote(coefficient)} "
        "ORDER BY benchmark, setting, other_benchmark, other_setting"
    )
    if not rows.rows:
        st.info("There is one setting only: nothing to compare it with.")
        return
    _draw_correlations(rows)
    show_rows("profile_correlations", rows)
    st.caption(
        "Over the models that have a score in both settings, with Fisher's 95% interval; undefined says why "
        "a figure is missing. Disattenuated: Pearson's without chance in the scores. Programs, people, "
        "controls and checkpoints do not count."
    )


def _draw_correlations(rows: Rows) -> None:
    frame = frame_of(rows)
    frame["of"] = frame["benchmark"] + ", " + frame["setting"]
    frame["with"] = frame["other_benchmark"] + ", " + frame["other_setting"]
    frame["interval"] = [
        "" if low != low or low is None else f"[{low:.2f}, {high:.2f}]"
        for low, high in zip(frame["correlation_low"], frame["correlation_high"], strict=True)
    ]
    turned = frame.rename(columns={"of": "with", "with": "of"})
    both = [*frame.to_dict("records"), *turned.to_dict("records")]
    names = sorted({row["of"] for row in both})
    base = alt.Chart(alt.InlineData(values=[_plain(row) for row in both])).encode(
        x=alt.X("with:N", sort=names, title=None, axis=_ACROSS),
        y=alt.Y("of:N", sort=names, title=None, axis=_DOWN),
        tooltip=[
            "of:N",
            "with:N",
            "correlation:Q",
            "correlation_low:Q",
            "correlation_high:Q",
            "players:Q",
            "undefined:N",
        ],
    )
    scale = alt.Scale(scheme="blueorange", domain=[-1, 1], reverse=True)
    ink = alt.condition("abs(datum.correlation) > 0.7", alt.value("white"), alt.value("black"))
    known = base.transform_filter("isValid(datum.correlation)")
    chart = alt.layer(
        known.mark_rect().encode(color=alt.Color("correlation:Q", scale=scale, title="correlation")),
        known.mark_text(dy=-6, text=alt.ExprRef(_NUMBER.format("correlation"))).encode(color=ink),
        known.mark_text(dy=7, fontSize=9, text=alt.ExprRef(_INTERVAL)).encode(color=ink),
    )
    st.altair_chart(chart.properties(height=alt.Step(34)), width="stretch")


def _plain(row: dict[str, object]) -> dict[str, object]:
    """Return the row with None for what is no number."""
    return {name: None if value != value else value for name, value in row.items()}


def _show_domains(rows: Rows, benchmark: str) -> None:
    if not rows.rows:
        st.info("No player of these kinds has a score in a domain of this benchmark.")
        return
    settings = list(dict.fromkeys(rows.column("setting")))
    setting = choose("Setting", [ALL, *settings], f"setting_of_{benchmark}")
    place = rows.columns.index("setting")
    shown = Rows(rows.columns, tuple(row for row in rows.rows if setting in (ALL, row[place])))
    if setting != ALL:
        _draw_domains(shown, list(dict.fromkeys(shown.column("player"))))
    show_rows("profile_domains", shown)


def _draw_domains(rows: Rows, players: Sequence[str]) -> None:
    frame = frame_of(rows)
    base = alt.Chart(frame).encode(
        x=alt.X("player:N", sort=list(players), title=None, axis=_ACROSS),
        y=alt.Y("domain:N", title=None, axis=_DOWN),
        tooltip=["domain:N", "player:N", "score:Q", "score_low:Q", "score_high:Q", "instances:Q", "rank:Q"],
    )
    colour = alt.Color("score:Q", scale=alt.Scale(scheme="viridis", domain=[0, 1]), title="score")
    ink = alt.condition("datum.score > 0.55", alt.value("black"), alt.value("white"))
    chart = alt.layer(
        base.mark_rect().encode(color=colour),
        base.mark_text(fontSize=10, text=alt.ExprRef(_NUMBER.format("score"))).encode(color=ink),
    )
    st.altair_chart(chart.properties(height=alt.Step(26)), width="stretch")


PROFILES = Page("profiles", "Profiles", show)
