"""A withdrawn edition is hidden from readers, and from nobody else."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from perennial.schemas.errors import Damaged, EditionConflict, QueryFailed
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import (
    open_catalog,
    published_editions,
    published_units,
    question_views,
    visible_editions,
)
from perennial.warehouse.catalog.later_statistics import analysis_of, as_statistics, keep_analysis
from perennial.warehouse.catalog.withdrawals import (
    WithdrawalEvent,
    finish_moves,
    history,
    reinstate,
    withdraw,
    withdrawn_units,
)
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.editions.publish import unit_plan
from perennial.warehouse.editions.verify import verify_unit
from perennial.warehouse.kumo.published_domains import domain_uses
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import two_editions
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

AT = "2026-02-01T00:00:00Z"
BY = "me@here"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return two_editions(tmp_path)


def _hashes(root: Path) -> dict[Path, str]:
    files = (path for path in root.rglob("*") if path.is_file() and "withdrawals" not in path.parts)
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.slow
def test_every_table_and_view_hides_it_and_shows_it_again(store: Store, tmp_path: Path) -> None:
    names = [table.name for table in TABLES.values() if table.of_editions]
    before = {name: open_catalog(store).query(f'FROM "{name}" ORDER BY ALL')[1] for name in names}
    hashes = _hashes(tmp_path)
    withdraw(store, "e1", "a book was wrong", AT, BY)
    catalog = open_catalog(store)
    assert catalog.editions == visible_editions(store) == ("e2",)
    for name in names:
        rows = catalog.query(f'FROM "{name}" ORDER BY ALL')[1]
        assert rows == [row for row in before[name] if row[0] == "e2"]
    for name in question_views():
        columns, rows = catalog.query(f'FROM "{name}"')
        hidden = {row[columns.index("edition")] for row in rows} if "edition" in columns else set()
        assert "e1" not in hidden
    assert set(domain_uses(store).values()) == {1}
    reinstate(store, "e1", "it was right", AT, BY)
    assert {name: open_catalog(store).query(f'FROM "{name}" ORDER BY ALL')[1] for name in names} == before
    assert _hashes(tmp_path) == hashes


def test_its_name_stays_taken_and_its_instances_issued(store: Store) -> None:
    withdraw(store, "e1", "a book was wrong", AT, BY)
    assert published_editions(store) == ("e1", "e2")
    assert tiny_edition.CONTENT_HASH in issued_instances(store, published_editions(store)[:1])
    with pytest.raises(EditionConflict, match="already published"):
        publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], datetime.now(UTC))


def test_all_that_happened_is_kept(store: Store) -> None:
    assert history(store, "e1") == ()
    withdraw(store, "e1", "first", AT, BY)
    reinstate(store, "e1", "second", AT, BY)
    withdraw(store, "e1", "drei — ünï", AT, BY)
    assert [(event.event, event.why) for event in history(store, "e1")] == [
        ("withdrawn", "first"),
        ("reinstated", "second"),
        ("withdrawn", "drei — ünï"),
    ]
    assert withdrawn_units(store) == {"e1": WithdrawalEvent("withdrawn", "drei — ünï", AT, BY)}


def test_withdrawing_twice_and_undoing_nothing_are_refused(store: Store) -> None:
    with pytest.raises(EditionConflict, match="'e1' is not withdrawn"):
        reinstate(store, "e1", "why not", AT, BY)
    withdraw(store, "e1", "a book was wrong", AT, BY)
    with pytest.raises(EditionConflict, match=f"withdrawn already, since {AT}: a book was wrong"):
        withdraw(store, "e1", "again", AT, BY)
    assert len(history(store, "e1")) == 1


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\xff", b'{"format": 9, "events": []}', b'{"format": 1, "events": [{}]}']
)
def test_a_record_that_cannot_be_read_stops_readers(store: Store, content: bytes) -> None:
    store.write_bytes("withdrawals/e1.json", content)
    with pytest.raises(Damaged, match=r"withdrawals/e1\.json: no record of withdrawals") as caught:
        open_catalog(store)
    assert "\n" not in str(caught.value)


def test_a_record_is_json_that_people_can_read(store: Store) -> None:
    withdraw(store, "e1", "a book was wrong", AT, BY)
    assert json.loads(store.read_bytes("withdrawals/e1.json")) == {
        "format": 1,
        "edition": "e1",
        "events": [{"event": "withdrawn", "why": "a book was wrong", "at": AT, "by": BY}],
    }


def test_an_open_catalog_shows_no_later_figures_and_says_what_was_withdrawn(store: Store) -> None:
    units = ("e1@1",)
    keep_analysis(store, "e1", units, as_statistics("e1", [tiny_edition.statistic("old", 1.0)]))
    kept = analysis_of(store, "e1", units)
    catalog = open_catalog(store)
    withdraw(store, "e2", "a book was wrong", AT, BY)
    for _ in range(2):
        keep_analysis(store, "e1", units, as_statistics("e1", [tiny_edition.statistic("new", 1.0)]))
    listed = "SELECT edition, statistic FROM statistics"
    assert catalog.query(listed)[1] == [("e1", "old")]
    with pytest.raises(QueryFailed, match="withdrawn or reinstated meanwhile: give the command again"):
        catalog.query("SELECT DISTINCT edition FROM episodes")
    assert open_catalog(store).query(listed)[1] == [("e1", "new")]
    assert len(store.names("analyses/statistics/edition=e1")) == 3
    assert analysis_of(store, "e1", units) != kept


def read_directly(root: Path, table: str) -> list[tuple[str, str]]:
    """Return edition and evaluation of each row, as a program reads them that knows nothing of perennial."""
    rows = ds.dataset(root / "tables" / table, format="parquet").to_table().to_pylist()
    return sorted({(row["edition"], row.get("evaluation", "")) for row in rows})


@pytest.mark.slow
def test_a_direct_reader_sees_what_other_readers_see(store: Store, tmp_path: Path) -> None:
    hashes = _hashes(tmp_path)
    withdraw(store, "e1", "a book was wrong", AT, BY)
    withdraw(store, "e2@1", "a reply was lost", AT, BY)
    assert read_directly(tmp_path, "instances") == [("e2", "")]
    assert not (tmp_path / "tables/episodes/edition=e1").exists()
    assert not list((tmp_path / "tables/episodes").rglob("*.parquet"))
    # Each file is as it was, by its name too.
    moved = {path.relative_to(tmp_path): digest for path, digest in _hashes(tmp_path).items()}
    assert {Path(str(path).removeprefix("withdrawn/")): digest for path, digest in moved.items()} == {
        path.relative_to(tmp_path): digest for path, digest in hashes.items()
    }
    for unit in ("e1", "e1@1", "e2", "e2@1"):
        assert verify_unit(store, unit).is_whole
        assert unit_plan(store, unit).unit == unit
    assert published_units(store) == ("e1", "e1@1", "e2", "e2@1")
    assert len(open_catalog(store, published_units(store)).query("FROM episodes")[1]) == 8
    # An evaluation that was withdrawn for itself stays so when its edition is reinstated.
    withdraw(store, "e1@1", "a reply was lost", AT, BY)
    reinstate(store, "e1", "it was right", AT, BY)
    assert read_directly(tmp_path, "instances") == [("e1", ""), ("e2", "")]
    assert not list((tmp_path / "tables/episodes").rglob("*.parquet"))
    for unit in ("e1@1", "e2@1"):
        reinstate(store, unit, "it was right", AT, BY)
    assert _hashes(tmp_path) == hashes


@pytest.mark.slow
@pytest.mark.parametrize("is_back", [False, True])
def test_a_move_that_was_cut_off_is_finished_by_the_next_command(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_back: bool
) -> None:
    before = _hashes(tmp_path)
    withdraw(store, "e1", "a book was wrong", AT, BY)
    after = _hashes(tmp_path)
    reinstate(store, "e1", "it was right", AT, BY)
    move, cuts = Store.move, 0
    for number in range(0, len(before), 3):
        if is_back:
            withdraw(store, "e1", "again", AT, BY)
        left = number

        def cut_off(self: Store, place: str, target: str) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                # As a copy on an object store that was not followed by the removal.
                self.write_bytes(target, self.read_bytes(place))
                raise SystemExit
            move(self, place, target)

        monkeypatch.setattr(Store, "move", cut_off)
        try:
            (reinstate if is_back else withdraw)(store, "e1", "cut off", AT, BY)
        except SystemExit:
            cuts += 1
        monkeypatch.setattr(Store, "move", move)
        assert {*_hashes(tmp_path).values()} == {*before.values()}
        assert verify_unit(store, "e1").is_whole
        assert visible_editions(store) == (("e1", "e2") if is_back else ("e2",))
        assert len(open_catalog(store).query("FROM episodes")[1]) == 4 * (1 + is_back)
        finish_moves(store)
        assert _hashes(tmp_path) == (before if is_back else after)
        if not is_back:
            reinstate(store, "e1", "again", AT, BY)
    assert cuts > 3
    assert _hashes(tmp_path) == before
