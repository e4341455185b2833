"""The books of an edition from which long contexts are composed: of each domain those of a few instances."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from perennial.tasks.kumo.books import OtherBook
from perennial.warehouse.catalog.catalog import read_batches, rows_with
from perennial.warehouse.disclosure import private_ids
from perennial.warehouse.store.store import Store

_OF_A_DOMAIN = 8  # instances, in each setting
_BATCH = 1 << 13

Guidebooks = Mapping[str, Mapping[str, list[OtherBook]]]


@lru_cache(maxsize=2)
def read_guidebooks(store: Store, edition: str) -> Guidebooks:
    """Return final books by setting and domain; a domain and its counterfactual are one.

    They are those of the first public instances of each: a private one's book would be in the messages of
    public ones, and memory should not grow with the edition.
    """
    private = private_ids(store, edition)
    places: dict[str, tuple[str, str]] = {}
    columns = ("instance_id", "setting", "cluster", "index")
    for batch in read_batches(store, "instances", edition, columns, _BATCH):
        for row in batch.to_pylist():
            if row["index"] < _OF_A_DOMAIN and row["instance_id"] not in private:
                places[row["instance_id"]] = row["setting"], row["cluster"]
    books = rows_with(
        *(store, "kumo_books", edition, "instance_id", sorted(places)),
        ("instance_id", "text", "verdict", "version"),
    )
    texts = {
        row["instance_id"]: row["text"]
        for row in books
        if (row["version"], row["verdict"]) == ("final", "passed")
    }
    listed = rows_with(
        store,
        table="kumo_instances",
        unit=edition,
        column="instance_id",
        values=sorted(texts),
        columns=("instance_id", "truths"),
    )
    found: dict[str, dict[str, list[OtherBook]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(listed, key=lambda row: row["instance_id"]):
        setting, domain = places[row["instance_id"]]
        truths = frozenset(truth.casefold() for truth in row["truths"])
        found[setting][domain].append(OtherBook(texts[row["instance_id"]], truths))
    return found


def count_domains(store: Store, edition: str) -> int:
    """Return the number of domains that have books in each setting."""
    return min((len(domains) for domains in read_guidebooks(store, edition).values()), default=0)
