"""Import the authors' trajectories: hundreds of thousands of runs as rows of `episodes` and `turns`.

The files of each domain and setting are read together, by several processes where there are several; they
become one Parquet part a table, and `merge_parts` merges those. Rows, findings and their order depend on the
files alone, never on the number of processes or on which of them is faster.

Beyond what a run says of itself, its rows hold: as observation and state of a test those of the instance
(which never change, and with which the stored ones are compared while reading), no cost, and 0 seconds,
as the release does not say how long a run took.
"""

import os
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import from_json

from perennial.schemas.errors import PerennialError, quote
from perennial.schemas.game import EpisodeStatus
from perennial.schemas.json_text import UnreadableJson, read_json
from perennial.schemas.kumo.things import TURN_LIMIT, Setting
from perennial.schemas.rows import Rejection, Row
from perennial.schemas.tables import TABLES
from perennial.warehouse.kumo.release.layout import RunCell, SettingFile, Skipped, read_lines
from perennial.warehouse.kumo.rows import episode_id, kumo_episode_row
from perennial.warehouse.merge_parts import write_sorted

if TYPE_CHECKING:
    import pyarrow


# Runs of a domain and setting without instances: their outcomes alone, as rows of `kumo_outcome_runs`.
#
# The checkpoints' MedicalINDEnv and MedicalOODEnv are such domains (the paper's figure 5). Success needs no
# instance; the seed says which runs are on the same one, so that intervals can cluster by it.

_MAX_LINE_BYTES_OUTCOME_RUNS = 100_000_000


def read_outcome_rows(file: SettingFile) -> list[Row] | None:
    """Return a row per instance of the file; None where a line holds no outcomes."""
    rows = []
    for seed, trajectories in read_outcomes(file).items():
        if trajectories is None:
            return None
        if trajectories:
            solved = sum(run["successful"] for run in trajectories)
            rows.append(outcome_row(file.player, file.domain, file.setting, seed, len(trajectories), solved))
    return rows or None


def outcome_row(player: str, domain: str, setting: Setting, seed: int, runs: int, solved: int) -> Row:
    """Return the row of table `kumo_outcome_runs`."""
    origin = {"player": player, "domain": domain, "setting": setting.name, "seed": seed}
    return {**origin, "runs": runs, "solved": solved}


def read_outcomes(file: SettingFile) -> Mapping[int, list[dict[str, Any]] | None]:
    """Return the runs of the file by seed, None for a line that holds none."""
    runs_by_seed: dict[int, list[dict[str, Any]] | None] = {}
    for entry in read_lines(file.file, _MAX_LINE_BYTES_OUTCOME_RUNS):
        number, runs = -1 - len(runs_by_seed), None
        if not isinstance(entry, Skipped):
            try:
                record = read_json(entry[1])
                if all(isinstance(run["successful"], bool) for run in record["trajectories"]):
                    number, runs = int(record["seed"]), record["trajectories"]
            except (ValueError, KeyError, TypeError):
                pass
        runs_by_seed[number] = runs
    return runs_by_seed


# Read one line of the authors' results: all runs of one player on one instance.
#
# What a line holds, worked out from the data:
#
# - `actions`: the tests in order, repeated ones included. A run that ends with a prediction has the truth's
#   name next and `{"predicted_truth": name}` last: the prediction is stored twice, so that their action
#   count, the list's length, is tests + 2. A parse error has null last, or (fine-tuned models) text that is
#   neither an action nor a truth. A run that their limit of 50 turns ended has its tests only.
# - `generated_text`: the reply of each turn; null where their call failed, which they count as a parse error.
# - `observations`: what each turn was shown: null, then the observation of the action before. That of a last
#   action at the turn limit is therefore not stored. The oracle's stand bare, a model's as
#   `{"action", "observation"}`.
# - `consumed_tokens`: the tokens of all calls of the run together; the oracle has none.
#
# Nothing is repaired. A line that is anything else raises `ForeignLine`, with all of its runs.


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
class RunInstance:
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
class ReleasedRun:
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


def read_line(line: str, boards: Mapping[int, RunInstance]) -> tuple[int, list[ReleasedRun]]:
    """Return the line's seed and its runs in order; raise ForeignLine where it holds no runs on a board."""
    try:
        record = _LineForm.model_validate(read_json(line))
    except UnreadableJson as error:
        raise ForeignLine(f"it cannot be read: {error}") from None
    except ValidationError as error:
        raise ForeignLine(_describe_problem(error)) from None
    board = boards.get(record.seed)
    if board is None:
        raise ForeignLine(f"the release has no instance with seed {quote(record.seed)} there")
    runs = []
    for number, run in enumerate(record.trajectories):
        try:
            runs.append(_read_run(run, board))
        except ForeignLine as error:
            raise ForeignLine(f"run {number}: {error}") from None
    return record.seed, runs


