"""Domains take turns: the pure choice, and what a refresh makes of it."""

import json
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from perennial.flows.kumo.planning.candidates import PastEdition, take_turns
from perennial.flows.refresh.plan import prepare_refresh
from perennial.flows.refresh.print_plan import print_plans
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.schemas.plan import RefreshPlan
from perennial.schemas.settings import load_settings
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.kumo.published_domains import domains_by_edition
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.conftest import Published

DOMAINS = ["a", "b", "c", "d", "e"]
histories = st.lists(st.sets(st.sampled_from([*DOMAINS, "other"])), max_size=8).map(
    lambda held: [(f"kumo-{number}", domains) for number, domains in enumerate(held)]
)


@given(histories, st.integers(1, len(DOMAINS)), st.integers(0, 5))
def test_so_many_are_taken_in_the_given_order_and_no_one_waits_while_one_used_later_is_taken(
    history: list[PastEdition], count: int, rest: int
) -> None:
    def last_use(domain: str) -> int:
        held = [age for age, edition in enumerate(history) if domain in edition[1]]
        return min(held, default=len(history))

    places = [turn.index for turn in take_turns(DOMAINS, history, count, rest)]
    assert len(places) == count
    assert places == sorted(set(places))
    taken = {DOMAINS[index] for index in places}
    waiting = set(DOMAINS) - taken
    assert all(last_use(one) >= last_use(other) for one in taken for other in waiting)


def test_each_turn_says_why() -> None:
    history = [("late", {"c"}), ("early", {"b"})]
    turns = take_turns(["a", "b", "c"], history, 3, 1)
    assert [turn.why for turn in turns] == [
        "used in no edition so far",
        "not used in the last 1 editions; last used in early",
        "should still rest, but so should all others; last used in late",
    ]


def test_more_turns_than_domains_are_refused() -> None:
    with pytest.raises(InvalidOption, match="--domain-count 3: there are only 2 domains"):
        take_turns(["a", "b"], [], 3, 2)


SMALL = {"settings": ["4x5"], "instances": 2, "players": ["algorithm-3"], "seed": 0}
TURNS = {**SMALL, "domains": ["chemical_analysis", "mineral_identification"], "domain_count": 1}


def test_a_refresh_takes_whose_turn_it_is_and_says_why(
    published: Published, capsys: pytest.CaptureFixture[str]
) -> None:
    domains = ["chemical_analysis", "fantasy_artefacts", "mineral_identification"]
    store = Store(str(published.root))
    settings = load_settings({**TURNS, "domains": domains, "root": store.root})
    prepared = prepare_refresh(settings, store)
    print_plans(Console(), store, [prepared], as_json=True, all_settings=[settings])
    document = json.loads(capsys.readouterr().out)
    assert document["domains"] == ["Fantasy Artefacts"]
    assert document["turns"] == {"Fantasy Artefacts": "used in no edition so far"}
    both = prepare_refresh(settings.model_copy(update={"domain_count": 2}), store)
    assert [domain.config.name for domain in both.part.inputs] == ["Chemical Analysis", "Fantasy Artefacts"]
    assert both.part.inputs[0].turn.endswith("last used in small")


def test_the_rest_of_domains_leaves_imported_editions_aside(published: Published, tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for name, imported in (("b-later", ""), ("a-same-time", ""), ("release", "digest")):
        for table in ("editions", "kumo_domains"):
            file = Store(str(published.root)).read_table(table_file(table, "small"))
            store.write_table(table_file(table, name), file)
        mark_imported(store, name, imported)
    held = domains_by_edition(store)
    assert [name for name, _ in held] == ["b-later", "a-same-time"]
    assert all(len(domain_ids) == 2 for _, domain_ids in held)


def mark_imported(store: Store, edition: str, digest: str) -> None:
    """Rewrite the edition's row as an import leaves it."""
    (row,) = store.read_table(table_file("editions", edition)).to_pylist()
    settings = json.loads(row["settings"])
    settings["imported_from"] = digest
    row["settings"] = json.dumps(settings)
    table = pyarrow.Table.from_pylist([row], schema=TABLES["editions"].arrow_schema())
    store.write_table(table_file("editions", edition), table)


def write_plans(store: Store, plan: RefreshPlan) -> None:
    """Begin the edition and its evaluation."""
    for part in (plan.evaluation, plan.growth):
        Staging(store, part.unit).write_plan(part)


def test_a_refresh_that_was_begun_keeps_its_domains(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    settings = load_settings({**TURNS, "root": str(tmp_path)})
    begun = prepare_refresh(settings, store)
    write_plans(store, begun.plan)
    # Given the other way round it would be the other one's turn.
    turned = settings.model_copy(update={"domains": settings.domains[::-1]})
    fresh = prepare_refresh(turned, Store(str(tmp_path / "elsewhere")))
    assert fresh.plan.growth.own["configs"] != begun.plan.growth.own["configs"]
    again = prepare_refresh(turned, store)
    assert again.resumed
    assert again.plan == begun.plan
    assert [domain.config for domain in again.part.inputs] == [domain.config for domain in begun.part.inputs]
    other = settings.model_copy(update={"domains": ["mineral_identification"]})
    with pytest.raises(EditionConflict, match=begun.plan.growth.own["configs"][0]):
        prepare_refresh(other, store)


def test_equal_settings_without_turns_still_compare_their_domains(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    settings = load_settings({**SMALL, "domains": ["chemical_analysis"], "root": str(tmp_path)})
    begun = prepare_refresh(settings, store)
    write_plans(store, begun.plan)
    other = prepare_refresh(settings.model_copy(update={"domains": ["mineral_identification"]}), store)
    assert not other.resumed
