"""Private instances, secret seeds and what is withdrawn are nowhere in the bytes of a website."""

import shutil
from pathlib import Path

import pytest

from perennial.flows.editions.withdraw import withdraw_unit
from perennial.flows.website.build import build_site
from perennial.schemas.units import evaluation_of
from perennial.warehouse.disclosure import private_ids, retire, reveal_seed
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import find_seed
from perennial.warehouse.store.store import Store
from tests.website.conftest import EDITIONS
from tests.website.folders import say_all, texts_in

pytestmark = pytest.mark.slow


@pytest.fixture
def root(private_root: Path, tmp_path: Path) -> Store:
    """A copy of the root with its secret seeds, which are kept in it."""
    shutil.copytree(private_root, tmp_path / "data")
    return Store(str(tmp_path / "data"))


@pytest.fixture
def site(private_site: Path, tmp_path: Path) -> Path:
    """A copy of the website."""
    return Path(shutil.copytree(private_site, tmp_path / "site"))


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


def test_no_byte_of_a_website_is_of_a_private_instance_or_a_secret_seed(
    private_root: Path, said_on_site: str, secret_texts: set[str]
) -> None:
    root, said = Store(str(private_root)), said_on_site
    assert len(secret_texts) > 100
    assert not texts_in(secret_texts, said)
    assert not [seed for seed in secrets_of(root) if seed in said]
    # What is public is there, so that the search could have found something.
    for edition in EDITIONS:
        assert read_published_plan(root, edition).seed_commitment in said
        assert f"data/{edition}/SHA256SUMS" in said
    assert "Turn by turn" in said
    assert "Won by" in said


def test_what_is_retired_and_revealed_appears(root: Store, site: Path) -> None:
    private = private_ids(root, "k")
    seed = str(find_seed(root, read_published_plan(root, "k")))
    retire(root, "k", "2026-01-01", "test")
    reveal_seed(root, "k")
    build_site(root, site)
    said = say_all(site)
    assert private
    assert all(id_ in said for id_ in private)
    assert seed in (site / "seeds.html").read_text("utf-8")
    assert seed in (site / "scores.json").read_text("utf-8")


def test_what_is_withdrawn_disappears_whole(root: Store, site: Path) -> None:
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
