"""Read one line of the authors' results: all runs of one player on one instance.

What a line holds, worked out from the data:

- `actions`: the tests in order, repeated ones included. A run that ends with a prediction has the truth's
  name next and `{"predicted_truth": name}` last: the prediction is stored twice, so that their action count,
  the list's length, is tests + 2. A parse error has null last, or (fine-tuned models) text that is neither an
  action nor a truth. A run that their limit of 50 turns ended has its tests only.
- `generated_text`: the reply of each turn; null where their call failed, which they count as a parse error.
- `observations`: what each turn was shown: null, then the observation of the action before. That of a last
  action at the turn limit is therefore not stored. The oracle's stand bare, a model's as
  `{"action", "observation"}`.
- `consumed_tokens`: the tokens of all calls of the run together; the oracle has none.

Nothing is repaired. A line that is anything else raises `ForeignLine`, with all of its runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from schemas.errors import quote
from schemas.game import EpisodeStatus
from schemas.kumo.things import TURN_LIMIT

_LARGEST = 2**63 - 1


class ForeignLine(ValueError):
    """A line that does not hold the runs of a player on an instance; its text is the reason."""


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """What an episode needs of its instance; `observations[i]` and `states[i]` are those of `actions[i]`.

    `book_id` is None where the release at hand lacks the book.
    """

    instance_id: str
    book_id: str | None
    truths: tuple[str, ...]
    actions: tuple[str, ...]
    observations: tuple[str, ...]
    states: tuple[int | None, ...]
    valid_truths: tuple[str, ...]


@dataclass(slots=True)
class Board:
    """An instance made ready to read runs on it; `seen` are the observations already found to be its own."""

    key: InstanceKey
    observation_of: dict[str, str]
    state_of: dict[str, int | None]
    seen: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, key: InstanceKey) -> "Board":
        """Return the board of the instance; of an action that is listed twice the first entry counts."""
        entries = list(zip(key.actions, key.observations, key.states, strict=True))[::-1]
        return cls(
            key,
            {action: observation for action, observation, _ in entries},
            {action: state for action, _, state in entries},
        )


@dataclass(slots=True)
class Run:
    """One run: `tests` are the actions taken, `replies` the text of each turn.

    `ending` is the kind of the last turn beyond the tests (None: the run ends with a test) and `truth` the
    truth that it names. `notes` are (rule, what was found) of each thing that does not agree.
    """

    tests: list[str]
    ending: str | None
    truth: str | None
    replies: list[str | None]
    status: EpisodeStatus
    success: bool
    tokens: int | None
    notes: list[tuple[str, str]]


def read_line(line: str, boards: Mapping[int, Board]) -> tuple[int, list[Run]]:
    """Return the line's seed and its runs in order; raise ForeignLine where it holds no runs on a board."""
    from pydantic_core import from_json

    try:
        record = from_json(line)
    except ValueError as error:
        raise ForeignLine(f"it is not JSON, or cut off: {error}") from None
    if not isinstance(record, dict) or type(record.get("seed")) is not int:
        raise ForeignLine("it is no JSON object with an integer `seed`")
    seed = record["seed"]
    board = boards.get(seed)
    if board is None:
        raise ForeignLine(f"the release has no instance with seed {quote(seed)} there")
    runs = record.get("trajectories")
    if not isinstance(runs, list) or not runs:
        raise ForeignLine("`trajectories` is no list of runs")
    found = []
    for number, run in enumerate(runs):
        try:
            found.append(_read_run(run, board))
        except ForeignLine as error:
            raise ForeignLine(f"run {number}: {error}") from None
    return seed, found


