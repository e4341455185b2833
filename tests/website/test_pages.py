"""The pages of a website: hostile texts are text, links lead somewhere, files keep to their schemas."""

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest

from perennial.flows.editions.withdraw import reinstate_unit, withdraw_unit
from perennial.flows.stages.compute_statistics import compute_scale
from perennial.flows.website.build import build_site, keep_site, renew_site
from perennial.flows.website.examples import fair_limit
from perennial.flows.website.folder import RECORD
from perennial.schemas.errors import UnreadableInput
from perennial.tasks.website.names import player_file
from perennial.tasks.website.render import MOST_BYTES
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Shown, perennial
from tests.flows.mounted import require_mounts, run_mounted
from tests.flows.prefect_harness import Harness, clean_environment
from tests.flows.report_root import HOSTILE, MODEL, publish_floor, publish_people, publish_two
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish
from tests.website.folders import PageReader, read_folder
from tests.website.loud_root import publish_loud

pytestmark = pytest.mark.slow

ATOM = "{http://www.w3.org/2005/Atom}"
NEVER = {"iframe", "object", "embed", "form", "img", "base", "b"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two editions with hostile names of players and domains."""
    place = tmp_path_factory.mktemp("two") / "data"
    publish_two(place)
    return Store(str(place))


@pytest.fixture(scope="module")
def site(root: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Their website."""
    folder = tmp_path_factory.mktemp("site")
    build_site(root, folder)
    return folder


def pages(folder: Path) -> dict[str, PageReader]:
    """Return the pages of a website by name."""
    return {
        name: PageReader(content) for name, content in read_folder(folder).items() if name.endswith(".html")
    }


def test_nothing_of_the_data_is_markup(site: Path) -> None:
    for name, page in pages(site).items():
        assert not NEVER & set(page.tags), name
        assert page.scripts == [Path(os.path.relpath("sort.js", Path(name).parent)).as_posix()], name
        assert not [attribute for attribute in page.attributes if attribute.startswith("on")], name
        assert "style" not in page.attributes, name
    hostile = pages(site)[player_file(HOSTILE)]
    assert HOSTILE in hostile.text


def test_every_link_leads_to_a_file_of_the_folder(site: Path) -> None:
    found = pages(site)
    assert {"index.html", "benchmarks/kumo.html", "editions/old.html", player_file(MODEL)} < set(found)
    assert player_file("algorithm-3") not in found
    for name, page in found.items():
        assert page.links
        for link in page.links:
            assert not re.match(r"[a-z]+:|/", link), (name, link)
            target = unquote(link.split("#")[0])
            if target:
                assert ((site / name).parent / target).resolve().is_relative_to(site.resolve())
                assert ((site / name).parent / target).is_file(), (name, link)
    reached = {
        (site / name).parent.joinpath(unquote(link)).resolve()
        for name, page in found.items()
        for link in page.links
    }
    assert {(site / name).resolve() for name in found} <= reached


def test_downloads_are_what_their_checksums_say(site: Path) -> None:
    for edition in ("old", "new"):
        folder = site / "data" / edition
        listed = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
        held = {name: hashlib.sha256(content).hexdigest() for name, content in read_folder(folder).items()}
        assert held.pop("SHA256SUMS")
        assert held == listed
        page = (site / f"editions/{edition}.html").read_text()
        assert all(digest in page for digest in listed.values())


def test_scores_are_those_of_the_schema_and_of_the_pages(site: Path) -> None:
    scores = json.loads((site / "scores.json").read_text())
    schema = json.loads((site / "scores.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(scores, schema, jsonschema.Draft202012Validator)
    assert [edition["edition"] for edition in scores["editions"]] == ["new", "old"]
    assert {score["player"] for score in scores["scores"]} == {"algorithm-3", "random", HOSTILE, MODEL, "x"}
    for score in scores["scores"]:
        page = pages(site)[f"editions/{score['edition']}.html"].text
        assert f"{score['success_rate']:.3f} [{score['success_rate_low']:.3f}" in page
        assert (score["page"] is None) == (score["group"] in ("reference", "floor"))
        if score["page"]:
            assert f"{score['success_rate']:.2f}" in pages(site)[score["page"]].text
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**scores, "scores": [{"player": "x"}]}, schema)


def test_the_feed_is_atom_with_an_entry_per_edition(site: Path) -> None:
    feed = ElementTree.fromstring((site / "feed.xml").read_bytes())
    assert feed.tag == f"{ATOM}feed"
    assert feed.findtext(f"{ATOM}updated") == "2026-01-03T00:00:00Z"
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == ["KUMO: new", "KUMO: old"]
    ids = {element.text for element in feed.iter(f"{ATOM}id")}
    assert len(ids) == 3
    assert all(str(id_).startswith("urn:uuid:") for id_ in ids)
    for entry in entries:
        link = entry.find(f"{ATOM}link")
        assert link is not None
        assert (site / link.attrib["href"]).is_file()
        assert entry.findtext(f"{ATOM}updated")


def test_a_benchmark_says_what_it_asks_with_an_example_and_its_bounds(site: Path) -> None:
    page = pages(site)["benchmarks/kumo.html"]
    for said in ("which says which truths each outcome", "Won by", "Lost by", "Right is rain", "floor"):
        assert said in page.text
    assert "The optimum solves every instance" in page.text
    # The same drawn example, and a row of the leaderboard for each model, without a click.
    home = pages(site)["index.html"].text
    for said in ("Won by", "Lost by", "Right is rain", HOSTILE, MODEL, "x", "may also be first"):
        assert said in home


def test_a_model_shows_its_results_and_why_it_lost(site: Path) -> None:
    text = pages(site)[player_file(HOSTILE)].text
    for said in ("KUMO, easy", "KUMO, hard", "old", "new", "Why it lost", "wrong: "):
        assert said in text
    for said in ("Lost by", "Turn by turn", "right answer", "do not train models"):
        assert said in text


def test_people_are_one_player_and_no_person_is_named(tmp_path: Path) -> None:
    publish_people(tmp_path / "data", ("human:k7m2qx", "human:b3n8wz"))
    build_site(Store(str(tmp_path / "data")), tmp_path / "site")
    found = pages(tmp_path / "site")
    assert player_file("human") in found
    for name, page in found.items():
        assert not re.search("k7m2qx|b3n8wz", page.text), name
    assert "2 took part" in found["benchmarks/kumo.html"].text
    assert "Why it lost" not in found[player_file("human")].text
    assert "k7m2qx" not in (tmp_path / "site/scores.json").read_text()


def test_an_edition_more_changes_its_pages_alone_and_equals_a_new_build(
    root: Store, site: Path, tmp_path: Path
) -> None:
    root = Store(str(shutil.copytree(root.root, tmp_path / "data")))
    kept = Path(shutil.copytree(site, tmp_path / "site"))
    before = {path: path.stat().st_mtime_ns for path in kept.rglob("*") if path.is_file()}
    assert build_site(root, kept).written == 0
    publish_floor(tmp_path / "data")
    compute_scale(root)
    steps: list[str] = []
    built = build_site(root, kept, steps.append)
    assert steps == ["edition floor", "pages over all editions"]
    changed = {
        path.relative_to(kept).as_posix() for path, time in before.items() if path.stat().st_mtime_ns != time
    }
    assert changed == {
        *(RECORD, "index.html", "editions.html", "seeds.html", "data.html", "feed.xml"),
        *("scores.json", "benchmarks/kumo.html"),
    }
    assert built.written > len(changed) - 1
    assert "KUMO, easy: common scale" in (kept / "benchmarks/kumo.html").read_text()
    build_site(root, tmp_path / "fresh")
    assert read_folder(kept) == read_folder(tmp_path / "fresh")


def test_an_edition_that_is_withdrawn_goes_and_the_last_one_takes_all_pages_and_downloads_down(
    root: Store, site: Path, tmp_path: Path
) -> None:
    root = Store(str(shutil.copytree(root.root, tmp_path / "data")))
    site = Path(shutil.copytree(site, tmp_path / "site"))
    withdraw_unit(root, "new", "a mistake")
    build_site(root, site)
    build_site(root, tmp_path / "fresh")
    assert read_folder(site) == read_folder(tmp_path / "fresh")
    withdraw_unit(root, "old", "a mistake")
    built = build_site(root, site)
    assert built.editions == 0
    assert built.removed > 10
    assert list(read_folder(site)) == [RECORD]
    for folder, store in (("none", root), ("site", Store(str(tmp_path / "empty")))):
        with pytest.raises(UnreadableInput, match="no edition is published"):
            build_site(store, tmp_path / folder)
    reinstate_unit(root, "old", "it was none")
    build_site(root, site)
    assert read_folder(site) == read_folder(tmp_path / "fresh")


def test_after_a_kill_the_next_build_makes_the_same_bytes(
    harness: Harness, root: Store, site: Path, tmp_path: Path
) -> None:
    killed, files = tmp_path / "site", 25
    with harness.start("site", str(killed), "--root", root.root, cwd=tmp_path) as build:
        deadline = time.monotonic() + 120
        while build.poll() is None and sum(len(names) for *_, names in os.walk(killed)) < files:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        assert build.poll() is None, "it has ended before it was killed"
        build.kill()
    assert len(read_folder(killed)) >= files
    build_site(root, killed)
    assert read_folder(killed) == read_folder(site)
    assert sorted(os.listdir(killed)) == sorted(os.listdir(site))


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """Run a command of `perennial` in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: perennial(monkeypatch, capsys, *arguments)


def test_the_command_says_what_it_built(give: Callable[..., Shown], root: Store, site: Path) -> None:
    shown = give("site", site, "--root", root.root, "--json")
    assert (shown.code, json.loads(shown.out)["written"]) == (0, 0)
    assert re.search(
        r"website of 2 editions: \S+index\.html \(0 files written, \d+ unchanged, 0 removed\)", shown.err
    )


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("taken", "is not a website of perennial"),
        ("taken/file", "name a folder that you can write"),
    ],
)
def test_a_place_that_cannot_be_used_is_one_line(
    give: Callable[..., Shown], root: Store, tmp_path: Path, folder: str, said: str
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").write_text("mine")
    shown = give("site", tmp_path / folder, "--root", root.root)
    assert shown.code == 2
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert read_folder(tmp_path) == {"taken/file": b"mine"}


def test_serve_refuses_the_folder_of_others(give: Callable[..., Shown], root: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    shown = give("serve", "--root", root.root, "--site", tmp_path)
    assert shown.code == 2
    assert "is not a website of perennial" in shown.err
    assert shown.err.count("\n") == 1


def test_a_run_of_serve_renews_the_website_or_says_why_not(
    root: Store, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERENNIAL__SITE", "")  # undone at the end, whatever is set meanwhile
    assert renew_site(root) == ""
    keep_site(root, Path(shutil.copytree(site, tmp_path / "site")))
    (tmp_path / "site/index.html").unlink()
    assert re.fullmatch(r"; website \S+: 1 file written, 0 removed", renew_site(root))
    (tmp_path / "site" / RECORD).write_text("{")
    assert "; the website is not up to date: " in renew_site(root)


def test_the_website_of_another_root_is_replaced_on_demand_alone(
    give: Callable[..., Shown], site: Path, tmp_path: Path
) -> None:
    other = Store(str(tmp_path / "other"))
    publish(other, tiny_edition.plan("z"), tiny_edition.tables(), [], datetime(2026, 5, 1, tzinfo=UTC))
    target = Path(shutil.copytree(site, tmp_path / "site"))
    before = read_folder(target)
    for command in (("site", target), ("serve", "--site", target)):
        refused = give(*command, "--root", other.root)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert "is the website of another data root" in refused.err
    assert read_folder(target) == before
    assert give("site", target, "--root", other.root, "--replace").code == 0
    assert "editions/z.html" in read_folder(target)


def test_a_manifest_or_record_that_is_none_is_one_line(
    give: Callable[..., Shown], root: Store, site: Path, tmp_path: Path
) -> None:
    damaged = Path(shutil.copytree(root.root, tmp_path / "root"))
    manifest = next((damaged / "manifests").glob("*.json"))
    whole = manifest.read_bytes()
    for content in (whole[: len(whole) // 2], b"[" * 50_000, b'{"format": NaN}', b"[7]", b""):
        manifest.write_bytes(content)
        refused = give("site", tmp_path / "site", "--root", damaged)
        assert (refused.code, refused.err.count("\n")) == (8, 1)
        assert str(manifest) in refused.err
    target = Path(shutil.copytree(site, tmp_path / "target"))
    for content in (b'{"parts":' * 9_000, b'{"format": 1, "pending": "ab", "owners": [], "parts": {}}'):
        (target / RECORD).write_bytes(content)
        assert "is not the list of files" in give("site", target, "--root", root.root).err
    (target / RECORD).unlink()
    os.mkfifo(target / RECORD)
    refused = give("site", target, "--root", root.root)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert f"{RECORD} is no file" in refused.err


def test_a_full_target_disk_is_told_by_its_name(root: Store, tmp_path: Path) -> None:
    require_mounts()
    (disk := tmp_path / "disk").mkdir()
    arguments = ("site", str(disk / "site"), "--root", root.root)
    done = run_mounted(f"mount -t tmpfs -o size=200k tmpfs {disk}", arguments, clean_environment(), tmp_path)
    assert f"perennial: error: {disk}/site: the website cannot be written (No space" in done.stderr
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_a_root_without_editions_is_one_line(give: Callable[..., Shown], tmp_path: Path) -> None:
    shown = give("site", tmp_path / "site", "--root", tmp_path / "empty")
    assert shown.code == 2
    assert shown.err.count("\n") == 1
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("lengths", "total", "limit"),
    [([], 10, 10), ([3, 4], 10, 10), ([3, 400], 10, 7), ([9, 9, 9], 9, 3), ([1, 100, 100], 21, 10)],
)
def test_long_texts_share_what_short_ones_leave(lengths: list[int], total: int, limit: int) -> None:
    assert fair_limit(lengths, total) == limit


def test_pages_stay_small_whatever_players_say(tmp_path: Path) -> None:
    publish_loud(tmp_path / "data")
    build_site(Store(str(tmp_path / "data")), tmp_path / "site")
    found = read_folder(tmp_path / "site")
    sizes = {name: len(content) for name, content in found.items() if name.endswith(".html")}
    assert max(sizes.values()) < MOST_BYTES, sizes
    assert max(sizes.values()) > MOST_BYTES // 2
