"""`perennial reproduce-paper`: over a made-up extract of the release, and over the released runs."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perennial.flows.cli.look.report import reproduce_paper
from perennial.flows.console.row_formats import Format
from perennial.flows.kumo.implementation import Kumo
from perennial.flows.kumo.paper import Key, compare_figures, compare_paper, compute_figures
from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.errors import FiguresDiffer, UnreadableInput
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.papers import judge_figures
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.kumo.paper import printed_values
from perennial.warehouse.kumo.release.run_table import count_outcomes, count_revised
from perennial.warehouse.store.store import Store
from tests.warehouse.release_tree import EASY, write_files

pytestmark = pytest.mark.slow

DOMAIN = "MedicalEnv"
CHECKPOINT = "qwen2.5-3b-instruct-4000"


def a_run(record: dict[str, Any], tests: int, success: bool, tokens: int = 2937) -> dict[str, Any]:
    actions = list(record["actions"])[:tests]
    end = next(truth for truth in record["truths"] if (truth in record["valid_truths"]) is success)
    shown = [{"action": action, "observation": record["observations"][action]} for action in actions]
    return {
        "actions": [*actions, end, {"predicted_truth": end}],
        "generated_text": ["reply"] * (tests + 1),
        "observations": [None, *shown],
        "consumed_tokens": tokens,
        "successful": success,
        "parse_error": False,
    }


def lines(records: list[dict[str, Any]], *runs: tuple[int, bool], tokens: int = 2937) -> str:
    return "".join(
        json.dumps({"seed": record["seed"], "trajectories": [a_run(record, n, ok, tokens) for n, ok in runs]})
        + "\n"
        for record in records
    )


@pytest.fixture(scope="module")
def extract(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four instances of one domain: qwen plays two tests and fails every other run, gpt plays one test."""
    config = load_bundled("fantasy_artefacts")
    sample = sample_instances(encode_config(config), SamplingRequest(Setting(4, 6), 4, 0, 1.0))
    records = [{**instance.as_json(), "seed": seed} for seed, instance in enumerate(sample.instances)]
    for record in records:
        observations = record["observations"]
        if not isinstance(observations, dict):
            record["observations"] = dict(zip(record["actions"], observations, strict=True))
        record["valid_truths"] = record.get("valid_truths") or [record["valid_truth"]]
    place = f"VanillaAgent/{DOMAIN}/{EASY}"
    files = {
        f"domains/{DOMAIN}.json": json.dumps({**config.as_json(), "name": DOMAIN}),
        f"instances/{DOMAIN}/{EASY}.jsonl": "".join(json.dumps(record) + "\n" for record in records),
        f"search_results/{DOMAIN}/{EASY}/eval_times=10.jsonl": lines(records, (2, True)),
        f"results/qwen2.5-3b-instruct/{place}/eval_times=5.jsonl": lines(records, (2, True), (3, False)),
        f"results/gpt-3.5-turbo/{place}/eval_times=5.jsonl": lines(records, (1, True)),
        f"results/gpt-3.5-turbo-0125/{place}_revised/eval_times=5.jsonl": lines(records[1:], (1, True)),
        f"results/sft_results/{CHECKPOINT}/SFTAgent/MedicalINDEnv/{EASY}/eval_times=5.jsonl": lines(
            records, (2, True), (1, False), (1, True), (1, True), (1, True)
        ),
    }
    return write_files(tmp_path_factory.mktemp("release"), files)


