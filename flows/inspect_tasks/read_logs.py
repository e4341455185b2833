"""Read logs of Inspect that tasks of perennial wrote: files are data, bounded, and refused in one line."""

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perennial.flows.console.input_files import open_input, show_path
from perennial.flows.inspect_tasks.play import player_name
from perennial.flows.inspect_tasks.record import RECORD, Record
from perennial.schemas.errors import UnreadableInput, in_one_line, quote, shorten

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

_SUFFIXES = (".eval", ".json")
_MAX_FILE, _MAX_MEMBER, _MAX_UNPACKED = 1_000_000_000, 200_000_000, 4_000_000_000
_MAX_EPOCHS = 1_000  # as `--runs`
_AT_ONCE = 200
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

    place: str
    instance_id: str
    epoch: int
    record: Record
    grade: tuple[object, object, object]


def list_logs(paths: Sequence[Path]) -> list[Path]:
    """Return the files, and those that folders hold, sorted; raise UnreadableInput where there is none."""
    found: list[Path] = []
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
        found += held
    return list(dict.fromkeys(found))


def read_head(path: Path) -> LogHead:
    """Return what the log says of itself; raise UnreadableInput where it is not a whole one of our tasks."""
    from inspect_ai.log import read_eval_log

    _require_bounds(path)
    log = _read(path, lambda: read_eval_log(str(path), header_only=True))
    said = (log.eval.metadata or {}).get(RECORD)
    fields = [said.get(key) for key in ("edition", "canary", "variant")] if isinstance(said, dict) else []
    if not fields or not all(isinstance(one, str) for one in fields):
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
        place = f"{head}: sample {quote(sample.id)}, epoch {sample.epoch}"
        if sample.error is not None or sample.limit is not None:
            why = sample.error.message if sample.error else f"limit of {sample.limit.type}"
            raise UnreadableInput(
                f"{place} ended early ({shorten(in_one_line(why), 100)}): "
                "`inspect eval-retry` of this file completes it; import the log that this writes"
            )
        try:
            record = Record.from_json(sample.store.get(RECORD))
        except UnreadableInput as error:
            raise UnreadableInput(f"{place}: {error}") from None
        graded = (sample.scores or {}).get("grade")
        value = graded.value if graded is not None and isinstance(graded.value, dict) else {}
        status = (graded.metadata or {}).get("status") if graded is not None else None
        grade = value.get("success"), value.get("score"), status
        yield LoggedEpisode(place, str(sample.id), sample.epoch, record, grade)


def _read_samples(path: Path) -> "Iterator[EvalSample]":
    from inspect_ai.log import read_eval_log, read_eval_log_samples_by_id

    if path.suffix == ".json":
        whole: EvalLog = _read(path, lambda: read_eval_log(str(path), resolve_attachments="full"))
        yield from whole.samples or ()
        return
    head = _read(path, lambda: read_eval_log(str(path), header_only=True))
    ids = head.eval.dataset.sample_ids or []
    places = [(id_, epoch) for id_ in ids for epoch in range(1, (head.eval.config.epochs or 1) + 1)]
    for start in range(0, len(places), _AT_ONCE):
        wanted = places[start : start + _AT_ONCE]
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
            sizes = [one.file_size for one in _read(path, lambda: zipfile.ZipFile(file).infolist())]
        else:
            sizes = [size]
    if size > _MAX_FILE or max(sizes, default=0) > _MAX_MEMBER or sum(sizes) > _MAX_UNPACKED:
        raise UnreadableInput(
            f"{show_path(path)}: larger than a log may be ({_MAX_MEMBER:,} bytes per sample, "
            f"{_MAX_UNPACKED:,} unpacked): split it by fewer samples, as with --limit"
        )
