"""The views answer the analyst's questions, with the same figures as a count of the rows."""

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.kumo.things import Step
from perennial.tasks.statistics.standardised import compare_standardised
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.kumo.bundled_domains import bundled_domains, bundled_text
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import edition_statistics, publish

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(str(tmp_path))
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], NOW)
    return store


def _publish_with_statistics(store: Store, edition: str, rows: dict[str, list[dict[str, Any]]]) -> None:
    plan = tiny_edition.plan(edition)
    figures = edition_statistics(plan.growth.benchmark, tiny_edition.tables(rows), plan.growth.seed, {})
    publish(store, plan, tiny_edition.tables({**rows, "statistics": figures}), [], NOW)


@pytest.mark.slow
def test_the_leaderboard_counts_as_documented(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    _publish_with_statistics(store, "e1", tiny_edition.rows())
    names, rows = open_catalog(store).query(
        "SELECT player, attempted, scored, success_rate, score, relative_action_count_algorithm_3 "
        "FROM kumo_leaderboard"
    )
    assert names[0] == "player"
    # Algorithm 3: 2 tests + 1 against 2 + 1. A failed one counts as 2 actions + 1, an API error not at all.
    assert rows == [
        ("m", 2, 1, 0.0, 0.0, 0.0),
        ("algorithm-3", 1, 1, 1.0, 1.0, 0.0),
        ("random", 1, 1, 0.0, 0.0, 0.0),
    ]


@pytest.mark.slow
def test_the_leaderboard_agrees_with_an_independent_count(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    _publish_with_statistics(store, "e1", _many_episodes())
    shown = "edition, setting, player, instances, attempted, scored, success_rate, score"
    counted = """
        WITH played AS (
            SELECT e.edition, i.setting, e.player, e.instance_id, count(*) AS attempted,
                   count(*) FILTER (e.status <> 'api_error') AS scored,
                   avg((e.status = 'solved')::INT) FILTER (e.status <> 'api_error') AS success,
                   avg(e.score) FILTER (e.status <> 'api_error') AS score,
                   avg(CASE WHEN e.success THEN x.tests ELSE k.n_actions END + 1)
                       FILTER (e.status <> 'api_error') AS actions,
                   any_value(k.optimal_tests + 1) FILTER (e.status <> 'api_error') AS optimum,
                   avg(x.tests) FILTER (e.status <> 'api_error') AS tests
            FROM episodes AS e
            JOIN instances AS i USING (edition, instance_id)
            JOIN kumo_instances AS k USING (edition, instance_id)
            JOIN kumo_episodes AS x ON x.edition = e.edition AND x.episode_id = e.episode_id
            GROUP BY ALL
        )
        SELECT edition, setting, player, count(*) FILTER (scored > 0), sum(attempted), sum(scored),
               avg(success), avg(score), sum(actions) / sum(optimum) - 1, avg(tests)
        FROM played GROUP BY ALL ORDER BY player
    """
    catalog = open_catalog(store)
    expected = catalog.query(counted)[1]
    assert len(expected) == 6
    assert [row[2] for row in expected] == ["a", "algorithm-3", "b", "c", "m", "random"]
    (leaderboard, kumo) = (
        catalog.query(f"SELECT {columns} FROM {view} ORDER BY player")[1]
        for columns, view in (
            (shown, "leaderboard"),
            (f"{shown}, relative_action_count_algorithm_3, mean_tests", "kumo_leaderboard"),
        )
    )
    for found, wanted in zip(kumo, expected, strict=True):
        assert found[:6] == wanted[:6]
        assert found[6:] == pytest.approx(wanted[6:], abs=1e-12)
    assert leaderboard == [row[:8] for row in kumo]
    bounds = catalog.query("SELECT success_rate_low, success_rate, success_rate_high FROM leaderboard")[1]
    assert all(low <= rate <= high for low, rate, high in bounds if low is not None)


@pytest.mark.slow
def test_a_player_of_whom_only_api_errors_are_known_is_on_the_leaderboard_without_a_rate(
    tmp_path: Path,
) -> None:
    rows, store = tiny_edition.rows(), Store(str(tmp_path))
    lost = tiny_edition.play("lost", 0, "api_error", (Step(1, "none", None, None, None),))
    rows.update(tiny_edition.add([{name: rows[name] for name in lost}, lost]))
    _publish_with_statistics(store, "e1", rows)
    found = open_catalog(store).query(
        "SELECT instances, attempted, scored, success_rate, score FROM leaderboard WHERE player = 'lost'"
    )[1]
    assert found == [(0, 1, 0, None, None)]


@pytest.mark.slow
def test_api_errors_as_parse_errors_lower_the_rate(tmp_path: Path) -> None:
    rows, store = _many_episodes(), Store(str(tmp_path))
    _publish_with_statistics(store, "e1", rows)
    catalog = open_catalog(store)
    found = catalog.query(
        "SELECT player, attempted, api_errors, success_rate, success_rate_as_parse_errors "
        "FROM api_error_sensitivity"
    )[1]
    lost = [row["player"] for row in rows["episodes"] if row["status"] == "api_error"]
    assert {player: errors for player, _, errors, _, _ in found} == {p: lost.count(p) for p in lost}
    for player, attempted, _, rate, as_parse_errors in found:
        solved = [row["success"] for row in rows["episodes"] if row["player"] == player]
        assert attempted == len(solved)
        assert rate is None or as_parse_errors <= rate
        if player in ("a", "b", "c"):  # five runs on each instance
            assert as_parse_errors == pytest.approx(sum(solved) / 10)


def _many_episodes() -> dict[str, list[dict[str, Any]]]:
    """Return the tiny edition with a second instance, and five runs of three players on both."""
    rows = tiny_edition.rows()
    for name in ("instances", "kumo_instances"):
        rows[name].append({**rows[name][0], "instance_id": "ki_other"})
    rows["kumo_instances"][1]["optimal_tests"] = 1
    right, wrong = (Step(3, "truth", truth, None, None) for truth in ("rain", "snow"))
    measured, looked = tiny_edition.MEASURED, tiny_edition.LOOKED
    rng = random.Random(7)
    more = [
        tiny_edition.play(player, run, status, (measured, looked, right if status == "solved" else wrong),
                            instance_id=instance_id)
        for player in ("a", "b", "c")
        for instance_id in (tiny_edition.INSTANCE_ID, "ki_other")
        for run in range(5)
        for status in [rng.choice(["solved", "wrong", "turn_limit", "api_error"])]
    ]  # fmt: skip
    return {**rows, **tiny_edition.add([{name: rows[name] for name in more[0]}, *more])}


def test_domain_scores_and_difficulty(store: Store) -> None:
    catalog = open_catalog(store)
    scores = catalog.query(
        "SELECT benchmark, domain, player, attempted, success_rate, score FROM domain_scores"
    )[1]
    assert scores == [
        ("kumo", "Weather", "algorithm-3", 1, 1.0, 1.0),
        ("kumo", "Weather", "m", 2, 0.0, 0.0),
        ("kumo", "Weather", "random", 1, 0.0, 0.0),
    ]
    difficulty = catalog.query(
        "SELECT instance_id, optimal_tests, scored, players, share_solved, mean_tests_when_solved "
        "FROM instance_difficulty"
    )[1]
    assert difficulty == [(tiny_edition.INSTANCE_ID, 2, 3, 3, 1 / 3, 2.0)]


def test_transcripts_show_each_reply_and_what_came_back(store: Store) -> None:
    catalog = open_catalog(store)
    turns = catalog.records("FROM transcripts WHERE player = 'algorithm-3'")
    assert [(row["turn"], row["reply"], row["feedback"]) for row in turns] == [
        (1, "<ANSWER> measure </ANSWER>", "4.5"),
        (2, "<ANSWER> look up </ANSWER>", "grey"),
        (3, "<ANSWER> rain </ANSWER>", None),
    ]
    assert {(row["benchmark"], row["domain"], row["setting"], row["status"]) for row in turns} == {
        ("kumo", "Weather", "3x2", "solved")
    }
    # A model's reply is kept with its call alone.
    replies = "SELECT run, turn, reply, feedback, call_id FROM transcripts WHERE player = 'm' ORDER BY run"
    assert catalog.query(replies)[1] == [(0, 1, "so", None, "call_cut"), (1, 1, "so", None, "call_lost")]
    order = catalog.query("SELECT player, run, turn FROM transcripts")[1]
    assert order == sorted(order)
    assert len(order) == len(tiny_edition.rows()["turns"])


@pytest.mark.slow
def test_transcripts_show_what_was_new_before_each_reply(tmp_path: Path) -> None:
    content = tiny_edition.rows()
    sent = {"rules": "the rules", "open": "begin", "first": "measure it", "next": "4.5: go on"}
    content["messages"] = [{"message_id": f"msg_{name}", "content": text} for name, text in sent.items()]
    own = ("rules", "open"), ("rules", "open", "first", "next")
    for number, names in enumerate(own, start=1):
        request = {"messages": [{"message_id": f"msg_{name}", "role": "user"} for name in names]}
        call = tiny_edition.call(f"call_{number}", "player", "ok", "kumo/players/system.md.j2")
        content["calls"].append({**call, "request": json.dumps(request), "reply": f"reply {number}"})
    content["calls"][-1]["reasoning"] = "I think"
    episode = tiny_edition.play(
        "two-turns",
        0,
        "solved",
        (tiny_edition.MEASURED, Step(2, "truth", "rain", None, None)),
        call_ids=("call_1", "call_2"),
    )
    content.update(tiny_edition.add([{name: content[name] for name in episode}, episode]))
    store = Store(str(tmp_path))
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(content), [], NOW)
    catalog = open_catalog(store)
    columns = "SELECT turn, shown, reasoning, reply, feedback FROM transcripts WHERE player"
    assert catalog.query(f"{columns} = 'two-turns'")[1] == [
        (1, "the rules\n\nbegin", None, "reply 1", "4.5"),
        (2, "4.5: go on", "I think", "reply 2", None),
    ]
    assert [row[1] for row in catalog.query(f"{columns} = 'algorithm-3'")[1]] == [None, "4.5", "grey"]


def _many_domains(solved: dict[str, int], instances: int = 60) -> dict[str, list[dict[str, Any]]]:
    """Return the tiny edition with so many instances per domain, of which player a solves so many."""
    rows = tiny_edition.rows()
    (shared,), (own,) = rows["instances"], rows["kumo_instances"]
    rows |= {
        name: []
        for name in ("instances", "kumo_instances", "episodes", "turns", "kumo_episodes", "kumo_moves")
    }
    episodes = []
    for domain, right in solved.items():
        for number in range(instances):
            of = {"instance_id": f"ki_{domain}_{number}"}
            rows["instances"].append({**shared, **of, "domain": domain})
            rows["kumo_instances"].append({**own, **of})
            steps = (tiny_edition.MEASURED, Step(2, "truth", "rain", None, None))
            status = "solved" if number < right else "wrong"
            episodes.append(tiny_edition.play("a", 0, status, steps, instance_id=of["instance_id"]))
    return {**rows, **tiny_edition.add(episodes)}


@pytest.mark.slow
def test_transcripts_of_many_episodes_take_little_memory(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    rows = _many_domains({"A": 1_000, "B": 500}, 1_500)
    (first, *_), listed = rows["episodes"], [row["instance_id"] for row in rows["instances"]]
    rows["episodes"] += [
        {
            **first,
            "episode_id": f"ep_{run}_{id_}",
            "instance_id": id_,
            "player": "imported",
            "run": run,
            "turns": None,
        }
        for id_ in listed
        for run in range(10)
    ]
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(rows), [], NOW)
    catalog = open_catalog(store, settings={"memory_limit": "150MB", "temp_directory": ""})
    # Turns joined with instances by their edition alone would be 18 million rows.
    found = catalog.query("SELECT count(*), count(reply), count(shown) FROM transcripts")[1]
    assert found == [(6_000, 6_000, 3_000)]


@pytest.mark.slow
def test_differences_of_editions_are_over_shared_domains_and_agree_with_another_method(
    tmp_path: Path,
) -> None:
    store = Store(str(tmp_path))
    older = {"A": 30, "B": 24, "C": 50, "only here": 60}
    newer = {"A": 42, "B": 20, "C": 44, "only there": 0}
    for edition, solved in (("old", older), ("young", newer)):
        _publish_with_statistics(store, edition, _many_domains(solved))
    catalog = open_catalog(store)
    names, ((edition, _, other, _, player, domains, rate, other_rate, difference, low, high, population),) = (
        catalog.query("FROM edition_differences")
    )
    assert names[-4:] == ["difference", "difference_low", "difference_high", "population"]
    assert population == "these domains"
    assert (edition, other, player, domains) == ("young", "old", "a", 3)
    assert (rate, other_rate) == pytest.approx((106 / 180, 104 / 180))
    assert difference == pytest.approx(2 / 180)
    counts = [
        {domain: {(1.0, None): right, (0.0, None): 60 - right} for domain, right in solved.items()}
        for solved in (newer, older)
    ]
    drawn = compare_standardised(counts[0], counts[1])
    assert drawn is not None
    assert (drawn.value, drawn.domains) == (pytest.approx(difference), 3)
    assert (low, high) == pytest.approx((drawn.low, drawn.high), abs=0.02)
    # By the formula, from the rates of each domain.
    ends = (
        "SELECT edition, success_rate, success_rate_low, success_rate_high FROM domain_scores WHERE domain IN"
    )
    by_domain = [catalog.query(f"{ends} ('{domain}') ORDER BY edition DESC")[1] for domain in "ABC"]
    below = sum((a[1] - a[2]) ** 2 + (b[3] - b[1]) ** 2 for a, b in by_domain) ** 0.5 / 3
    assert low == pytest.approx(difference - below)


@pytest.mark.slow
def test_domains_have_intervals_and_the_name_that_commands_use(store: Store, tmp_path: Path) -> None:
    other = Store(str(tmp_path / "other"))
    _publish_with_statistics(other, "e", _many_domains({"A": 59, "B": 20}))
    shown = (
        "SELECT domain, success_rate, success_rate_low, success_rate_high FROM domain_scores ORDER BY domain"
    )
    (_, a, a_low, a_high), (_, b, b_low, b_high) = open_catalog(other).query(shown)[1]
    # Wilson's with Student's t, as the normal quantile has it to two digits.
    assert (a, a_low, a_high) == pytest.approx((59 / 60, 0.9114, 0.9970), abs=0.004)
    assert b_low < b < b_high
    assert b_high - b_low == pytest.approx(4 * (b * (1 - b) / 60) ** 0.5, rel=0.15)
    # Without statistics there is none.
    assert open_catalog(store).query("SELECT DISTINCT success_rate_low FROM domain_scores")[1] == [(None,)]
    titles = {json.loads(bundled_text(name))["name"]: name for name in bundled_domains()}
    named = Store(str(tmp_path / "named"))
    rows = _many_domains(dict.fromkeys([*titles, "MedicalEnv"], 1), 1)
    publish(named, tiny_edition.plan("e"), tiny_edition.tables(rows), [], NOW)
    found = open_catalog(named).query("SELECT domain, domain_name FROM domain_scores")[1]
    assert dict(found) == {**titles, "MedicalEnv": "MedicalEnv"}


# From an episode to what it came from: lineage, revisions, messages of calls.


@pytest.mark.parametrize("view", ["lineage", "kumo_lineage"])
def test_lineage_leads_from_an_episode_to_its_replies_and_its_refresh(store: Store, view: str) -> None:
    sql = f"FROM {view} WHERE player IN ('algorithm-3', 'm') ORDER BY player, run"
    solved, cut, lost = open_catalog(store).records(sql)
    assert (solved["call_ids"], solved["player_model"]) == (None, None)
    assert (lost["call_ids"], lost["player_model"], lost["player_template"]) == (
        ["call_lost"],
        "m",
        "kumo/players/turn.md.j2",
    )
    assert (cut["tokens"], cut["cost_usd"], cut["score"], cut["turns"]) == (7, 0.5, 0.0, 1)
    assert (solved["seed"], solved["index"], solved["domain"], solved["setting"]) == (3, 0, "Weather", "3x2")
    assert solved["content_hash"] == tiny_edition.CONTENT_HASH
    assert json.loads(solved["refresh_settings"])["edition"] == "e1"
    assert solved["created_at"] == NOW


def test_lineage_leads_from_an_episode_to_its_configuration_and_templates(store: Store) -> None:
    catalog = open_catalog(store)
    (row,) = catalog.records("FROM kumo_lineage WHERE player = 'algorithm-3'")
    assert row["moves"] == ["measure", "look up", "rain"]
    assert row["feedback"] == ["4.5", "grey", None]
    assert row["config_id"] == tiny_edition.CONFIG.config_id
    assert row["book_verdict"] == "passed"
    rows = catalog.query(
        "SELECT DISTINCT player_template, player_template_hash, book_version_call_ids FROM kumo_lineage "
        "WHERE player = 'm'"
    )[1]
    assert rows == [("kumo/players/turn.md.j2", "tpl_1", ["call_draft"])]


def test_revisions_count_books_and_the_errors_of_their_first_versions(store: Store) -> None:
    rows = open_catalog(store).query("SELECT * EXCLUDE (edition) FROM revisions")[1]
    assert rows == [("Weather", "3x2", "m", 1, 0, 0, 1, 1, 0, 0, 0)]


def test_call_messages_tell_what_a_model_was_told(store: Store) -> None:
    rows = open_catalog(store).query(
        "SELECT call_id, position, role, content FROM call_messages WHERE call_role = 'writer'"
    )[1]
    assert rows == [("call_draft", 1, "user", "what now?")]
