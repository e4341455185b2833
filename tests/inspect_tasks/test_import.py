"""Models of Inspect play editions; their logs become evaluations with the rows of `perennial evaluate`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.editions.audit import audit_unit
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.stages.play_episodes import instance_order
from perennial.schemas.errors import PerennialError
from perennial.schemas.game import EPISODE_STATUSES
from perennial.warehouse.catalog.catalog import open_catalog, visible_evaluations
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.made_units import make_edition
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow
inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
inspect_log = pytest.importorskip("inspect_ai.log")
PrerequisiteError = pytest.importorskip("inspect_ai._util.error").PrerequisiteError
# After those: it needs the extra.
from perennial.flows.inspect_tasks.import_logs import import_logs  # noqa: E402
from perennial.flows.inspect_tasks.tasks import make_task  # noqa: E402

CELLS = {"domains": ["mineral_identification", "chemical_analysis"], "settings": ["4x5"], "instances": 4}
FAULTS = {"truncated": 0.1, "empty": 0.1, "refusal": 0.1, "think_tags": 0.2, "reasoning_field": 0.2}
PARAMS = {"temperature": 0.3, "max_tokens": 900}
MODEL = "openai-api/scripted/scripted"
# Named after a player or a call that bears its name, or read from a clock.
OWN = {"episode_id", "player", "call_id", "seconds", "evaluation", "move_id"}


def rows_of(store: Store, table: str, evaluation: str, player: str) -> list[dict[str, Any]]:
    """Return the rows of a player's episodes in a table, sorted, without what bears the player's name."""
    rows = open_catalog(store).records(
        f"SELECT t.*, e.instance_id AS of, e.run AS of_run FROM {table} AS t "
        "JOIN episodes AS e USING (edition, evaluation, episode_id) "
        f"WHERE e.evaluation = '{evaluation}' AND e.player = '{player}'"
    )
    return sorted(({key: value for key, value in row.items() if key not in OWN} for row in rows), key=repr)


def calls_of(store: Store, model: str) -> list[tuple[Any, ...]]:
    sql = (
        "SELECT reply, reasoning, status, finish_reason, served_model, prompt_tokens, completion_tokens, "
        "cached_tokens, usage, role, template, template_hash, repeat, request->'params', request->'messages' "
        f"FROM calls WHERE model = '{model}' ORDER BY ALL"
    )
    return open_catalog(store).query(sql)[1]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Path]:
    """A root whose edition a model of a scripted server has played, and the log of the same by Inspect."""
    root = tmp_path_factory.mktemp("root")
    options = ServerOptions(keys=(KEY,), seed=3, faults=FAULTS)
    with pytest.MonkeyPatch.context() as patch, running_server(options) as server:
        patch.setenv("PERENNIAL_API_KEY", KEY)
        patch.setenv("SCRIPTED_API_KEY", KEY)
        patch.setenv("SCRIPTED_BASE_URL", server.url)
        patch.chdir(root)
        players = ["algorithm-3", "scripted"]
        make_edition(root, "e", **CELLS, **PARAMS, runs=2, base_url=server.url, players=players)
        (log,) = inspect_ai.eval(
            "perennial/kumo",
            model=MODEL,
            task_args={"root": str(root)},
            epochs=2,
            display="none",
            log_dir=str(root / "logs"),
            **PARAMS,
        )
    assert log.status == "success", log.error
    return Store(str(root)), Path(log.location)


@pytest.fixture(scope="module")
def imported(played: tuple[Store, Path]) -> Store:
    """The same root once the log is imported."""
    store, log = played
    done = import_logs(store, [log], "", lambda _line: None)
    assert (done.unit, done.players, done.episodes, done.is_new) == ("e@2", (MODEL,), 16, True)
    return store


def test_the_same_replies_give_the_same_rows_as_an_evaluation(imported: Store) -> None:
    for table in ("episodes", "turns", "kumo_episodes", "kumo_moves"):
        ours, theirs = rows_of(imported, table, "1", "scripted"), rows_of(imported, table, "2", MODEL)
        assert ours == theirs
        assert ours
    assert calls_of(imported, "scripted") == calls_of(imported, MODEL)
    statuses = {row["status"] for row in rows_of(imported, "episodes", "2", MODEL)}
    assert len(statuses) > 2
    figures = open_catalog(imported).query(
        "SELECT list(DISTINCT value ORDER BY value) FROM statistics WHERE domain = 'all' AND other = '' AND "
        f"statistic <> 'place' AND player IN ('scripted', '{MODEL}') GROUP BY statistic, convention, setting"
    )[1]
    assert figures
    assert all(len(values) <= 1 for (values,) in figures)


def test_what_was_imported_is_audited_and_rebuilt_like_any_evaluation(
    imported: Store, tmp_path: Path
) -> None:
    told, broken = audit_unit(imported, "e@2")
    assert broken == ()
    assert "imported" not in told
    assert reproduce_unit(imported, "e@2", tmp_path).same


def test_the_log_reports_what_the_leaderboard_does(imported: Store, played: tuple[Store, Path]) -> None:
    log = inspect_log.read_eval_log(str(played[1]), header_only=True)
    metrics = {
        score.name: {name: one.value for name, one in score.metrics.items()} for score in log.results.scores
    }
    ((rate, score),) = open_catalog(imported).query(
        f"SELECT avg(success::INT), avg(score) FROM episodes WHERE player = '{MODEL}'"
    )[1]
    assert metrics["success"]["mean"] == pytest.approx(rate)
    assert metrics["score"]["mean"] == pytest.approx(score)
    by_domain = open_catalog(imported).query(
        "SELECT domain, avg(success::INT) FROM episodes JOIN instances USING (instance_id) "
        f"WHERE player = '{MODEL}' GROUP BY domain"
    )[1]
    for domain, value in by_domain:
        assert metrics["success"][f"grouped_{domain}"] == pytest.approx(value)
    # Two clusters with 4 instances of 2 runs each: half the distance of their means.
    low, high = sorted(value for _, value in by_domain)
    assert metrics["success"]["stderr"] == pytest.approx((high - low) / 2)
    for measure in find_benchmark("kumo").declaration.measures:
        ((value,),) = open_catalog(imported).query(
            f"SELECT value FROM statistics WHERE player = '{MODEL}' AND statistic = '{measure.statistic}' "
            f"AND convention = '{measure.convention}' AND domain = 'all' AND other = ''"
        )[1]
        assert metrics["grade"][measure.column] == pytest.approx(value)
    assert sum(metrics["grade"].get(status, 0.0) for status in EPISODE_STATUSES) == pytest.approx(1)


def test_the_same_logs_again_change_nothing(imported: Store, played: tuple[Store, Path]) -> None:
    again = import_logs(imported, [played[1].parent], "other", lambda _line: None)
    assert (again.unit, again.is_new) == ("e@2", False)


def change_sample(change: Callable[[Any], None]) -> Callable[[Any], None]:
    return lambda log: change(log.samples[3])


def completions_of(sample: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sample.store["perennial"]["completions"]
    return found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            change_sample(lambda one: one.scores["grade"].value.update(success=0.5)),
            "the log says success 0.5",
        ),
        (change_sample(lambda one: completions_of(one).append({})), "the game ended with reply"),
        (change_sample(lambda one: completions_of(one).clear()), "the game takes more"),
        (change_sample(lambda one: one.store.clear()), "has no record of replies"),
        (change_sample(lambda one: one.store.update(perennial=[7])), "has no record of replies"),
        (
            change_sample(lambda one: one.store["perennial"]["params"].update(model="x")),
            "none that a task records",
        ),
        (
            change_sample(lambda one: one.store["perennial"]["params"].update(top_p=0.1)),
            "not those of the first",
        ),
        (lambda log: log.samples.pop(), "are not the first ones of edition 'e'"),
        (lambda log: setattr(log, "status", "error"), "its status is error"),
        (lambda log: log.eval.metadata["perennial"].update(edition="../x"), "not published in"),
        (lambda log: log.eval.metadata["perennial"].update(canary="x"), "their canaries differ"),
        (lambda log: log.eval.metadata.clear(), "not a log of a task of perennial"),
        (lambda log: setattr(log.eval, "model", "human:x"), "not the name of a model"),
        (lambda log: setattr(log.eval, "model", "algorithm-3"), "the name of a program"),
        (lambda log: setattr(log.eval.config, "epochs", 10**9), "expected 1 to 1,000"),
    ],
)
def test_a_log_that_says_otherwise_is_refused_in_one_line(
    played: tuple[Store, Path], tmp_path: Path, change: Callable[[Any], None], words: str
) -> None:
    store, path = played
    log = inspect_log.read_eval_log(str(path), resolve_attachments="full")
    change(log)
    altered = tmp_path / "altered.json"
    inspect_log.write_eval_log(log, str(altered))
    with pytest.raises(PerennialError) as refused:
        import_logs(store, [altered], "altered", lambda _line: None)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not [unit for unit in visible_evaluations(store, "e") if unit.endswith("altered")]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"edition": "f"}, "has no published edition 'f'"),
        ({"instances": 9}, "has 8 to play"),
        ({"instances": "few"}, "has 8 to play"),
        ({"variant": "opened"}, "expected one of symbolic, closed"),
        ({"root": "nowhere"}, "has no edition of kumo: give -T size=tiny"),
    ],
)
def test_a_task_that_cannot_be_played_is_refused_in_one_line(
    played: tuple[Store, Path],
    settings: dict[str, Any],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PrerequisiteError) as refused:
        make_task("kumo", **{"root": played[0].root, **settings})
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_part_is_the_subset_that_an_evaluation_plays(played: tuple[Store, Path]) -> None:
    store, _ = played
    samples = list(make_task("kumo", root=store.root, instances=3).dataset)
    order = instance_order(store, "e")
    assert [order[sample.id] for sample in samples] == [0, 1, 2]
    assert {sample.metadata["domain"] for sample in samples} == {
        "Chemical Analysis",
        "Mineral Identification",
    }
    variant = make_task("kumo", root=store.root, variant="closed").dataset[0]
    assert "There is no guidebook" in variant.input[0].text


def test_further_logs_of_a_player_are_further_runs(
    imported: Store, played: tuple[Store, Path], tmp_path: Path
) -> None:
    log = inspect_log.read_eval_log(str(played[1]), resolve_attachments="full")
    for sample in log.samples:
        for completion in completions_of(sample):
            completion["seconds"] = 1.5
    again = tmp_path / "again.eval"
    inspect_log.write_eval_log(log, str(again))
    done = import_logs(imported, [again], "", lambda _line: None)
    assert (done.unit, done.is_new) == ("e@3", True)
    found = open_catalog(imported).query(
        "SELECT evaluation, run, count(*), min(seconds / turns) FROM episodes "
        f"WHERE player = '{MODEL}' AND evaluation = '3' GROUP BY ALL ORDER BY ALL"
    )[1]
    assert [tuple(row) for row in found] == [("3", 2, 8, 1.5), ("3", 3, 8, 1.5)]
