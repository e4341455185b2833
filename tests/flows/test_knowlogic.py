"""An edition of KnowLogic goes all the way: grown, gated, played by programs and models, and published."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import KEY
from tests.flows.hand_made_root import Run
from tests.flows.one_shot import query_rows
from tests.flows.prefect_harness import Harness
from tests.knowlogic.scripted_analyst import ANALYSTS, MODELS
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

ROLES = "tests.knowlogic.scripted_analyst"
REFRESH = ("refresh", "--benchmark", "knowlogic", "--root", "data", "--seed", "5")
PLAYING = tuple(name for name in MODELS if name not in ANALYSTS)
SMALL = (*REFRESH, "--domains", "nature,social", "--questions", "6")


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    options = ServerOptions(keys=(KEY,), models=MODELS, roles=ROLES)
    with running_server(options) as running:
        yield running


@pytest.fixture(scope="module")
def root(keyed: Harness, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with an edition that programs and five models have played."""
    folder = tmp_path_factory.mktemp("knowlogic")
    (folder / "perennial.toml").write_text(f'base_url = "{server.url}"\nruns = 1\n')
    players = ",".join(("exact", "random", "single", *PLAYING))
    done = keyed.perennial(*SMALL, "--edition", "e1", "--players", players, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "12 questions have one arrangement by two engines" in done.stdout
    return folder / "data"


def test_each_player_gets_the_figures_that_it_must_get(root: Path) -> None:
    found = query_rows(
        root,
        "SELECT player, language, avg(score), avg(extracted::INT), min(a.error_class), max(a.error_class) "
        "FROM episodes JOIN knowlogic_answers a USING (episode_id) "
        "JOIN knowlogic_questions USING (instance_id) GROUP BY ALL",
    )
    figures = {(player, language): rest for player, language, *rest in found}
    for language in ("zh", "en"):
        for player in ("exact", "right", "thinking"):
            assert figures[player, language] == [1.0, 1.0, None, None]
        assert figures["lost", language] == [0.0, 0.0, None, None]
        assert figures["hasty", language][2:] == ["subset", "subset"]
        assert figures["greedy", language][2:] == ["superset", "superset"]
        assert 0 < figures["hasty", language][0] < 1
    # Known without the guesser, who did not play.
    floors = query_rows(
        root, "SELECT DISTINCT floor BETWEEN 0.069 AND 0.082, floor_low < floor FROM leaderboard"
    )
    assert [list(row) for row in floors] == [[True, True]]
    brackets = query_rows(
        root,
        "SELECT DISTINCT brackets, language FROM knowlogic_answers JOIN episodes USING (episode_id) "
        "JOIN knowlogic_questions USING (instance_id) WHERE player = 'exact' ORDER BY ALL",
    )
    assert brackets == [("lenticular", "zh"), ("square", "en")]


def test_questions_stand_in_both_languages_and_as_1_2_3(root: Path) -> None:
    assert query_rows(
        root,
        "SELECT domain, language, difficulty, count(*) FROM knowlogic_questions GROUP BY ALL ORDER BY ALL",
    ) == [
        (domain, language, difficulty, number)
        for domain in ("nature", "social")
        for language in ("en", "zh")
        for difficulty, number in (("easy", 1), ("hard", 3), ("medium", 2))
    ]
    assert query_rows(root, "SELECT count(DISTINCT pair) FROM knowlogic_questions") == [(12,)]
    assert query_rows(root, "SELECT sum(pairs), sum(texts), min(changes = refused) FROM knowlogic_gate") == [
        (12, 24, True)
    ]


def test_a_second_edition_holds_other_questions(harness: Harness, root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "data")
    more = ("--edition", "e2", "--players", "exact", "--languages", "en")
    done = harness.perennial(*SMALL, *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = tmp_path / "data"
    shared = "SELECT count(*) FROM knowlogic_questions WHERE edition = 'e2'"
    assert query_rows(data, shared) == [(12,)]
    assert query_rows(
        data, f"{shared} AND pair IN (SELECT pair FROM knowlogic_questions WHERE edition = 'e1')"
    ) == [(0,)]
    played = "SELECT avg(score), count(*) FROM episodes WHERE edition = 'e2'"
    assert query_rows(data, played) == [(1.0, 12)]


def test_imported_questions_are_played_by_models_and_not_by_exact(
    keyed: Harness, server: RunningServer, root: Path, tmp_path: Path
) -> None:
    columns = "instance_id, pair, language, domain, difficulty, text, question, options, letters"
    names = ("_", "id", "language", "domain", "difficulty", "text", "question", "options", "answer")
    found = query_rows(root, f"SELECT {columns} FROM knowlogic_questions ORDER BY instance_id")
    lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in found)
    (tmp_path / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    imported = ("import", "knowlogic", "questions.jsonl", "--edition", "theirs", "--root", "data")
    done = keyed.perennial(*imported, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    evaluate = ("evaluate", "theirs", "--root", "data", "--base-url", server.url, "--runs", "1", "--players")
    refused = keyed.perennial(*evaluate, "exact", cwd=tmp_path)
    assert refused.returncode == 2
    assert "the questions are imported" in refused.stderr
    done = keyed.perennial(*evaluate, "right,lost,single", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = tmp_path / "data"
    scores = dict(query_rows(data, "SELECT player, avg(score) FROM episodes GROUP BY 1"))
    assert (scores["right"], scores["lost"]) == (1.0, 0.0)


def test_the_papers_size_is_600_questions_at_temperature_0_7(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, give: Run
) -> None:
    monkeypatch.setenv("PERENNIAL_API_KEY", KEY)
    asked = ("refresh", "--benchmark", "knowlogic", "--size", "paper", "--domains", "nature")
    done = give(*asked, "--players", "exact,some-model", "--dry-run", "--json", "--root", tmp_path)
    assert done.code == 0, done.err
    planned = json.loads(done.out)
    assert planned["counts"]["instances"] == 1200
    assert "0.7" in done.out


def test_analysts_classify_wrong_letters_with_proof_and_knowledge_at_hand(
    keyed: Harness, root: Path, tmp_path: Path, server: RunningServer
) -> None:
    shutil.copytree(root.parent, tmp_path / "copy")
    folder = tmp_path / "copy"
    chosen = ("--players", "right,hasty,lost", "--analysts", ",".join(ANALYSTS), "--analysed", "5")
    done = keyed.perennial(
        "evaluate", "e1", "--benchmark", "knowlogic", "--root", "data", *chosen, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    rows = query_rows(
        folder / "data",
        "SELECT analyst, player, sum(answers)::INT, sum(share) FROM knowlogic_failures "
        "WHERE domain = 'all' AND language = 'all' GROUP BY ALL ORDER BY ALL",
    )
    # Right letters have no category here, and replies without letters none to explain.
    assert rows == [(analyst, "hasty", 5, pytest.approx(1)) for analyst in ANALYSTS]
    prompts = query_rows(
        folder / "data",
        "SELECT DISTINCT m.content FROM call_messages AS m JOIN calls AS c USING (call_id) "
        "WHERE c.role = 'analyst' AND m.role = 'user' AND m.content LIKE 'A player was asked%'",
    )
    assert all("by statements" in text and "rows of the knowledge base" in text for (text,) in prompts)
    ((answers, alpha),) = query_rows(
        folder / "data", "SELECT answers, alpha FROM analyst_agreement WHERE player = 'all'"
    )
    assert answers == 5
    assert alpha < 1
    refused = query_rows(folder / "data", "SELECT DISTINCT stage, rule FROM rejections")
    assert ("analyses", "bad_outcome_category") in refused
