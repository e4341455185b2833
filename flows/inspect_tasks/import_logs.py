"""Make an evaluation of an edition from logs of Inspect: each reply is graded again by the benchmark's game.

The replies go into the ledger of calls, and the evaluation is then made as any other is, from the ledger
alone: with the same rows, the same audit and figures, and `perennial reproduce` rebuilds it.
"""

import asyncio
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perennial.flows.console.input_files import open_input, show_path
from perennial.flows.inspect_tasks.play import player_name
from perennial.flows.inspect_tasks.record import (
    RECORD,
    EditionQuestions,
    Record,
    Replayed,
    open_questions,
    replay,
)
from perennial.flows.refresh.evaluation import place_answers, read_playable_plan, refuse_damaged_edition
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
from perennial.schemas.model_calls import ModelRequest, Price, Reply
from perennial.schemas.people import is_person
from perennial.schemas.plan import REPLIES, EvaluationPlan
from perennial.schemas.settings.model_entry import CallPolicy
from perennial.schemas.units import split_unit
from perennial.warehouse.catalog.catalog import visible_editions, visible_evaluations
from perennial.warehouse.editions.publish import evaluation_plan
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.prices import load_prices
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.lock import lock_root
from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.store import Store, root_id

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample


# Read logs of Inspect that tasks of perennial wrote: files are data, bounded, and refused in one line.


_SUFFIXES = (".eval", ".json")
_MAX_FILE, _MAX_MEMBER, _MAX_UNPACKED = 1_000_000_000, 200_000_000, 4_000_000_000
_MAX_EPOCHS = 1_000  # as `--runs`
_LOGS_AT_ONCE = 200
_NOT_READ = {"events", "events_data", "timelines", "messages", "output"}
# What readers of zip files, JSON and log entries raise for damaged ones.
_DAMAGE = (ValueError, KeyError, IndexError, TypeError, OSError, EOFError, RuntimeError, zipfile.BadZipFile)


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
    from inspect_ai.log import read_eval_log

    _require_bounds(path)
    log = _read(path, lambda: read_eval_log(str(path), header_only=True))
    record = (log.eval.metadata or {}).get(RECORD)
    fields = [record.get(key) for key in ("edition", "canary", "variant")] if isinstance(record, dict) else []
    if not fields or not all(isinstance(text, str) for text in fields):
        raise UnreadableInput(
            f"{show_path(path)}: not a log of a task of perennial (`inspect eval perennial/kumo` writes one)"
        )
    if log.status != "success" or log.invalidated:
        raise UnreadableInput(
            f"{show_path(path)}: its status is {log.status}, so that answers are missing: "
            "`inspect eval-retry` of this file completes it; import the log that this writes"
        )
    edition, canary, variant = map(str, fields)
    epochs = log.eval.config.epochs or 1
    if not 1 <= epochs <= _MAX_EPOCHS:
        raise UnreadableInput(f"{show_path(path)}: {epochs:,} epochs: expected 1 to {_MAX_EPOCHS:,}")
    return LogHead(path, edition, canary, player_name(variant, log.eval.model), epochs)


def read_episodes(head: LogHead) -> Iterator[LoggedEpisode]:
    """Yield the episodes of a log; raise UnreadableInput for one without record, or that failed."""
    for sample in _read_samples(head.path):
        where = f"{head}: sample {quote(sample.id)}, epoch {sample.epoch}"
        if sample.error is not None or sample.limit is not None:
            why = sample.error.message if sample.error else f"limit of {sample.limit.type}"
            raise UnreadableInput(
                f"{where} ended early ({shorten(in_one_line(why), 100)}): "
                "`inspect eval-retry` of this file completes it; import the log that this writes"
            )
        try:
            record = Record.from_json(sample.store.get(RECORD))
        except UnreadableInput as error:
            raise UnreadableInput(f"{where}: {error}") from None
        graded = (sample.scores or {}).get("grade")
        value = graded.value if graded is not None and isinstance(graded.value, dict) else {}
        status = (graded.metadata or {}).get("status") if graded is not None else None
        grade = value.get("success"), value.get("score"), status
        yield LoggedEpisode(where, str(sample.id), sample.epoch, record, grade)


def _read_samples(path: Path) -> "Iterator[EvalSample]":
    from inspect_ai.log import read_eval_log, read_eval_log_samples_by_id

    if path.suffix == ".json":
        whole: EvalLog = _read(path, lambda: read_eval_log(str(path), resolve_attachments="full"))
        yield from whole.samples or ()
        return
    head = _read(path, lambda: read_eval_log(str(path), header_only=True))
    ids = head.eval.dataset.sample_ids or []
    places = [(id_, epoch) for id_ in ids for epoch in range(1, (head.eval.config.epochs or 1) + 1)]
    for start in range(0, len(places), _LOGS_AT_ONCE):
        wanted = places[start : start + _LOGS_AT_ONCE]
        yield from _read(
            path,
            lambda wanted=wanted: read_eval_log_samples_by_id(
                str(path), wanted, resolve_attachments="full", exclude_fields=_NOT_READ
            ),
        )


def _read(path: Path, read: Any) -> Any:
    try:
        return read()
    except (*_DAMAGE, zlib.error) as error:
        raise UnreadableInput(
            f"{show_path(path)}: cannot be read as a log of Inspect ({shorten(in_one_line(error), 160)}): "
            "give the file as Inspect wrote it"
        ) from None


def _require_bounds(path: Path) -> None:
    """Raise UnreadableInput for what is no file of a log, or unpacks to more than any log of perennial."""
    with open_input(path) as file:
        if path.suffix not in _SUFFIXES:
            raise UnreadableInput(f"{show_path(path)}: expected a log of Inspect, *.eval or *.json")
        size = file.seek(0, 2)
        if path.suffix == ".eval":
            sizes = [member.file_size for member in _read(path, lambda: zipfile.ZipFile(file).infolist())]
        else:
            sizes = [size]
    if size > _MAX_FILE or max(sizes, default=0) > _MAX_MEMBER or sum(sizes) > _MAX_UNPACKED:
        raise UnreadableInput(
            f"{show_path(path)}: larger than a log may be ({_MAX_MEMBER:,} bytes per sample, "
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
        _remove_leftovers(store, asked)
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
    """Return the questions of the one edition that all logs are of."""
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
    for episode in read_episodes(head):
        episodes[episode.instance_id, episode.epoch] = episode
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


def _remove_leftovers(store: Store, asked: EvaluationPlan) -> None:
    for unit in staged_units(store):
        if split_unit(unit)[0] == asked.edition:
            plan = Staging(store, unit).read_plan()
            if isinstance(plan, EvaluationPlan) and plan.imported_from == asked.imported_from:
                Staging(store, unit).remove()


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
