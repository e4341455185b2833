"""What Mastermind does: it grows, plays, counts and shows hidden codes, and draws some to practise on."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from perennial.flows.benchmark import Benchmark, Draw, Practice, Preparation, Stage, always
from perennial.flows.practice.parameters import Parameters
from perennial.flows.stages.estimates import estimate_players
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.flows.web.page import Opened
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import InstancesExhausted, InvalidOption, UnreadableInput
from perennial.schemas.game import Sheet
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.presentation import Presentation
from perennial.schemas.rows import ReadJson, Rows
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.form import Sizes, setting, size_setting
from perennial.tasks.report.content import Content, Grid, Query, Record, Report, ReportData, figure
from perennial.tasks.report.wording import decimals
from perennial.tasks.statistics.rate_figures import Analysis, Mean, count_scored
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.editions.issued_ids import issued_instances
from perennial.warehouse.editions.publish import read_counts
from perennial.warehouse.staging import question_row
from perennial.warehouse.store.store import Store
from perennial_mastermind.game import COLORS, GUESSES, PEGS, PROGRAMS, CodeGame, CodeSeat, all_codes, code_id

_USUAL_GUESSES = 5  # of a game that goes well
_PROMPT, _LONG_PROMPT = 240, 340  # tokens of a call: mean of such a game, and of the longest
_NUMBERS = "SELECT episode_id, count(*) AS number FROM mastermind_guesses GROUP BY ALL"


class MastermindSettings(RefreshSettings):
    """The settings of a refresh, and how many codes: flag --codes, section [mastermind] of perennial.toml."""

    sizes: ClassVar[Sizes] = {"tiny": {"codes": 3}, "standard": {}}
    size: str = size_setting(tiny="6 codes, 30 calls, 1 minute", standard="60 codes, 1,500 calls, 10 minutes")
    codes: int = setting(30, "Codes per setting.", ge=1, le=1_000)


class MastermindParameters(Parameters):
    """How long codes are."""

    pegs: int = setting(4, "Pegs of a code.", ge=1, le=8)


class MastermindPractice(Practice[MastermindParameters, CodeSeat, CodeGame]):
    """Codes of a length, each new."""

    parameters = MastermindParameters
    levels = tuple({"pegs": pegs} for pegs in (3, 4, 5))

    def start(self, parameters: MastermindParameters, seed: int) -> Callable[[int, int], Draw[CodeSeat]]:
        def draw(index: int, attempt: int) -> Draw[CodeSeat]:
            rng = derive_rng(seed, f"mastermind/practice/{index}", attempt)
            code = "".join(rng.choices(COLORS, k=parameters.pegs))
            seat = CodeSeat(code_id(code), code)
            return Draw(seat, "codes", code, {"code": code}, {"pegs": parameters.pegs})

        return draw

    def open_seat(self, question: PracticeQuestion) -> CodeSeat:
        code = question.game.get("code")
        if not isinstance(code, str) or not code or set(code) - set(COLORS):
            raise UnreadableInput(f"practice question: expected a code of {COLORS}")
        return CodeSeat(code_id(code), code)

    def measure(self, game: CodeGame) -> dict[str, float]:
        return {"guesses": float(len(game.guesses))}


_PROGRESS = Query(
    "progress",
    """
