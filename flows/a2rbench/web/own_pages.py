"""What A2RBench adds to the explorer: its items, and accuracy from V0 to V9 with entropy and compression."""

import altair as alt
import streamlit as st

from flows.a2rbench.web.item import show_item, show_solution
from flows.web.page import ALL, OwnPages, Page, Visit, choose, choose_several
from flows.web.player_kinds import kinds_of
from flows.web.reading import Rows
from flows.web.tables import frame_of, show_query
from schemas.a2rbench.item import DOMAINS, SETTINGS, VARIATIONS
from schemas.errors import UnreadableInput
from warehouse.catalog.sql.confinement import quote

_TOGETHER = {"gzip": "compression ratio", "wrong_entropy": "entropy, bits"}


def show_items(visit: Visit) -> None:
    """List the items of the edition."""
    columns = st.columns(4)
    with columns[0]:
        edition = visit.choose_edition("a2rbench")
    wanted = []
    names = [f"V{number}" for number in range(VARIATIONS)]
    for place, (label, name, column, options) in enumerate(
        (
            ("Cell", "domain", "i.domain", DOMAINS),
            ("Variation", "variation", "'V' || a.variation", names),
            ("Setting", "setting", "i.setting", SETTINGS),
        ),
        start=1,
    ):
        with columns[place]:
            wanted.append((column, choose(label, [ALL, *options], name)))
    where = " AND ".join(f"{name} = {quote(value)}" for name, value in wanted if value != ALL) or "true"
    show_query(
        "items",
        edition.snapshot,
        "SELECT i.instance_id, i.domain, i.setting, a.variation, a.rule, a.author, a.fits, a.gzip, "
        "p.instance_id IS NOT NULL AS private, s.value AS share_solved, s.n AS players, a.query, a.answer "
        "FROM instances AS i JOIN a2rbench_items AS a USING (edition, instance_id) "
        "LEFT JOIN private_instances AS p USING (edition, instance_id) "
        "LEFT JOIN statistics AS s ON s.other = i.instance_id AND s.statistic = 'item_share_solved' "
        f"WHERE {where} ORDER BY i.domain, a.rule, a.seed_item, a.variation, a.is_remapped, i.instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


def show_curve(visit: Visit) -> None:
    """Show accuracy from V0 to V9, what is of all players together, and originals against copies."""
    columns = st.columns(2)
    with columns[0]:
        edition = visit.choose_edition("a2rbench")
    kinds = kinds_of(edition)
    with columns[1]:
        wanted = choose_several("Players", sorted(set(kinds.values())), "kinds")
    curve = edition.query("FROM a2rbench_curve")
    if not curve.rows:
        raise UnreadableInput(f"edition {edition.name} has no scored answers yet")
    place = curve.columns.index("player")
    of_kinds = tuple(row for row in curve.rows if kinds.get(row[place]) in wanted)
    together = [row for row in curve.records() if row["player"] == ALL]
    _draw_accuracies(Rows(curve.columns, of_kinds))
    left, right = st.columns(2)
    for column, name in zip((left, right), _TOGETHER, strict=True):
        with column:
            _draw_together(Rows(curve.columns, tuple(row for row in curve.rows if row[place] == ALL)), name)
    first = together[0] if together else {}
    st.caption(
        "V0 is the seed, V1 to V3 are standard, V4 to V6 edge and V7 to V9 complex inputs. Compression is "
        "compressed over original size: higher is less regular. Entropy is of the wrong answers of all "
        "models (of programs where none played). Over the variations, compression and accuracy have "
        f"Pearson's r = {_correlation(first, 'accuracy')}, compression and entropy "
        f"r = {_correlation(first, 'entropy')}."
    )
    players = ", ".join(quote(name) for name in sorted(kinds) if kinds[name] in wanted) or "''"
    show_query(
        "a2rbench_curve",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition) FROM a2rbench_curve WHERE player IN ({players}, '{ALL}') "
        f"ORDER BY player <> '{ALL}', player, variation",
    )
    st.header("Originals and copies in other tokens")
    show_query(
        "a2rbench_remapping",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition) FROM a2rbench_remapping WHERE player IN ({players}) "
        f"ORDER BY domain <> '{ALL}', domain, delta_s DESC, player",
    )
    st.caption(
        "delta_s is the accuracy on originals (P0) minus that on their copies (P1), over the pairs that a "
        "player has both answers to, with 95% intervals."
    )
    st.header("Leaderboard")
    show_query(
        "a2rbench_leaderboard",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition) FROM a2rbench_leaderboard WHERE player IN ({players})",
    )


def _draw_accuracies(rows: Rows) -> None:
    if not rows.rows:
        st.info("No player of these kinds has answers.")
        return
    base = alt.Chart(frame_of(rows)).encode(
        x=alt.X("variation:O", title=None, axis=alt.Axis(labelAngle=0)),
        color=alt.Color("player:N", legend=alt.Legend(orient="bottom", columns=2, labelLimit=160)),
        tooltip=["player:N", "variation:N", "accuracy:Q", "items:Q"],
    )
    share = alt.Scale(domain=[0, 1])
    up, low = (alt.Y(f"{name}:Q", scale=share, title="accuracy") for name in ("accuracy", "accuracy_low"))
    ends = base.mark_rule(opacity=0.4).encode(y=low, y2="accuracy_high:Q")
    chart = alt.layer(ends, base.mark_line().encode(y=up), base.mark_point(filled=True).encode(y=up))
    st.altair_chart(chart.properties(height=380), width="stretch")


def _draw_together(rows: Rows, name: str) -> None:
    base = alt.Chart(frame_of(rows)).encode(
        x=alt.X("variation:O", title=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y(f"{name}:Q", title=_TOGETHER[name]),
        tooltip=["variation:N", f"{name}:Q", "items:Q", "wrong_items:Q"],
    )
    chart = alt.layer(base.mark_line(), base.mark_point(filled=True))
    st.altair_chart(chart.properties(height=180), width="stretch")


def _correlation(row: dict[str, float | None], name: str) -> str:
    value, low, high = (row.get(f"pearson_{name}{end}") for end in ("", "_low", "_high"))
    if value is None:
        return "(unknown)"
    return f"{value:.2f}" + ("" if low is None or high is None else f" ({low:.2f} to {high:.2f})")


PAGES = OwnPages(
    (
        Page("a2rbench-items", "A2RBench: items", show_items),
        Page("a2rbench-curve", "A2RBench: curve", show_curve),
    ),
    instance=show_item,
    reference=show_solution,
)
