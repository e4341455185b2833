"""Which instance a person plays: a fresh one, or one of a published edition."""

import secrets

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.root_option import data_root
from perennial.schemas.benchmark import DEFAULT_BENCHMARK
from perennial.schemas.errors import InvalidOption, quote
from perennial.schemas.game import Seat
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit


def draw_fresh(benchmark: str, domain: str, setting: str, seed: int | None) -> tuple[Benchmark, Seat, str]:
    """Return the seat of a fresh instance, and how to draw it again.

    Raises InvalidOption where the benchmark draws none for a person.
    """
    played = find_benchmark(benchmark)
    if not (played.offers(Benchmark.draw_seat) and played.offers(Benchmark.draw_sheet)):
        raise InvalidOption(
            f"benchmark {benchmark!r} draws no single instance for a person: give --edition and --instance"
        )
    chosen = secrets.randbits(32) if seed is None else seed
    own = "" if benchmark == DEFAULT_BENCHMARK else benchmark
    given = {"--benchmark": own, "--domain": domain, "--setting": setting}
    options = [f"{name} {value}" for name, value in given.items() if value]
    told = " ".join(("perennial play", *options, f"--seed {chosen}"))
    return played, played.draw_seat(domain, setting, chosen), told


def find_published(edition: str, instance: str, root: str | None) -> tuple[Benchmark, Seat, str]:
    """Return the seat of an instance of a published edition, and how to play it again.

    Raises InvalidOption where there is none, or people cannot play it.
    """
    store = data_root(root)
    chosen = select_unit(store, edition, visible_editions(store))
    benchmark = read_published_plan(store, chosen).benchmark
    played = find_benchmark(benchmark)
    if not played.offers(Benchmark.draw_sheet):
        raise InvalidOption(f"benchmark {benchmark!r} cannot be played by a person: name another edition")
    seats = played.take_seats(store, chosen, [instance], {})
    if not seats:
        raise InvalidOption(
            f"--instance {quote(instance)}: edition {chosen!r} has no such instance that can be played; "
            f"`perennial query \"SELECT instance_id FROM instances WHERE edition = '{chosen}'\"` lists them"
        )
    return played, seats[0], f"perennial play --edition {chosen} --instance {instance}"
