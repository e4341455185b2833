"""Make an evaluation of an edition from logs of Inspect: each reply is graded again by the benchmark's game.

The replies go into the ledger of calls, and the evaluation is then made as any other is, from the ledger
alone: with the same rows, the same audit and figures, and `perennial reproduce` rebuilds it.
"""

import asyncio
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import process_time
from typing import IO, Any, BinaryIO, TypeVar, cast

from pydantic import BaseModel, Field, ValidationError

from perennial.flows.console.input_files import open_input, show_path
from perennial.flows.inspect_tasks.record import (
    RECORD,
    EditionQuestions,
    Record,
    Replayed,
    open_questions,
    player_name,
    replay,
)
from perennial.flows.refresh.evaluation import (
    place_answers,
    read_playable_plan,
    read_staged_plans,
    refuse_damaged_edition,
)
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.code_version import code_version
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.play_episodes import instance_order
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.schemas.errors import (
    InvalidOption,
    PerennialError,
    UnreadableInput,
    count,
    in_one_line,
    quote,
    shorten,
)
from perennial.schemas.ids import content_id
from perennial.schemas.json_text import read_json
from perennial.schemas.model_calls import ModelRequest, Price, Reply
from perennial.schemas.people import is_person
from perennial.schemas.plan import REPLIES, EvaluationPlan
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.tasks.authors import describe_problems
from perennial.warehouse.catalog.catalog import visible_editions, visible_evaluations
from perennial.warehouse.editions.publish import evaluation_plan
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.prices import load_prices
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.lock import lock_root
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store, root_id

# Read logs of Inspect that tasks of perennial wrote: files are data, bounded, and refused in one line.
# Of each sample only what is imported is kept. Inspect's own reader has no bounds. It writes NaN where
# there is no metric: so any number is read, and `Record` looks at those that are imported.

_SUFFIXES = (".eval", ".json")
_MAX_FILE, _MAX_MEMBER, _MAX_UNPACKED = 1_000_000_000, 32_000_000, 4_000_000_000
_MAX_LIST = 20_000_000  # of the members of a file: 400,000 samples
_MAX_CPU_SECONDS = 600.0  # per log: four times what the most bytes take
_MAX_EPOCHS = 1_000  # as `--runs`
_PIECE = 1_000_000
_ATTACHMENT = "attachment://"
_HEADER, _SAMPLES = "header.json", "samples/"


class _ConfigForm(BaseModel, strict=True):
    epochs: int | None = None


class _SpecForm(BaseModel, strict=True):
    model: str
    metadata: JsonObject | None = None
    config: _ConfigForm = _ConfigForm()


class _LogForm(BaseModel, strict=True):
    status: str
    invalidated: bool = False
    eval: _SpecForm
    samples: list[Any] | None = None


class _ScoreForm(BaseModel, strict=True):
    value: Any = None
    metadata: JsonObject | None = None


class _SampleForm(BaseModel, strict=True):
    id: int | str
    epoch: int
    error: JsonObject | None = None
    limit: JsonObject | None = None
    scores: dict[str, _ScoreForm] | None = None
    store: JsonObject = Field(default_factory=dict)
    attachments: dict[str, str] = Field(default_factory=dict)


_Form = TypeVar("_Form", bound=BaseModel)
Unpacked = TypeVar("Unpacked")


@dataclass(frozen=True, slots=True)
class LogHead:
    """What a log says of itself: its file, edition, canary, player, and how often each sample was played."""

    path: Path
    edition: str
    canary: str
    player: str
    epochs: int

    def __str__(self) -> str:
        return show_path(self.path)


@dataclass(frozen=True, slots=True)
class LoggedEpisode:
    """An episode as a log has it: its place, its replies, and its `grade`: success, score and status."""

    where: str
    instance_id: str
    epoch: int
    record: Record
    grade: tuple[object, object, object]


