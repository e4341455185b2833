"""What a folder holds and says, what a page says, and what none may say."""

import re
from collections.abc import Iterable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import Catalog

_SHORTEST = 8  # a shorter text may be in others by chance
# Columns of words that a benchmark has for all its questions, which statistics name.
_VOCABULARY = {"properties", "relations", "rules", "type", "scenario"}
_DIGEST = re.compile("_[0-9a-f]{32}")


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the content of every file by its name in the folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class PageReader(HTMLParser):
    """Tags of a page, its links, its scripts and its text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: list[str] = []
        self.scripts: list[str | None] = []
        self.text = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "script":
            self.scripts.append(dict(attrs).get("src"))
        self.attributes += [name for name, _ in attrs]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text += data


def say_all(folder: Path) -> str:
    """Return all that the files of the folder say, as text: bytes, what they escape, and values of tables."""
    said: set[str] = set()  # What is said twice need not be searched twice.
    for name, content in read_folder(folder).items():
        text = content.decode("utf-8", "replace")
        said |= {name, text, unescape(text), content.decode("latin-1")}
        if name.endswith(".parquet"):
            table = pq.read_table(folder / name, partitioning=None)
            said |= {str(value) for row in table.to_pylist() for value in row.values()}
            said.add(str(table.schema.metadata))
        if name.endswith(".duckdb"):
            with duckdb.connect(folder / name, read_only=True) as connection:
                for (table_name,) in connection.sql("SELECT table_name FROM duckdb_tables()").fetchall():
                    said |= {str(value) for row in connection.table(table_name).fetchall() for value in row}
    return "\n".join(said)


def texts_in(texts: set[str], said: str) -> set[str]:
    """Return those of the texts that are said."""
    digests, content = set(_DIGEST.findall(said)), said.encode()
    ids = {text for text in texts if _DIGEST.fullmatch(text[-33:])}
    # Ids, most of all texts, are looked up; bytes are searched several times faster than wide characters.
    return {text for text in ids if text[-33:] in digests and text.encode() in content} | {
        text for text in texts - ids if text.encode() in content
    }


def private_texts(catalog: Catalog) -> set[str]:
    """Return the texts that rows of private instances hold, and no row of a public one contains."""
    ids = {name: set(values) for name, values in _private_ids(catalog).items()}
    of: dict[bool, list[str]] = {True: [], False: []}
    for table in TABLES.values():
        if table.kind in ("root", "analysis"):
            continue
        for values in catalog.records(f"FROM {table.name}"):
            is_private = any(values.get(column) in ids[column] for column in ids)
            of[is_private] += _texts(value for name, value in values.items() if name not in _VOCABULARY)
    secret = {text for text in of[True] if len(text) >= _SHORTEST}
    return secret - texts_in(secret, "\n".join(of[False]))


def _private_ids(catalog: Catalog) -> dict[str, list[str]]:
    """Return the private ids by column, such as those of calls that only private episodes made."""
    instances = "SELECT instance_id FROM private_instances"
    turns = "SELECT t.call_id FROM turns t JOIN episodes e USING (edition, evaluation, episode_id)"
    own = f"{turns} WHERE e.instance_id IN ({instances}) AND t.call_id IS NOT NULL"
    others = f"{turns} WHERE e.instance_id NOT IN ({instances}) AND t.call_id IS NOT NULL"
    ids = "from_json(request->'$.messages[*].message_id', '[\"VARCHAR\"]')"
    message = f"SELECT unnest({ids}) FROM calls WHERE call_id IN"
    queries = {
        "instance_id": instances,
        "episode_id": f"SELECT episode_id FROM episodes WHERE instance_id IN ({instances})",
        "call_id": f"{own} EXCEPT {others}",
        "message_id": f"{message} ({own}) EXCEPT {message} ({others})",
    }
    return {column: [id_ for (id_,) in catalog.query(sql)[1]] for column, sql in queries.items()}


def _texts(values: Iterable[object]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
