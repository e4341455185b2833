"""What people did as an evaluation: figures by hand, the audit, exclusion, withdrawal before and after."""

import csv
import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.refresh.plan import choose_players
from perennial.flows.study.publish import (
    PublishedStudy,
    find_stale,
    list_moves,
    open_ledger,
    publish_study,
    withdraw_participant,
)
from perennial.flows.study.study_file import read_study
from perennial.schemas.errors import InvalidOption
from perennial.schemas.people import person_name
from perennial.schemas.settings import load_settings
from perennial.warehouse.audit.audit import cross_table_rules
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import perennial
from tests.study.study_root import EDITION, Lab, open_lab

pytestmark = pytest.mark.slow

_RIGHT = {0: (True, True, True, False), 1: (True, False, True, True), 4: (True, True, True, True)}


@dataclass
class Played:
    """A published study of people 0 (all four tasks), 1 (three, and a fourth whose time ran out),
    2 (excluded), 3 (agreed, and no more) and 4 (withdrew before); 5 never came.
    """

    lab: Lab
    published: PublishedStudy

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return open_catalog(self.lab.store).query(sql)[1]


def _person(lab: Lab, number: int) -> str:
    return person_name(lab.codes[number].split("-")[0])


def _play_all(lab: Lab) -> None:
    desk = lab.desk()
    for number in (0, 1, 2, 4):
        lab.begin(desk, lab.codes[number])
    for number in (0, 4):
        for task, rightly in enumerate(_RIGHT[number], 1):
            lab.answer(desk, lab.codes[number], str(task), rightly=rightly, actions=task)
    for task in (1, 2, 3):
        lab.answer(desk, lab.codes[1], str(task), rightly=_RIGHT[1][task - 1])
    action = desk.start(lab.codes[1], "4").view.actions[0].name  # type: ignore[union-attr]
    desk.move(lab.codes[1], "4", 1, action)
    for task in ("1", "2", "3", "4"):
        lab.answer(desk, lab.codes[2], task, rightly=False, seconds=1)
    desk.consent(lab.codes[3], True)
    desk.withdraw(lab.codes[4])
    desk.close()


