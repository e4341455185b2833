"""The questions of a task of Inspect: instances of a published edition, in the order in which a subset is
taken, so that the first N of them are those of `perennial evaluate --instances N`.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.root_option import data_root
from perennial.flows.stages.play_episodes import instance_order
from perennial.schemas.errors import InvalidOption, quote
from perennial.schemas.game import Seat
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import Row, Rows
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store

# What a sample says of its instance; standard errors are by `cluster`.
SAMPLE_COLUMNS = ("domain", "setting", "cluster")


@dataclass(frozen=True)
class Questions:
    """An edition as tasks play it: its seats by instance id, in order, and what samples say of each.

    `graded` holds the rows of episodes that were graded in this process, by episode id: the benchmark's
    measures are computed from them.
    """

    store: Store
    plan: EditionPlan
    seats: dict[str, Seat]
    columns: dict[str, Row]
    graded: dict[str, dict[str, Rows]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark of the edition."""
        return find_benchmark(self.plan.benchmark)

    def seat(self, instance_id: object) -> Seat:
        """Return the seat of an instance; raise InvalidOption where the edition has none that is played."""
        found = self.seats.get(str(instance_id))
        if found is None:
            raise InvalidOption(
                f"edition {self.plan.edition!r} of {self.store.root} has no instance {quote(instance_id)} "
                "that can be played"
            )
        return found


def find_edition(root: str, edition: str, benchmark: str) -> str:
    """Return the name of a published edition; `latest`, `latest~1` are among those of the benchmark.

    Raises InvalidOption where the root has none, or it is of another benchmark.
    """
    store = data_root(root or None)
    known, own = visible_editions(store), _editions_of(store, benchmark)
    if not own:
        raise InvalidOption(
            f"{store.root} has no edition of {benchmark}: give -T size=tiny to grow one first, or name "
            "another data root with -T root=FOLDER"
        )
    if edition in known and edition not in own:
        other = read_published_plan(store, edition).benchmark
        raise InvalidOption(f"edition {edition!r} is of {other}: run the task perennial/{other}")
    return select_unit(store, edition, own)


def has_edition(root: str, benchmark: str) -> bool:
    """Whether the data root has a visible edition of the benchmark."""
    return bool(_editions_of(data_root(root or None), benchmark))


def _editions_of(store: Store, benchmark: str) -> list[str]:
    return [
        name for name in visible_editions(store) if read_published_plan(store, name).benchmark == benchmark
    ]


@lru_cache(maxsize=4)
def open_questions(root: str, edition: str) -> Questions:
    """Return the questions of a published edition by its name; `root` "" is the usual data root.

    Raises InvalidOption where none of them can be played.
    """
    store = data_root(root or None)
    plan = read_published_plan(store, edition)
    order = instance_order(store, edition)
    ids = sorted(order, key=order.__getitem__)
    seats = {
        seat.instance_id: seat for seat in find_benchmark(plan.benchmark).take_seats(store, edition, ids, {})
    }
    if not seats:
        raise InvalidOption(f"no instance of edition {edition!r} can be played: no version of it was checked")
    rows = store.read_table(table_file("instances", edition), ["instance_id", *SAMPLE_COLUMNS]).to_pylist()
    columns = {row.pop("instance_id"): row for row in rows}
    return Questions(store, plan, seats, columns)
