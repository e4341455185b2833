"""An edition with rules of a model beside the catalogue's: audit rules, views and report tell them apart."""

from collections.abc import Callable
from copy import deepcopy

import pytest

from perennial.flows.editions.report import report_data
from perennial.tasks.report.content import Section
from perennial.tasks.report.page import sections
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.store.store import Store
from tests.a2rbench import made_edition
from tests.a2rbench.authored_rules import AUTHOR
from tests.a2rbench.expansion import authored_edition
from tests.a2rbench.expansion.authored_edition import VARIATIONS
from tests.a2rbench.made_edition import Rows
from tests.warehouse.doctored_rows import change, drop, find_offenders, list_rules

pytestmark = pytest.mark.slow

Doctor = Callable[[Rows], None]


@pytest.fixture(scope="module")
def made() -> Rows:
    return authored_edition.rows()


@pytest.fixture(scope="module")
def store(made: Rows, tmp_path_factory: pytest.TempPathFactory) -> Store:
    root = tmp_path_factory.mktemp("authored") / "root"
    return made_edition.publish(root, made, made_edition.statistics(made))


@pytest.fixture(scope="module")
def catalog(store: Store) -> Catalog:
    return open_catalog(store)


ITEMS, RULES, ATTEMPTS = "a2rbench_items", "a2rbench_rules", "a2rbench_attempts"


def of_last_item(column: str, value: object) -> Doctor:
    """Change the last original of the model's rule, which is followed by its copy."""
    return change(ITEMS, column, value, -2)


def at_step(step: str, **values: object) -> Doctor:
    """Change the last attempt at this step."""

    def doctor(rows: Rows) -> None:
        row = next(row for row in reversed(rows[ATTEMPTS]) if row["step"] == step)
        assert not values.items() <= row.items()
        row.update(values)

    return doctor


BREAKS: list[tuple[str, Doctor]] = [
    ("is of a rule of a2rbench_rules", of_last_item("code", "def transform_grid(x): return x")),
    ("is of a rule of a2rbench_rules", of_last_item("author", "another")),
    ("is of a rule of a2rbench_rules", of_last_item("rule", "another")),
    ("is of a rule of a2rbench_rules", of_last_item("description", "another")),
    ("is of a rule of a2rbench_rules", change(RULES, "domain", "line_semantic")),
    ("was run and judged", at_step("inputs_judged", passed=False)),
    ("was run and judged", at_step("inputs_run", passed=False)),
    ("was run and judged", at_step("inputs", passed=False)),
    ("was run and judged", drop(ATTEMPTS, -1)),
    ("was run and judged", change("instances", "index", 3, -2)),
    ("each attempt at a variation", drop(RULES)),
    ("each attempt at a variation", change(RULES, "number", 3)),
    ("no program that fits an item", of_last_item("fits_other", 1)),
    ("the gate ran every item", drop("a2rbench_gate", -1)),
    ("the gate ran every item", change("a2rbench_gate", "items", 1, -1)),
    ("the seed item of every item", of_last_item("seed_item", "a2r_0")),
]


@pytest.mark.parametrize(("sentence", "doctor"), BREAKS)
def test_each_rule_fails_on_a_doctored_row(made: Rows, sentence: str, doctor: Doctor) -> None:
    doctored = deepcopy(made)
    doctor(doctored)
    assert find_offenders(sentence, doctored) != []


def test_no_rule_fails_on_what_was_grown(made: Rows) -> None:
    rules = list_rules(made, "a2rbench_")
    # This edition has no calls and no steps of V0: tests/flows/test_a2rbench_authors.py has both.
    rules = [
        rule for rule in rules if "an attempt of A2RBench's" not in rule and "all five steps" not in rule
    ]
    assert {rule: found for rule in rules if (found := find_offenders(rule, made))} == {}


def test_accuracy_is_known_by_author(catalog: Catalog) -> None:
    _, found = catalog.query("SELECT author, player, rules, played, accuracy FROM a2rbench_authors")
    assert {(author, rules, played) for author, _, rules, played, _ in found} == {
        ("catalogue", 4, 20),
        (AUTHOR, 1, len(VARIATIONS)),
    }
    assert {row[1] for row in found} == {*made_edition.MODELS, "search", "guesser", "identity", "nearest"}
    for author, player, _, _, accuracy in found:
        ((expected,),) = catalog.query(
            "SELECT avg(success::INT) FROM episodes JOIN a2rbench_items USING (edition, instance_id) "
            f"WHERE NOT is_remapped AND author = '{author}' AND player = '{player}'"
        )[1]
        assert accuracy == pytest.approx(expected)
    _, intervals = catalog.query(
        "SELECT accuracy_low <= accuracy AND accuracy <= accuracy_high FROM a2rbench_authors"
    )
    assert {row[0] for row in intervals} == {True}


def test_measures_are_by_author_and_dimension(catalog: Catalog) -> None:
    _, found = catalog.query(
        "SELECT dimension, type, author, rules, mean_loop_depth, mean_ifs FROM a2rbench_measures"
    )
    assert (1, "symbolic", AUTHOR, 1, 1.0, 1.0) in [tuple(row) for row in found]
    assert [tuple(row[:3]) for row in found].count((1, "symbolic", "catalogue")) == 1


def section_of(store: Store) -> Section:
    (section,) = (each for each in sections(report_data(store)) if each.key == "a2rbench_authors")
    return section


def test_the_report_has_a_column_an_author_where_there_are_two(store: Store, analysed: Store) -> None:
    grid = section_of(store).grid
    assert grid is not None
    assert grid.headings == ("player", "catalogue", AUTHOR)
    cells = {row[0]: row[1:] for row in grid.rows}
    assert cells["search"][0].startswith("100.0 [")
    assert cells["search"][1].startswith("0.0 [")
    assert all("[" in cell for row in grid.rows for cell in row[1:])
    assert "of catalogue" in section_of(analysed).missing
