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
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import from_json

from perennial.schemas.errors import quote
from perennial.schemas.game import EpisodeStatus
from perennial.schemas.kumo.things import TURN_LIMIT


class ForeignLine(ValueError):
    """A line that does not hold the runs of a player on an instance; its text is the reason."""


class _RunForm(BaseModel, strict=True):
    actions: Annotated[list[Any], Field(min_length=1)]
    generated_text: list[str | None]
    observations: Annotated[list[Any], Field(min_length=1)]
    successful: bool
    parse_error: bool = False  # The oracle's runs have no such flag: it always names a truth.
    consumed_tokens: Annotated[int | None, Field(ge=0, lt=2**63)] = None


class _LineForm(BaseModel, strict=True):
    seed: int
    trajectories: Annotated[list[_RunForm], Field(min_length=1)]


@dataclass(slots=True)
class Board:
    """What a run needs of its instance; `book_id` is None where the release at hand lacks the book.

    `seen` are the stored observations already found to be the instance's own.
    """

    instance_id: str
    book_id: str | None
    truths: tuple[str, ...]
    valid_truths: tuple[str, ...]
    observation_of: dict[str, str]
    state_of: dict[str, int | None]
    seen: dict[str, Any] = field(default_factory=dict, compare=False)


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
    try:
        record = _LineForm.model_validate_json(line)
    except ValidationError as error:
        raise ForeignLine(_describe_problem(error)) from None
    board = boards.get(record.seed)
    if board is None:
        raise ForeignLine(f"the release has no instance with seed {quote(record.seed)} there")
    found = []
    for number, run in enumerate(record.trajectories):
        try:
            found.append(_read_run(run, board))
        except ForeignLine as error:
            raise ForeignLine(f"run {number}: {error}") from None
    return record.seed, found


def _describe_problem(error: ValidationError) -> str:
    """Return the first thing that the form of a line does not have."""
    problem = error.errors(include_url=False)[0]
    if problem["type"] == "json_invalid":
        return f"it is not JSON, or cut off: {problem['ctx']['error']}"
    place = ".".join(map(str, problem["loc"])).replace("trajectories.", "run ", 1)
    return f"{place or 'the line'} is {quote(problem['input'])}: {problem['msg']}"


def _read_run(run: _RunForm, board: Board) -> Run:
    """Return the run with its status.

    `solved` is exactly what was published as successful. Else a named truth is `wrong`, a last entry that is
    neither action nor truth `unparsed`, and a run that ends with a test `turn_limit`.
    """
    tests, ending, named = _moves(run.actions, board)
    if run.parse_error != (ending == "none"):
        _foreign("`parse_error`", run.parse_error, "it does not fit how the run ends")
    turns = len(tests) + (ending is not None)
    if len(run.generated_text) != turns:
        _foreign("`generated_text`", run.generated_text, f"expected {turns} replies")
    notes: list[tuple[str, str]] = []
    truth = named if named in board.truths else None
    if named is not None and truth is None:
        ending = "none"
        notes.append(("prediction_unlisted", f"the prediction {quote(named)} is no truth of the instance"))
    status: EpisodeStatus = "turn_limit" if ending is None else "wrong" if truth is not None else "unparsed"
    if run.successful != (truth in board.valid_truths):
        notes.append(("success_differs", _difference(run.successful, truth)))
    if turns > TURN_LIMIT or (ending is None and turns < TURN_LIMIT):
        notes.append(("turn_limit_differs", f"{turns} turns, where the authors stop at {TURN_LIMIT}"))
    if None in run.generated_text:
        notes.append(("reply_missing", "a call without a reply, published as a parse error"))
    return Run(
        tests,
        ending,
        truth,
        replies=run.generated_text,
        status="solved" if run.successful else status,
        success=run.successful,
        tokens=run.consumed_tokens,
        notes=notes + _other_observations(run.observations, tests, turns, board),
    )


def _moves(actions: list[Any], board: Board) -> tuple[list[str], str | None, str | None]:
    """Return the tests, the kind of a last turn that is none, and the truth that the run predicts."""
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
        if last in board.truths:
            _foreign("the last move", last, "expected the prediction of that truth after it")
        tests, ending = actions[:-1], "none"
    for test in tests:
        if not isinstance(test, str) or test not in board.observation_of:
            _foreign("a move", test, "expected an action of the instance")
    return tests, ending, named


def _difference(success: bool, truth: str | None) -> str:
    if truth is None:
        return "published as a success without a truth of the instance named"
    published = "a success, though an" if success else "a failure, though no"
    return f"published as {published} observation of the instance rules out {quote(truth)}"


def _other_observations(
    shown: list[Any], tests: list[str], turns: int, board: Board
) -> list[tuple[str, str]]:
    """Return a note for each stored observation that is not the instance's."""
    if len(shown) != turns or shown[0] is not None:
        expected = f"expected null and the observations of all turns but the last, {turns}"
        _foreign("`observations`", shown, expected)
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
            own = quote(board.observation_of[action])
            message = f"{quote(action)} showed {quote(value)}, where the instance has {own}"
            notes.append(("observation_differs", message))
    return notes


def _is_observation(value: Any, text: str) -> bool:
    """Whether the stored value is what the text of the tables stands for."""
    if isinstance(value, str):
        return value == text
    try:
        return bool(from_json(text) == value)
    except ValueError:
        return str(value) == text


def _foreign(what: str, value: Any, expected: str) -> NoReturn:
    raise ForeignLine(f"{what} is {quote(value)}: {expected}")
