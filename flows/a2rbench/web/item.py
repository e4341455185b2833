"""One item: its examples and query beside its copy in other tokens, its rule, and what players answered."""

import json
from collections.abc import Mapping

import streamlit as st

from perennial.flows.a2rbench.web.cells import color_tokens, place_cells, show_value, tokens_of
from perennial.flows.web.page import Opened, choose
from perennial.flows.web.plain_text import plain, show_text
from perennial.flows.web.tables import show_rows
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.confinement import quote

_FACTS = ("rule", "author", "type", "dimension", "variation", "is_remapped", "seed_item", "of")
_CHECKS = ("fits", "fits_other", "commutes", "rejected_draws", "gzip", "deflate")
_MEASURES = (
    *("max_loop_depth", "total_ifs", "max_if_depth", "max_complexity", "mutability"),
    "return_complexity",
)


def show_item(edition: Opened, instance_id: str) -> None:
    """Show the item beside its copy or original, its rule, and the answers to both."""
    row = edition.require("a2rbench_items", "instance_id", instance_id)
    st.text("\n".join(_write(row, names) for names in (_FACTS, _CHECKS, _MEASURES)))
    shown = [row, *_counterparts(edition, row)]
    shown.sort(key=lambda each: bool(each["is_remapped"]))
    for column, each in zip(st.columns(len(shown)), shown, strict=True):
        with column:
            if len(shown) > 1:
                st.header("Copy in other tokens (P1)" if each["is_remapped"] else "Original (P0)")
            _show_values(each)
    _show_phi(shown[-1])
    st.header("Rule")
    _show_rule(row)
    _show_answers(edition, row, shown)


def show_solution(edition: Opened, instance_id: str) -> None:
    """Show the query of the item, the right answer, and the rule."""
    row = edition.require("a2rbench_items", "instance_id", instance_id)
    colors = _colors_of(row)
    for name in ("query", "answer"):
        st.caption(name)
        show_value(json.loads(row[name]), row["dimension"], colors)
    _show_rule(row)


def _counterparts(edition: Opened, row: Row) -> list[Row]:
    """Return the copy of an original or the original of a copy, where the edition has one."""
    same = (
        f"instance_id = {quote(row['of'])}"
        if row["is_remapped"]
        else f"of = {quote(row['instance_id'])} AND is_remapped"
    )
    return edition.query(f"FROM a2rbench_items WHERE {same} ORDER BY instance_id LIMIT 1").records()


def _show_values(row: Row) -> None:
    colors, dimension = _colors_of(row), row["dimension"]
    for number, (given, wanted) in enumerate(json.loads(row["examples"]), start=1):
        _show_pair(f"Example {number}", given, wanted, dimension, colors)
    _show_pair(
        "Query and right answer", json.loads(row["query"]), json.loads(row["answer"]), dimension, colors
    )
    with st.expander("The prompt as players see it"):
        show_text(row["prompt"])


def _show_pair(label: str, given: object, wanted: object, dimension: int, colors: Mapping[str, str]) -> None:
    st.caption(label)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_value(given, dimension, colors)
        st.text("→", width="content")
        show_value(wanted, dimension, colors)


def _colors_of(row: Row) -> dict[str, str]:
    values = [json.loads(row[name]) for name in ("examples", "query", "answer")]
    return color_tokens(tokens_of(values), json.loads(row["phi"]) if row["phi"] else None)


def _show_phi(row: Row) -> None:
    if row["phi"]:
        st.caption("φ, the token that stands for each")
        pairs = sorted(json.loads(row["phi"]).items())
        show_text("   ".join(f"{old} → {new}" for old, new in pairs))
    elif row["commutes"] is False:
        st.text("It has no copy in other tokens: the rule gives other outputs for renamed inputs.")


def _show_rule(row: Row) -> None:
    for label, name in (
        ("the rule", "description"),
        ("its inverse", "inverse_description"),
        ("code", "code"),
    ):
        st.caption(label)
        show_text(row[name])


def _show_answers(edition: Opened, row: Row, shown: list[Row]) -> None:
    """List the answers to these items, and show the one that is chosen beside the right one."""
    st.header("Answers")
    ids = ", ".join(quote(each["instance_id"]) for each in shown)
    rows = edition.query(
        "SELECT e.player, e.run, if(i.is_remapped, 'P1', 'P0') AS item, e.success AS right, e.status, "
        "a.rule, a.answer, a.parse, a.collapsed, e.episode_id, e.instance_id FROM a2rbench_answers "
        "AS a JOIN episodes AS e USING (episode_id) JOIN a2rbench_items AS i USING (instance_id) "
        f"WHERE e.instance_id IN ({ids}) ORDER BY e.player, e.run, item, e.episode_id"
    )
    show_rows("answers", rows)
    own = [each for each in rows.records() if each["instance_id"] == row["instance_id"]]
    if not own:
        return
    named = {f"{each['player']}, run {each['run']} ({each['episode_id']})": each for each in own}
    answer = named[choose("Answer", named, "answer")]
    st.text(f"{'right' if answer['right'] else 'wrong'}, status {answer['status']}")
    left, right = st.columns(2)
    with left:
        st.caption(plain(f"answer of {answer['player']}"))
        _show_answer(answer["answer"], row)
    with right:
        st.caption("right answer")
        show_value(json.loads(row["answer"]), row["dimension"], _colors_of(row))
    st.caption("the rule in the player's words")
    show_text(answer["rule"])


def _show_answer(text: str | None, row: Row) -> None:
    if text is None:
        st.text("none was read from the reply")
        return
    try:
        value = json.loads(text)
    except RecursionError:
        value = None
    if place_cells(value, row["dimension"]) is None:
        show_text(text)
    else:
        show_value(value, row["dimension"], _colors_of(row))


def _write(row: Row, names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_text(row[name])}" for name in names if row[name] is not None)


def _text(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