def list_logs(paths: Sequence[Path]) -> list[Path]:
    """Return the files, and those that folders hold, sorted; raise UnreadableInput where there is none."""
    logs: list[Path] = []
    for path in paths:
        held = (
            sorted(entry for entry in path.iterdir() if entry.suffix in _SUFFIXES)
            if path.is_dir()
            else [path]
        )
        if not held:
            raise UnreadableInput(
                f"{show_path(path)}: no log of Inspect (*.eval) in this folder; name another"
            )
        logs += held
    return list(dict.fromkeys(logs))


def read_head(path: Path) -> LogHead:
    """Return what the log says of itself; raise UnreadableInput where it is not a whole one of our tasks."""
    with _open_log(path) as (log, _):
        record = (log.eval.metadata or {}).get(RECORD)
    fields = [record.get(key) for key in ("edition", "canary", "variant")] if isinstance(record, dict) else []
    if not fields or not all(isinstance(text, str) for text in fields):
        raise UnreadableInput(
            f"{show_path(path)}: not a log of a task of perennial (`inspect eval perennial/kumo` writes one)"
        )
    if log.status != "success" or log.invalidated:
        raise UnreadableInput(
            f"{show_path(path)}: its status is {in_one_line(log.status)[:60]}, so that answers are missing: "
            "`inspect eval-retry` of this file completes it; import the log that this writes"
        )
    edition, canary, variant = map(str, fields)
    epochs = log.eval.config.epochs or 1
    if not 1 <= epochs <= _MAX_EPOCHS:
        raise UnreadableInput(f"{show_path(path)}: {quote(epochs)} epochs: expected 1 to {_MAX_EPOCHS:,}")
    return LogHead(path, edition, canary, player_name(variant, log.eval.model), epochs)


def read_episodes(head: LogHead) -> Iterator[LoggedEpisode]:
    """Yield the episodes of a log; raise UnreadableInput for one without record, or that failed."""
    with _open_log(head.path) as (_, samples):
        for value in samples:
            sample = _read_form(_SampleForm, value, f"{head}: a sample")
            where = f"{head}: sample {quote(sample.id)}, epoch {quote(sample.epoch)}"
            ended = sample.error or sample.limit
            if ended is not None:
                why = quote(ended.get("message", ended.get("type")), 100)
                raise UnreadableInput(
                    f"{where} ended early ({why}): "
                    "`inspect eval-retry` of this file completes it; import the log that this writes"
                )
            try:
                record = Record.from_json(_Attachments(sample.attachments).put_into(sample.store.get(RECORD)))
            except UnreadableInput as error:
                raise UnreadableInput(f"{where}: {error}") from None
            graded = (sample.scores or {}).get("grade", _ScoreForm())
            graded_as = graded.value if isinstance(graded.value, dict) else {}
            grade = graded_as.get("success"), graded_as.get("score"), (graded.metadata or {}).get("status")
            yield LoggedEpisode(where, str(sample.id), sample.epoch, record, grade)


