"""How BeyondBench is played: a problem of a published edition, answered once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perennial.flows.benchmark import Playing
from perennial.flows.beyondbench.edition import problem_of
from perennial.schemas.game import Episode, Sheet
from perennial.schemas.ids import canonical_json
from perennial.schemas.people import is_person
from perennial.schemas.rows import ReadJson, Row
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.players import PLAYERS
from perennial.tasks.beyondbench.problem import SHARE, Problem, fits, token_status
from perennial.tasks.llm.limits import text_counter
from perennial.tasks.play import OneShotSeat
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.store.store import Store


@dataclass(frozen=True, slots=True)
class ProblemSeat(OneShotSeat):
    """A problem as it is played: the prompt as published, and the budgets by player."""

    instance_id: str
    problem: Problem
    prompt: str
    template_hash: str
    prompt_tokens: int
    solution_tokens: int
    context_tokens: int
    budgets: Mapping[str, ReadJson]

    def start(self) -> TaskGame:
        """Return a fresh game of it."""
        return TaskGame(self.problem, self.prompt, self.template_hash)

    def context_of(self, player: str) -> int:
        """Return the player's budget of tokens: its own, or the edition's."""
        return int(self.budgets.get(player, {}).get("context", self.context_tokens))

    def own_rows(self, episode_id: str, episode: Episode[TaskGame]) -> dict[str, list[Row]]:
        """Return the row of `beyondbench_answers`."""
        game = episode.game
        has_no_tokens = episode.player in PLAYERS or is_person(episode.player)
        context = self.context_of(episode.player)
        status = token_status(episode.tokens, context, was_cut_off=episode.status == "truncated")
        answer = game.parsed.answer
        row = {
            "episode_id": episode_id,
            "answer": None if answer is None else canonical_json(answer),
            "parse_level": game.parsed.level,
            "instruction_followed": game.parsed.instruction_followed,
            "detail": game.detail or None,
            "is_best": None if answer is None else game.problem.is_best(answer),
            "token_status": None if has_no_tokens else status,
            "context_tokens": None if has_no_tokens else context,
        }
        return {"beyondbench_answers": [row]}


def take_seats(
    store: Store, edition: str, instance_ids: Sequence[str], protocol: ReadJson
) -> list[ProblemSeat]:
    """Return the seats of these instances, in their order."""
    rows = rows_with(store, "beyondbench_instances", edition, "instance_id", instance_ids)
    found = {row["instance_id"]: row for row in rows}
    budgets = protocol.get("budgets", {})
    return [
        ProblemSeat(
            row["instance_id"],
            problem_of(row),
            row["prompt"],
            row["template_hash"],
            row["prompt_tokens"],
            row["solution_tokens"],
            row["context_tokens"],
            budgets,
        )
        for row in (found[id_] for id_ in instance_ids if id_ in found)
    ]


def refuse(seat: ProblemSeat, player: str) -> str:
    """Return why the player is not asked: prompt and solution must fit 85 % of its budget; "" where it is."""
    if player not in seat.budgets:
        return ""
    context, tokenizer = seat.context_of(player), seat.budgets[player].get("tokenizer", "")
    prompt = text_counter(tokenizer)(seat.prompt) if tokenizer else seat.prompt_tokens
    needed = prompt + seat.solution_tokens
    if fits(needed, context):
        return ""
    return f"prompt and solution need about {needed:,} tokens, more than {SHARE:.0%} of its {context:,}"


def draw_sheet(game: TaskGame) -> Sheet:
    """Return what a person is shown of a problem: the prompt, to which an answer is typed."""
    problem = game.problem
    container = problem.task.form(problem.params).container

    def reply(answer: str) -> str:
        if "\\boxed" in answer or "<answer>" in answer.lower():
            return answer
        return f"\\boxed{{{answer}}}" if container == "boxed" else f"<answer>{answer}</answer>"

    return Sheet(
        goal="", book=game.prompt, truths=(), actions=(), truth_noun="answer", action_noun="", reply=reply
    )


PLAYING = Playing(
    PLAYERS,
    (),
    take_seats,
    reads=("instances", "beyondbench_instances"),
    one_shot=True,
    refuse=refuse,
    sheet=draw_sheet,
)
