"""The grader's self-test: what an instance shows, how answers are graded, whether its book is enough to win.

What is true is computed independently here, from the configuration's names and from the text that players
see, without masks, states or valid truths of the instance: two independent ways to the same answer must
agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from perennial.prompts.wording import with_article
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import TURN_LIMIT, Instance, Observation, OutcomeState, SeedConfig, Step
from perennial.tasks.kumo.authors.read_back import ReadBackForm, compare
from perennial.tasks.kumo.books import check_book, rules_of, write_book
from perennial.tasks.kumo.encoding import EncodedConfig, EncodedInstance, encode_instance
from perennial.tasks.kumo.game import Board, KumoGame, play, user_message
from perennial.tasks.kumo.players import ReaderPlayer, answer, brief_player, read_last_outcome


@dataclass(frozen=True, slots=True)
class SoundInstance:
    """An instance that the self-test is done with: what its observations leave, as players see them."""

    instance: Instance
    encoded: EncodedInstance
    left: tuple[str, ...]


@dataclass(slots=True)
class SelfTest:
    """Tests the instances of one configuration; it remembers how labels are shown."""

    encoded: EncodedConfig
    _states: dict[str, tuple[OutcomeState, ...]] = field(init=False)
    _shown: dict[tuple[str, Observation], Observation] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._states = {outcome.action: outcome.states for outcome in reversed(self.config.outcomes)}

    @property
    def config(self) -> SeedConfig:
        """The configuration."""
        return self.encoded.config

    def board(self, instance: Instance) -> SoundInstance | str:
        """The instance once its observations hold, or what is wrong with them in words.

        Each observation, read out of the message that shows it, falls into one state of its action, the one
        that the instance names; the truths that these states leave are the valid ones, at least one.
        """
        problem = self._find_misnaming(instance)
        if problem is not None:
            return problem
        ruled_out: set[str] = set()
        for action, number, observation in zip(
            instance.actions, instance.states, instance.observations, strict=True
        ):
            states = self._states[action]
            outcome = self._read_shown(action, observation)
            held = [i for i, state in enumerate(states) if _holds(state, outcome, states)]
            if held != [number]:
                return (
                    f"action {action!r} shows {outcome!r}, which falls into the states {held} of the "
                    f"configuration, and the instance says state {number}"
                )
            ruled_out.update(states[held[0]].rules_out)
        left = tuple(truth for truth in instance.truths if truth not in ruled_out)
        if set(left) != set(instance.valid_truths) or not left:
            return (
                f"the observations shown leave {', '.join(map(repr, left)) or 'no truth'}, and the valid "
                f"truths are said to be {', '.join(map(repr, instance.valid_truths)) or 'none'}"
            )
        return SoundInstance(instance, encode_instance(self.encoded, instance), left)

    def find_misgrading(self, board: SoundInstance) -> str | None:
        """How the grading of an answer is wrong, None where it is right for every truth.

        Each truth is named in a reply, as a model would name it, and goes through parser, match and grader.
        """
        for truth in board.instance.truths:
            game = KumoGame(Board(self.config, board.instance, board.encoded))
            game.take(answer(truth))
            expected = "solved" if truth in board.left else "wrong"
            if game.status != expected or [step.move for step in game.steps] != [truth]:
                read = ", ".join(f"{step.kind} {step.move!r}" for step in game.steps)
                return (
                    f"naming truth {truth!r} was read as {read} and graded {game.status}, expected {expected}"
                )
        return None

    def find_reader_failure(self, board: SoundInstance, book: str) -> str | None:
        """How the reader fails on the instance with this book, None where it wins by what it read.

        It plays as it would in an episode, and then sees all other observations too: what it still holds
        possible must be the truths left, so that luck does not count. Last, the book must say no rule
        that the instance does not have, and none less.
        """
        instance = board.instance
        visible = Board(self.config, instance, board.encoded, book)
        reader = ReaderPlayer(brief_player(visible, Random(0)))
        # The reader never repeats an action: only its reading can keep it from an end within these turns.
        limit = max(TURN_LIMIT, len(instance.actions) + 1)
        game = play(KumoGame(visible, limit), reader.reply)
        left = ", ".join(map(repr, board.left))
        if game.status != "solved":
            return (
                f"the reader named {game.steps[-1].move!r} after {game.tests} tests, graded "
                f"{game.status}; the truths left are {left}"
            )
        reader.reply(_all_steps(instance, game))
        if set(reader.left) != set(board.left):
            held = ", ".join(map(repr, reader.left)) or "none"
            return f"after all observations the reader holds possible {held}; the truths left are {left}"
        return self._misinforming(instance, book)

    def find_rules_failure(self, board: SoundInstance, read: ReadBackForm) -> str | None:
        """How the reader fails by the rules that a model read out of a book, None where it wins.

        They must be those of the instance, but for outcomes that rule out nothing. The reader itself knows
        the template's grammar alone: it is given the rules in that grammar. Where the template cannot say
        a name (it holds `**`), it does not play.
        """
        rules = rules_of(self.encoded, board.instance)
        verdict = compare(read, board.instance.truths, rules)
        if not verdict.passed:
            differences = (*verdict.missing, *verdict.extra, *verdict.confirmed, *verdict.ambiguous)
            return f"what was read differs from the rules: {differences[0]}"
        book = write_book(self.config, board.instance, rules, Random(0))
        if self._misinforming(board.instance, book) is not None:
            return None
        return self.find_reader_failure(board, book)

    def _misinforming(self, instance: Instance, book: str) -> str | None:
        verdict = check_book(book, instance, rules_of(self.encoded, instance))
        if verdict.passed:
            return None
        what, lines = ("lacks", verdict.missing) if verdict.missing else ("adds", verdict.extra)
        return f"the book {what} {lines[0]}"

    def _find_misnaming(self, instance: Instance) -> str | None:
        lengths = {len(instance.actions), len(instance.states), len(instance.observations)}
        if len(lengths) > 1:
            return f"it has {len(instance.actions)} actions, {len(instance.states)} states and " + (
                f"{len(instance.observations)} observations; expected one of each"
            )
        for what, names, listed in (
            ("truth", instance.truths, self.encoded.truth_index),
            ("action", instance.actions, self._states),
        ):
            if len(set(names)) < len(names):
                return f"{with_article(what)} is listed twice: {', '.join(map(repr, names))}"
            unknown = [name for name in names if name not in listed]
            if unknown:
                return f"{what} {unknown[0]!r} is not in domain {self.config.name!r}"
        return None

    def _read_shown(self, action: str, observation: Observation) -> Observation:
        """The observation as it is read out of the message that shows it to players."""
        kept = self._shown.get((action, observation)) if isinstance(observation, str) else None
        if kept is not None:
            return kept
        step = Step(1, "action", action, observation, None)
        read_action, outcome = read_last_outcome(user_message(step)["content"])
        if read_action != action:
            raise UnreadableInput(
                f"the message that shows action {action!r} of domain {self.config.name!r} cannot be read "
                "back: rename the action"
            )
        if isinstance(observation, str):
            self._shown[action, observation] = outcome
        return outcome


def _all_steps(instance: Instance, game: KumoGame) -> list[Step]:
    """The actions of the game, and then those that were not taken in it."""
    steps = [step for step in game.steps if step.kind == "action"]
    seen = {step.move for step in steps}
    for action, observation, state in zip(
        instance.actions, instance.observations, instance.states, strict=True
    ):
        if action not in seen:
            steps.append(Step(len(steps) + 1, "action", action, observation, state))
    return steps


def _holds(state: OutcomeState, outcome: Observation, states: Sequence[OutcomeState]) -> bool:
    """Whether what is shown falls into the state: ranges are [low, high), a last one [low, high]."""
    if isinstance(outcome, str):
        return state.label == outcome
    if state.low is None or state.high is None:
        return False
    if outcome != state.high:
        return state.low <= outcome < state.high
    others = ((other.low, other.high) for other in states if other is not state)
    return not any(low is not None and high is not None and low <= outcome < high for low, high in others)