-- How near do players come, guess by guess?
SELECT * EXCLUDE (edition)
FROM mastermind_progress
WHERE edition = $edition
""",
)


@figure("Letters in place, guess by guess", _PROGRESS, missing="No player has made a guess.")
def show_progress(_data: ReportData, rows: list[Record]) -> Content:
    """A row per player and setting, a column per guess."""
    numbers = sorted({row["number"] for row in rows})
    means: dict[tuple[str, str], dict[int, str]] = {}
    for row in rows:
        by_number = means.setdefault((row["setting"], row["player"]), {})
        by_number[row["number"]] = decimals(row["mean_in_place"], 2)
    cells = tuple((*who, *(row.get(number, "") for number in numbers)) for who, row in means.items())
    head = ("setting", "player", *map(str, numbers))
    grid = Grid(head, cells, numeric=frozenset(range(2, len(head))))
    caption = "Mean number of letters in the right place, over the games that made a guess of this number."
    return Content(caption, grid=grid)


class Mastermind(Benchmark[MastermindSettings, None, CodeSeat, CodeGame]):
    """Games of several guesses at a hidden code."""

    # Grow

    def prepare(self, settings: MastermindSettings, store: Store) -> Preparation:
        return Preparation({"codes": settings.codes}, counts={"instances": settings.codes * len(PEGS)})

    def stages(self) -> tuple[Stage, ...]:
        return (
            Stage(
                "codes",
                "Draws codes that no earlier edition holds.",
                batches=lambda _workspace: [Batch("codes", (setting,)) for setting in PEGS],
                run=_draw_codes,
                writes=("instances", "mastermind_codes"),
                earlier=("instances",),
                spreads=always,
            ),
        )

    def practice(self) -> Practice:
        return MastermindPractice()

    # Play

    programs = PROGRAMS
    reads = ("instances", "mastermind_codes")
    references = ("solver",)

    def take_seats(
        self, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> list[CodeSeat]:
        return [CodeSeat(**row) for row in rows_with(store, "mastermind_codes", edition, "instance_id", ids)]

    def estimate(
        self, store: Store, plan: EvaluationPlan, prices: Prices, prepared: Preparation | None
    ) -> list[StageEstimate]:
        counts = prepared.counts if prepared else read_counts(store, plan.edition)
        usual, most = (counts["instances"] * plan.runs * guesses for guesses in (_USUAL_GUESSES, GUESSES))
        return estimate_players(
            plan,
            PROGRAMS,
            prices,
            calls=usual,
            prompt_tokens=usual * _PROMPT,
            answer_tokens=usual * 10,
            longest_reply=4_000,
            most_calls=most,
            most_prompt_tokens=most * _LONG_PROMPT,
        )

    def draw_seat(self, domain: str, setting: str, seed: int) -> CodeSeat:
        if setting not in ("", *PEGS):
            raise InvalidOption(f"--setting {setting!r}: expected {' or '.join(PEGS)}")
        code = derive_rng(seed, "mastermind/play", 0).choice(all_codes(PEGS[setting or "short"]))
        return CodeSeat(code_id(code), code)

    def draw_sheet(self, game: CodeGame) -> Sheet:
        expected = f"expected {len(game.code)} letters of {COLORS}, such as {COLORS[: len(game.code)]}"
        return Sheet(
            book=game.text,
            reply=lambda typed: f"GUESS: {typed}",
            goal="Find the hidden code.",
            truth_noun="code",
            action_noun="guess",
            ask="In the terminal, the letters alone are enough.",
            fault=lambda typed: "" if game.read(f"GUESS: {typed}") else expected,
        )

    # Count

    def analysis(self) -> Analysis:
        return Analysis(
            joins=f"LEFT JOIN ({_NUMBERS}) AS g USING (episode_id)",
            counts={"guesses": "coalesce(sum(g.number) FILTER (e.status <> 'api_error'), 0)::BIGINT"},
            means=(Mean("mean_guesses", lambda cells: cells["guesses"], count_scored, least=0),),
        )

    # Show

    def report(self) -> Report:
        return Report(after_rates=(show_progress,))

    def show_instance(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.web.figures import show_rows  # it needs the extra `web`

        sql = (
            "SELECT player, run, number, guess, in_place, elsewhere FROM mastermind_guesses "
            f"JOIN episodes USING (episode_id) WHERE instance_id = {quote(instance_id)} ORDER BY ALL"
        )
        show_rows("guesses", edition.query(sql))

    def presentation(self) -> Presentation:
        return Presentation(
            "Mastermind",
            ("Find a hidden code. Each guess is answered by the number of pegs in place, and out of place.",),
            "Program solver keeps to the codes that fit all answers, and finds every code.",
            "solver",
        )


def _draw_codes(workspace: Workspace, batch: Batch, _policies: Policies) -> dict[str, Rows]:
    """Draw the codes of one setting, none of them issued in an earlier edition."""
    (setting,), plan = batch.key, workspace.growth
    issued = issued_instances(workspace.staging.store, plan.known_editions)
    codes = {code_id(code): code for code in all_codes(PEGS[setting])}
    free = [id_ for id_ in codes if id_.partition("_")[2] not in issued]
    wanted = plan.own["codes"]
    if len(free) < wanted:
        raise InstancesExhausted(f"{setting}: {len(free):,} codes are left, and --codes asks for {wanted:,}")
    drawn = derive_rng(workspace.seed, f"mastermind/{setting}", 0).sample(free, wanted)
    shared: Any = {"benchmark": "mastermind", "domain": "codes", "setting": setting, "seed": plan.seed}
    return {
        "instances": [question_row(id_, index=index, **shared) for index, id_ in enumerate(drawn)],
        "mastermind_codes": [{"instance_id": id_, "code": codes[id_]} for id_ in drawn],
    }
