"""Stage `analyses` of an evaluation: analysts, who are models, say how models' answers came about.

A batch is one analyst and one player. Each analyst of an evaluation is shown the same episodes of a player:
at most the plan's number of each outcome, drawn with the edition's public seed. Programs give no reasoning,
and are not analysed.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from perennial.flows.benchmark import Stage
from perennial.flows.console import progress
from perennial.flows.stages.estimates import estimate_asking
from perennial.flows.stages.model_calls import ModelSession, run_session, settle_all
from perennial.flows.stages.play_episodes import play_batches
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.analysts import AnalysisForm, AnalystPlan, AnswerAnalysis
from perennial.schemas.benchmark import Batch
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import ModelChoice, Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import Rejection, Row, Rows
from perennial.schemas.tables import TABLES
from perennial.tasks.analysts import ATTEMPTS, Subject, analyse
from perennial.tasks.authors import Asked

# What an analyst says decides no score: whether an answer is right stands in `episodes` before it is asked.
# So evaluations with other analysts, or with none, have the same protocol and can be compared.

STAGE = "analyses"
# What the template of analysts says of questions, by the ids of their instances.
Describe = Callable[[Workspace, Sequence[str]], dict[str, dict[str, Any]]]
# Tokens of what an analyst replies, and of a reply with reasoning.
_REPLY, _LONG_REPLY = 150, 4_000


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """How the answers of a benchmark are analysed.

    `answer` is the column of the table `answers` with what was read of a reply; `prompt_tokens` is the length
    of what an analyst is shown, at least and at most.
    """

    form: AnalysisForm
    programs: Container[str]
    questions: str
    answers: str
    answer: str
    describe: Describe
    prompt_tokens: tuple[int, int]

    def stage(self) -> Stage:
        """The stage of analysts."""
        return Stage(
            STAGE,
            "Asks analysts, who are models, how answers came about: a category each, and how they reasoned.",
            partial(analysis_batches, self),
            partial(analyse_player, self),
            reads=(self.questions, "episodes", "turns", self.answers),
            writes=(self.form.table_name, "rejections"),
        )

    @property
    def query(self) -> str:
        """The SQL of what analysts said of each episode, lists by analyst (`agreement.read_analyses`)."""
        style = "list(a.reasoning_style ORDER BY a.analyst)" if self.form.styles else "NULL"
        return (
            "SELECT e.player, i.cluster, list(a.analyst ORDER BY a.analyst) AS analysts, "
            f"list(a.outcome_category ORDER BY a.analyst) AS categories, {style} AS styles "
            f"FROM {self.form.table_name} AS a JOIN episodes AS e USING (episode_id) "
            "JOIN instances AS i USING (instance_id) "
            "GROUP BY e.episode_id, e.player, e.instance_id, i.cluster "
            "ORDER BY e.player, e.instance_id, e.episode_id"
        )

    def estimate(self, instances: int, plan: EvaluationPlan, prices: Prices) -> list[StageEstimate]:
        """The calls of each analyst: of one outcome's answers at least, of all with every repeat at most."""
        analysts = AnalystPlan.from_protocol(plan.protocol)
        players, episodes = sum(name not in self.programs for name in plan.players), instances * plan.runs
        outcomes = len(self.form.outcomes)
        # All answers of a player may have one outcome; of right ones alone, nothing may be asked.
        few = min(analysts.most, episodes) if outcomes > 1 else 0
        many = min(outcomes * analysts.most, episodes)
        estimate = partial(
            estimate_asking, STAGE, prices=prices, calls=(players * few, players * many * ATTEMPTS)
        )
        return [
            estimate(choice, prompt=self.prompt_tokens, reply=_REPLY, long_reply=_LONG_REPLY)
            for choice in analysts.choices()
        ]


class Chosen(NamedTuple):
    """An episode that is analysed."""

    episode_id: str
    instance_id: str
    run: int
    subject: Subject