@pytest.fixture(scope="module")
def played(grown: Path, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A study that was played and published once, for all tests that do not change it."""
    folder = tmp_path_factory.mktemp("played")
    lab = open_lab(Path(shutil.copytree(grown, folder / "data")), folder)
    _play_all(lab)
    study = read_study(lab.file)
    with pytest.raises(InvalidOption, match="has 1 participant in the middle of a task"):
        publish_study(study, lab.store, lab.file, str, clocks=lab.clock)
    return Played(lab, publish_study(study, lab.store, lab.file, str, close=True, clocks=lab.clock))


def test_each_person_is_a_player_and_all_together_one(played: Played) -> None:
    lab = played.lab
    people = {_person(lab, 0), _person(lab, 1)}
    assert {player for (player,) in played.rows("SELECT DISTINCT player FROM episodes")} == people
    players = "SELECT DISTINCT player FROM {} WHERE edition = 'lab'"
    for view in ("leaderboard", "kumo_leaderboard", "domain_scores", "statuses"):
        assert played.rows(players.format(view)) == [("human",)]


def test_figures_of_people_are_means_over_instances_of_means_over_persons(played: Played) -> None:
    episodes = played.rows(
        "SELECT i.setting, e.instance_id, e.success, k.tests, len(q.golden) - 1, q.n_actions "
        "FROM episodes AS e JOIN instances AS i USING (edition, instance_id) "
        "JOIN kumo_episodes AS k USING (episode_id) JOIN kumo_instances AS q ON q.instance_id = e.instance_id"
    )
    assert len(episodes) == 8
    for setting in ("easy", "5x7"):
        of: dict[str, list[tuple[bool, int, int, int]]] = {}
        for row in episodes:
            if row[0] == setting:
                of.setdefault(row[1], []).append(row[2:])
        rate = sum(sum(one[0] for one in runs) / len(runs) for runs in of.values()) / len(of)
        counts = sum(
            sum(tests + 1 if right else n + 1 for right, tests, _, n in runs) / len(runs)
            for runs in of.values()
        )
        optima = sum(runs[0][2] + 1 for runs in of.values())
        (got,) = played.rows(
            "SELECT success_rate, scored, relative_action_count_algorithm_3 FROM kumo_leaderboard "
            f"WHERE setting = '{setting}'"
        )
        assert got == (pytest.approx(rate), len(of), pytest.approx(counts / optima - 1))


def test_a_task_whose_time_ran_out_ends_as_turn_limit(played: Played) -> None:
    found = played.rows(
        "SELECT e.status, e.turns, list(t.reply ORDER BY t.turn)[-1] FROM episodes AS e "
        f"JOIN turns AS t USING (episode_id) WHERE e.player = '{_person(played.lab, 1)}' GROUP BY ALL"
    )
    assert [row for row in found if row[0] == "turn_limit"] == [("turn_limit", 2, "")]


def test_participants_are_described_without_codes_and_names(played: Played) -> None:
    lab = played.lab
    rows = played.rows(
        "SELECT participant, age_band, gender, major, assigned, started, answered, solved, actions, "
        "earnings, excluded, exclusion FROM people ORDER BY participant"
    )
    why = "median 1.0 s per task, below 10, and success rate 0.00, at most 0.5"
    expected = [
        (_person(lab, 0), "18-24", "female", "science", 4, 4, 4, 3, 10, 35.25, False, None),
        (_person(lab, 1), "18-24", "female", "science", 4, 4, 3, 2, 1, 32.4, False, None),
        (_person(lab, 2), "18-24", "female", "science", 4, 4, 4, 0, 0, 0.0, True, why),
        (_person(lab, 3), None, None, None, 4, 0, 0, 0, 0, 25.0, False, None),
    ]
    assert rows == sorted(expected)
    published = b"".join(path.read_bytes() for path in (lab.root / "tables").rglob("*.parquet"))
    for code in lab.codes:
        assert code.split("-", 1)[1].encode() not in published
    withdrawn = lab.codes[4].split("-")[0].encode()
    assert withdrawn not in published


def test_one_person_is_drawn_for_each_instance(played: Played) -> None:
    by_people = "starts_with(player, 'human:')"
    ((drawn, people),) = played.rows("SELECT sum(instances), max(people) FROM people_drawn")
    assert played.rows(f"SELECT count(DISTINCT instance_id) FROM episodes WHERE {by_people}") == [(drawn,)]
    assert 1 <= people <= 2
    ((solved,),) = played.rows("SELECT round(sum(success_rate * instances)) FROM people_drawn")
    (bounds,) = played.rows(
        "SELECT sum(worst::INT), sum(best::INT) FROM "
        "(SELECT bool_and(success) AS worst, bool_or(success) AS best "
        f"FROM episodes WHERE {by_people} GROUP BY instance_id)"
    )
    assert bounds[0] <= solved <= bounds[1]


def test_moves_are_replayed_as_the_ledger_has_them(played: Played) -> None:
    lab = played.lab
    study = read_study(lab.file)
    with open_ledger(study, lab.store, lab.file) as ledger:
        moves = list_moves(lab.desk().opened, ledger, lab.clock.at)
    expected = sorted(
        (who, instance, turn, choice)
        for who, task, instance, turn, choice, *_ in moves
        if task != "tutorial" and who in (_person(lab, 0), _person(lab, 1))
    )
    published = played.rows(
        "SELECT e.player, e.instance_id, m.turn, m.move FROM kumo_moves AS m "
        "JOIN episodes AS e USING (edition, evaluation, episode_id) WHERE m.kind <> 'none' ORDER BY ALL"
    )
    assert published == expected


def test_published_again_it_is_the_same_evaluation(played: Played) -> None:
    lab = played.lab
    again = publish_study(read_study(lab.file), lab.store, lab.file, str, clocks=lab.clock)
    assert again == PublishedStudy(played.published.unit, {}, ())
    desk = lab.desk()
    with pytest.raises(InvalidOption, match="closed"):
        desk.enter(lab.codes[5], "here")
    assert desk.screen(lab.codes[5]).kind == "closed"
    assert desk.screen(lab.codes[0]).kind == "end"


def test_people_do_not_play_again(played: Played, tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="was played by people"):
        reproduce_unit(played.lab.store, played.published.unit, tmp_path)


def test_the_audit_finds_planted_faults(played: Played) -> None:
    store, unit = played.lab.store, played.published.unit
    answers = ("participants", "episodes", "turns", "kumo_episodes", "kumo_moves")
    questions = ("instances", "kumo_instances")
    units = {**dict.fromkeys(answers, unit), **dict.fromkeys(questions, EDITION)}
    tables = {
        name: f"read_parquet('{store.location(table_file(name, where))}', hive_partitioning = false)"
        for name, where in units.items()
    }
    rules = cross_table_rules({*answers}, {*questions})

    def broken(name: str, sql: str) -> set[str]:
        """Return the rules that the answers break with that table."""
        with duckdb.connect() as connection:
            for table, rows in tables.items():
                changed = sql.format(rows) if table == name else f"FROM {rows}"
                connection.execute(f"CREATE VIEW {table} AS {changed}")
            return {rule for rule, query in rules.items() if connection.execute(query).fetchone()}

    people = "every person who has episodes agreed to take part"
    assert not broken("participants", "FROM {}")
    for fault in (
        "SELECT * REPLACE (false AS consented) FROM {}",
        "FROM {} WHERE NOT starts_with(participant, '" + _person(played.lab, 0) + "')",
        "SELECT * REPLACE (started + 1 AS started) FROM {}",
        "SELECT * REPLACE (true AS excluded) FROM {}",
    ):
        assert any(one.startswith(people) for one in broken("participants", fault))
    moves = broken("kumo_moves", "SELECT * REPLACE (if(kind = 'action', 'no such', move) AS move) FROM {}")
    assert any("an action or a truth of its instance" in rule for rule in moves)


def test_nobody_is_named_like_people(played: Played) -> None:
    settings = load_settings({"root": played.lab.store.root, "players": ["human:abc", "optimum"]})
    with pytest.raises(InvalidOption, match="is the name of people"):
        choose_players(settings, find_benchmark("kumo"), {"authoring": {"writer": ""}, "settings": []})


def test_a_person_who_withdraws_later_disappears_from_readers(played: Played, tmp_path: Path) -> None:
    root = Path(shutil.copytree(played.lab.root, tmp_path / "data"))
    lab = replace(played.lab, root=root)
    study = read_study(lab.file)
    public = lab.codes[0].split("-")[0]
    again = withdraw_participant(study, lab.store, lab.file, public, str, lab.clock)
    assert again is not None
    assert (again.unit, again.withdrawn) == (f"{EDITION}@2", (played.published.unit,))
    left = Played(lab, again)
    assert {player for (player,) in left.rows("SELECT DISTINCT player FROM episodes")} == {_person(lab, 1)}
    assert _person(lab, 0) not in {who for (who,) in left.rows("SELECT participant FROM participants")}
    (n,) = left.rows("SELECT sum(scored)::BIGINT FROM leaderboard")
    assert n == (4,)
    # A second time it only finds that all is done.
    done = withdraw_participant(study, lab.store, lab.file, public, str, lab.clock)
    assert done == PublishedStudy(f"{EDITION}@2", {}, ())
    with open_ledger(study, lab.store, lab.file) as ledger:
        assert find_stale(lab.desk().opened, ledger, lab.store) == []
    lab.desk().withdraw(lab.codes[1])
    none = publish_study(study, lab.store, lab.file, str, clocks=lab.clock)
    assert none == PublishedStudy("", {}, (f"{EDITION}@2",))
    assert Played(lab, none).rows("FROM participants") == []


def test_commands_of_a_study(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, at = tmp_path / "a study!.toml", ("--root", str(root))

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        shown = perennial(monkeypatch, capsys, "study", *arguments, *at)
        return shown.code, shown.out, shown.err

    assert run("new", file)[0] == 0
    assert run("new", file)[0] == 2
    file.write_text(
        file.read_text().replace("tasks = 10", "tasks = 4").replace("= 50", "= 3"), encoding="utf-8"
    )
    code, out, _ = run("codes", file, "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert (code, len(rows), {row["participant"] for row in rows}) == (
        0,
        3,
        {f"human:{row['code'].split('-')[0]}" for row in rows},
    )
    assert run("codes", file, "--format", "csv")[1].splitlines() == ["participant,code"]
    states = json.loads(run("status", file, "--json")[1])
    assert [row["state"] for row in states] == ["not begun"] * 3
    code, _, err = run("publish", file)
    assert (code, err.count("\n")) == (2, 1)
    assert "nobody's answers can be published" in err
    code, _, err = run("withdraw", file, "zzzzzz", "--yes")
    assert (code, "is the code of no participant" in err) == (2, True)
    assert run("withdraw", file, rows[0]["code"], "--yes")[0] == 0
    states = json.loads(run("status", file, "--json")[1])
    assert [row["state"] for row in states] == ["withdrawn", "not begun", "not begun"]
    assert run("export", file, "--out", tmp_path / "moves.csv")[0] == 0
    assert (tmp_path / "moves.csv").read_text().splitlines() == [
        "participant,task,instance_id,turn,choice,shown,seconds,ended,right"
    ]
    s3 = perennial(monkeypatch, capsys, "study", "status", file, "--root", str(tmp_path / "nowhere"))
    assert (s3.code, s3.err.count("\n")) == (2, 1)
    assert Store(str(root)).exists("studies")
