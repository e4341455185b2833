"""The game of KUMO: a player's replies against the instance's observations, and the paper's grader."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING

from perennial.prompts.render import render
from perennial.schemas.game import EpisodeStatus, Opening, Result
from perennial.schemas.kumo.plan import PaperMessages
from perennial.schemas.kumo.things import (
    TURN_LIMIT,
    BookRule,
    Instance,
    Observation,
    SeedConfig,
    Step,
    observation_text,
)
from perennial.schemas.model_calls import Message
from perennial.tasks.kumo.answers import (
    NO_MOVE,
    Move,
    open_as_published,
    parse_answer,
    parse_as_published,
    show_as_published,
)
from perennial.tasks.kumo.books import closed_ends
from perennial.tasks.kumo.encoding import EncodedInstance
from perennial.tasks.kumo.reliability import Reports

if TYPE_CHECKING:
    from perennial.tasks.kumo.search.solve import Solution


# An instance as it is played: what players are shown, and what the grader knows.


@dataclass(frozen=True)
class Board:
    """An instance with its book (which models and the reader read) and its rules (the symbolic variant).

    `solution` is the exact search's, for the players of its golden plays. `protocol` are the messages by
    which the KUMO authors asked; None: perennial's own. `guidebooks` are all books that models are shown
    where it stands among those of other domains; (): they are shown it alone. `reports` are shown in place of
    the outcomes; None: the outcomes are.
    """

    config: SeedConfig
    instance: Instance
    encoded: EncodedInstance
    book: str = ""
    rules: Sequence[BookRule] = ()
    solution: "Solution | None" = None
    protocol: PaperMessages | None = None
    guidebooks: tuple[str, ...] = ()
    reports: Reports | None = None


# The messages that a player who reads text gets: the same for the reader and for every model.
#
# A system message comes in five variants: one shows the rules in a knowledge book (the paper's VanillaAgent),
# one in a book among those of other domains, one in a book beside which outcomes are reported and can be
# wrong, one as a mapping, and one does not show them. Each later message says what the last action showed;
# the menu (both lists, and the form of a reply) is added to the last message of a call alone, and not kept.
# The sentences of turns and menu are in a template that all system templates import, so that the hash of a
# system template covers them too.


SYSTEM_TEMPLATE = "kumo/players/system.md.j2"
SYMBOLIC_TEMPLATE = "kumo/players/system_symbolic.md.j2"
CLOSED_TEMPLATE = "kumo/players/system_closed.md.j2"
AMONG_TEMPLATE = "kumo/players/system_among.md.j2"
REPORTS_TEMPLATE = "kumo/players/system_reports.md.j2"
TURN_TEMPLATE = "kumo/players/turn.md.j2"
MENU_TEMPLATE = "kumo/players/menu.md.j2"


@dataclass(frozen=True, slots=True)
class Terms:
    """What players are told of a game beside its rules: lists, the number of valid truths, and limits.

    `max_tokens` is the limit of a reply, None where it is not known.
    """

    config: SeedConfig
    truths: Sequence[str]
    actions: Sequence[str]
    n_valid: int = 1
    turn_limit: int = TURN_LIMIT
    max_tokens: int | None = None


def system_message(terms: Terms, template: str = SYSTEM_TEMPLATE, **knowledge: object) -> Message:
    """The first message: the goal, the lists, how to play, and what the template shows of the rules.

    It promises how many of the truths survive all outcomes.
    """
    content = render(
        template,
        goal=terms.config.goal.strip(),
        is_counterfactual=terms.config.is_counterfactual,
        turn_limit=terms.turn_limit,
        max_tokens=terms.max_tokens,
        **_lists(terms),
        **knowledge,
    )
    return {"role": "system", "content": content.rstrip("\n")}


def user_message(last: Step | None) -> Message:
    """One turn's message without the menu: what the last action showed, or that the game begins."""
    content = render(
        TURN_TEMPLATE,
        action=None if last is None else last.move,
        observation=None if last is None else quote_observation(last.observation),
    )
    return {"role": "user", "content": content}


