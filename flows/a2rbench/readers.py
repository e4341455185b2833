"""Models that read answers in an evaluation: the stage of analysts, and what readers cost."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from itertools import count
from typing import NamedTuple

from perennial.flows.benchmark import Stage
from perennial.flows.console import progress
from perennial.flows.stages.estimates import estimate_asking
from perennial.flows.stages.model_calls import ModelSession, run_session, settle_all
from perennial.flows.stages.play_episodes import play_batches
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.a2rbench.things import AnswerAnalysis, ReadingPlan
from perennial.schemas.benchmark import Batch
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import ModelChoice, Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import Rejection, Rows
from perennial.tasks.a2rbench.players import PLAYERS
from perennial.tasks.a2rbench.readers import ATTEMPTS, Subject, analyse
from perennial.tasks.authors import Asked
from perennial.warehouse.catalog.catalog import rows_with

# Stage `analyses` of an evaluation: analysts, who are models, say how models' answers came about.
#
# A batch is one analyst and one player. Each analyst of an evaluation is shown the same episodes of a player:
# at most the plan's number of right ones and as many wrong ones, drawn with the edition's public seed.
# Programs give no reasoning, and are not analysed.


STAGE = "analyses"
_SHOWN = ("instance_id", "prompt", "description", "code", "answer")


class Chosen(NamedTuple):
    """An episode that is analysed."""

    episode_id: str
    instance_id: str
    run: int
    subject: Subject


def analysis_batches(workspace: Workspace) -> list[Batch]:
    """Return a batch for each analyst and each model that plays."""
    plan = workspace.evaluation
    analysts = ReadingPlan.from_protocol(plan.protocol).analysts
    models = [player for player in plan.players if player not in PLAYERS]
    return [Batch(STAGE, (analyst, player)) for analyst in analysts for player in models]


def analyse_player(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the analyses of a player's answers by one analyst, and the replies of its that were refused.

    Raises EndpointFailed where a call failed for good.
    """
    analyst, player = batch.key
    params = ReadingPlan.from_protocol(workspace.evaluation.protocol).analysts[analyst]
    chosen = choose_episodes(workspace, player)
    work = partial(_analyse_all, ModelChoice(analyst, params), player, chosen)
    return run_session(workspace, policies.calls, work, in_batches=True)


def choose_episodes(workspace: Workspace, player: str) -> list[Chosen]:
    """Return the episodes of a player that analysts are shown, in the order of their ids."""
    plan = workspace.evaluation
    most = ReadingPlan.from_protocol(plan.protocol).most
    played = [batch for batch in play_batches(workspace) if batch.key[-1] == player]
    episodes = [row for batch in played for row in workspace.rows(batch, "episodes")]
    drawn = []
    for success in (False, True):
        of_outcome = sorted(
            (row for row in episodes if row["success"] == success and row["status"] != "api_error"),
            key=lambda row: str(row["episode_id"]),
        )
        rng = derive_rng(plan.seed, f"a2rbench/analysed/{player}", int(success))
        drawn += rng.sample(of_outcome, min(most, len(of_outcome)))
    calls = {row["call_id"]: row["reply"] for batch in played for row in workspace.rows(batch, "calls")}
    replies = {
        row["episode_id"]: calls[row["call_id"]] or ""
        for batch in played
        for row in workspace.rows(batch, "turns")
    }
    answers = {
        row["episode_id"]: row["answer"]
        for batch in played
        for row in workspace.rows(batch, "a2rbench_answers")
    }
    ids = {row["instance_id"] for row in drawn}
    store = workspace.staging.store
    rows = rows_with(store, "a2rbench_items", plan.edition, "instance_id", sorted(ids), columns=_SHOWN)
    items = {row["instance_id"]: row for row in rows}
    return [
        Chosen(
            id_,
            row["instance_id"],
            row["run"],
            Subject(items[row["instance_id"]], replies[id_], answers[id_], row["success"]),
        )
        for row in sorted(drawn, key=lambda row: str(row["episode_id"]))
        for id_ in (row["episode_id"],)
    ]


async def _analyse_all(
    analyst: ModelChoice, player: str, chosen: Sequence[Chosen], session: ModelSession
) -> dict[str, Rows]:
    calls = session.batch()
    asker = session.json_asker(calls)
    ended = count(1)

    async def work(episode: Chosen) -> Asked[AnswerAnalysis]:
        asked = await analyse(asker, analyst, episode.subject)
        progress.note_part(next(ended) / len(chosen))
        return asked

    analysed = await settle_all(map(work, chosen))
    tables: dict[str, Rows] = {"a2rbench_analyses": [], "rejections": []}
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
            tables["a2rbench_analyses"].append({**row, "call_id": asked.call_ids[-1]})
    return calls.add_to(tables)


STAGES = (
    Stage(
        STAGE,
        "Asks analysts, who are models, how answers came about: a category and a style of reasoning each.",
        analysis_batches,
        analyse_player,
        reads=("a2rbench_items", "episodes", "turns", "a2rbench_answers"),
        writes=("a2rbench_analyses", "rejections"),
    ),
)


# How many calls the judge and the analysts of an evaluation make, and what they cost, before any is made.


# Tokens, at least and at most: of what a judge and an analyst are shown, and of their replies, of which the
# longest have reasoning.
_JUDGED, _ANALYSED = (600, 5_000), (2_500, 15_000)
_REPLY, _LONG_REPLY = 150, 4_000


def estimate_reading(items: int, plan: EvaluationPlan, prices: Prices) -> list[StageEstimate]:
    """Return the estimate of each reader: the judge from no reply to all, analysts with every repeat."""
    reading = ReadingPlan.from_protocol(plan.protocol)
    players = sum(name not in PLAYERS for name in plan.players)
    episodes = items * plan.runs
    estimate = partial(estimate_asking, prices=prices, reply=_REPLY, long_reply=_LONG_REPLY)
    judged = [
        estimate("episodes", choice, calls=(0, players * episodes), prompt=_JUDGED)
        for choice in reading.judges()
    ]
    # All answers of a player may have one outcome, or so many both.
    few, many = min(reading.most, episodes), min(2 * reading.most, episodes)
    calls = players * few, players * many * ATTEMPTS
    return judged + [
        estimate("analyses", ModelChoice(model, params), calls=calls, prompt=_ANALYSED)
        for model, params in reading.analysts.items()
    ]
