"""Profiles of models with known weaknesses on four benchmarks, held against plain Python."""

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.editions.report import profile_data
from perennial.flows.practice.grade import find_practice, open_question
from perennial.schemas.model_calls import Message
from perennial.tasks.report.profiles import profile_sections, render_profiles
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import commands_on
from tests.practice.drawn import QUESTION_TABLES, line_of_edition
from tests.profiles.grown_root import EDITIONS, grow_all
from tests.profiles.scripted_models import MODELS, SKILLS, can
from tests.web.visiting import errors_of, visit

pytestmark = pytest.mark.slow

Place = tuple[str, str, str]
Record = dict[str, Any]
BENCHMARK_OF = {edition: str(flags["benchmark"]) for edition, flags in EDITIONS.items()}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return grow_all(tmp_path_factory.mktemp("profiles"))


@pytest.fixture(scope="module")
def catalog(root: Path) -> Iterator[Catalog]:
    opened = open_catalog(Store(str(root)))
    with opened.closing():
        yield opened


def episodes(catalog: Catalog) -> dict[Place, dict[str, list[Record]]]:
    """The episodes of each player by edition, setting and domain, and by edition, setting and `all`."""
    found: dict[Place, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for row in catalog.records("SELECT * FROM episodes JOIN instances USING (edition, instance_id)"):
        for domain in (row["domain"], "all"):
            found[row["edition"], row["setting"], domain][row["player"]].append(row)
    return found


def plain_rows(of: dict[str, list[Record]]) -> dict[str, Record]:
    """Score, rank and cost of each player of one place, with nothing but Python."""
    instances = {player: {row["instance_id"] for row in rows} for player, rows in of.items()}
    enough = min(100, max(map(len, instances.values())) / 2)
    common = set.intersection(*(own for own in instances.values() if len(own) >= enough))
    totals = {}
    for player, rows in of.items():
        if len(instances[player]) >= enough:
            runs: dict[str, list[bool]] = defaultdict(list)
            for row in rows:
                if row["instance_id"] in common:
                    runs[row["instance_id"]].append(row["success"])
            totals[player] = sum((Fraction(sum(each), len(each)) for each in runs.values()), Fraction())
    n, found = len(common), {}
    for player, total in totals.items():
        costs = [row["cost_usd"] for row in of[player] if row["cost_usd"] is not None]
        alike = [each for each in totals if (each in MODELS) == (player in MODELS)]
        found[player] = {
            "kind": "models" if player in MODELS else "programs",
            "instances": n,
            "score": float(total) / n,
            "rank": 1 + sum(totals[other] > total for other in alike),
            "episodes": len(of[player]),
            "episodes_with_cost": len(costs),
            "cost_usd": math.fsum(costs) if costs else None,
        }
    return found


def test_the_models_have_the_weaknesses_that_they_are_made_with(catalog: Catalog) -> None:
    asked = catalog.records(
        "SELECT e.player, i.benchmark, i.domain, e.success, m.content AS question FROM episodes AS e "
        "JOIN instances AS i USING (edition, instance_id) JOIN turns AS t USING (edition, episode_id) "
        "JOIN call_messages AS m USING (edition, call_id) WHERE t.turn = 1 AND m.position = 1",
    )
    assert {(row["player"], row["benchmark"]) for row in asked} == {
        (model, name) for model in SKILLS for name in BENCHMARK_OF.values()
    }
    for row in asked:
        can_do = can(row["player"], row["benchmark"], row["domain"], row["question"])
        assert row["success"] == can_do, row
    by_halves = {
        row["success"] for row in asked if row["player"] == "counter" and row["benchmark"] == "a2rbench"
    }
    assert by_halves == {True, False}


def practice_messages(benchmark: str, row: Record, seat: Any) -> list[Message]:
    """Return the messages by which practice asks an edition's question."""
    line = line_of_edition(benchmark, row, seat)
    messages = open_question(line).messages
    if benchmark != "kumo":
        return messages
    # A book's sentences are drawn; all around it is the same.
    drawn = find_practice(benchmark).open_seat(line).board.book.strip()
    return [{**one, "content": one["content"].replace(drawn, seat.board.book.strip())} for one in messages]


@pytest.mark.parametrize("edition", EDITIONS)
def test_models_are_sent_what_practice_asks_and_no_canary(root: Path, catalog: Catalog, edition: str) -> None:
    """To the byte: no bookkeeping is in what a player is asked."""
    store, benchmark = Store(str(root)), BENCHMARK_OF[edition]
    of = f"WHERE edition = '{edition}'"
    questions = f"FROM instances JOIN {QUESTION_TABLES[benchmark]} USING (edition, instance_id) {of}"
    shown = {row["instance_id"]: row for row in catalog.records(questions)}
    sent = catalog.records(
        "SELECT instance_id, player, list({role: role, content: content} ORDER BY position) AS messages "
        "FROM episodes JOIN turns USING (edition, episode_id) JOIN call_messages USING (edition, call_id) "
        f"{of} AND turn = 1 AND run = 0 GROUP BY ALL",
    )
    seats = {
        one.instance_id: one for one in find_benchmark(benchmark).take_seats(store, edition, [*shown], {})
    }
    assert {row["instance_id"] for row in sent} == seats.keys()
    canary = read_published_plan(store, edition).canary
    for row in sent:
        id_ = row["instance_id"]
        assert row["messages"] == practice_messages(benchmark, shown[id_], seats[id_])
        assert canary not in json.dumps([row["messages"], shown[id_]], default=str)


def test_every_row_is_that_of_plain_python(catalog: Catalog) -> None:
    found: dict[Place, dict[str, Record]] = defaultdict(dict)
    for row in catalog.records("FROM profiles"):
        assert row["is_newest"]
        assert row["benchmark"] == BENCHMARK_OF[row["edition"]]
        found[row["edition"], row["setting"], row["domain"]][row["player"]] = row
    expected = {place: plain_rows(of) for place, of in episodes(catalog).items()}
    assert found.keys() == expected.keys()
    assert {domain for _, _, domain in found} > {"all", "tower_of_hanoi", "social"}
    for place, players in expected.items():
        assert found[place].keys() == players.keys(), place
        for player, row in players.items():
            ours = {name: found[place][player][name] for name in row}
            assert ours == pytest.approx(row, abs=1e-9), (place, player)
            low, high = (found[place][player][f"score_{end}"] for end in ("low", "high"))
            assert 0 <= low <= row["score"] <= high <= 1
            assert low < high
            is_drawn = place[2] == "all" and BENCHMARK_OF[place[0]] in ("kumo", "a2rbench")
            expected_of = "new domains" if is_drawn else "these domains"
            if BENCHMARK_OF[place[0]] != "a2rbench":
                assert found[place][player]["population"] == expected_of


def test_known_weaknesses_stand_in_the_profiles(catalog: Catalog) -> None:
    scores = {
        (row["player"], row["benchmark"], row["setting"], row["domain"]): row["score"]
        for row in catalog.records("FROM profiles")
    }
    for (player, benchmark, _, domain), score in scores.items():
        if player in MODELS and domain != "all":
            skill = SKILLS[player].get(f"{benchmark}/{domain}", SKILLS[player][benchmark])
            assert score in {"always": [1.0], "never": [0.0]}.get(skill, [score]), (player, benchmark, domain)
    assert scores["tower-blind", "beyondbench", "hard", "tower_of_hanoi"] == 0
    assert scores["tower-blind", "beyondbench", "hard", "modular_systems"] == 1
    assert scores["tower-blind", "beyondbench", "hard", "all"] == 0.5
    costs = catalog.records("SELECT player, bool_or(cost_usd IS NOT NULL) AS known FROM profiles GROUP BY 1")
    # `lost` has no price, and programs cost nothing that is known.
    assert {row["player"] for row in costs if row["known"]} == set(MODELS[:-1])


def test_whole_settings_have_the_leaderboards_common_rate(catalog: Catalog) -> None:
    differing = (
        "SELECT * FROM profiles AS p FULL JOIN leaderboard AS l USING (edition, setting, player) "
        "WHERE p.domain = 'all' AND (p.score, p.score_low, p.score_high, p.instances, "
        "if(p.kind = 'models', p.rank, NULL)) "
        "IS DISTINCT FROM (l.common_rate, l.common_rate_low, l.common_rate_high, l.common_instances, l.rank)"
    )
    assert catalog.records(differing) == []


def test_five_models_are_too_few_for_correlations(catalog: Catalog) -> None:
    """What they are of more is in `tests/warehouse/test_profile_views.py`."""
    scores = {
        (row["benchmark"], row["setting"]) for row in catalog.records("FROM profiles WHERE domain = 'all'")
    }
    rows = catalog.records("FROM profile_correlations")
    assert len(rows) == 2 * math.comb(len(scores), 2)
    assert {(row["players"], row["correlation"], row["correlation_low"]) for row in rows} == {
        (len(MODELS), None, None)
    }
    assert {row["undefined"] for row in rows} == {"fewer than 7 models have both"}


def test_the_page_of_the_report_shows_each_player_with_figures_and_reads_nothing_else(root: Path) -> None:
    data = profile_data(Store(str(root)))
    table, drawings, matrix, domains = profile_sections(data)
    assert [name for name, _ in data.facts] == sorted(BENCHMARK_OF.values())
    settings = [setting for benchmark, setting in data.columns if benchmark == "knowlogic"]
    assert settings == ["easy", "medium", "hard"]
    assert table.grid is not None
    rows = {row[0]: row for row in table.grid.rows}
    names = list(rows)
    assert (names[0], names[4]) == ("all-round", "lost"), "models first, the best before others"
    assert rows["exact"][1] == "programs"
    place = data.columns.index(("beyondbench", "hard"))
    assert rows["tower-blind"][2 + 3 * place].startswith("0.500 [0.173,")
    assert rows["tower-blind"][3 + 3 * place] == "3"
    assert rows["lost"][4 + 3 * place] == ""
    assert len(drawings.drawings) == len(data.columns)
    assert len(matrix.drawings) == 2
    assert domains.grid is not None
    assert ("tower_of_hanoi", "beyondbench, hard", "4") in {row[:3] for row in domains.grid.rows}
    page = render_profiles(data)
    assert page == render_profiles(profile_data(Store(str(root))))
    assert "<title>Profiles</title>" in page
    assert "default-src 'none'" in page
    assert "perennial report --profiles --format csv" not in page, "no table is cut"


def test_the_command_writes_the_page_or_its_tables(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = commands_on(Store(str(root)), monkeypatch, capsys)
    shown = run("report", "--profiles", "--out", tmp_path, "--explorer", "http://127.0.0.1:1")
    assert shown.code == 0, shown.err
    assert shown.out.startswith("profiles of a2rbench, beyondbench, knowlogic, kumo: ")
    assert 'href="http://127.0.0.1:1/profiles"' in (tmp_path / "profiles.html").read_text("utf-8")
    shown = run("report", "--profiles", "--out", tmp_path, "--format", "csv", "--json")
    files = [Path(name) for name in json.loads(shown.out)["files"]]
    names = ["profile_correlations", "profile_domains", "profile_editions", "profile_scores"]
    assert [file.stem for file in files] == names
    assert "beyondbench,b,hard,tower-blind,models,8,0.5," in files[-1].read_text("utf-8")
    for wrong in (("k",), ("--compare", "k")):
        shown = run("report", *wrong, "--profiles", "--out", tmp_path)
        assert shown.code != 0
        assert "--profiles shows the newest edition of each benchmark" in shown.err.replace("\n", " ")


def test_a_root_without_profiles_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    run = commands_on(Store(str(tmp_path / "data")), monkeypatch, capsys)
    shown = run("report", "--profiles", "--out", tmp_path)
    assert shown.code != 0
    assert "has profiles: publish one with `perennial refresh`" in shown.err.replace("\n", " ")


def test_the_explorers_page_shows_the_state_of_its_address(root: Path) -> None:
    shown = visit(root, "profiles", kinds="models")
    assert errors_of(shown) == []
    assert [header.value for header in shown.header] == [
        section.title for section in profile_sections(profile_data(Store(str(root))))
    ]
    tables = {tuple(one.value.columns)[:4]: one.value for one in shown.dataframe}
    scores = tables["benchmark", "edition", "setting", "player"]
    domains = tables["benchmark", "edition", "setting", "domain"]
    both = tables["benchmark", "edition", "setting", "other_benchmark"]
    correlations = both[both["coefficient"] == "pearson"]
    assert set(scores["kind"]) == {"models"}
    assert set(scores["benchmark"]) == set(BENCHMARK_OF.values())
    assert len(correlations) == math.comb(len(scores[["benchmark", "setting"]].drop_duplicates()), 2)
    hanoi = domains[domains["domain"] == "tower_of_hanoi"].set_index("player")["score"]
    assert (hanoi["tower-blind"], hanoi["all-round"]) == (0, 1)
    wrong = visit(root, "profiles", of_kumo="b")
    assert [text.replace("\\", "") for text in errors_of(wrong)] == [
        "edition of kumo 'b' of the link is not here; there are: k"
    ]