def menu_text(terms: Terms) -> str:
    """What is added to the last message of each call: both lists, and the form of a reply."""
    return "\n\n" + render(MENU_TEMPLATE, **_lists(terms)).rstrip("\n")


def _lists(terms: Terms) -> dict[str, object]:
    return {
        "truths": terms.truths,
        "actions": terms.actions,
        "truth_noun": terms.config.truth_noun,
        "action_noun": terms.config.action_noun,
        "n_valid": terms.n_valid,
    }


def quote_observation(observation: Observation | None) -> str:
    """A label in quotation marks, as books show it, or a number by `repr`, which reads back."""
    return f'"{observation}"' if isinstance(observation, str) else repr(observation)


def rule_outs_json(truths: Sequence[str], rules: Sequence[BookRule]) -> str:
    """The rules as a JSON object: action, then outcome, then the truths that it rules out.

    Actions and outcomes keep the order of `rules`, truths that of `truths`; one line an outcome. A range
    is written `[low, high)`, or `[low, high]` where it includes its upper end. Of two equal outcomes of an
    action the first one counts, as it does in the game.
    """
    mapping: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for rule, closed in zip(rules, closed_ends(rules), strict=True):
        interval = f"[{rule.low!r}, {rule.high!r}{']' if closed else ')'}"
        outcome = interval if rule.label is None else rule.label
        mapping[rule.action].setdefault(outcome, [name for name in truths if name in rule.rules_out])
    blocks = []
    for action, outcomes in mapping.items():
        lines = ",\n".join(f"    {_text(outcome)}: {_text(names)}" for outcome, names in outcomes.items())
        blocks.append(f"  {_text(action)}: {{\n{lines}\n  }}")
    return "{\n" + ",\n".join(blocks) + "\n}"


def _text(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)


# Whether the outcomes that a player saw decide the answer: whether the promise leaves some truth sure.


def is_decided(board: EncodedInstance, tried: Collection[int]) -> bool:
    """Whether some truth is sure to be valid after the tests of these actions."""
    # Imported here: python-sat costs 50 ms, which listing players should not pay.
    from perennial.tasks.kumo.sampling.solver import can_differ

    masks = tuple(
        (board.observed_mask(action),) if action in tried else states
        for action, states in enumerate(board.masks)
    )
    return not can_differ(replace(board, masks=masks))


SYMBOLIC = "symbolic"
CLOSED = "closed"
VARIANTS = (SYMBOLIC, CLOSED)
TEMPLATES = {"": SYSTEM_TEMPLATE, SYMBOLIC: SYMBOLIC_TEMPLATE, CLOSED: CLOSED_TEMPLATE}


Player = Callable[[Sequence[Step]], str]
"""Gives the text of the next move, given all earlier steps with their observations."""


