"""Practice questions as environments of TRL: `GRPOTrainer(environment_factory=...)` trains a model on them.

TRL makes an object per rollout and calls `reset` with the row of the dataset before each; the model gets the
public methods as tools, with names, types and descriptions from here; `get_reward` is asked for at the end.
Nothing of TRL is imported: it knows such a class by its methods.
"""

from collections.abc import Callable, Iterable, Iterator

from perennial.flows.benchmark import find_benchmark
from perennial.flows.export.source import Conversation
from perennial.flows.practice.grade import find_practice, open_question
from perennial.prompts.render import render
from perennial.schemas.ids import canonical_json
from perennial.schemas.json_text import read_json
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import JsonObject

_TEMPLATE = "tools/moves.md.j2"


def environment_class(benchmark: str) -> "type[AnswerEnvironment | GameEnvironment]":
    """The class to give as `environment_factory`; raise InvalidOption for no practice questions."""
    find_practice(benchmark)
    return AnswerEnvironment if find_benchmark(benchmark).one_shot else GameEnvironment


def training_rows(questions: Iterable[PracticeQuestion]) -> Iterator[JsonObject]:
    """The dataset to train on: the messages as `prompt`, and what `reset` needs in `line`, as text."""
    # A column of objects would not do: `datasets` gives all of them the same keys.
    for question in questions:
        yield {"prompt": [*question.question], "line": canonical_json(question.as_json())}


class _Environment:
    """One question at a time, played by the benchmark's own game."""

    _run: Conversation

    def reset(self, line: str, **_columns: object) -> str:
        """Begin the question of a row; what is returned follows the prompt. Raises UnreadableInput."""
        question = PracticeQuestion.from_json(read_json(line))
        self._run = open_question(question)
        self._begin(question)
        return "\n\n" + render(_TEMPLATE).strip()

    # With this method TRL needs no function of rewards.
    def get_reward(self) -> float:
        """The score of the game, 0 to 1; 0 if it has not ended."""
        result = self._run.result
        return 0.0 if result is None else result.score

    def _begin(self, question: PracticeQuestion) -> None:
        """Prepare what moves need."""

    def _enter(self, reply: str) -> str:
        observation = self._run.take(reply)
        return "The question has ended." if observation is None else observation


class AnswerEnvironment(_Environment):
    """A question that is answered once."""

    def answer(self, reply: str) -> str:
        """Answer the question, which ends it.

        Args:
            reply: The answer, in the form that the question asks for.

        Returns:
            That the question has ended.
        """
        return self._enter(reply)


class GameEnvironment(_Environment):
    """A game of several turns: actions show something, and an answer ends it."""

    _reply: Callable[[str], str]

    def _begin(self, question: PracticeQuestion) -> None:
        # Another game of the question, for how a choice is written.
        seat = find_practice(question.benchmark).open_seat(question)
        self._reply = find_benchmark(question.benchmark).draw_sheet(seat.start()).reply

    def take_action(self, name: str) -> str:
        """Take an action and see its outcome.

        Args:
            name: The name of the action, as the question lists it.

        Returns:
            The outcome, or why there is none.
        """
        return self._enter(self._reply(name))

    def answer(self, name: str) -> str:
        """Name the right answer, which ends the game.

        Args:
            name: The name of the answer, as the question lists it.

        Returns:
            That the game has ended, or why it goes on.
        """
        return self._enter(self._reply(name))
