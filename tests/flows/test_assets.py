"""The keys of published tables as Prefect assets; `test_prefect_graph.py` has the assets themselves."""

import pytest
from prefect.assets import Asset

from perennial.flows.run.prefect_stages import asset_key
from perennial.schemas.tables import TABLES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("root", "key"),
    [
        ("/srv/bench", "perennial://srv/bench/tables/kumo_books"),
        ("file:///srv/bench/", "perennial://srv/bench/tables/kumo_books"),
        ("s3://bucket/bench", "perennial://bucket/bench/tables/kumo_books"),
        ("s3://key:secret@bucket/bench?token=1", "perennial://bucket/bench/tables/kumo_books"),
    ],
)
def test_a_key_says_where_the_table_is_without_credentials(root: str, key: str) -> None:
    assert asset_key(root, "kumo_books") == key


def test_any_root_gives_keys_that_prefect_takes_and_that_differ() -> None:
    roots = [
        "/srv/a b",
        "/srv/a_b",
        "/srv/a\tb",
        "/srv/100%",
        "/srv/{x}|y^`",
        f"/{'d' * 600}",
        f"/{'d' * 601}",
    ]
    keys = [Asset(key=asset_key(root, table)).key for root in roots for table in TABLES]
    assert len(set(keys)) == len(keys)