class KumoGame:
    """One run on one instance, reply by reply (`perennial.schemas.game.Game`).

    `steps` are what the replies so far were read as. `status` says how the run ended, None while it
    continues.
    """

    def __init__(self, board: Board, turn_limit: int = TURN_LIMIT) -> None:
        self.board = board
        self._turn_limit = turn_limit
        self.steps: list[Step] = []
        self.status: EpisodeStatus | None = "turn_limit" if turn_limit < 1 else None

    def opening(self, variant: str) -> Opening:
        """The system message with the book, and the first turn; the menu stands at the end alone.

        Where the board has guidebooks, all of them are shown. `symbolic` shows the rules as a mapping instead
        of the book, `closed` shows neither.
        """
        if self.board.protocol is not None:
            book = None if variant == CLOSED else self.board.book
            instance = self.board.instance
            return open_as_published(self.board.protocol, instance.truths, instance.actions, book)
        return self._open(variant, None)

    def _open(self, variant: str, max_tokens: int | None) -> Opening:
        board, instance = self.board, self.board.instance
        terms = Terms(
            config=board.config,
            truths=instance.truths,
            actions=instance.actions,
            n_valid=len(instance.valid_truths),
            turn_limit=self._turn_limit,
            max_tokens=max_tokens,
        )
        template, knowledge = TEMPLATES[variant], dict[str, object](book=board.book.strip("\n"))
        if variant == SYMBOLIC:
            knowledge = {"rule_outs": rule_outs_json(terms.truths, board.rules)}
        elif variant == CLOSED:
            knowledge = {}
        elif board.guidebooks:
            template, knowledge = AMONG_TEMPLATE, {"books": [text.strip("\n") for text in board.guidebooks]}
        elif board.reports:
            template, case = REPORTS_TEMPLATE, board.reports.case
            knowledge |= {"reliability": f"{case.reliability:g}", "is_balanced": case.is_balanced}
        system = system_message(terms, template, **knowledge)
        start, tail = user_message(None), menu_text(terms)
        asked: Message = {"role": "user", "content": start["content"] + tail}
        return Opening(
            (system, asked),
            template,
            kept=(system, start),
            tail=tail,
            with_max_tokens=partial(self._open, variant),
        )

    def take(self, reply: str) -> str | None:
        """Add the step that the reply makes, and return the observation of an action as text.

        An action gives its observation, the same one and a turn again when repeated. A truth ends the
        game: `solved` when no observation of the instance, taken or not, rules it out (the paper's
        grader), else `wrong`. A reply without a move ends it as `unparsed`, an action in the last turn
        allowed as `turn_limit`.
        """
        instance = self.board.instance
        parse = parse_answer if self.board.protocol is None else parse_as_published
        move = parse(reply, instance.truths, instance.actions)
        step = self._add(move)
        if move.kind != "action":
            self.status = _status_of(instance, self.board.encoded, move)
        elif len(self.steps) >= self._turn_limit:
            self.status = "turn_limit"
        return None if step.observation is None else observation_text(step.observation)

    def next_message(self) -> Message:
        """The message that shows what the last action gave; the lists are in the opening's tail."""
        if self.board.protocol is not None:
            return show_as_published(self.board.protocol, self.steps[-1])
        return user_message(self.steps[-1])

    def end(self, status: EpisodeStatus) -> None:
        """End the run with this status and a step of kind `none`: its reply is not read."""
        self._add(NO_MOVE)
        self.status = status

    def result(self) -> Result | None:
        """How the run ended, None while it continues."""
        if self.status is None:
            return None
        return Result(self.status, self.status == "solved", float(self.status == "solved"))

    @property
    def tests(self) -> int:
        """Number of actions taken, repeated ones included."""
        return sum(step.kind == "action" for step in self.steps)

    def is_decided(self) -> bool | None:
        """Whether the outcomes seen so far make some truth sure; None where reports are shown."""
        if self.board.reports:
            return None
        names = self.board.instance.actions
        tried = {names.index(step.move) for step in self.steps if step.kind == "action" and step.move}
        return is_decided(self.board.encoded, tried)

    def _add(self, move: Move) -> Step:
        if self.status is not None:
            raise ValueError(f"the run has ended ({self.status}): no further reply belongs to it")
        instance = self.board.reports.reported if self.board.reports else self.board.instance
        self.steps.append(_step(instance, len(self.steps) + 1, move))
        return self.steps[-1]


def play(game: KumoGame, player: Player) -> KumoGame:
    """Let the player play the game to its end, and return it."""
    while game.status is None:
        game.take(player(game.steps))
    return game


def is_correct(instance: Instance, encoded: EncodedInstance, truth: str) -> bool:
    """Whether none of the instance's observations rules out the truth."""
    excluded = reduce(or_, (encoded.observed_mask(action) for action in range(len(encoded.masks))), 0)
    return not excluded >> instance.truths.index(truth) & 1


def _step(instance: Instance, number: int, move: Move) -> Step:
    if move.kind != "action" or move.name is None:
        return Step(number, move.kind, move.name, None, None)
    index = instance.actions.index(move.name)
    return Step(number, "action", move.name, instance.observations[index], instance.states[index])


def _status_of(instance: Instance, encoded: EncodedInstance, move: Move) -> EpisodeStatus:
    if move.name is None:
        return "unparsed"
    return "solved" if is_correct(instance, encoded, move.name) else "wrong"
