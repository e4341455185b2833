"""KUMO's part of the explorer."""

import json
from typing import NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from perennial.flows.console.row_formats import on_one_line
from perennial.flows.web.figures import frame_of, show_query, show_rows
from perennial.flows.web.page import Opened, Page, Rows, Visit, choose, show_text
from perennial.schemas.errors import count
from perennial.schemas.kumo.things import BALANCED, Instance, SeedConfig
from perennial.schemas.rows import Row
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance
from perennial.tasks.kumo.optimum.decision_tree import Decision, decision_tree
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.kumo.rows import instance_from_row

# An instance of KUMO as the explorer's pages need it, from the published tables.


class PublishedInstance(NamedTuple):
    """The row of `kumo_instances`, what it means under its configuration, and how it was drawn."""

    row: Row
    config: SeedConfig
    instance: Instance
    encoded: EncodedInstance
    is_balanced: bool


def read_instance(edition: Opened, instance_id: str) -> PublishedInstance:
    """Return the instance; raise UnreadableInput where the edition lacks it."""
    row = edition.require("kumo_instances", "instance_id", instance_id)
    config_row = edition.require("kumo_seed_configs", "config_id", row["config_id"])
    config = _parse(config_row["config"], edition.name)
    instance = instance_from_row(row, config)
    encoded = encode_instance(encode_config(config), instance)
    return PublishedInstance(row, config, instance, encoded, _is_balanced(edition))


def _is_balanced(edition: Opened) -> bool:
    (settings,) = edition.query("SELECT settings FROM editions").rows[0]
    plan_part = json.loads(settings).get("own") or {}
    return plan_part.get("sampler") == BALANCED


@st.cache_resource(max_entries=32, show_spinner=False)  # type: ignore[untyped-decorator]
def _parse(text: str, source: str) -> SeedConfig:
    return parse_config(text, source)


# How an instance is solved: the optimum's moves on its observations, and Algorithm 3's.


_STATUSES = {
    "bounds": "The optimum is not known: its search passed the limit of work; the bounds below hold.",
    "none": "The optimum is not known here: the size is too large.",
}


def show_optimum(edition: Opened, instance_id: str) -> None:
    """Show the moves of the optimum and of Algorithm 3's policy, with what each test observes."""
    published = read_instance(edition, instance_id)
    row = published.row
    status = row["promise_status"]
    if status == "exact":
        st.subheader("Optimum under the promise")
        show_rows("optimum", _moves(published, row["promise_golden"]))
        st.caption(f"{count(row['promise_tests'], 'test')} here; {row['promise_steps']:.3g} expected.")
    else:
        st.info(_STATUSES[status])
        if status == "bounds":
            st.caption(
                f"Between {row['promise_steps_low']:.3g} and {row['promise_steps']:.3g} expected tests."
            )
    st.subheader("Algorithm 3's policy")
    show_rows("algorithm_3", _moves(published, row["golden"]))
    st.caption(
        f"{count(row['optimal_tests'], 'test')} here; {row['expected_steps']:.3g} expected under its own "
        "outcome model. It uses the promise of how many truths are valid at the end only."
    )


def _moves(published: PublishedInstance, golden: list[str]) -> Rows:
    """Each move with what it observes and the truths that then are left."""
    observed = dict(zip(published.row["actions"], published.row["observations"], strict=True))
    places = {action: index for index, action in enumerate(published.instance.actions)}
    left = (1 << published.encoded.n_truths) - 1
    rows: list[tuple[object, ...]] = []
    for number, move in enumerate(golden, 1):
        if move in places and number < len(golden):
            left &= ~published.encoded.observed_mask(places[move])
            rows.append((number, move, observed[move], left.bit_count()))
        else:
            rows.append((number, f"names {move}", None, None))
    return Rows(("move", "what", "observed", "truths_left"), tuple(rows))


# An instance of KUMO: its book, its truth-action graph and the optimum's decision tree.


_SMALL = 8  # actions: of an Easy instance the whole tree is drawn
_TESTS = ("6", "12", "24", "48")
_KINDS = ("ruled out by the observation", "by another outcome", "by none")


def show_instance(edition: Opened, instance_id: str) -> None:
    """Show what is asked, the book, the graph and the optimum's tree."""
    published = read_instance(edition, instance_id)
    left, right = st.columns(2)
    with left:
        st.header("Book")
        _show_books(edition, instance_id)
    with right:
        st.header("Truth-action graph")
        _show_graph(published)
    left, right = st.columns(2)
    with left:
        st.header("Moves")
        show_optimum(edition, instance_id)
    with right:
        st.header("Optimal decision tree")
        _show_tree(published)


def _show_books(edition: Opened, instance_id: str) -> None:
    books = edition.query(
        "SELECT book_id, version, revision, author, verdict, text FROM kumo_books "
        f"WHERE instance_id = {quote(instance_id)} ORDER BY version <> 'final', revision DESC, book_id"
    ).records()
    if not books:
        st.info("No book of this instance is published.")
        return
    names = [f"{book['version']} {book['revision']} {book['book_id']}" for book in books]
    name = choose("Version", names, "book") if len(books) > 1 else names[0]
    book = books[names.index(name)]
    st.caption("The text as players see it, in Markdown")
    show_text(book["text"], 420)
    st.text(f"{book['book_id']}, by {book['author']}, check: {book['verdict']}")