def _read_run(run: Any, board: Board) -> Run:
    """Return the run with its status.

    `solved` is exactly what was published as successful. Else a named truth is `wrong`, a last entry that is
    neither action nor truth `unparsed`, and a run that ends with a test `turn_limit`.
    """
    if not isinstance(run, dict):
        raise ForeignLine("it is no JSON object")
    tests, ending, named = _moves(run.get("actions"), board)
    success = _flag(run, "successful")
    # The oracle's runs have no such flag: it always names a truth.
    if _flag(run, "parse_error", default=False) != (ending == "none"):
        _foreign("`parse_error`", run.get("parse_error"), "it does not fit how the run ends")
    turns = len(tests) + (ending is not None)
    notes: list[tuple[str, str]] = []
    truth = named if named in board.key.truths else None
    if named is not None and truth is None:
        ending = "none"
        notes.append(("prediction_unlisted", f"the prediction {quote(named)} is no truth of the instance"))
    status: EpisodeStatus = "turn_limit" if ending is None else "wrong" if truth is not None else "unparsed"
    if success != (truth in board.key.valid_truths):
        notes.append(("success_differs", _difference(success, truth)))
    if turns > TURN_LIMIT or (ending is None and turns < TURN_LIMIT):
        notes.append(("turn_limit_differs", f"{turns} turns, where the authors stop at {TURN_LIMIT}"))
    return Run(
        tests,
        ending,
        truth,
        _replies(run.get("generated_text"), turns, notes),
        "solved" if success else status,
        success,
        _tokens(run.get("consumed_tokens")),
        notes + _other_observations(run.get("observations"), tests, turns, board),
    )


def _moves(actions: Any, board: Board) -> tuple[list[str], str | None, str | None]:
    """Return the tests, the kind of a last turn that is none, and the truth that the run predicts."""
    if not isinstance(actions, list) or not actions:
        _foreign("`actions`", actions, "expected a list of moves")
    tests: list[str] = actions
    ending: str | None = None
    named: str | None = None
    last = actions[-1]
    if isinstance(last, dict):
        named = last.get("predicted_truth")
        if len(last) != 1 or not isinstance(named, str) or len(actions) < 2 or actions[-2] != named:
            _foreign("the last move", last, "expected a prediction of the name before it")
        tests, ending = actions[:-2], "truth"
    elif last is None or (isinstance(last, str) and last not in board.observation_of):
        if last in board.key.truths:
            _foreign("the last move", last, "expected the prediction of that truth after it")
        tests, ending = actions[:-1], "none"
    for test in tests:
        if not isinstance(test, str) or test not in board.observation_of:
            _foreign("a move", test, "expected an action of the instance")
    return tests, ending, named


def _difference(success: bool, truth: str | None) -> str:
    if truth is None:
        return "published as a success without a truth of the instance named"
    name = quote(truth)
    if success:
        return f"published as a success, though an observation of the instance rules out {name}"
    return f"published as a failure, though no observation of the instance rules out {name}"


def _replies(texts: Any, turns: int, notes: list[tuple[str, str]]) -> list[str | None]:
    if not isinstance(texts, list) or len(texts) != turns:
        _foreign("`generated_text`", texts, f"expected {turns} replies")
    for text in texts:
        if text is None:
            notes.append(("reply_missing", "a call without a reply, published as a parse error"))
        elif not isinstance(text, str):
            _foreign("a reply", text, "expected text")
    return texts


def _other_observations(shown: Any, tests: list[str], turns: int, board: Board) -> list[tuple[str, str]]:
    """Return a note for each stored observation that is not the instance's."""
    if not isinstance(shown, list) or len(shown) != turns or shown[0] is not None:
        _foreign(
            "`observations`", shown, f"expected null and the observations of all turns but the last, {turns}"
        )
    notes = []
    for action, entry in zip(tests, shown[1:], strict=False):
        value = entry
        if isinstance(entry, dict):
            value = entry.get("observation")
            if entry.get("action") != action:
                _foreign("an observation", entry, f"expected that of {quote(action)}")
        if board.seen.get(action) == value is not None:
            continue
        if _is_observation(value, board.observation_of[action]):
            board.seen[action] = value
        else:
            told = f"{quote(action)} showed {quote(value)}, where the instance has "
            notes.append(("observation_differs", told + quote(board.observation_of[action])))
    return notes


def _is_observation(value: Any, text: str) -> bool:
    """Whether the stored value is what the text of the tables stands for."""
    from pydantic_core import from_json

    if isinstance(value, str):
        return value == text
    try:
        return bool(from_json(text) == value)
    except ValueError:
        return str(value) == text


def _flag(run: dict[str, Any], name: str, default: bool | None = None) -> bool:
    value = run.get(name, default)
    if not isinstance(value, bool):
        _foreign(f"`{name}`", value, "expected true or false")
    return value


def _tokens(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= _LARGEST:
        _foreign("`consumed_tokens`", value, "expected a number of tokens")
    return value


def _foreign(what: str, value: Any, expected: str) -> NoReturn:
    raise ForeignLine(f"{what} is {quote(value)}: {expected}")
