"""An edition grown without a seed: unpredictable, committed to, kept secret, revealed by command."""

import hashlib
import json
import shutil
import stat
import uuid
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from perennial.flows.refresh.plan import prepare_refresh, settle_seed
from perennial.schemas.disclosure import METADATA_KEY, canary_line
from perennial.schemas.errors import PerennialError
from perennial.schemas.plan import EditionPlan
from perennial.schemas.settings import load_settings
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import seed_file
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import SETTINGS, make_edition, make_evaluation
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import edition_content

pytestmark = pytest.mark.slow

# Large enough that few instances of two roots agree by chance; nothing else of it matters.
FRESH = {"settings": ["6x8"], "instances": 12, "runs": 1, "players": ["random", "algorithm-3"], "seed": None}


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two roots with a fresh edition of the same settings each."""
    folder = tmp_path_factory.mktemp("fresh")
    for name in ("one", "two"):
        make_edition(folder / name, "e", **FRESH)
    return folder / "one", folder / "two"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a fresh edition of two instances."""
    root = tmp_path_factory.mktemp("small") / "root"
    make_edition(root, "e", **{**FRESH, "settings": ["easy"], "instances": 2})
    return root


@pytest.fixture
def root(small: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(small, tmp_path / "root"))


def plan_of(root: Path) -> EditionPlan:
    """Return the plan of edition `e`."""
    return read_published_plan(Store(str(root)), "e")


def secret_of(root: Path) -> str:
    """Return the decimal digits of the edition's seed, as the operator has them."""
    return seed_file(str(root), plan_of(root).seed_commitment).read_text()


def instances(root: Path) -> set[str]:
    """Return what the edition's instances ask."""
    return {hash_ for (hash_,) in query_rows(root, "SELECT content_hash FROM instances")}


def test_two_roots_without_a_seed_share_no_instance(grown: tuple[Path, Path]) -> None:
    one, two = map(instances, grown)
    assert len(one) == len(two) == 12
    assert not one & two
    assert plan_of(grown[0]).seed_commitment != plan_of(grown[1]).seed_commitment


def test_the_commitment_is_in_manifest_and_row_and_is_of_the_kept_seed(grown: tuple[Path, Path]) -> None:
    for root in grown:
        secret = seed_file(str(root), plan_of(root).seed_commitment)
        commitment = hashlib.sha256(secret.read_bytes()).hexdigest()
        manifest = json.loads((root / "manifests/e.json").read_bytes())
        assert (manifest["seed_commitment"], manifest["freshness"]) == (commitment, "fresh")
        (row,) = Store(str(root)).read_table(table_file("editions", "e")).to_pylist()
        assert (row["seed_commitment"], row["freshness"], row["seed"]) == (commitment, "fresh", None)
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert stat.S_IMODE(secret.parent.stat().st_mode) == 0o700


def test_no_other_file_holds_the_seed(grown: tuple[Path, Path]) -> None:
    for root in grown:
        secret = secret_of(root)
        forms = (secret.encode(), f"{int(secret):x}".encode())
        kept = seed_file(str(root), plan_of(root).seed_commitment)
        files = [path for path in root.rglob("*") if path.is_file() and path != kept]
        assert len(files) > 10
        assert not [path for path in files if any(form in path.read_bytes() for form in forms)]
        # Parquet compresses: look into the columns too.
        content = json.dumps(edition_content(root, "e"), default=str)
        assert secret not in content
        drawn = query_rows(root, "SELECT DISTINCT seed FROM instances")
        assert drawn == [(None,)]


def test_the_operator_reproduces_an_unrevealed_edition_and_nobody_else(root: Path, give: Run) -> None:
    done = give("reproduce", "e", "--root", root)
    assert done.code == 0, done.err
    assert "e is reproduced, byte for byte" in done.out
    secret = seed_file(str(root), plan_of(root).seed_commitment)
    kept = secret.read_bytes()
    secret.unlink()
    failed = give("reproduce", "e", "--root", root)
    assert failed.code == 2
    assert len(failed.err.strip().splitlines()) == 1
    assert "reveal e" in failed.err
    assert give("reproduce", "e@1", "--root", root).code == 0  # answers need no secret
    assert give("verify", "e", "--root", root).code == 0
    secret.write_bytes(kept[:-1])
    damaged = give("reproduce", "e", "--root", root)
    assert damaged.code == 8
    assert len(damaged.err.strip().splitlines()) == 1


def test_a_seed_is_revealed_and_checked_against_its_commitment(root: Path, give: Run) -> None:
    secret, commitment = secret_of(root), plan_of(root).seed_commitment
    before = give("editions", "list", "--root", root, "--format", "json").out
    assert secret not in before
    assert commitment in before
    shown = give("editions", "reveal", "e", "--root", root)
    assert shown.code == 0, shown.err
    assert secret in shown.out
    assert hashlib.sha256((root / "reveals/e.seed").read_bytes()).hexdigest() == commitment
    listed = json.loads(give("editions", "list", "--root", root, "--format", "json").out)
    assert listed[0]["seed"] == secret
    assert give("verify", "e", "--root", root).code == 0
    # Anybody reproduces it now.
    seed_file(str(root), commitment).unlink()
    assert give("reproduce", "e", "--root", root).code == 0
    (root / "reveals/e.seed").write_text("5")
    altered = give("verify", "e", "--root", root)
    assert altered.code == 8
    assert "committed to" in altered.out