def _describe_problem(error: ValidationError) -> str:
    """The first thing that the form of a line does not have."""
    problem = error.errors(include_url=False)[0]
    path = ".".join(map(str, problem["loc"])).replace("trajectories.", "run ", 1)
    return f"{path or 'the line'} is {quote(problem['input'])}: {problem['msg']}"


def _read_run(run: _RunForm, board: RunInstance) -> ReleasedRun:
    """The run with its status.

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
    return ReleasedRun(
        tests,
        ending,
        truth,
        replies=run.generated_text,
        status="solved" if run.successful else status,
        success=run.successful,
        tokens=run.consumed_tokens,
        notes=notes + _other_observations(run.observations, tests, turns, board),
    )


def _moves(actions: list[Any], board: RunInstance) -> tuple[list[str], str | None, str | None]:
    """The tests, the kind of a last turn that is none, and the truth that the run predicts."""
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
    observations: list[Any], tests: list[str], turns: int, board: RunInstance
) -> list[tuple[str, str]]:
    """A note for each stored observation that is not the instance's."""
    if len(observations) != turns or observations[0] is not None:
        expected = f"expected null and the observations of all turns but the last, {turns}"
        _foreign("`observations`", observations, expected)
    notes = []
    for action, entry in zip(tests, observations[1:], strict=False):
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
            stored = quote(board.observation_of[action])
            message = f"{quote(action)} showed {quote(value)}, where the instance has {stored}"
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


TRAJECTORY_TABLES = ("episodes", "turns", "kumo_episodes", "kumo_moves")
_MAX_LINE_BYTES = 64 << 20  # the longest line of the release has under a megabyte
Boards = Mapping[RunCell, Mapping[int, RunInstance]]


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is: files read of all, and the runs found so far."""

    files: int
    all_files: int
    runs: int


@dataclass(slots=True)
class ImportedTrajectories:
    """What an import staged: rows of each table; what it skipped; what it found and kept as it was.

    `outcomes` are rows of `kumo_outcome_runs`, of runs on instances that the release does not have.
    """

    counts: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    findings: list[Rejection] = field(default_factory=list)
    outcomes: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The files of one domain and setting, its instances by seed, and where the parts go."""

    number: int
    files: tuple[SettingFile, ...]
    boards: Mapping[int, RunInstance]
    folder: Path


def import_trajectories(
    files: Sequence[SettingFile],
    boards: Boards,
    folder: Path,
    *,
    workers: int | None = None,
    on_progress: Callable[[ImportProgress], None] = lambda _: None,
) -> ImportedTrajectories:
    """Write the runs of the files as Parquet parts `folder/<table>/part-N.parquet`.

    `files` has one file for a player, domain and setting; `boards` has the instances of a domain and setting
    by seed. `workers` is the number of processes, by default that of the CPUs; one worker, or one domain and
    setting, is this process.

    A line or file that does not hold runs on these instances is skipped with its reason. Runs whose published
    success differs from our grader's (a truth that no observation of the instance rules out) keep it, and are
    findings; so is all else that `trajectory_lines` notes. Raises OSError where a part cannot be written, and
    PerennialError where a worker was ended from outside.
    """
    places: dict[RunCell, list[SettingFile]] = defaultdict(list)
    for file in sorted(files, key=lambda file: (file.domain, file.setting.name, file.player)):
        places[file.domain, file.setting].append(file)
    chunks = [
        _Chunk(number, tuple(chunk), boards.get(key, {}), folder)
        for number, (key, chunk) in enumerate(places.items())
    ]
    read = ImportedTrajectories(Counter(dict.fromkeys(TRAJECTORY_TABLES, 0)))
    done = 0
    for chunk, result in zip(chunks, _results(chunks, workers or os.cpu_count() or 1), strict=True):
        read.counts.update(result.counts)
        read.skipped += result.skipped
        read.findings += result.findings
        read.outcomes += result.outcomes
        done += len(chunk.files)
        on_progress(ImportProgress(done, len(files), read.counts["episodes"]))
    return read


