"""The scorer of a task: the benchmark's own game grades the recorded replies again.

A score is `success` (1 or 0) and `score` (0 to 1) of an episode; its status is in the metadata. Over samples
come means by domain, standard errors clustered by what instances share, and the benchmark's measures,
computed as on perennial's leaderboards.
"""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    grouped,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from perennial.flows.inspect_tasks.names import in_our_name
from perennial.flows.inspect_tasks.play import player_name
from perennial.flows.inspect_tasks.questions import Questions, open_questions
from perennial.flows.inspect_tasks.record import RECORD, Record, replay
from perennial.flows.stages.compute_statistics import analyse_edition
from perennial.flows.stages.play_episodes import episode_rows
from perennial.schemas.game import EPISODE_STATUSES
from perennial.schemas.rows import Rows
from perennial.schemas.tables import TABLES, staged_tables
from perennial.warehouse.store.parquet import parquet_bytes

_OF_EACH = [mean(), stderr(cluster="cluster"), grouped(mean(), "domain", all=False)]


@metric(name="perennial/status", scores="unreduced")
@in_our_name
def status() -> Metric:
    """Return the metric that gives the share of each status among episodes."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        found = Counter((one.score.metadata or {}).get("status") for one in scores)
        return {name: found[name] / len(scores) for name in EPISODE_STATUSES if found[name]}

    return compute


@scorer(name="perennial/grade", metrics=[{"success": _OF_EACH, "score": _OF_EACH}, status()])
@in_our_name
def grade(root: str, edition: str, variant: str = "") -> Scorer:
    """Return the scorer of an edition."""

    async def score(state: TaskState, _target: Target) -> Score:
        questions = open_questions(root, edition)
        seat = questions.seat(state.sample_id)
        record = Record.from_json(state.store.get(RECORD))
        name = player_name(variant, str(state.model))
        replayed = await replay(questions, seat, name, state.epoch - 1, record)
        episode = replayed.episode
        episode_id = seat.episode_id(name, episode.run)
        questions.graded[episode_id] = episode_rows([(seat, episode, replayed.seconds)])
        result = episode.result
        return Score(
            value={"success": float(result.success), "score": result.score},
            answer=episode.turns[-1].reply if episode.turns else "",
            explanation=result.status,
            metadata={"status": result.status, "turns": len(episode.turns), "episode_id": episode_id},
        )

    return score


@metric(name="perennial/measures", scores="unreduced")
@in_our_name
def measures(root: str, edition: str) -> Metric:
    """Return the metric that gives the benchmark's measures, by setting where there are several."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        questions = open_questions(root, edition)
        ids = [(one.score.metadata or {}).get("episode_id") for one in scores]
        graded = [questions.graded[id_] for id_ in ids if id_ in questions.graded]
        return compute_measures(questions, graded) if graded else {}

    return compute


def metrics_of(root: str, edition: str) -> list[Metric | dict[str, list[Metric]]]:
    """Return the metrics of a task that plays the edition."""
    return [{"success": _OF_EACH, "score": _OF_EACH}, status(), measures(root, edition)]


def compute_measures(questions: Questions, graded: list[dict[str, Rows]]) -> dict[str, float]:
    """Return the benchmark's measures of one player's episodes, from their rows by table."""
    with TemporaryDirectory(prefix="perennial-inspect-") as folder:
        files = {}
        for name in staged_tables(questions.plan.benchmark, answers=True):
            rows = [row for tables in graded for row in tables.get(name, ())]
            files[name] = _write_table(Path(folder), name, rows)
        table = analyse_edition(questions.store, questions.plan.edition, (), files)
    player = graded[0]["episodes"][0]["player"]
    of = {(one.statistic, one.convention): one.column for one in questions.benchmark.declaration.measures}
    rows = [
        row
        for row in table.to_pylist()
        if (row["player"], row["domain"], row["other"]) == (player, "all", "") and row["value"] is not None
        if (row["statistic"], row["convention"]) in of
    ]
    several = len({row["setting"] for row in rows}) > 1
    return {
        of[row["statistic"], row["convention"]] + (f" {row['setting']}" if several else ""): row["value"]
        for row in rows
    }


def _write_table(folder: Path, name: str, rows: Rows) -> Path:
    import pyarrow as pa

    path = folder / f"{name}.parquet"
    path.write_bytes(parquet_bytes(pa.Table.from_pylist(rows, schema=TABLES[name].arrow_schema())))
    return path