def test_a_revealed_seed_draws_the_same_questions_and_marks_them_replayed(root: Path, tmp_path: Path) -> None:
    secret = secret_of(root)
    again = tmp_path / "again"
    make_edition(again, "e", **{**FRESH, "settings": ["easy"], "instances": 2, "seed": secret})
    then, now = edition_content(root, "e"), edition_content(again, "e")
    for table in ("kumo_instances", "kumo_books", "kumo_moves", "statistics"):
        assert then[table] == now[table], table
    plan = plan_of(again)
    assert (plan.seed, plan.freshness) == (None, "replayed, not fresh")
    assert plan.seed_commitment == plan_of(root).seed_commitment


def test_equal_seeds_give_equal_bytes_and_are_marked_as_replayed(tmp_path: Path, give: Run) -> None:
    for name in ("one", "two"):
        make_edition(tmp_path / name, "e", seed=11)
    files = [
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name / "tables").rglob("part-0.parquet")
            if path.parts[-3] != "editions"
        }
        for name in ("one", "two")
    ]
    assert files[0] == files[1]
    listed = give("editions", "list", "--root", tmp_path / "one").out
    assert "3 instances (replayed, not fresh)" in listed
    assert give("report", "e", "--root", tmp_path / "one", "--out", tmp_path).code == 0
    assert "11 (replayed, not fresh)" in (tmp_path / "e.html").read_text()
    nothing = give("editions", "reveal", "e", "--root", tmp_path / "one")
    assert (nothing.code, "nothing to reveal" in nothing.err) == (2, True)


def test_a_refresh_that_was_begun_keeps_its_seed(tmp_path: Path) -> None:
    settings = load_settings({**SETTINGS, "seed": None, "root": str(tmp_path)})
    store = Store(str(tmp_path))
    plan = settle_seed(prepare_refresh(settings, store).plan, None, store)
    Staging(store, plan.edition).write_plan(plan.growth)
    for _ in range(2):
        again = prepare_refresh(settings, store)
        assert again.resumed
        assert settle_seed(again.plan, None, store) == plan
    other = prepare_refresh(settings.model_copy(update={"seed": 3}), store)
    assert not other.resumed


def test_a_lost_seed_stops_an_edition_that_was_begun_in_one_line(tmp_path: Path) -> None:
    from perennial.flows.stages.workspace import open_workspace

    settings = load_settings({**SETTINGS, "seed": None, "root": str(tmp_path), "edition": "e"})
    store = Store(str(tmp_path))
    plan = settle_seed(prepare_refresh(settings, store).plan, None, store)
    Staging(store, "e").write_plan(plan.growth)
    assert open_workspace(str(tmp_path), "e").seed > 2**63
    seed_file(str(tmp_path), plan.growth.seed_commitment).unlink()
    with pytest.raises(PerennialError, match="prune e") as lost:
        _ = open_workspace(str(tmp_path), "e").seed
    assert lost.value.exit_code == 8


def test_pruning_leaves_the_seed(root: Path, give: Run) -> None:
    before = secret_of(root)
    assert give("editions", "prune", "--yes", "--root", root).code == 0
    assert secret_of(root) == before


def test_a_dry_run_draws_no_seed(tmp_path: Path, give: Run) -> None:
    asked = ("refresh", "--dry-run", "--domains", "chemical_analysis", "--root", tmp_path / "root")
    document = json.loads(give(*asked, "--json").out)
    assert document["plan"]["seed"] == "drawn when the work begins"
    assert document["plan"]["freshness"] == "fresh"
    assert "seed_commitment" not in document["plan"]
    assert not (tmp_path / "root").exists()
    assert json.loads(give(*asked, "--json", "--seed", "4").out)["plan"]["seed"] == 4


def test_files_of_an_edition_have_its_canary_and_books_have_not(grown: tuple[Path, Path]) -> None:
    canaries = set()
    for root in grown:
        canary = plan_of(root).canary
        assert str(uuid.UUID(canary)) == canary
        line = canary_line(canary)
        books = query_rows(root, "SELECT text, verdict FROM kumo_books")
        assert len(books) == 12
        assert all(canary not in text and verdict == "passed" for text, verdict in books)
        files = [*root.glob("tables/**/*.parquet"), *root.glob("analyses/statistics/**/*.parquet")]
        published = {file.parent.parent.name for file in files}
        assert published >= {
            "editions",
            "instances",
            "kumo_books",
            "audits",
            "episodes",
            "turns",
            "statistics",
        }
        for file in files:
            assert pq.read_schema(file).metadata[METADATA_KEY.encode()] == line.encode(), file
        canaries.add(canary)
    assert len(canaries) == 2


def test_a_later_evaluation_has_the_canary_and_needs_no_secret(root: Path) -> None:
    seed_file(str(root), plan_of(root).seed_commitment).unlink()
    evaluation = make_evaluation(root, "e", players=["random"])
    (row,) = Store(str(root)).read_table(table_file("evaluations", evaluation)).to_pylist()
    assert json.loads(row["settings"])["canary"] == plan_of(root).canary
    assert row["seed"] == plan_of(root).public_seed