@contextmanager
def _open_log(path: Path) -> Iterator[tuple[_LogForm, Iterator[Any]]]:
    """Open a log; yield what it says of itself, and its samples, each read when it is asked for."""
    name = show_path(path)
    if path.suffix not in _SUFFIXES:
        raise UnreadableInput(f"{name}: expected a log of Inspect, *.eval or *.json")
    with open_input(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        if size > (_MAX_FILE if path.suffix == ".eval" else _MAX_MEMBER):
            raise _too_large(name)
        if path.suffix == ".json":
            log = _read_form(_LogForm, read_json(file.read(), name, any_number=True), name)
            yield log, iter(log.samples or ())
            return
        members = _Members(file, name)
        yield _read_form(_LogForm, members.read(_HEADER), name), map(members.read, members.samples)


class _Members:
    """The members of a log, a zip file: none is larger than the bounds, whatever the file says of it."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        with suppress(ImportError):
            import zipfile_zstd  # noqa: F401  # lets zipfile read what Inspect compresses
        self._name = name
        self._zip = self._unpack(lambda: zipfile.ZipFile(cast(IO[bytes], _SmallReads(file))))
        self.samples = [
            entry for entry in self._zip.namelist() if entry.startswith(_SAMPLES) and entry.endswith(".json")
        ]
        self._left, self._started = _MAX_UNPACKED, process_time()

    def read(self, entry: str) -> Any:
        """Return the JSON of a member; raise UnreadableInput for a damaged one, or one beyond the bounds."""
        content = self._unpack(lambda: self._read_bytes(entry))
        self._left -= len(content)
        if len(content) > _MAX_MEMBER or self._left < 0:
            raise _too_large(self._name)
        if process_time() - self._started > _MAX_CPU_SECONDS:
            raise UnreadableInput(
                f"{self._name}: not read within {_MAX_CPU_SECONDS:g} s of CPU: split it by fewer samples, as "
                "with --limit"
            )
        return read_json(content, f"{self._name}: {quote(entry)}", any_number=True)

    def _read_bytes(self, entry: str) -> bytes:
        content = bytearray()
        with self._zip.open(entry) as member:
            while len(content) <= _MAX_MEMBER and (piece := member.read(_PIECE)):
                content += piece
        return bytes(content)

    def _unpack(self, unpack: Callable[[], Unpacked]) -> Unpacked:
        try:
            return unpack()
        except Exception as error:  # noqa: BLE001  each way to compress has errors of its own for damaged bytes
            raise UnreadableInput(
                f"{self._name}: cannot be read as a log of Inspect ({shorten(in_one_line(error), 160)}): "
                "give the file as Inspect wrote it"
            ) from None


class _SmallReads:
    """A file that zipfile reads: a list of members that would fill the memory is refused."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if size > _MAX_LIST:
            raise ValueError("more members than a log has")
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Attachments:
    """The long texts of a sample, which Inspect keeps apart; put back, they are no longer than a sample."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._left = _MAX_MEMBER

    def put_into(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self.put_into(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.put_into(part) for part in value]
        if not isinstance(value, str) or not value.startswith(_ATTACHMENT):
            return value
        text = self._texts.get(value.removeprefix(_ATTACHMENT), value)
        self._left -= len(text)
        if self._left < 0:
            raise UnreadableInput(f"its attachments are longer than {_MAX_MEMBER:,} characters")
        return text


def _read_form(form: type[_Form], value: object, where: str) -> _Form:
    try:
        return form.model_validate(value)
    except ValidationError as error:
        raise UnreadableInput(
            f"{where}: not as Inspect writes it ({shorten(describe_problems(error, 1), 160)})"
        ) from None


def _too_large(name: str) -> UnreadableInput:
    return UnreadableInput(
        f"{name}: larger than a log may be ({_MAX_FILE:,} bytes, {_MAX_MEMBER:,} per sample or as *.json, "
        f"{_MAX_UNPACKED:,} unpacked): split it by fewer samples, as with --limit"
    )


_ENDPOINT = "inspect_ai"  # as the place where calls were sent
_POLICIES = Policies(CallPolicy(base_url="http://replay.invalid", replay=True), accept_api_errors=False)
_AT_ONCE = 1_000
_MOST_NAME = 200
Tell = Callable[[str], None]
Call = tuple[ModelRequest, Reply]


@dataclass(frozen=True, slots=True)
class ImportedLogs:
    """The evaluation that was made, its players and how many episodes it has; `is_new`: it was made now."""

    unit: str
    players: tuple[str, ...]
    episodes: int
    is_new: bool


def import_logs(store: Store, paths: Sequence[Path], name: str, tell: Tell) -> ImportedLogs:
    """Publish the answers of the logs as an evaluation of their edition; once for the same logs.

    Raises UnreadableInput for a file that is no whole log of a task of perennial, or whose grades are not
    those of the benchmark's own game; InvalidOption where edition or players do not fit the data root.
    Nothing is published then.
    """
    heads = [read_head(path) for path in list_logs(paths)]
    questions = _open_edition(store, heads)
    logged = {head.player: _read_log(questions, head) for head in heads}
    asked = _plan(questions, heads, logged)
    episodes = sum(map(len, logged.values()))
    with lock_root(store, f"import inspect {asked.edition}", tell):
        for unit in visible_evaluations(store, asked.edition):
            if evaluation_plan(store, unit).imported_from == asked.imported_from:
                return ImportedLogs(unit, asked.players, episodes, is_new=False)
        for left in read_staged_plans(store, asked.edition):
            if left.imported_from == asked.imported_from:
                Staging(store, left.unit).remove()
        plan = place_answers(store, asked, name)
        calls = list(_replay_all(questions, plan, logged, load_prices(store)))
        asyncio.run(_keep_calls(store, plan.unit, calls))
        staging = Staging(store, plan.unit)
        staging.write_plan(plan)
        grow(open_workspace(store.root, plan.unit), _POLICIES, PlainStages())
        audit_and_publish(store.root, plan.unit)
        staging.remove()
    return ImportedLogs(plan.unit, plan.players, episodes, is_new=True)


def _open_edition(store: Store, heads: Sequence[LogHead]) -> EditionQuestions:
    first = heads[0]
    for head in heads:
        if (head.edition, head.canary, head.epochs) != (first.edition, first.canary, first.epochs):
            raise InvalidOption(
                f"{head} is of edition {quote(head.edition)} with {count(head.epochs, 'epoch')}, and "
                f"{first} of {quote(first.edition)} with {first.epochs:,}: import them one by one"
            )
        if sum(other.player == head.player for other in heads) > 1:
            raise InvalidOption(
                f"several logs are of player {quote(head.player)}: import them one by one, as further runs"
            )
        _require_model(head)
    if first.edition not in visible_editions(store):
        raise InvalidOption(
            f"{first} is of edition {quote(first.edition)}, which is not published in {store.root}: name the "
            "data root that it was played from with --root"
        )
    plan = read_playable_plan(store, first.edition)
    if plan.canary != first.canary:
        raise InvalidOption(
            f"{first} is of another edition {first.edition!r} than that of {store.root}: their canaries "
            "differ; name the data root that it was played from with --root"
        )
    refuse_damaged_edition(store, first.edition)
    return open_questions(store.root, first.edition)


def _require_model(head: LogHead) -> None:
    if is_person(head.player) or not head.player.isprintable() or len(head.player) > _MOST_NAME:
        raise InvalidOption(f"{head}: model {quote(head.player)} is not the name of a model that can play")


def _read_log(questions: EditionQuestions, head: LogHead) -> list[LoggedEpisode]:
    """Return the episodes of a log: each of its instances in each epoch, and the first instances in order."""
    episodes: dict[tuple[str, int], LoggedEpisode] = {}
    most = len(questions.seats) * head.epochs
    for episode in islice(read_episodes(head), most + 1):
        if episodes.setdefault((episode.instance_id, episode.epoch), episode) is not episode:
            raise UnreadableInput(f"{episode.where} is in it twice: give the file as Inspect wrote it")
    ids = {instance_id for instance_id, _ in episodes}
    first = set(islice(questions.seats, len(ids)))
    epochs = range(1, head.epochs + 1)
    if not ids or ids != first or episodes.keys() != {(id_, epoch) for id_ in ids for epoch in epochs}:
        raise UnreadableInput(
            f"{head}: {count(len(episodes), 'sample')} of {count(len(ids), 'instance')} are not the first "
            f"ones of edition {head.edition!r} in each of {count(head.epochs, 'epoch')}: choose a part with "
            "--limit or -T instances=N alone"
        )
    return [episodes[id_, epoch] for id_ in questions.seats if id_ in ids for epoch in epochs]


def _plan(
    questions: EditionQuestions, heads: Sequence[LogHead], logged: Mapping[str, Sequence[LoggedEpisode]]
) -> EvaluationPlan:
    """Return the plan of these answers, without a name; what they were read from counts by content."""
    growth, players = questions.plan, tuple(logged)
    programs = questions.benchmark.programs
    for player in players:
        if player in programs:
            raise InvalidOption(f"model {player!r} has the name of a program of {growth.benchmark}")
    params = {}
    for player, episodes in logged.items():
        params[player] = episodes[0].record.params
        other = next((episode for episode in episodes if episode.record.params != params[player]), None)
        if other is not None:
            raise UnreadableInput(f"{other.where}: its parameters are not those of the first sample")
    sizes = {len({episode.instance_id for episode in episodes}) for episodes in logged.values()}
    if len(sizes) > 1:
        raise InvalidOption("the logs are of different numbers of instances: import them one by one")
    (size,) = sizes
    content = [
        (player, episode.instance_id, episode.epoch, episode.record.as_json(), episode.grade)
        for player, episodes in logged.items()
        for episode in episodes
    ]
    return EvaluationPlan(
        growth.edition,
        name="",
        benchmark=growth.benchmark,
        players=players,
        runs=heads[0].epochs,
        seed=growth.public_seed,
        code_version=code_version(),
        imported_from=REPLIES + content_id("inspect", content),
        canary=growth.canary,
        model_params=params,
        instances=_subset(questions, size),
    )


def _subset(questions: EditionQuestions, size: int) -> int:
    """Return which subset of the edition the first `size` instances that can be played are; 0: all of it."""
    if size == len(questions.seats):
        return 0
    order = instance_order(questions.store, questions.plan.edition)
    return order[next(islice(questions.seats, size - 1, None))] + 1


def _replay_all(
    questions: EditionQuestions,
    plan: EvaluationPlan,
    logged: Mapping[str, Sequence[LoggedEpisode]],
    prices: Mapping[str, Price],
) -> Iterator[Call]:
    """Yield the calls of all episodes; raise UnreadableInput for one that our game grades otherwise."""
    for player, episodes in logged.items():
        first = plan.runs_of(player).start
        for episode in episodes:
            seat, run = questions.seat(episode.instance_id), first + episode.epoch - 1
            try:
                replayed = asyncio.run(
                    replay(questions, seat, player, run, episode.record, prices.get(player))
                )
            except PerennialError as error:
                raise UnreadableInput(f"{episode.where}: {error}") from None
            _require_same_grade(episode, replayed)
            yield from replayed.calls


def _require_same_grade(episode: LoggedEpisode, replayed: Replayed) -> None:
    result = replayed.episode.result
    ours = float(result.success), result.score, result.status
    if ours != episode.grade:
        names = ("success", "score", "status")
        logged = [f"{name} {quote(value)}" for name, value in zip(names, episode.grade, strict=True)]
        raise UnreadableInput(
            f"{episode.where}: the log says {', '.join(logged)}; "
            f"our game gives {ours[0]}, {ours[1]}, {ours[2]!r}: "
            "`inspect score LOG --scorer perennial/grade -S root=ROOT -S edition=EDITION --action overwrite` "
            "grades it again"
        )


async def _keep_calls(store: Store, unit: str, calls: Iterable[Call]) -> None:
    """Keep the replies in the ledger; raise InvalidOption where it has another reply to one of the calls."""
    left = iter(calls)
    with CallLedger(ledger_file(store.root), unit, _ENDPOINT, root_id(store)) as ledger:
        while some := list(islice(left, _AT_ONCE)):
            kept = await asyncio.gather(*(ledger.store(request, reply) for request, reply in some))
            for (request, reply), stored in zip(some, kept, strict=True):
                if (stored.status, stored.content) != (reply.status, reply.content):
                    raise InvalidOption(
                        f"the ledger has another reply to call {request.call_id} of {request.model!r}, of an "
                        "evaluation that was not published: import into a copy of the data root"
                    )
