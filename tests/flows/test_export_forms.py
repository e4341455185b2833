"""Exports in other forms: questions, datasets of the Hub, logs of Inspect; and games for other programs."""

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from perennial.flows.export.export_edition import ExportForm, check_sums, export_edition
from perennial.flows.export.source import open_games
from perennial.schemas.disclosure import canary_line
from perennial.schemas.errors import InvalidOption
from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.dictionary import describe_relations
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.foreign_packages import check_by_every_eval_ever
from tests.flows.hand_made_root import Run
from tests.flows.made_units import make_edition
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

CELLS = {"domains": ["mineral_identification"], "settings": ["4x5"], "instances": 8, "runs": 2}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A root with an edition of which two of eight instances are private, played by a program and a model."""
    root = tmp_path_factory.mktemp("root")
    with pytest.MonkeyPatch.context() as patch, running_server(ServerOptions(keys=(KEY,), seed=3)) as server:
        patch.setenv("PERENNIAL_API_KEY", KEY)
        players = ["algorithm-3", "scripted"]
        make_edition(root, "e", **CELLS, base_url=server.url, players=players, private_share=0.25)
    return Store(str(root))


@pytest.fixture(scope="module")
def catalog(store: Store) -> Catalog:
    return open_catalog(store)


@pytest.fixture(scope="module")
def private(catalog: Catalog) -> set[str]:
    found = {str(id_) for (id_,) in catalog.query("SELECT instance_id FROM private_instances")[1]}
    assert len(found) == 2
    return found


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "instances.jsonl").read_text("utf-8").splitlines()]


def test_questions_are_what_models_were_asked_and_tell_no_answer(
    store: Store, catalog: Catalog, private: set[str], tmp_path: Path, give: Run
) -> None:
    done = give("export", "e", tmp_path / "out", "--format", "jsonl", "--root", store.root)
    assert done.code == 0, done.err
    assert "2 instances" in done.out
    check_sums(tmp_path / "out")
    lines = lines_of(tmp_path / "out")
    assert len(lines) == 6
    assert not {line["instance_id"] for line in lines} & private
    canary = read_published_plan(store, "e").canary
    asked = catalog.records(
        "SELECT t.instance_id, list({'role': m.role, 'content': m.content} ORDER BY m.position) AS messages "
        "FROM transcripts AS t JOIN call_messages AS m USING (edition, evaluation, call_id) "
        "WHERE t.turn = 1 AND t.run = 0 GROUP BY ALL",
    )
    messages = {row["instance_id"]: row["messages"] for row in asked}
    for line in lines:
        assert line["messages"] == messages[line["instance_id"]]
        assert line["canary"] == canary
        assert canary not in json.dumps(line["messages"])
        assert set(line) == {
            "instance_id",
            "benchmark",
            "domain",
            "setting",
            "index",
            "edition",
            "canary",
            "messages",
        }


def test_answers_are_not_asked_of_a_form_that_holds_them(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="expected --format jsonl, hf or lm-eval"):
        export_edition(store, "e", tmp_path / "out", with_answers=True)
    assert not (tmp_path / "out").exists()


def test_answers_are_written_on_request(store: Store, catalog: Catalog, tmp_path: Path) -> None:
    export_edition(store, "e", tmp_path / "out", form=ExportForm.jsonl, with_answers=True)
    valid = {
        row["instance_id"]: row["valid_truths"]
        for row in catalog.records("SELECT instance_id, valid_truths FROM kumo_instances")
    }
    for line in lines_of(tmp_path / "out"):
        assert line["answer"]["kumo_instances"]["valid_truths"] == valid[line["instance_id"]]


@pytest.mark.parametrize("with_answers", [False, True])
def test_a_dataset_has_a_card_whose_configurations_name_its_files(
    store: Store, tmp_path: Path, with_answers: bool
) -> None:
    out = tmp_path / "out"
    found = export_edition(store, "e", out, "CC-BY-4.0", ExportForm.hf, with_answers=with_answers)
    check_sums(out)
    assert found.left_out["instances"] == 2
    _, head, text = (out / "README.md").read_text("utf-8").split("---\n", 2)
    card = yaml.safe_load(head)
    canary = canary_line(read_published_plan(store, "e").canary)
    tasks = yaml.safe_load((out / "eval.yaml").read_text("utf-8"))["tasks"]
    assert tasks == [{"id": "4x5", "config": "instances", "split": "test"}]
    declared = yaml.safe_load((out / "environment.yaml").read_text("utf-8"))
    assert declared["spec_version"] == "hf-rl-env-0.1"
    (environment,) = declared["environments"]
    assert (environment["config_name"], environment["splits"]) == ("instances", ["test"])
    assert environment["frameworks"] == {
        "inspect": {"task": "perennial/kumo"},
        "verifiers": {"package": "perennial-kumo"},
    }
    assert (card["license"], card["perennial_canary"]) == ("cc-by-4.0", canary)
    assert canary in text
    assert card["language"] == ["en"]
    parts = {config["config_name"]: config["data_files"] for config in card["configs"]}
    assert {part["split"] for files in parts.values() for part in files} == {"test"}
    named = {name: sorted(out.glob(files[0]["path"])) for name, files in parts.items()}
    assert all(len(files) == 1 for files in parts.values())
    assert all(named.values())
    assert next(iter(named)) == "instances"
    assert ("kumo_instances" in named) is with_answers
    data = {path for files in named.values() for path in files}
    # Each file is in a configuration, all of one format, none without rows, and the questions tell no answer.
    files = {
        path for path in out.rglob("*") if path.suffix not in (".md", ".json", ".yaml") and path.is_file()
    }
    assert files - {out / "SHA256SUMS"} == data
    assert all(pq.read_metadata(path).num_rows for path in data)
    assert pq.read_table(out / "instances.parquet").num_rows == 6
    assert not {"answer", "valid_truths"} & set(pq.read_schema(out / "instances.parquet").names)


def test_the_hub_reads_the_results_of_each_model(store: Store, catalog: Catalog, tmp_path: Path) -> None:
    form = ExportForm.hf_results
    export_edition(store, "e", tmp_path / "out", form=form, dataset="me/my-edition")
    check_sums(tmp_path / "out")
    (file,) = (tmp_path / "out").rglob("*.yaml")
    assert file.relative_to(tmp_path / "out").as_posix() == "scripted/.eval_results/e.yaml"
    (entry,) = parse_eval_result_entries(yaml.safe_load(file.read_text("utf-8")))
    ((rate,),) = catalog.query("SELECT success_rate FROM leaderboard WHERE player = 'scripted'")[1]
    assert (entry.dataset_id, entry.task_id, entry.value) == ("me/my-edition", "4x5", rate)
    assert "95% interval [" in str(entry.notes)
    for dataset, other in (("", form), ("name", form), ("name", ExportForm.eee), ("me/name", ExportForm.hf)):
        with pytest.raises(InvalidOption, match=r"--dataset .*: expected ORGANIZATION/NAME"):
            export_edition(store, "e", tmp_path / "not", form=other, dataset=dataset)


def test_every_eval_ever_takes_scores_and_episodes(
    store: Store, catalog: Catalog, private: set[str], tmp_path: Path
) -> None:
    form, out = ExportForm.eee, tmp_path / "out"
    export_edition(store, "e", out, form=form)
    check_sums(out)
    (aggregate,) = out.rglob("data/perennial-kumo/127.0.0.1/scripted/*[0-9a-f].json")
    (samples,) = out.rglob("*_samples.jsonl")
    record = json.loads(aggregate.read_text("utf-8"))
    (score,) = record["evaluation_results"]
    columns = "success_rate, success_rate_low, success_rate_high, population, instances"
    ((rate, low, high, population, number),) = catalog.query(
        f"SELECT {columns} FROM leaderboard WHERE player = 'scripted'"
    )[1]
    details = score["score_details"]
    assert (details["score"], details["uncertainty"]["num_samples"]) == (rate, number)
    interval = details["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"], interval["confidence_level"]) == (low, high, 0.95)
    assert population in interval["method"]
    assert details["details"]["population"] == population
    lines = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    assert len(lines) == 12
    assert not {line["sample_id"] for line in lines} & private
    assert {line["evaluation_result_id"] for line in lines} == {score["evaluation_result_id"]}
    episodes = {row["episode_id"]: row for row in catalog.records("FROM episodes")}
    for line in lines:
        episode = episodes[line["metadata"]["episode_id"]]
        assert line["evaluation"]["is_correct"] == episode["success"]
        replies = [turn["content"] for turn in line["messages"] if turn["role"] == "assistant"]
        assert len(replies) == line["evaluation"]["num_turns"] == episode["turns"]
    # The same edition is the same bytes.
    export_edition(store, "e", tmp_path / "again", form=form)
    assert (tmp_path / "again/SHA256SUMS").read_bytes() == (out / "SHA256SUMS").read_bytes()
    check_by_every_eval_ever(out, tmp_path / "packages")


def test_a_duckdb_file_has_all_public_rows_and_needs_no_other_file(
    store: Store, catalog: Catalog, private: set[str], tmp_path: Path
) -> None:
    found = export_edition(store, "e", tmp_path / "out", form=ExportForm.duckdb)
    check_sums(tmp_path / "out")
    assert found.left_out["instances"] == len(private)
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == ["", ".duckdb", ".json", ".md"]
    with closing(duckdb.connect(str(tmp_path / "out/e.duckdb"), read_only=True)) as connection:

        def first(sql: str) -> list[Any]:
            return [row[0] for row in connection.sql(sql).fetchall()]

        kept = set(first("SELECT instance_id FROM instances"))
        assert (len(kept), kept & private) == (6, set())
        tables = set(first("SELECT table_name FROM duckdb_tables()"))
        views = set(first("SELECT view_name FROM duckdb_views() WHERE NOT internal"))
        assert tables == set(TABLES)
        assert tables | views == set(describe_relations())
        for name in views:
            first(f'SELECT count(*) FROM (FROM "{name}")')
        # What DuckDB before 2.0 has no function for.
        sql = first("SELECT sql FROM duckdb_views() WHERE NOT internal")
        assert not [text for text in sql if re.search(r"\bif\(", text, re.IGNORECASE)]
        board = "SELECT player, success_rate FROM leaderboard ORDER BY ALL"
        assert connection.sql(board).fetchall() == catalog.query(board)[1]
        commented = first("SELECT comment FROM duckdb_tables() WHERE table_name = 'turns'")
        assert commented == [describe_relations()["turns"]]


def test_logs_of_inspect_hold_each_public_episode(
    store: Store, catalog: Catalog, private: set[str], tmp_path: Path
) -> None:
    inspect_log = pytest.importorskip("inspect_ai.log", reason="the extra `inspect` is not installed")
    analysis = pytest.importorskip("inspect_ai.analysis")
    found = export_edition(store, "e", tmp_path / "out", form=ExportForm.inspect)
    check_sums(tmp_path / "out")
    assert found.left_out == {"episodes": 2 * (1 + 2)}
    logs = {}
    for path in sorted((tmp_path / "out/logs").iterdir()):
        log = inspect_log.read_eval_log(str(path))
        logs[log.eval.metadata["player"]] = log
    assert {player: len(log.samples) for player, log in logs.items()} == {"algorithm-3": 6, "scripted": 12}
    episodes = {row["episode_id"]: row for row in catalog.records("FROM episodes")}
    for player, log in logs.items():
        model = "openai-api/127.0.0.1/scripted" if player == "scripted" else f"perennial/{player}"
        assert (log.status, log.eval.model) == ("success", model)
        for sample in log.samples:
            episode = episodes[sample.metadata["episode_id"]]
            assert sample.id == episode["instance_id"] not in private
            assert (sample.epoch, sample.scores["success"].value) == (
                episode["run"] + 1,
                float(episode["success"]),
            )
            spoken = [(message.role, message.text) for message in sample.messages]
            turns = catalog.records(
                "SELECT shown, reply FROM transcripts "
                f"WHERE episode_id = '{episode['episode_id']}' ORDER BY turn",
            )
            assert [text for role, text in spoken if role == "assistant"] == [turn["reply"] for turn in turns]
            # To a program nothing is sent: its log begins with what a model is shown first.
            opening = open_games(store.root).start(str(sample.id)).messages
            assert [(message.role, message.text) for message in sample.input] == [
                (message["role"], message["content"]) for message in opening
            ]
            heard = [text for role, text in spoken if role != "assistant"]
            heard = heard if player == "scripted" else heard[len(opening) :]
            assert "\n\n".join(heard) == "\n\n".join(turn["shown"] for turn in turns if turn["shown"])
        rate = sum(sample.scores["success"].value for sample in log.samples) / len(log.samples)
        assert log.results.scores[0].metrics["mean"].value == pytest.approx(rate)
    table = analysis.samples_df(str(tmp_path / "out/logs"))
    assert len(table) == 18


def test_without_inspect_its_package_is_named(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(InvalidOption, match=r"pip install -e '\.\[inspect\]'"):
        export_edition(store, "e", tmp_path / "out", form=ExportForm.inspect)
    assert list(tmp_path.iterdir()) == []


def test_a_game_of_several_turns_is_no_task_of_lm_eval(store: Store, tmp_path: Path, give: Run) -> None:
    refused = give("export", "e", tmp_path / "out", "--format", "lm-eval", "--root", store.root)
    assert refused.code == 2
    assert "an instance of kumo takes several turns, and lm-eval asks once" in refused.err
    assert refused.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_game_played_by_others_goes_as_in_the_edition(store: Store, catalog: Catalog) -> None:
    """The replies of a model's published episodes bring the same messages, observations and end again."""
    games = open_games(store.root)
    turns = catalog.records("SELECT * FROM transcripts WHERE player = 'scripted' ORDER BY episode_id, turn")
    sent = {
        row["call_id"]: row["messages"]
        for row in catalog.records(
            "SELECT call_id, list({'role': role, 'content': content} ORDER BY position) AS messages "
            "FROM call_messages GROUP BY ALL",
        )
    }
    assert len(turns) > 32
    game = None
    for turn in turns:
        if turn["turn"] == 1:
            assert game is None or game.result is not None
            game = games.start(turn["instance_id"])
        assert game is not None
        assert game.messages == sent[turn["call_id"]]
        assert game.take(turn["reply"]) == turn["feedback"]
        if turn["feedback"] is None:
            assert game.result is not None
            assert game.result.status == turn["status"]
    assert game is not None
    with pytest.raises(InvalidOption, match="has ended"):
        game.take("more")


def test_games_are_of_an_export_too_but_for_private_instances(
    store: Store, private: set[str], tmp_path: Path
) -> None:
    export_edition(store, "e", tmp_path / "out")
    games = open_games(tmp_path / "out", "e")
    assert set(games.instance_ids) == set(open_games(store.root, "e").instance_ids) - private
    (first, *_) = games.instance_ids
    assert games.start(first).messages == open_games(store.root).start(first).messages
    assert "There is no guidebook" in games.start(first, "closed").messages[0]["content"]
    with pytest.raises(InvalidOption, match="holds no instance"):
        games.start(next(iter(private)))
    with pytest.raises(InvalidOption, match="has no published edition"):
        open_games(store.root, "other")