def merge_parts(folder: Path, table: str, unit: str, canary: str = "") -> Path:
    """Merge the table's parts into the unit's `folder/<table>.parquet`, sorted by its key."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    parts = sorted((folder / table).glob("part-*.parquet"))
    rows = (pq.read_table(part, partitioning=None) for part in parts)
    return write_sorted(table, rows, folder, unit, canary)


def write_part(rows: "pyarrow.Table", folder: Path, table: str, number: int) -> None:
    """Write the rows as one part of the table; no rows make no part."""
    import pyarrow.parquet as pq

    if rows.num_rows:
        (folder / table).mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, folder / table / f"part-{number:05d}.parquet", compression="lz4")


def _results(chunks: Sequence[_Chunk], workers: int) -> Iterator[ImportedTrajectories]:
    if min(workers, len(chunks)) <= 1:
        yield from map(_import_chunk, chunks)
        return
    # Spawned, not forked: a fork of a process that has threads (Arrow's, DuckDB's) may hang.
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=_leave_interrupts_to_parent) as pool:
        try:
            yield from pool.map(_import_chunk, chunks)
        except BrokenProcessPool:
            raise PerennialError(
                f"one of {workers} worker processes was ended from outside, perhaps for want of memory: "
                "import again, where more memory is free"
            ) from None


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _import_chunk(chunk: _Chunk) -> ImportedTrajectories:
    import pyarrow as pa

    result = ImportedTrajectories()
    rows: dict[str, list[Row]] = {name: [] for name in TRAJECTORY_TABLES}
    for file in chunk.files:
        outcomes = None if chunk.boards else read_outcome_rows(file)
        if outcomes is not None:
            result.outcomes += outcomes
        else:
            _read_file(file, chunk.boards, rows, result)
    for name, table_rows in rows.items():
        result.counts[name] = len(table_rows)
        part = pa.Table.from_pylist(table_rows, schema=TABLES[name].arrow_schema())
        write_part(part, chunk.folder, name, chunk.number)
    return result


def _read_file(
    file: SettingFile,
    boards: Mapping[int, RunInstance],
    rows: dict[str, list[Row]],
    result: ImportedTrajectories,
) -> None:
    subject = f"{file.player} {file.domain} {file.setting.name}"
    numbers: Counter[str] = Counter()
    skipped: list[Skipped] = []
    for entry in read_lines(file.file, _MAX_LINE_BYTES):
        if isinstance(entry, Skipped):
            skipped.append(entry)
            continue
        try:
            seed, runs = read_line(entry[1], boards)
        except ForeignLine as error:
            skipped.append(Skipped(file.file.name, entry[0], str(error)))
            continue
        board = boards[seed]
        first = numbers[board.instance_id]
        numbers[board.instance_id] += len(runs)
        for number, run in enumerate(runs, first):
            _add_rows(rows, board, file.player, number, run)
        result.findings += _findings(f"{subject} seed={seed}", first, runs)
    result.skipped += skipped if numbers else [_describe_file(file, bool(boards), skipped)]


def _describe_file(file: SettingFile, has_instances: bool, skipped: list[Skipped]) -> Skipped:
    first = skipped[0]
    if first.line is None:
        return first
    if not has_instances:
        return Skipped(file.file.name, None, "the release has no instances of its domain and setting")
    reason = f"none of its {len(skipped)} lines holds runs (line {first.line}: {first.reason})"
    return Skipped(file.file.name, None, reason)


def _add_rows(
    rows: dict[str, list[Row]], board: RunInstance, player: str, number: int, run: ReleasedRun
) -> None:
    identity = episode_id(board.book_id, board.instance_id, player, number)
    rows["episodes"].append(
        {
            "episode_id": identity,
            "instance_id": board.instance_id,
            "player": player,
            "run": number,
            "status": run.status,
            "success": run.success,
            "score": float(run.success),
            "turns": len(run.replies),
            "tokens": run.tokens,
            "seconds": 0.0,
        }
    )
    rows["kumo_episodes"].append(kumo_episode_row(identity, board.book_id, len(run.tests)))
    moves = [("action", test, board.state_of[test], board.observation_of[test]) for test in run.tests]
    ending = [] if run.ending is None else [(run.ending, run.truth, None, None)]
    for turn, (reply, (kind, move, state, feedback)) in enumerate(
        zip(run.replies, [*moves, *ending], strict=True), start=1
    ):
        keys = {"episode_id": identity, "turn": turn}
        rows["turns"].append({**keys, "reply": reply, "feedback": feedback})
        rows["kumo_moves"].append({**keys, "player": player, "kind": kind, "move": move, "state": state})


def _findings(subject: str, first: int, runs: Iterable[ReleasedRun]) -> Iterator[Rejection]:
    """What was found in a line's runs, each once with the numbers of the runs that it was found in."""
    by_note: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, run in enumerate(runs, first):
        for note in dict.fromkeys(run.notes):
            by_note[note].append(number)
    if first:
        by_note["instance_repeated", "an earlier line has runs on this instance: numbered on"].append(first)
    for (rule, message), numbers in by_note.items():
        which = ", ".join(map(str, numbers))
        yield Rejection("import", subject, rule, f"{message}; kept as published (run {which})")
