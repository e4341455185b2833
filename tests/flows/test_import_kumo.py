"""The import of a hostile release: what cannot be kept is named, the rest is published."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.flows.kumo.release.import_release import EDITION, import_release
from perennial.flows.kumo.release.release_rows import read_release
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.kumo.release.layout import Skipped, find_release
from perennial.warehouse.store.store import Store
from tests.kumo.release_modules import module_text
from tests.warehouse.release_tree import CLONE, EASY, environment, write_files

DOMAIN = "ItemEnv"
INSTANCES = f"instances/{DOMAIN}/{EASY}.jsonl"
BOOKS = f"knowledge_books/{DOMAIN}/{EASY}"
ORACLE = f"search_results/{DOMAIN}/{EASY}/eval_times=10.jsonl"
Record = dict[str, Any]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Four instances of a bundled domain, with the seeds 0 to 3."""
    encoded = encode_config(load_bundled("fantasy_artefacts"))
    sample = sample_instances(encoded, SamplingRequest(Setting(4, 6), 4, 0, 1.0))
    return [{**instance.as_json(), "seed": seed} for seed, instance in enumerate(sample.instances)]


@pytest.fixture
def release(records: list[Record], tmp_path: Path) -> Path:
    """A partial release of one domain and four instances, each with its book."""
    config = {**load_bundled("fantasy_artefacts").as_json(), "name": DOMAIN}
    files = {f"{BOOKS}/seed={seed}.txt": f"Book {seed}." for seed in range(4)}
    files |= {f"domains/{DOMAIN}.json": json.dumps(config), INSTANCES: lines(records)}
    return write_files(tmp_path / "release", files)