def _show_graph(published: PublishedInstance) -> None:
    """Show the graph as its matrix: an edge is a field, colored by what the observation does."""
    row, encoded = published.row, published.encoded
    fields = []
    for index, action in enumerate(row["actions"]):
        seen, any_state = encoded.observed_mask(index), encoded.related[index]
        for bit, truth in enumerate(row["truths"]):
            kind = _KINDS[0 if seen >> bit & 1 else 1 if any_state >> bit & 1 else 2]
            valid = truth in row["valid_truths"]
            fields.append((action, f"{truth} (valid)" if valid else truth, kind, row["observations"][index]))
    rows = Rows(("action", "truth", "ruled_out", "observed"), tuple(fields))
    _draw_graph(frame_of(rows))
    show_rows("graph", rows, height=200)
    st.caption(
        f"Truths and actions are joined where an outcome rules out a truth; signature {row['signature']}."
    )


def _draw_graph(frame: pd.DataFrame) -> None:
    colors = alt.Scale(domain=list(_KINDS), range=["#c0392b", "#e8c17a", "#f2f2f2"])
    chart = (
        alt.Chart(frame)
        .mark_rect(stroke="white")
        .encode(
            x=alt.X(
                "truth:N",
                sort=None,
                title=None,
                axis=alt.Axis(labelAngle=-50, labelLimit=130, labelOverlap=False),
            ),
            y=alt.Y("action:N", sort=None, title=None, axis=alt.Axis(labelLimit=150)),
            color=alt.Color(
                "ruled_out:N",
                scale=colors,
                title=None,
                legend=alt.Legend(orient="bottom", columns=1, labelLimit=0),
            ),
            tooltip=["action:N", "truth:N", "ruled_out:N", "observed:N"],
        )
    )
    st.altair_chart(chart.properties(height=alt.Step(22)), width="stretch")


def _show_tree(published: PublishedInstance) -> None:
    if len(published.encoded.masks) <= _SMALL:
        most = 400
    else:
        most = int(choose("Tests in the tree, at most", _TESTS, "tests"))
        # A search of seconds: not for whoever only made the visitor's browser open a link.
        key = f"tree_of_{published.row['instance_id']}"
        if not st.session_state.get(key) and not st.button("Search the tree"):
            return
        st.session_state[key] = True
    encoded = published.encoded
    root = _find_tree(
        encoded.n_truths, encoded.masks, encoded.observed, encoded.valid, most, published.is_balanced
    )
    if root is None:
        st.info("No optimal tree: the optimum of this instance is not known, or is not defined.")
        return
    states = root.walk()
    st.code("\n".join(_draw_tree(published, root)), language=None, wrap_lines=False, height="content")
    cut = [state for state in states if state.is_cut_off]
    tests = sum(state.action is not None for state in states)
    ends = count(len(states) - tests - len(cut), "end")
    caption = f"{count(tests, 'test')}, {ends}; * is what is observed here. "
    prior = "the balanced sampler's distribution" if published.is_balanced else "prior (t)"
    caption += f"Percentages are by {prior}. "
    if cut:
        share = sum(state.chance for state in cut)
        caption += f"Cut off (…): {len(cut)} states, which {share:.0%} of plays reach."
    else:
        mean = sum(state.chance * state.depth for state in states if state.action is None)
        caption += f"The tree is whole: {mean:.4g} tests expected."
    st.caption(caption)


@st.cache_resource(max_entries=64, show_spinner="searching the optimum's tree")  # type: ignore[untyped-decorator]
def _find_tree(
    n_truths: int,
    masks: tuple[tuple[int, ...], ...],
    observed: tuple[int, ...],
    valid: int,
    most: int,
    is_balanced: bool,
) -> Decision | None:
    return decision_tree(EncodedInstance(n_truths, masks, observed, valid), most, is_balanced)


def _draw_tree(published: PublishedInstance, root: Decision) -> list[str]:
    """The tree as lines, a test or an end each, indented by depth."""
    config = {outcome.action: outcome for outcome in published.config.outcomes}
    row = published.row
    seen = dict(zip(row["actions"], row["states"], strict=True))
    lines: list[str] = []

    def describe(state: Decision) -> str:
        if state.is_cut_off:
            return f"… {len(state.possible)} truths possible"
        if state.action is None:
            return f"= {' | '.join(row['truths'][truth] for truth in state.sure)}" if state.sure else "= none"
        return f"test {row['actions'][state.action]}"

    def draw(state: Decision, indent: str, on_path: bool) -> None:
        assert state.action is not None
        action = row["actions"][state.action]
        for number, (outcomes, below) in enumerate(state.branches):
            last = number == len(state.branches) - 1
            here = on_path and seen[action] in outcomes
            texts = " | ".join(config[action].states[outcome].text for outcome in outcomes)
            mark = "*" if here else " "
            lines.append(
                f"{indent}{'└' if last else '├'}{mark}{below.chance:.0%} {texts} → {describe(below)}"
            )
            if below.branches:
                draw(below, f"{indent}{' ' if last else '│'}  ", here)

    lines.append(describe(root))
    if root.branches:
        draw(root, "", True)
    return [on_one_line(line) for line in lines]


# KUMO's instances with how hard each is.


def show(visit: Visit) -> None:
    """List the instances of one setting, the hardest first."""
    left, right = st.columns(2)
    edition = visit.choose_edition("kumo", column=left)
    setting = choose("Setting", edition.values("setting"), "setting", column=right)
    show_query(
        "instance_difficulty",
        edition.snapshot,
        f"SELECT * EXCLUDE (edition, setting) FROM instance_difficulty WHERE setting = {quote(setting)} "
        "ORDER BY share_solved NULLS LAST, expected_steps DESC, instance_id",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


INSTANCES = Page("kumo-instances", "KUMO: instances", show)
