"""Private instances, secret seeds and what is withdrawn are nowhere in the bytes of a website."""

import shutil
from collections.abc import Iterable
from html import unescape
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from perennial.flows.editions.withdraw import reinstate_unit, withdraw_unit
from perennial.flows.website.build import build_site
from perennial.flows.website.folder import RECORD
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.tables import TABLES
from perennial.schemas.units import evaluation_of
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.disclosure import retire, reveal_seed
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import find_seed
from perennial.warehouse.store.store import Store
from tests.website.folders import read_folder

_SHORTEST = 8  # a shorter text may be in others by chance
# Columns of words that a benchmark has for all its questions, which statistics name.
_VOCABULARY = {"properties", "relations", "rules", "type", "scenario"}
EDITIONS = ("k", "l")


def say_all(folder: Path) -> str:
    """Return all that the files of the folder say, as text: bytes, what they escape, and values of tables."""
    said: set[str] = set()  # What is said twice need not be searched twice.
    for name, content in read_folder(folder).items():
        text = content.decode("utf-8", "replace")
        said |= {name, text, unescape(text), content.decode("latin-1")}
        if name.endswith(".parquet"):
            table = pq.read_table(folder / name, partitioning=None)
            said |= {str(value) for row in table.to_pylist() for value in row.values()}
            said.add(str(table.schema.metadata))
        if name.endswith(".duckdb"):
            with duckdb.connect(folder / name, read_only=True) as connection:
                for (table_name,) in connection.sql("SELECT table_name FROM duckdb_tables()").fetchall():
                    said |= {str(value) for row in connection.table(table_name).fetchall() for value in row}
    return "\n".join(said)


def private_texts(catalog: Catalog) -> set[str]:
    """Return the texts that rows of private instances hold, and no row of a public one contains."""
    ids = {name: set(values) for name, values in _private_ids(catalog).items()}
    of: dict[bool, list[str]] = {True: [], False: []}
    for table in TABLES.values():
        if table.kind in ("root", "analysis"):
            continue
        names, rows = catalog.query(f"FROM {table.name}")
        for row in rows:
            values = dict(zip(names, row, strict=True))
            is_private = any(values.get(column) in ids[column] for column in ids)
            of[is_private] += _texts(value for name, value in values.items() if name not in _VOCABULARY)
    public = "\n".join(of[False])
    return {text for text in of[True] if len(text) >= _SHORTEST and text not in public}


def _private_ids(catalog: Catalog) -> dict[str, list[str]]:
    """Return the private ids by column, such as those of calls that only private episodes made."""
    instances = "SELECT instance_id FROM private_instances"
    turns = "SELECT t.call_id FROM turns t JOIN episodes e USING (edition, evaluation, episode_id)"
    own = f"{turns} WHERE e.instance_id IN ({instances}) AND t.call_id IS NOT NULL"
    others = f"{turns} WHERE e.instance_id NOT IN ({instances}) AND t.call_id IS NOT NULL"
    ids = "from_json(request->'$.messages[*].message_id', '[\"VARCHAR\"]')"
    message = f"SELECT unnest({ids}) FROM calls WHERE call_id IN"
    queries = {
        "instance_id": instances,
        "episode_id": f"SELECT episode_id FROM episodes WHERE instance_id IN ({instances})",
        "call_id": f"{own} EXCEPT {others}",
        "message_id": f"{message} ({own}) EXCEPT {message} ({others})",
    }
    return {column: [id_ for (id_,) in catalog.query(sql)[1]] for column, sql in queries.items()}


def _texts(values: Iterable[object]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)


@pytest.fixture(scope="module")
def built(private_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The website of the root."""
    site = tmp_path_factory.mktemp("built") / "site"
    build_site(Store(str(private_root)), site)
    return site


@pytest.fixture
def root(private_root: Path, tmp_path: Path) -> Store:
    """A copy of the root with its secret seeds, which are kept in it."""
    shutil.copytree(private_root, tmp_path / "data")
    return Store(str(tmp_path / "data"))


@pytest.fixture
def site(built: Path, tmp_path: Path) -> Path:
    """A copy of the website."""
    return Path(shutil.copytree(built, tmp_path / "site"))


def secrets_of(store: Store) -> set[str]:
    """Return each secret seed in the ways in which it could be written."""
    found = set()
    for edition in EDITIONS:
        seed = find_seed(store, read_published_plan(store, edition))
        assert seed is not None
        assert seed > 2**128
        raw = [seed.to_bytes(32, order) for order in ("big", "little")]
        found |= {str(seed), f"{seed:x}", f"{seed:X}", *(one.decode("latin-1") for one in raw)}
    return found


@pytest.mark.slow
def test_no_byte_of_a_website_is_of_a_private_instance_or_a_secret_seed(root: Store, site: Path) -> None:
    said = say_all(site)
    private = private_texts(open_catalog(root))
    assert len(private) > 100
    assert not [text for text in private if text in said]
    assert not [seed for seed in secrets_of(root) if seed in said]
    # What is public is there, so that the search could have found something.
    for edition in EDITIONS:
        assert read_published_plan(root, edition).seed_commitment in said
        assert f"data/{edition}/SHA256SUMS" in said
    assert "Turn by turn" in said
    assert "Won by" in said


@pytest.mark.slow
def test_what_is_retired_and_revealed_appears(root: Store, site: Path) -> None:
    private = [text for text in private_texts(open_catalog(root)) if text.startswith("ki_")]
    seed = str(find_seed(root, read_published_plan(root, "k")))
    retire(root, "k", "2026-01-01", "test")
    reveal_seed(root, "k")
    build_site(root, site)
    said = say_all(site)
    assert private
    assert all(id_ in said for id_ in private)
    assert seed in (site / "seeds.html").read_text("utf-8")
    assert seed in (site / "scores.json").read_text("utf-8")


@pytest.mark.slow
def test_what_is_withdrawn_disappears_whole(root: Store, site: Path, tmp_path: Path) -> None:
    canary = read_published_plan(root, "l").canary
    assert canary in say_all(site)
    withdraw_unit(root, "l", "a mistake")
    withdraw_unit(root, evaluation_of("k", "1"), "a mistake")
    assert build_site(root, site).removed > 10
    said = say_all(site)
    assert canary not in said
    assert "a mistake" not in said
    assert not (site / "editions/l.html").exists()
    assert not (site / "data/l").exists()
    assert "Nobody has answered this edition yet" in (site / "editions/k.html").read_text("utf-8")
    build_site(root, tmp_path / "fresh")
    assert read_folder(site) == read_folder(tmp_path / "fresh")


@pytest.mark.slow
def test_the_last_edition_that_is_withdrawn_takes_pages_and_downloads_down(
    root: Store, site: Path, tmp_path: Path
) -> None:
    for edition in EDITIONS:
        withdraw_unit(root, edition, "a mistake")
    built = build_site(root, site)
    assert built.editions == 0
    assert built.removed > 20
    assert list(read_folder(site)) == [RECORD]
    with pytest.raises(UnreadableInput, match="no edition is published"):
        build_site(root, tmp_path / "fresh")
    with pytest.raises(UnreadableInput, match="no edition is published"):
        build_site(Store(str(tmp_path / "empty")), site)
    for edition in EDITIONS:
        reinstate_unit(root, edition, "it was none")
    build_site(root, site)
    build_site(root, tmp_path / "fresh")
    assert read_folder(site) == read_folder(tmp_path / "fresh")
