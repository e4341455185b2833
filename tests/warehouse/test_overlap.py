"""Which earlier instances may be the same: by names in any order, in files of any shape."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perennial.schemas.errors import Damaged
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.kumo.overlap import (
    READ_BY_GRAMMAR,
    InstanceFacts,
    earlier_instances,
    name_hash,
    names_sum,
    read_facts,
    same_names,
    text_hash,
    write_facts,
)
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

TRUTHS = [f"truth {i}" for i in range(8)]
ACTIONS = [f"action {i}" for i in range(7)]


def instance(
    number: int, rng: random.Random, config_id: str = "cfg_a", domain: str = "A", setting: str = "3x2"
) -> dict[str, Any]:
    """Return an instance's rows of `instances` and `kumo_instances` in one."""
    truths, actions = rng.sample(TRUTHS, 3), rng.sample(ACTIONS, 2)
    return {
        "instance_id": f"ki_{number:032x}",
        "benchmark": "kumo",
        "domain": domain,
        "cluster": domain,
        "origin": domain,
        "setting": setting,
        "content_hash": f"{number:032x}",
        "config_id": config_id,
        "n_truths": 3,
        "n_actions": 2,
        "n_valid": 1,
        "seed": 0,
        "index": number,
        "truths": truths,
        "actions": actions,
        "states": [0, 1],
        "observations": ["a", "0.5"],
        "valid_truths": truths[:1],
        "expected_steps": 1.0,
        "optimal_tests": 1,
        "golden": [actions[0], truths[0]],
        "promise_status": "exact",
        "signature": "",
    }


def publish(store: Store, edition: str, rows: list[dict[str, Any]], row_group_size: int = 1 << 20) -> None:
    for name in ("instances", "kumo_instances"):
        table = pa.Table.from_pylist(rows, schema=TABLES[name].arrow_schema())
        path = Path(store.root) / table_file(name, edition)
        path.parent.mkdir(parents=True)
        pq.write_table(table, path, row_group_size=row_group_size)


def names_of(row: dict[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(row["truths"]), frozenset(row["actions"])


@pytest.mark.parametrize("row_group_size", [7, 1000])
def test_exactly_the_instances_of_the_same_names_are_found(tmp_path: Path, row_group_size: int) -> None:
    store, rng = Store(str(tmp_path)), random.Random(1)
    editions = {name: [instance(i, rng) for i in range(300)] for name in ("one", "two")}
    for name, rows in editions.items():
        publish(store, name, rows, row_group_size)
    own = [instance(i, rng) for i in range(40)]
    sums = np.array([names_sum(reversed(row["truths"]), row["actions"]) for row in own], np.uint64)
    found = list(same_names(store, tuple(editions), sums))
    wanted = {names_of(row) for row in own}
    expected = [(name, row) for name, rows in editions.items() for row in rows if names_of(row) in wanted]
    assert 0 < len(expected) < 400
    assert [(name, row["instance_id"]) for name, row in found] == [(n, r["instance_id"]) for n, r in expected]
    for (_, row), (_, whole) in zip(found, expected, strict=True):
        assert row.items() <= whole.items()
        assert {"truths", "actions", "states", "observations", "config_id"} < row.keys()


def test_nothing_is_found_for_nothing_and_in_an_empty_edition(tmp_path: Path) -> None:
    store, rng = Store(str(tmp_path)), random.Random(2)
    publish(store, "none", [])
    publish(store, "some", [instance(0, rng)])
    nothing = np.array([], np.uint64)
    assert list(same_names(store, ("none", "some"), nothing)) == []
    assert list(same_names(store, ("none",), np.array([5], np.uint64))) == []
    assert earlier_instances(store, ("none",)) == {}


def test_a_truth_is_no_action_and_no_name_hides_in_another() -> None:
    assert names_sum(["a"], ["b"]) != names_sum(["b"], ["a"])
    assert names_sum(["a", "b"], []) == names_sum(["b", "a"], [])
    assert name_hash("truth", "a") != name_hash("action", "a")
    assert text_hash("a") != text_hash("a\n")


def test_earlier_instances_are_counted_by_domain_and_setting(tmp_path: Path) -> None:
    store, rng = Store(str(tmp_path)), random.Random(3)
    # Two domains; the first one has two configurations.
    rows = [instance(i, rng, f"cfg_{i % 4}", "AB"[i % 2], ("3x2", "easy", "easy")[i % 3]) for i in range(60)]
    publish(store, "one", rows, 16)
    publish(store, "two", rows[:6])
    assert earlier_instances(store, ("one", "two")) == {
        ("A", "3x2"): 11,
        ("B", "3x2"): 11,
        ("A", "easy"): 22,
        ("B", "easy"): 22,
    }
    assert earlier_instances(store, ("one",)) == {
        (domain, setting): count for domain in "AB" for setting, count in {"3x2": 10, "easy": 20}.items()
    }


def test_a_missing_file_is_damage_and_not_an_empty_edition(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for look in (
        lambda: list(same_names(store, ("gone",), np.array([1], np.uint64))),
        lambda: earlier_instances(store, ("gone",)),
    ):
        with pytest.raises(Damaged, match=r"edition=gone/part-0\.parquet is missing.*perennial doctor"):
            look()


def test_facts_come_back_as_they_were_staged(tmp_path: Path) -> None:
    staging = Staging(Store(str(tmp_path)), "e")
    assert read_facts(staging, "gate_1") is None
    facts = [
        InstanceFacts("ki_1", "ki_1", 2**64 - 1, False, text_hash("a book"), READ_BY_GRAMMAR),
        InstanceFacts("ki_2", "ki_3", 0, True, None, "none"),
    ]
    about = {"space": {"low": 10**40, "estimate": None}, "looked_at": ["ab", None]}
    write_facts(staging, "gate_1", facts, about)
    read = read_facts(staging, "gate_1")
    assert read is not None
    assert read.about == about
    assert [InstanceFacts(**row) for row in read.columns.to_pylist()] == facts
