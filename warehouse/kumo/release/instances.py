"""Instances of a release, a line at a time: a bad line is skipped, the others stay."""

from collections.abc import Callable, Iterator

from schemas.errors import UnreadableInput
from schemas.kumo import Instance
from warehouse.kumo.release.folders import read_lines
from warehouse.kumo.release.things import InstanceFile, Skipped

MAX_LINE_BYTES = 10_000_000  # the longest measured has 4,000
ParseLine = Callable[[str, int], Instance]


def read_instances(file: InstanceFile, parse_line: ParseLine) -> Iterator[Instance | Skipped]:
    """Yield the file's instances in its order, or why a line was skipped.

    `parse_line(text, index)` returns the instance or raises UnreadableInput with the reason; `index` is the
    line's number from 0, so that a skipped line leaves a gap. Skipped too: an instance of another setting
    than the file's, and one whose seed the file already had (its book and its runs could not be told apart).
    """
    seeds: dict[int, int] = {}
    for entry in read_lines(file.file, MAX_LINE_BYTES):
        if isinstance(entry, Skipped):
            yield entry
            continue
        number, text = entry
        try:
            instance = parse_line(text, number - 1)
        except UnreadableInput as error:
            yield Skipped(file.file.name, number, str(error))
            continue
        reason = _misplaced(instance, file) or _repeated(instance.seed, number, seeds)
        yield instance if reason is None else Skipped(file.file.name, number, reason)


def _misplaced(instance: Instance, file: InstanceFile) -> str | None:
    size = (len(instance.truths), len(instance.actions), len(instance.valid_truths))
    expected = (file.setting.n_truths, file.setting.n_actions, file.setting.n_valid)
    if size == expected:
        return None
    return f"{_size(size)}, but the file's name says {_size(expected)}"


def _size(size: tuple[int, int, int]) -> str:
    return f"{size[0]} truths, {size[1]} actions and {size[2]} valid"


def _repeated(seed: int, number: int, seeds: dict[int, int]) -> str | None:
    first = seeds.setdefault(seed, number)
    return None if first == number else f"seed {seed} again, as in line {first}"
