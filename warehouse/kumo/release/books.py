"""Knowledge books of a release: the text that players were shown, exactly as stored."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from schemas.kumo import Setting
from warehouse.kumo.release.folders import read_text
from warehouse.kumo.release.things import BookFile, Skipped

MAX_BYTES = 1_000_000  # the largest measured has 18,000


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
        text = read_text(book.file, MAX_BYTES)
        if isinstance(text, Skipped):
            yield text
        elif not text.strip():
            yield Skipped(book.file.name, None, "empty, expected the text of a knowledge book")
        else:
            yield ReleasedBook(book.domain, book.setting, book.seed, text)
