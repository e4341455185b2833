"""A judge reads answers that the program did not, and analysts classify them, in evaluations of A2RBench."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.cli.run.refresh import is_for_play
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.schemas.a2rbench.things import ANALYSIS
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings import load_settings
from perennial.tasks.analysts import excerpt
from perennial.tasks.statistics.agreement import nominal_alpha
from perennial.warehouse.store.store import Store
from tests.a2rbench import scripted_analyst
from tests.flows.made_units import make_edition, make_evaluation
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server

pytestmark = pytest.mark.slow

OPTIONS = ServerOptions(models=scripted_analyst.MODELS, roles="tests.a2rbench.scripted_analyst")
# None: settings of another benchmark that `make_edition` gives.
BENCHMARK = dict.fromkeys(("domains", "settings", "instances")) | {
    "benchmark": "a2rbench",
    "seeds": 1,
    "variations": 1,
    "seed": 11,
    "runs": 1,
}


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PERENNIAL_API_KEY", "none")
        with running_server(OPTIONS) as running:
            yield running


@pytest.fixture(scope="module")
def grown(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with an edition of 18 items that a program has played."""
    root = tmp_path_factory.mktemp("grown")
    make_edition(root, "e1", **{**BENCHMARK, "players": ["identity"]})
    return root


@pytest.fixture
def root(grown: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(grown, tmp_path / "root"))


def evaluate(root: Path, server: RunningServer, players: list[str], **more: Any) -> str:
    flags = {"benchmark": "a2rbench", "base_url": server.url, "runs": 1, "players": players} | more
    return make_evaluation(root, "e1", **flags)


def test_a_judge_reads_only_what_the_reply_states(root: Path, server: RunningServer) -> None:
    evaluate(root, server, ["proser", "right", "lost"], answer_judge="judge-honest")
    answers = "a2rbench_answers JOIN episodes USING (edition, episode_id)"
    found = query_rows(
        root,
        f"SELECT player, parse, status, count(*), count(judge_call_id) FROM {answers} "
        "WHERE player <> 'identity' GROUP BY ALL ORDER BY player",
    )
    # Nothing can be quoted of a player that has no answer; one in JSON is not judged.
    assert found == [
        ("lost", "none", "unparsed", 18, 18),
        ("proser", "judge", "solved", 18, 18),
        ("right", "program", "solved", 18, 0),
    ]
    board = query_rows(
        root,
        "SELECT player, judge_share, collapse_rate FROM a2rbench_leaderboard "
        "WHERE player IN ('proser', 'right') ORDER BY player",
    )
    assert board == [("proser", 1, 0), ("right", 0, 0)]
    assert query_rows(root, "SELECT rule FROM rejections WHERE stage = 'episodes'") == []
    # What a judge costs is none of the player's cost.
    calls = query_rows(root, "SELECT role, count(*) FROM calls GROUP BY 1 ORDER BY 1")
    replies = 18 + 3  # `lost` always replies the same: it is judged once for each form of answers
    assert calls == [("judge", replies), ("player", 54)]


def test_two_analysts_classify_the_same_answers_and_agree_as_they_do(
    root: Path, server: RunningServer
) -> None:
    analysts = ["analyst-a", "analyst-b"]
    evaluate(root, server, ["right", "familiar", "joined"], analysts=analysts, analysed=7)
    found = query_rows(
        root,
        "SELECT player, analyst, outcome, sum(answers)::INT, sum(share) FROM a2rbench_failures "
        "WHERE domain = 'all' AND variation = 'all' AND what = 'category' GROUP BY ALL ORDER BY ALL",
    )
    assert found == [
        (player, analyst, outcome, number, pytest.approx(1))
        for player, outcomes in {
            "familiar": {"right": 7, "wrong": 6},
            # Its texts are read as lists, which a third of the 18 items ask for, and as no deeper value.
            "joined": {"right": 6, "wrong": 7},
            "right": {"right": 7},
        }.items()
        for analyst in analysts
        for outcome, number in outcomes.items()
    ]
    said = query_rows(
        root,
        "SELECT e.episode_id, c.reply, e.success, list(a.outcome_category ORDER BY a.analyst) "
        "FROM a2rbench_analyses AS a JOIN episodes AS e USING (edition, episode_id) "
        "JOIN turns AS t USING (edition, episode_id) JOIN calls AS c ON c.call_id = t.call_id "
        "AND c.edition = t.edition GROUP BY ALL",
    )
    assert len(said) == 33
    for _, reply, success, categories in said:
        mark = excerpt(reply).mark
        expected = [scripted_analyst.classify(mark, success, name)["outcome_category"] for name in analysts]
        assert categories == expected
        assert set(categories) <= set(ANALYSIS.categories(success))
    ((answers, alpha, low, high),) = query_rows(
        root,
        "SELECT answers, alpha, alpha_low, alpha_high FROM analyst_agreement "
        "WHERE player = 'all' AND what = 'category'",
    )
    assert (answers, alpha) == (33, pytest.approx(nominal_alpha([each[3] for each in said])))
    assert low < alpha < high
    ((style,),) = query_rows(
        root, "SELECT alpha FROM analyst_agreement WHERE player = 'all' AND what = 'style'"
    )
    assert style == 1.0
    # Figures with and without a judge are not mixed. Analysts read afterwards: other ones do not change how a
    # player is asked.
    flags = {"benchmark": "a2rbench", "edition": "e1", "root": str(root), "players": ["right"]}
    settings = load_settings({**flags, "answer_judge": "judge-honest", "base_url": server.url})
    with pytest.raises(InvalidOption, match="never mix protocols"):
        prepare_evaluation(settings, Store(str(root)))
    settings = load_settings({**flags, "analysts": ["analyst-a"], "base_url": server.url})
    assert prepare_evaluation(settings, Store(str(root))).first_runs == {"right": 1}