def analysis_batches(reading: AnswerReading, workspace: Workspace) -> list[Batch]:
    """Return a batch for each analyst and each model that plays."""
    plan = workspace.evaluation
    models = [player for player in plan.players if player not in reading.programs]
    analysts = AnalystPlan.from_protocol(plan.protocol).analysts
    return [Batch(STAGE, (analyst, player)) for analyst in analysts for player in models]


def analyse_player(
    reading: AnswerReading, workspace: Workspace, batch: Batch, policies: Policies
) -> dict[str, Rows]:
    """Return the analyses of a player's answers by one analyst, and the replies of its that were refused.

    Raises EndpointFailed where a call failed for good.
    """
    analyst, player = batch.key
    params = AnalystPlan.from_protocol(workspace.evaluation.protocol).analysts[analyst]
    chosen = _choose_episodes(reading, workspace, player)
    work = partial(_analyse_all, reading.form, ModelChoice(analyst, params), player, chosen)
    return run_session(workspace, policies.calls, work, in_batches=True)


def _choose_episodes(reading: AnswerReading, workspace: Workspace, player: str) -> list[Chosen]:
    """Return the episodes of a player that analysts are shown, in the order of their ids."""
    plan, form = workspace.evaluation, reading.form
    most = AnalystPlan.from_protocol(plan.protocol).most
    played = [batch for batch in play_batches(workspace) if batch.key[-1] == player]

    def rows(table: str) -> list[Row]:
        return [row for batch in played for row in workspace.rows(batch, table)]

    drawn = []
    episodes = sorted(rows("episodes"), key=lambda row: str(row["episode_id"]))
    for success in form.outcomes:
        with_outcome = [
            row for row in episodes if row["success"] == success and row["status"] not in form.skipped
        ]
        rng = derive_rng(plan.seed, f"{form.benchmark}/analysed/{player}", int(success))
        drawn += rng.sample(with_outcome, min(most, len(with_outcome)))
    calls = {row["call_id"]: row["reply"] for row in rows("calls")}
    replies = {row["episode_id"]: calls[row["call_id"]] or "" for row in rows("turns")}
    answers = {row["episode_id"]: row[reading.answer] for row in rows(reading.answers)}
    described = reading.describe(workspace, sorted({row["instance_id"] for row in drawn}))
    return [
        Chosen(
            id_,
            row["instance_id"],
            row["run"],
            Subject(described[row["instance_id"]], replies[id_], answers[id_], row["success"]),
        )
        for row in sorted(drawn, key=lambda row: str(row["episode_id"]))
        for id_ in (row["episode_id"],)
    ]


async def _analyse_all(
    form: AnalysisForm, analyst: ModelChoice, player: str, chosen: Sequence[Chosen], session: ModelSession
) -> dict[str, Rows]:
    calls = session.batch()
    asker = session.json_asker(calls)
    ended = count(1)

    async def work(episode: Chosen) -> Asked[AnswerAnalysis]:
        asked = await analyse(asker, analyst, form, episode.subject)
        progress.note_part(next(ended) / len(chosen))
        return asked

    analysed = await settle_all(map(work, chosen))
    tables: dict[str, Rows] = {form.table_name: [], "rejections": []}
    names = [column.name for column in TABLES[form.table_name].columns]
    for episode, asked in zip(chosen, analysed, strict=True):
        # By its instance, so that exports leave it out with a private one.
        tables["rejections"] += [
            Rejection(
                STAGE,
                episode.instance_id,
                bad.problem.rule,
                f"{player}, run {episode.run}: {bad.problem.message}",
                bad.reply.call_id,
                player=player,
            ).row()
            for bad in asked.bad
        ]
        if asked.value is not None:
            row = {"episode_id": episode.episode_id, "analyst": analyst.model, **asdict(asked.value)}
            row["call_id"] = asked.call_ids[-1]
            tables[form.table_name].append({name: row[name] for name in names})
    return calls.add_to(tables)
