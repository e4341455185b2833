"""How KnowLogic is played: a question of a published edition, or a fresh one, answered once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from perennial.flows.benchmark import Playing
from perennial.flows.knowlogic.draw_question import draw_question
from perennial.flows.knowlogic.edition import load_domain
from perennial.schemas.game import Episode, Sheet
from perennial.schemas.knowlogic.things import Language
from perennial.schemas.rows import Row
from perennial.tasks.knowlogic.answers import read_answer, write_answer
from perennial.tasks.knowlogic.players import PLAYERS, Form, QuestionGame
from perennial.tasks.play import OneShotSeat
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.store.store import Store

_FORM = ("type", "difficulty", "has_none")
_PLAYED = ("instance_id", "domain", "language", "letters", "prompt", "template_hash", *_FORM)


@dataclass(frozen=True, slots=True)
class QuestionSeat(OneShotSeat):
    """A question as it is played: the prompt as published, and the right letters."""

    instance_id: str
    domain: str
    language: Language
    letters: str
    prompt: str
    template_hash: str = ""
    type: str | None = None
    difficulty: str = ""
    has_none: bool = False

    def start(self) -> QuestionGame:
        """Return a fresh game of it."""
        find = partial(load_domain, self.domain)
        form = Form(self.domain, self.type, self.difficulty, self.has_none)
        return QuestionGame(self.prompt, self.letters, self.language, find, self.template_hash, form)

    def own_rows(self, episode_id: str, episode: Episode[QuestionGame]) -> dict[str, list[Row]]:
        """Return the row of `knowlogic_answers`."""
        game = episode.game
        answer = game.answer
        row = {
            "episode_id": episode_id,
            "letters": None if answer is None else answer.letters,
            "extracted": answer is not None,
            "brackets": None if answer is None else answer.brackets,
            "error_class": game.error_class,
            "lenient_letters": game.lenient,
        }
        return {"knowlogic_answers": [row]}


def take_seats(
    store: Store, edition: str, instance_ids: Sequence[str], _protocol: Mapping[str, object]
) -> list[QuestionSeat]:
    """Return the seats of these instances, in their order."""
    rows = rows_with(
        store,
        table="knowlogic_questions",
        unit=edition,
        column="instance_id",
        values=instance_ids,
        columns=_PLAYED,
    )
    found = {row["instance_id"]: QuestionSeat(**row) for row in rows}
    return [found[id_] for id_ in instance_ids if id_ in found]


def draw_seat(domain: str, setting: str, seed: int) -> QuestionSeat:
    """Return the seat of one fresh question of a domain and difficulty (drawn where they are empty)."""
    question = draw_question(domain, seed, difficulty=setting)
    return QuestionSeat(
        question.instance_id, question.domain, question.language, question.letters, question.prompt
    )


def draw_sheet(game: QuestionGame) -> Sheet:
    """Return what a person is shown of a question: the prompt, to which letters are typed."""

    def reply(answer: str) -> str:
        return answer if read_answer(answer) is not None else write_answer(answer, game.language)

    return Sheet(
        goal="", book=game.prompt, truths=(), actions=(), truth_noun="answer", action_noun="", reply=reply
    )


PLAYING = Playing(
    PLAYERS,
    (),
    take_seats,
    reads=("instances", "knowlogic_questions"),
    one_shot=True,
    sheet=draw_sheet,
    draw=draw_seat,
)
