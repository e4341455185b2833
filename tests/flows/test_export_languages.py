"""The card of an exported dataset: the languages of its questions, and all rows in the split `test`."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from perennial.flows.export.export_edition import ExportForm, export_edition
from perennial.flows.export.hugging_face import card_head
from perennial.flows.export.source import Source
from perennial.schemas.benchmark import benchmarks
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition
from tests.profiles.grown_root import EDITIONS

_KNOWLOGIC = {
    "benchmark": "knowlogic",
    "domains": ["nature"],
    "questions": 4,
    "runs": 1,
    "players": ["exact"],
}


def _export(folder: Path, **flags: Any) -> dict[str, Any]:
    """Return the card of an edition that is grown with these flags."""
    root = folder / "data"
    make_edition(root, edition="e", seed=5, **flags)
    export_edition(Store(str(root)), "e", folder / "out", form=ExportForm.hf, with_answers=True)
    _, head, _ = (folder / "out" / "README.md").read_text("utf-8").split("---\n", 2)
    card: dict[str, Any] = yaml.safe_load(head)
    return card


@pytest.mark.parametrize(
    ("flags", "languages"),
    [
        *(({**_KNOWLOGIC, "languages": asked}, sorted(asked)) for asked in (["zh", "en"], ["zh"])),
        (EDITIONS["k"], ["en"]),
    ],
    ids=["zh and en", "zh", "kumo"],
)
@pytest.mark.slow
def test_a_card_names_the_languages_and_the_split(
    tmp_path: Path, flags: dict[str, Any], languages: list[str]
) -> None:
    card = _export(tmp_path, **flags)
    assert card["language"] == languages
    assert len(card["configs"]) > 5
    for config in card["configs"]:
        ((part),) = config["data_files"]
        assert part["split"] == "test"
        assert list((tmp_path / "out").glob(part["path"])), config


@pytest.mark.slow
def test_a_language_whose_questions_all_stay_private_is_not_named(tmp_path: Path) -> None:
    root = tmp_path / "data"
    make_edition(root, edition="e", seed=5, private_share=0.5, **_KNOWLOGIC)
    store = Store(str(root))
    plan = read_published_plan(store, "e")
    source = Source(store, plan, "x", leave_out=True, with_answers=False)
    rows = source.catalog.query("SELECT instance_id, language FROM knowlogic_questions")[1]
    # As if all Chinese ones were private.
    source.__dict__["private_ids"] = frozenset(id_ for id_, language in rows if language == "zh")
    assert yaml.safe_load(card_head(source, []).strip("-\n"))["language"] == ["en"]


def test_every_benchmark_that_has_a_column_of_languages_names_it() -> None:
    for name, benchmark in benchmarks().items():
        tables = [t.name for t in benchmark.tables if any(c.name == "language" for c in t.columns)]
        assert bool(tables) == bool(benchmark.languages), name
        assert all(table in benchmark.languages for table in tables), name
