"""How an instance is solved: the optimum's moves on its observations, and Algorithm 3's."""

import streamlit as st

from perennial.flows.kumo.web.read_instance import PublishedInstance, read_instance
from perennial.flows.web.page import Opened
from perennial.flows.web.reading import Rows
from perennial.flows.web.tables import show_rows
from perennial.schemas.errors import count

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
    """Return each move with what it observes and the truths that then are left."""
    observed = dict(zip(published.row["actions"], published.row["observations"], strict=True))
    places = {action: place for place, action in enumerate(published.instance.actions)}
    left = (1 << published.encoded.n_truths) - 1
    rows: list[tuple[object, ...]] = []
    for number, move in enumerate(golden, 1):
        if move in places and number < len(golden):
            left &= ~published.encoded.observed_mask(places[move])
            rows.append((number, move, observed[move], left.bit_count()))
        else:
            rows.append((number, f"names {move}", None, None))
    return Rows(("move", "what", "observed", "truths_left"), tuple(rows))
