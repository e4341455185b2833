"""What a release's small files hold: books, configurations, and instances, of which a bad line is skipped."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from schemas.errors import UnreadableInput
from schemas.kumo.things import Instance, Setting
from warehouse.kumo.release.folders import read_lines, read_text
from warehouse.kumo.release.things import BookFile, ConfigFile, InstanceFile, Skipped

MAX_LINE_BYTES = 10_000_000  # the longest measured has 4,000
_BOOK_BYTES = 1_000_000  # the largest measured has 18,000
_CONFIG_BYTES = 2_000_000  # the largest has 60,000
Config = TypeVar("Config")
# (text, name of the domain, name of the file for errors) -> what the text holds
ReadConfig = Callable[[str, str, str], Config]
ParseLine = Callable[[str, int], Instance]


@dataclass(frozen=True, slots=True)
class ReleasedBook:
    """The book of the instance of that domain, setting and seed."""

    domain: str
    setting: Setting
    seed: int
    text: str


def read_books(files: Iterable[BookFile]) -> Iterator[ReleasedBook | Skipped]:
    """Yield each file's book, one in memory at a time, or why it was skipped (unreadable, blank)."""
    for book in files:
        text = read_text(book.file, _BOOK_BYTES)
        if isinstance(text, Skipped):
            yield text
        elif not text.strip():
            yield Skipped(book.file.name, None, "empty, expected the text of a knowledge book")
        else:
            yield ReleasedBook(book.domain, book.setting, book.seed, text)


def read_configs(
    files: Iterable[ConfigFile], from_json: ReadConfig[Config], from_module: ReadConfig[Config]
) -> Iterator[tuple[str, Config] | Skipped]:
    """Yield (domain, configuration) of each file, or why it was skipped; a domain without file gives nothing.

    `from_json` and `from_module` raise UnreadableInput where the text holds no configuration.
    """
    for config in files:
        if config.file is None:
            continue
        text = read_text(config.file, _CONFIG_BYTES)
        if isinstance(text, Skipped):
            yield text
            continue
        read = from_json if config.form == "json" else from_module
        try:
            yield config.domain, read(text, config.domain, config.file.name)
        except UnreadableInput as error:
            yield _skip_refused(config.file.name, str(error))


def _skip_refused(name: str, message: str) -> Skipped:
    """Return the error with file and line apart, as far as it says them."""
    match = re.fullmatch(rf"{re.escape(name)}(?:, line (\d+))?: (.*)", message, re.DOTALL)
    if match is None:
        return Skipped(name, None, message)
    return Skipped(name, int(match[1]) if match[1] else None, match[2])


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
        reason = _find_misplacement(instance, file) or _find_repetition(instance.seed, number, seeds)
        yield instance if reason is None else Skipped(file.file.name, number, reason)


def _find_misplacement(instance: Instance, file: InstanceFile) -> str | None:
    size = (len(instance.truths), len(instance.actions), len(instance.valid_truths))
    expected = (file.setting.n_truths, file.setting.n_actions, file.setting.n_valid)
    if size == expected:
        return None
    return f"{_size(size)}, but the file's name says {_size(expected)}"


def _size(size: tuple[int, int, int]) -> str:
    return f"{size[0]} truths, {size[1]} actions and {size[2]} valid"


def _find_repetition(seed: int, number: int, seeds: dict[int, int]) -> str | None:
    first = seeds.setdefault(seed, number)
    return None if first == number else f"seed {seed} again, as in line {first}"