def test_an_analyst_that_slips_is_told_so_and_one_that_never_learns_says_nothing(
    root: Path, server: RunningServer
) -> None:
    analysts = ["analyst-slips", "analyst-hopeless"]
    more = {"analysts": analysts, "analysed": 5, "answer_judge": "judge-inventive", "runs": 2}
    unit = evaluate(root, server, ["right", "lost"], **more)
    found = query_rows(root, "SELECT analyst, count(*) FROM a2rbench_analyses GROUP BY ALL")
    assert found == [("analyst-slips", 10)]
    refused = query_rows(
        root,
        "SELECT c.model, r.rule, count(*) FROM rejections AS r JOIN calls AS c USING (edition, call_id) "
        "WHERE r.stage = 'analyses' GROUP BY ALL ORDER BY ALL",
    )
    rules = {rule for model, rule, _ in refused if model == "analyst-slips"}
    assert rules <= {"bad_outcome_category", "no_json"}
    assert sum(number for model, _, number in refused if model == "analyst-slips") == 10
    hopeless = [(rule, number) for model, rule, number in refused if model == "analyst-hopeless"]
    assert hopeless == [("bad_outcome_category", 30)]
    assert query_rows(root, "SELECT count(*) FROM analyst_agreement") == [(0,)]
    # What a judge invents is not used.
    assert query_rows(root, "SELECT DISTINCT rule FROM rejections WHERE stage = 'episodes'") == [
        ("not_quoted",)
    ]
    assert query_rows(root, "SELECT count(judge_call_id) FROM a2rbench_answers WHERE parse = 'judge'") == [
        (0,)
    ]
    # Exports leave out what is said of private instances: by the subject.
    unknown = "SELECT count(*) FROM rejections WHERE subject NOT IN (SELECT instance_id FROM instances)"
    assert query_rows(root, unknown) == [(0,)]
    # All of it comes back from the stored replies.
    folder = root.parent / "again"
    folder.mkdir()
    assert reproduce_unit(Store(str(root)), unit, folder).same


def test_the_plan_estimates_the_calls_of_readers(grown: Path, server: RunningServer) -> None:
    flags = {"benchmark": "a2rbench", "edition": "e1", "root": str(grown), "players": ["right"], "runs": 2}
    more = {"answer_judge": "judge-honest", "analysts": ["analyst-a"], "analysed": 4}
    settings = load_settings({**flags, **more, "base_url": server.url})
    plan = prepare_evaluation(settings, Store(str(grown)))
    found = {
        each.model: (each.stage, each.calls_low, each.calls_high)
        for each in find_benchmark("a2rbench").estimate(Store(str(grown)), plan, {}, None)
    }
    assert found == {
        "right": ("episodes", 36, 36),
        "judge-honest": ("episodes", 0, 36),
        "analyst-a": ("analyses", 4, 24),
    }


def test_evaluate_has_the_settings_of_the_benchmark_that_it_is_given() -> None:
    fields = find_benchmark("a2rbench").declaration.settings().ordered_fields()
    chosen = {name for name, field in fields.items() if is_for_play(name, field)}
    assert {"benchmark", "answer_judge", "analysts", "analysed"} <= chosen
    assert not {"seeds", "author", "judge"} & chosen