@pytest.fixture(scope="module")
def root(extract: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    root = str(tmp_path_factory.mktemp("root"))
    compare_paper(Store(root), extract, lambda _: None)
    return root


def run(capsys: pytest.CaptureFixture[str], root: str, **options: Any) -> str:
    with pytest.raises(FiguresDiffer) as caught:
        reproduce_paper(benchmark="kumo", root=root, **{"format_": Format.table, "as_json": False, **options})
    assert caught.value.exit_code == 11
    assert "figure 3 (success_rate)" in str(caught.value)
    return capsys.readouterr().out


def test_values_are_computed_from_the_runs_and_differences_from_what_is_printed(
    root: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(run(capsys, root, as_json=True))
    rows = {
        (row["item"], row["metric"], row["domain"], row["player"]): row
        for row in document["values"]
        if row["setting"] != "hard"
    }
    cell = rows["figure 3", "success_rate", DOMAIN, "qwen2.5-3b-instruct"]
    assert (cell["printed"], cell["ours"], cell["agrees"]) == (0.22, 0.5, False)
    assert cell["difference"] == pytest.approx(0.28)
    # Solved: (2 + 2) of (2 + 2); failed: 6 + 1 actions of 4: the mean of 0 and 3/4.
    assert rows["figure 3", "relative_action_count", DOMAIN, "qwen2.5-3b-instruct"]["ours"] == 0.375
    # With tests + 1 on both sides the mean of 0 and (7 - 3) / 3.
    own = rows["figure 4", "mean_of_ratios_tests_plus_1", "five", "qwen2.5-3b-instruct"]
    assert own["ours"] == pytest.approx(2 / 3)
    tokens = rows["figure 6b", "tokens", "five", "llama-3.3-70b-instruct"]
    assert (tokens["computed_of"], tokens["printed"], tokens["ours"]) == ("qwen2.5-3b-instruct", 2937, 2937)
    # One of the five domains is there: shown, and not judged.
    assert tokens["agrees"] is None
    assert tokens["reason"].endswith("the edition holds 1 of 5 domains")
    assert rows["figure 6c", "optimal_count", "five", "oracle"]["ours"] == 4.0
    assert rows["figure 5", "outcome_only_success", "MedicalINDEnv", f"sft/{CHECKPOINT}"]["ours"] == 0.8
    assert rows["figure 13", "revised_books", DOMAIN, "books"]["ours"] == 3
    gain = rows["figure 14", "revision_gain_r", "", "deepseek-v3"]
    assert (gain["printed"], gain["ours"], gain["agrees"]) == (0.676, None, None)
    assert "before revision" in gain["reason"]
    assert [figure["agrees"] for figure in document["figures"] if figure["item"] == "figure 14"] == [None]


def test_the_page_fits_80_columns_and_says_why_a_value_is_not_there(
    root: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = run(capsys, root)
    assert max(map(len, page.splitlines())) <= 80
    assert "this is qwen2.5-3b-instruct" in page
    assert "the release has no runs on books before revision" in page
    assert "the release has no runs of it" in page


def test_csv_has_a_line_a_value(root: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(run(capsys, root, format_=Format.csv).splitlines()))
    assert len(rows) >= len(printed_values())
    assert {"item", "printed", "ours", "difference", "reason"} <= set(rows[0])


def test_what_the_import_keeps_of_copies_and_of_runs_without_instances(root: str) -> None:
    catalog = open_catalog(Store(root))
    kept = dict(catalog.query("SELECT rule, subject || ': ' || message FROM rejections ORDER BY ALL")[1])
    (outcome,) = catalog.query(
        "SELECT player, domain, setting, sum(solved), sum(runs) FROM kumo_outcome_runs GROUP BY ALL"
    )[1]
    assert outcome == (f"sft/{CHECKPOINT}", "MedicalINDEnv", "easy", 16, 20)
    assert kept["revised-books"].startswith("gpt-3.5-turbo-0125 MedicalEnv easy: 3 of 3 revised books")
    players = {player for (player,) in catalog.query("SELECT DISTINCT player FROM episodes")[1]}
    assert players == {"qwen2.5-3b-instruct", "gpt-3.5-turbo", "oracle"}
    solved = "SELECT count(*), promise_status FROM kumo_instances WHERE expected_steps >= 1 GROUP BY ALL"
    assert catalog.query(solved)[1] == [(4, "exact")]


def test_a_root_without_the_edition_is_told_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="perennial reproduce-paper kumo PATH") as caught:
        reproduce_paper(benchmark="kumo", root=str(tmp_path), format_=Format.table, as_json=False)
    assert "\n" not in str(caught.value)


WHOLE = {("domains", setting, "all", ""): 100.0 for setting in ("easy", "hard")} | {
    ("domains", setting, "five", ""): 5.0 for setting in ("easy", "hard")
}


def test_all_printed_values_given_back_are_agreement() -> None:
    computed: dict[Key, float] = WHOLE | {
        (row.metric, row.setting, row.domain, row.computed_of or row.player): row.printed
        for row in printed_values()
        if row.printed is not None and "no runs" not in row.remark
    }
    verdicts = judge_figures(compare_figures(computed), Kumo.least_agreeing)
    assert {verdict.agrees for verdict in verdicts} == {True, None}
    assert sum(verdict.compared for verdict in verdicts) > 450
    one_off = {**computed, ("tokens", "easy", "five", "qwen2.5-3b-instruct"): 2937.01}
    judged = judge_figures(compare_figures(one_off), Kumo.least_agreeing)
    assert [verdict.item for verdict in judged if verdict.agrees is False] == ["figure 6b"]


class _Tables:
    """The tables of an imported edition, made from the release's table of runs for the main experiment."""

    def __init__(self, table: Path) -> None:
        self._connection = duckdb.connect(":memory:")
        self._connection.execute(_TABLES.replace("RUNS", f"read_parquet('{table}')"))

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        return [], self._connection.execute(sql).fetchall()


_PLACE = "'kumo-2025-release' AS edition, domain || n_truths || '/' || seed AS instance_id"
_RUN = "model || '/' || domain || n_truths || '/' || seed || '/' || run AS episode_id"
_PLAYED = "FROM RUNS WHERE agent = 'VanillaAgent'"
_TABLES = f"""
CREATE TABLE instances AS SELECT DISTINCT {_PLACE}, domain,
    CASE n_truths WHEN 4 THEN 'easy' ELSE 'hard' END AS setting FROM RUNS WHERE agent = 'oracle';
CREATE TABLE kumo_instances AS SELECT {_PLACE}, any_value(n_actions) AS n_actions,
    min(published_action_count) - 2 AS optimal_tests FROM RUNS WHERE agent = 'oracle' GROUP BY ALL;
CREATE TABLE episodes AS SELECT {_PLACE}, '1' AS evaluation, {_RUN}, model AS player, success,
    CASE WHEN success THEN 'solved' WHEN parse_error THEN 'unparsed' ELSE 'wrong' END AS status, tokens
    {_PLAYED} AND model <> 'gpt-3.5-turbo-0125';
CREATE TABLE kumo_episodes AS SELECT {_PLACE}, '1' AS evaluation, {_RUN},
    published_action_count - 2 AS tests {_PLAYED};
CREATE TABLE external_scores (player VARCHAR, benchmark VARCHAR, score DOUBLE);
CREATE TABLE rejections (edition VARCHAR, rule VARCHAR, domain VARCHAR, setting VARCHAR, amount BIGINT);
CREATE TABLE kumo_outcome_runs (edition VARCHAR, player VARCHAR, domain VARCHAR, setting VARCHAR, runs BIGINT,
    solved BIGINT);
CREATE TABLE statistics (edition VARCHAR, statistic VARCHAR, setting VARCHAR, domain VARCHAR, player VARCHAR,
    value DOUBLE);
"""


def test_the_released_runs_give_the_paper_back(release: Path) -> None:
    computed = compute_figures(_Tables(release / "trajectories.parquet"))  # type: ignore[arg-type]
    ratios_of_tests = computed["mean_of_ratios_tests_plus_1", "hard", "five", "deepseek-r1"]
    assert ratios_of_tests == pytest.approx(2.53, abs=5e-3)
    assert computed["tokens", "easy", "five", "qwen2.5-3b-instruct"] == pytest.approx(2937.00, abs=5e-3)
    rows = compare_figures(computed)
    assert "65 of 100 domains" in next(row.reason for row in rows if row.item == "results, 100 domains")
    verdicts = {(one.item, one.metric): one for one in judge_figures(rows, Kumo.least_agreeing)}
    assert {item for (item, _), verdict in verdicts.items() if verdict.agrees is False} == set()
    success, ratios = (verdicts["figure 3", name] for name in ("success_rate", "relative_action_count"))
    # 13 of the 15 models are in the table of runs (mistral-large and QwQ are not). The cells that
    # differ may be garbled in the paper's text or differ in truth: nothing here tells which.
    assert (success.agreeing, success.compared) == (167, 169)
    assert (ratios.agreeing, ratios.compared) == (281, 286)
    assert verdicts["figure 6b", "tokens"].agreeing == 4
    assert verdicts["figure 6c", "optimal_count"].agreeing == 2


def test_the_released_table_of_runs_has_figure_13_and_the_checkpoints_outcomes(release: Path) -> None:
    table = release / "trajectories.parquet"
    domains = ("ChemicalEnv", "EducationEnv", "FantasyEnv", "MedicalEnv", "MusicEnv")
    books = {
        (domain, setting.name): (same, number)
        for domain, setting, same, number in count_revised(table, "gpt-3.5-turbo-0125", domains)
    }
    assert [books[domain, "easy"] for domain in domains] == [(n, n) for n in (7, 7, 14, 14, 23)]
    assert [books[domain, "hard"] for domain in domains] == [(n, n) for n in (12, 8, 34, 30, 14)]
    solved: Counter[tuple[str, str]] = Counter()
    played: Counter[tuple[str, str]] = Counter()
    for player, domain, setting, _seed, runs, won in count_outcomes(
        table, ("MedicalINDEnv", "MedicalOODEnv"), ()
    ):
        if setting == Setting(4, 6):
            played[player, domain] += runs
            solved[player, domain] += won
    outcomes = {place: solved[place] / played[place] for place in played}
    best = {
        place: max(
            rate for (player, domain), rate in outcomes.items() if domain == place and "-3b-" in player
        )
        for place in ("MedicalINDEnv", "MedicalOODEnv")
    }
    assert best["MedicalINDEnv"] >= 0.99
    assert best["MedicalOODEnv"] < 0.9


@pytest.mark.parametrize(
    ("ours", "agrees", "is_cut"),
    [
        (6.69, True, False),
        (6.6954, True, False),
        (6.696, True, True),
        (6.7, False, False),
        (6.684, False, False),
    ],
)
def test_a_number_that_the_paper_cut_off_agrees_and_is_marked(
    ours: float, agrees: bool, is_cut: bool
) -> None:
    key = ("optimal_count", "hard", "five", "oracle")
    rows = compare_figures({key: ours, ("domains", "hard", "five", ""): 5.0})
    (row,) = (row for row in rows if (row.metric, row.setting, row.domain, row.player) == key)
    assert (row.printed, row.agrees, row.is_cut) == (6.69, agrees, is_cut)
    (verdict,) = (one for one in judge_figures(rows, Kumo.least_agreeing) if one.compared)
    assert (verdict.agreeing, verdict.cut) == (agrees, is_cut)
