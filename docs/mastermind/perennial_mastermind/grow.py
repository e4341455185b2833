"""How an edition of Mastermind grows: its settings, its plan, its one stage, and what model calls cost."""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from perennial.flows.benchmark import Preparation, Stage, always
from perennial.flows.stages.estimates import estimate_players
from perennial.flows.stages.policies import Policies
from perennial.flows.stages.workspace import Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import InstancesExhausted
from perennial.schemas.ids import content_id, derive_rng
from perennial.schemas.model_calls import Price, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import Rows
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.form import Sizes, setting, size_setting
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.editions.publish import read_counts
from perennial.warehouse.store.store import Store
from perennial_mastermind.codes import GUESSES, PEGS, all_codes
from perennial_mastermind.game import PROGRAMS

_USUAL_GUESSES = 5  # of a game that goes well
_PROMPT, _TURN = 160, 40  # tokens: of the question, and of a guess with its answer


class MastermindSettings(RefreshSettings):
    """The settings of a refresh, and how many codes: flag --codes, section [mastermind] of perennial.toml."""

    sizes: ClassVar[Sizes] = {"tiny": {"codes": 3}, "standard": {}}
    size: str = size_setting(tiny="6 codes, 30 calls, 1 minute", standard="60 codes, 1,500 calls, 10 minutes")
    codes: int = setting(30, "Codes per setting.", ge=1, le=1_000)


def prepare(settings: MastermindSettings, _store: Store) -> Preparation:
    """Return the plan's own part, and what follows from it before any work."""
    codes = settings.codes * len(PEGS)
    return Preparation(
        {"codes": settings.codes}, counts={"instances": codes}, estimate=partial(_estimate, codes)
    )


def estimate_evaluation(
    store: Store, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    """Return the model calls of an evaluation of a published edition."""
    return _estimate(read_counts(store, plan.edition)["instances"], plan, prices)


def _estimate(codes: int, plan: EvaluationPlan, prices: Mapping[str, Price]) -> list[StageEstimate]:
    games = codes * plan.runs
    return estimate_players(
        plan,
        PROGRAMS,
        prices,
        calls=games * _USUAL_GUESSES,
        prompt_tokens=games * _prompts(_USUAL_GUESSES),
        answer_tokens=games * _USUAL_GUESSES * 10,
        longest_reply=4_000,
        most_calls=games * GUESSES,
        most_prompt_tokens=games * _prompts(GUESSES),
    )


def _prompts(turns: int) -> int:
    """Return the tokens of all prompts of a game: each holds the turns before it."""
    return turns * _PROMPT + turns * (turns - 1) // 2 * _TURN


def draw_codes(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Return the rows of one setting's codes, none of them issued in an earlier edition."""
    (setting,), plan = batch.key, workspace.growth
    issued = issued_instances(workspace.staging.store, plan.known_editions)
    hashes = {hash_code(code): code for code in all_codes(PEGS[setting])}
    free = [hash_ for hash_ in hashes if hash_ not in issued]
    wanted = plan.own["codes"]
    if len(free) < wanted:
        raise InstancesExhausted(f"{setting}: {len(free):,} codes are left, and --codes asks for {wanted:,}")
    drawn = derive_rng(workspace.seed, f"mastermind/{setting}", 0).sample(free, wanted)
    shared = {"benchmark": "mastermind", "domain": "codes", "setting": setting, "seed": plan.seed}
    tables: dict[str, Rows] = {"instances": [], "mastermind_codes": []}
    for index, content_hash in enumerate(drawn):
        id_ = f"mastermind_{content_hash}"
        row = {"index": index, "content_hash": content_hash}
        row |= dict.fromkeys(("instance_id", "cluster", "origin"), id_)
        tables["instances"].append(shared | row)
        tables["mastermind_codes"].append({"instance_id": id_, "code": hashes[content_hash]})
    return tables


def hash_code(code: str) -> str:
    """Return the content hash of a code."""
    return content_id("code", code).removeprefix("code_")


STAGES = (
    Stage(
        "codes",
        "Draws codes that no earlier edition holds.",
        batches=lambda _workspace: [Batch("codes", (setting,)) for setting in PEGS],
        run=draw_codes,
        writes=("instances", "mastermind_codes"),
        earlier=("instances",),
        spreads=always,
    ),
)