def lines(records: list[Record]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def import_and_read(release: Path) -> tuple[dict[int, str], tuple[Skipped, ...], list[Record]]:
    """Return the published books by the seed of their instance, what was skipped, and the rejections."""
    store = Store(str(release.parent / "root"))
    done = import_release(store, release, [], [], lambda _: None, lambda _: None)
    assert done is not None
    _, skipped = done
    names = ("instances", "kumo_books", "rejections")
    files = {name: table_file(name, EDITION) for name in names}
    # A table without rows has no file.
    tables = {
        name: store.read_table(file).to_pylist() if store.exists(file) else [] for name, file in files.items()
    }
    texts = {row["instance_id"]: row["text"] for row in tables["kumo_books"]}
    seeds = {row["seed"]: texts.get(row["instance_id"], "") for row in tables["instances"]}
    return seeds, skipped, tables["rejections"]


@pytest.mark.slow
def test_a_clone_gives_the_rows_that_the_partial_form_gives(release: Path, tmp_path: Path) -> None:
    config = json.loads((release / "domains" / f"{DOMAIN}.json").read_text())
    # As a module says it: without units, and what a state rules out in no order.
    outcomes = [
        {
            "action": outcome["action"],
            "type": outcome["type"],
            "states": [{**state, "rules_out": sorted(state["rules_out"])} for state in outcome["states"]],
        }
        for outcome in config["outcomes"]
    ]
    plain = {**{name: config[name] for name in ("name", "truths", "actions")}, "outcomes": outcomes}
    files = {
        "env/item_env.py": environment(DOMAIN, "from env.data.items import *"),
        "env/data/items.py": module_text(plain, "set calls"),
        f"env/{DOMAIN}/{EASY}.jsonl": (release / INSTANCES).read_text(),
        **{f"env/{DOMAIN}/knowledge_book/{EASY}/seed={seed}.txt": f"Book {seed}." for seed in range(4)},
    }
    clone = read_release(find_release(write_files(tmp_path / "clone", files)))
    write_files(release, {f"domains/{DOMAIN}.json": json.dumps(plain)})
    partial = read_release(find_release(release))
    assert (clone.tables, clone.findings) == (partial.tables, partial.findings)
    assert (clone.skipped, partial.skipped) == ([], [])
    assert len(partial.tables["kumo_books"]) == 4


def test_nothing_of_a_release_is_executed(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    spoiled = {
        name: f"open({str(trace)!r}, 'w').close()\n{CLONE[name]}"
        for name in ("env/tree_env.py", "env/data/oak_data.py", "env/data/in_data.py")
    }
    rows = read_release(find_release(write_files(tmp_path / "clone", {**CLONE, **spoiled})))
    assert [row["domain"] for row in rows.tables["kumo_domains"]] == ["OutEnv", "StarEnv"]
    assert not trace.exists()


@pytest.mark.slow
def test_no_file_from_outside_is_published_and_loops_end_nothing(release: Path) -> None:
    (release.parent / "secret.txt").write_text("A secret.")
    (release / BOOKS / "seed=1.txt").unlink()
    (release / BOOKS / "seed=1.txt").symlink_to(release.parent / "secret.txt")
    (release / "instances/loop").symlink_to("loop")
    books, skipped, rejections = import_and_read(release)
    assert books == {0: "Book 0.", 1: "", 2: "Book 2.", 3: "Book 3."}
    assert {entry.file for entry in skipped} == {"instances/loop", f"{BOOKS}/seed=1.txt"}
    assert {row["subject"] for row in rejections if row["rule"] == "skipped"} >= {"instances/loop"}


def test_a_bad_line_is_skipped_and_the_others_keep_their_place(release: Path, records: list[Record]) -> None:
    first, _, third, fourth = map(json.dumps, records)
    smaller = json.dumps({**records[1], "actions": [], "observations": {}})
    text = f"{first}\nwhat\n\n{first}\n{third[:-100]}\n{smaller}\n[1]\n{fourth}"
    write_files(release, {INSTANCES: text, f"{BOOKS}/seed=3.txt": " \n"})
    rows = read_release(find_release(release))
    assert [(row["seed"], row["index"]) for row in rows.tables["instances"]] == [(0, 0), (3, 7)]
    assert [(entry.file, entry.line) for entry in rows.skipped] == [
        (f"{BOOKS}/seed=3.txt", None),
        *((INSTANCES, line) for line in (2, 4, 5, 6, 7)),
    ]
    reasons = {entry.line: entry.reason for entry in rows.skipped}
    assert reasons[None] == "empty, expected the text of a knowledge book"
    assert reasons[4] == "seed 0 again, as in line 1"
    assert reasons[5].startswith("not JSON: Invalid control character at: line 1 column ")
    assert reasons[7].startswith("the line: [1], expected a JSON object")


def test_instances_of_another_setting_than_the_files_are_skipped(release: Path) -> None:
    (release / INSTANCES).rename((release / INSTANCES).with_name(f"{EASY.replace('4', '5')}.jsonl"))
    rows = read_release(find_release(release))
    assert rows.tables["instances"] == []
    assert {entry.reason for entry in rows.skipped} == {
        "4 truths, 6 actions and 1 valid, but the file's name says 5 truths, 6 actions and 1 valid"
    }


@pytest.mark.parametrize(
    ("spoil", "line", "reason"),
    [
        (lambda text: f"import os\n{text}", 1, "a statement of kind Import"),
        (lambda text: text.replace("Outcomes", "Results"), None, "no Outcomes in it"),
        (lambda text: text[:-9], 3, "not Python"),
        (lambda text: "", None, "no Outcomes in it"),
    ],
)
def test_a_module_that_is_refused_is_named_with_its_line(
    tmp_path: Path, spoil: Callable[[str], str], line: int | None, reason: str
) -> None:
    name = "env/data/oak_data.py"
    rows = read_release(find_release(write_files(tmp_path, {**CLONE, name: spoil(CLONE[name])})))
    (skipped,) = [entry for entry in rows.skipped if entry.file == name]
    assert skipped.line == line
    assert skipped.reason.startswith(reason)
    assert [row["domain"] for row in rows.tables["kumo_domains"]] == ["InEnv", "OutEnv", "StarEnv"]


@pytest.mark.slow
def test_a_seed_that_no_table_holds_is_skipped_and_named(release: Path) -> None:
    seeds = ["7" * 4_000, "7" * 5_000, "-" + "7" * 4_000, str(2**63), "1e400", "7.5"]
    text = (release / INSTANCES).read_text()
    last = text.splitlines()[-1]
    more = "".join(last.replace('"seed": 3', f'"seed": {seed}') + "\n" for seed in seeds)
    (release / INSTANCES).write_text(text + more)
    books, skipped, _ = import_and_read(release)
    assert sorted(books) == [0, 1, 2, 3]
    assert [(entry.file, entry.line) for entry in skipped] == [(INSTANCES, 5 + n) for n in range(len(seeds))]
    for entry in skipped:
        assert "whole number" in entry.reason or "too large for a number" in entry.reason
        assert len(entry.reason) < 200


@pytest.mark.slow
def test_negative_seeds_are_kept_as_others_are(release: Path, records: list[Record]) -> None:
    seeds = [-(2**63) + 1, -7, 0, 2**63 - 1]
    changed = [{**record, "seed": seed} for record, seed in zip(records, seeds, strict=True)]
    write_files(release, {INSTANCES: lines(changed), f"{BOOKS}/seed=-7.txt": "Minus."})
    books, skipped, _ = import_and_read(release)
    assert books == {seeds[0]: "", -7: "Minus.", 0: "Book 0.", seeds[3]: ""}
    assert skipped == ()


@pytest.mark.slow
def test_a_wild_line_of_optimal_play_ends_nothing(release: Path) -> None:
    wild = [
        '{"seed": 1e400, "trajectories": [{"actions": ["x"]}]}',
        '{"seed": [], "trajectories": [{"actions": ["x"]}]}',
        '{"seed": ' + "7" * 4_000 + ', "trajectories": [{"actions": ["x"]}]}',
        '{"seed": 1, "trajectories": [{"actions": ["\\ud800"]}]}',
        '{"seed": 1, "trajectories": ' + "[" * 20_000 + "]" * 20_000 + "}",
        '{"seed": 1, "trajectories": {}}',
        "[]",
        "\x00",
    ]
    write_files(release, {ORACLE: "".join(f"{line}\n" for line in wild)})
    books, skipped, _ = import_and_read(release)
    assert len(books) == 4
    # The third is the play of an instance that nobody has; and no line holds runs.
    assert {(entry.file, entry.line) for entry in skipped} == {
        (ORACLE, n) for n in (1, 2, *range(4, 9), None)
    }
    assert all(len(entry.reason) < 300 for entry in skipped)


def write_parquet(path: Path, columns: Record) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)


RUN = {
    "model": ["m"],
    "agent": ["a"],
    "domain": [DOMAIN],
    "n_truths": [4],
    "n_actions": [6],
    "seed": [0],
    "run": [0],
    "published_action_count": [5],
    "turns": [4],
    "success": [True],
    "parse_error": [False],
    "tokens": [1.0],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b"PAR1 but no more"),
        lambda path: path.write_bytes(b""),
        lambda path: write_parquet(path, {"model": ["m"]}),
        lambda path: write_parquet(path, {**RUN, "seed": ["zero"]}),
        lambda path: write_parquet(path, {**RUN, "published_action_count": [None]}),
    ],
    ids=["damaged", "empty", "other columns", "other types", "no count"],
)
def test_a_table_of_runs_that_is_none_is_skipped(release: Path, write: Callable[[Path], None]) -> None:
    write(release / "trajectories.parquet")
    books, skipped, _ = import_and_read(release)
    assert len(books) == 4
    assert [(entry.file, entry.line) for entry in skipped] == [("trajectories.parquet", None)]
    assert skipped[0].reason.startswith("not the release's table of runs: ")
    assert "\n" not in skipped[0].reason


@pytest.mark.slow
def test_a_folder_may_have_any_name(release: Path) -> None:
    odd = release.rename(release.with_name("kumo [1]*?"))
    write_parquet(odd / "trajectories.parquet", RUN)
    assert import_and_read(odd)[1] == ()
