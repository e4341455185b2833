"""`perennial contamination`: a model that has read an export shows a gap, and nobody else does."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from perennial.flows.export.export_edition import export_edition
from perennial.flows.website.build import build_site
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.disclosure import private_ids, retire
from perennial.warehouse.store.store import Store
from tests.contamination.memorising_models import FOLDER, MODELS
from tests.flows.hand_made_root import Shown, perennial
from tests.flows.made_units import make_edition, make_evaluation
from tests.profiles.grown_root import KEY
from tests.server.options import ServerOptions
from tests.server.running import running_server

GROWN = {"benchmark": "knowlogic", "domains": ["nature", "social"], "questions": 20, "seed": 5, "runs": 1}
ROLES = "tests.contamination.memorising_models"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A root with an edition of which half is private, and answers before and after its export was read."""
    folder = tmp_path_factory.mktemp("leaked")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PERENNIAL_API_KEY", KEY)
        (folder / "models.toml").write_text('[reader]\ntraining_cutoff = "2026-10-31"\n')
        with running_server(ServerOptions(keys=(KEY,), models=MODELS, roles=ROLES)) as server:
            players = ["honest", "guesser"]
            given = {"base_url": server.url, "players": players, "private_share": 0.5, **GROWN}
            make_edition(folder / "data", "e", **given)
            make_edition(folder / "data", "whole", **given | {"private_share": 0.0, "questions": 2})
        export_edition(Store(str(folder / "data")), "e", folder / "out")
        patch.setenv(FOLDER, str(folder / "out"))
        with running_server(ServerOptions(keys=(KEY,), models=MODELS, roles=ROLES)) as server:
            asked = {"benchmark": "knowlogic", "runs": 1, "base_url": server.url}
            make_evaluation(folder / "data", "e", players=["careful", "reader"], **asked)
        yield folder / "data"


def _run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], root: Path, *arguments: str
) -> Shown:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(root.parent)
    return perennial(monkeypatch, capsys, "contamination", *arguments, "--root", str(root))


def test_only_the_reader_has_a_gap(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {row["player"]: row for row in json.loads(_run(monkeypatch, capsys, root, "e", "--json").out)}
    assert rows["reader"]["p_holm"] < 0.01 < rows["honest"]["p_holm"]
    assert rows["reader"]["gap_low"] > 0.1
    assert rows["careful"]["gap_low"] < 0 < rows["careful"]["gap_high"]
    assert (rows["reader"]["public_rate"], rows["reader"]["training_cutoff"]) == (1.0, "2026-10-31")
    assert [rows[name]["player_kind"] for name in ("reader", "guesser")] == ["models", "programs"]
    shown = _run(monkeypatch, capsys, root, "e", "--players", "reader,guesser")
    assert shown.code == 0, shown.err
    table = [line for line in shown.out.splitlines() if line[0] in "┏┃┡│└"]
    assert max(map(len, table)) <= 80
    assert "careful" not in shown.out
    assert "reader. This is evidence that public instances have reached them." in " ".join(shown.out.split())


def test_nothing_published_says_which_instances_are_private(root: Path) -> None:
    store = Store(str(root))
    private = private_ids(store, "e")
    assert len(private) == 40
    rows = open_catalog(store).query("FROM statistics WHERE statistic LIKE 'contamination%'")[1]
    assert len(rows) == 4 * 5
    assert not [row for row in rows if private & set(map(str, row))]


def test_the_website_shows_the_gap_of_an_edition_with_a_private_share(root: Path, tmp_path: Path) -> None:
    build_site(Store(str(root)), tmp_path / "site")
    split, whole = ((tmp_path / f"site/editions/{name}.html").read_text("utf-8") for name in ("e", "whole"))
    rows = split.partition("Contamination</h2>")[2].partition("</table>")[0]
    assert [name in rows for name in ("reader", "careful", "honest", "guesser")] == [True] * 4
    assert "&lt; 0.001" in rows
    assert "Contamination" not in whole


def test_what_cannot_be_answered_is_one_line(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, words in (
        (("whole",), "has no private instances to compare with: grow one that has, `perennial refresh"),
        (("eh",), "has no published edition 'eh'"),
        (("e", "--players", "human"), "human is the name of people"),
    ):
        refused = _run(monkeypatch, capsys, root, *arguments)
        assert (refused.code, refused.err.count("\n"), words in refused.err) == (2, 1, True), refused.err


def test_a_retired_edition_warns(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    retire(Store(str(root)), "e", "2026-11-28T00:00:00Z", "me")
    assert "is retired: its private instances are known too" in _run(monkeypatch, capsys, root, "e").out
