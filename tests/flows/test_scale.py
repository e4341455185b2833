"""Table `scale`: computed from published editions, shown for what is visible, by every reader."""

import pytest

from perennial.flows.editions.withdraw import reinstate_unit, withdraw_unit
from perennial.flows.stages.compute_statistics import compute_scale
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.later_statistics import SCALES
from perennial.warehouse.store.store import Store
from tests.flows import report_root


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    root = tmp_path_factory.mktemp("scale")
    report_root.publish_two(root)
    store = Store(str(root))
    compute_scale(store)
    return store


def _query(store: Store, sql: str) -> list[tuple[object, ...]]:
    return open_catalog(store).query(sql)[1]


@pytest.mark.slow
def test_players_of_different_editions_have_a_difference_with_its_link(store: Store) -> None:
    rows = _query(
        store,
        "SELECT setting, player, other, link, editions, standard_error > 0, low < value AND value < high "
        "FROM scale WHERE statistic = 'difference' AND 'random' IN (player, other) "
        "AND 'x' IN (player, other) "
        "ORDER BY setting",
    )
    assert rows == [
        (setting, "random", "x", "shared players or domains", 2, True, True) for setting in ("easy", "hard")
    ]
    rates = _query(store, "SELECT DISTINCT editions FROM scale WHERE player = 'random' AND other = ''")
    assert rates == [(1,)]


def test_each_player_has_a_rate_in_each_of_its_editions(store: Store) -> None:
    rows = _query(
        store,
        "SELECT other, low <= value AND value <= high FROM scale WHERE statistic = 'rate_in_edition' "
        "AND player = 'algorithm-3' AND setting = 'easy' ORDER BY other",
    )
    assert rows == [("new", True), ("old", True)]
    shifts = _query(
        store, "SELECT other FROM scale WHERE statistic = 'shift_of_edition' AND setting = 'easy'"
    )
    assert {edition for (edition,) in shifts} == {"new", "old"}


@pytest.mark.slow
def test_what_is_withdrawn_is_on_no_scale(store: Store) -> None:
    before = _query(store, "FROM scale ORDER BY ALL")
    withdraw_unit(store, "old", "wrong")
    assert _query(store, "SELECT count(*) FROM scale WHERE statistic = 'rate' AND player = 'random'") == [
        (0,)
    ]
    assert _query(store, "SELECT count(*) > 0 FROM scale WHERE statistic = 'rate'") == [(True,)]
    reinstate_unit(store, "old", "right")
    assert _query(store, "FROM scale ORDER BY ALL") == before


def test_equal_editions_give_equal_files(store: Store) -> None:
    names = store.names(SCALES)
    assert compute_scale(store) > 0
    assert store.names(SCALES) == names
