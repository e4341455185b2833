"""A data root with two published editions to report on, made by hand in a second: no refresh, no audit."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from perennial.schemas.kumo.things import BookVerdict, SeedConfig, Step
from perennial.schemas.tables import TABLES
from perennial.warehouse.kumo.rows import (
    book_row,
    config_row,
    domain_row,
    instance_row,
    outcome_rows,
    shared_instance_row,
)
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import edition_statistics, publish

HOSTILE = "<script>alert(1)</script>"
MODEL = "provider/a-model-with-a-long-name-instruct-2026"
DOMAINS = ("Weather", "Stars & <b>stripes</b>", "Knots")
SETTINGS = {"easy": (4, 6), "hard": (12, 16)}
SIZES = {**SETTINGS, "10x12": (10, 12)}
INSTANCES = 5
RUNS = 2
SEED = 11


def publish_two(root: Path) -> None:
    """Publish `old` and, a day later, `new`: the second has no player `random`, and both have HOSTILE."""
    _publish(root, "old", ("algorithm-3", "random", HOSTILE), datetime(2026, 1, 2, tzinfo=UTC), shift=1)
    _publish(root, "new", ("algorithm-3", MODEL, HOSTILE, "x"), datetime(2026, 1, 3, tzinfo=UTC), shift=0)


def publish_without_models(root: Path) -> None:
    """Publish `plain`: one player, one setting, no tokens, everything solved."""
    _publish(root, "plain", ("algorithm-3",), datetime(2026, 1, 1, tzinfo=UTC), shift=0, settings=("easy",))


def publish_narrow(root: Path) -> None:
    """Publish `narrow`: one setting, of which HOSTILE met the domain Knots alone."""
    when = datetime(2026, 1, 4, tzinfo=UTC)
    players = ("algorithm-3", MODEL, HOSTILE)
    _publish(root, "narrow", players, when, shift=0, settings=("easy",), narrow=HOSTILE)


def publish_floor(root: Path) -> None:
    """Publish `floor`, which the guesser has played too."""
    when = datetime(2026, 1, 5, tzinfo=UTC)
    _publish(root, "floor", ("algorithm-3", "guesser"), when, shift=0, settings=("easy",))


def publish_printed(root: Path) -> None:
    """Publish `printed`, which a model of the paper's name has played."""
    when = datetime(2026, 1, 6, tzinfo=UTC)
    _publish(root, "printed", ("algorithm-3", "DeepSeek-R1"), when, shift=0, settings=("easy",))


def publish_people(root: Path, people: tuple[str, ...]) -> None:
    """Publish `people`, which these persons have played too."""
    when = datetime(2026, 1, 6, tzinfo=UTC)
    _publish(root, "people", ("algorithm-3", *people), when, shift=0, settings=("easy",))


def publish_sizes(root: Path) -> None:
    """Publish `sizes`: three settings, whose order by name is not that by size."""
    _publish(
        root, "sizes", ("algorithm-3",), datetime(2026, 1, 1, tzinfo=UTC), shift=0, settings=tuple(SIZES)
    )


def _publish(
    root: Path,
    edition: str,
    players: tuple[str, ...],
    created_at: datetime,
    shift: int,
    settings: tuple[str, ...] = tuple(SETTINGS),
    narrow: str = "",
) -> None:
    made = _rows(edition, players, shift, settings, narrow)
    rows = {**dict.fromkeys(tiny_edition.STAGED_TABLES, ()), **made}
    tables = {
        name: pa.Table.from_pylist(list(rows[name]), schema=TABLES[name].arrow_schema())
        for name in tiny_edition.STAGED_TABLES
    }
    statistics = edition_statistics("kumo", tables, SEED, {})
    tables["statistics"] = pa.Table.from_pylist(statistics, schema=TABLES["statistics"].arrow_schema())
    publish(Store(str(root)), tiny_edition.plan(edition), tables, [], created_at)


def _config(domain: str) -> SeedConfig:
    return replace(tiny_edition.CONFIG, name=domain)


def _rows(
    edition: str, players: tuple[str, ...], shift: int, settings: tuple[str, ...], narrow: str
) -> dict[str, list[dict[str, Any]]]:
    configs = [_config(domain) for domain in DOMAINS]
    rows: dict[str, list[dict[str, Any]]] = {
        "kumo_domains": [domain_row(config, "file") for config in configs],
        "kumo_authored_domains": [],
        "kumo_seed_configs": [config_row(config, []) for config in configs],
        "kumo_outcomes": [row for config in configs for row in outcome_rows(config)],
        "instances": [],
        "kumo_instances": [],
        "kumo_books": [],
    }
    episodes = []
    for config, setting, number in product(configs, settings, range(INSTANCES)):
        instance = _instance(edition, config, setting, number)
        shared = shared_instance_row(
            tiny_edition.INSTANCE, instance_id=instance["instance_id"], domain=config.name, setting=setting
        )
        book = book_row(instance["instance_id"], 0, "the book", "template", BookVerdict(), style="list")
        rows["instances"].append(shared)
        rows["kumo_instances"].append(instance)
        rows["kumo_books"].append(book)
        for place, player in enumerate(players):
            if player == narrow and config.name != "Knots":
                continue
            for run in range(RUNS):
                difficulty = number + run + len(config.name) + shift + 2 * (setting == "hard")
                ids = {"instance_id": instance["instance_id"], "book_id": book["book_id"]}
                episodes.append(_episode(player, run, place, difficulty, ids))
    return {**rows, **tiny_edition.add(episodes)}


def _instance(edition: str, config: SeedConfig, setting: str, number: int) -> dict[str, Any]:
    row = instance_row(
        tiny_edition.INSTANCE,
        instance_id=f"ki_{edition}_{config.name}_{setting}_{number}",
        config_id=config.config_id,
        expected_steps=1.5,
        golden=["measure", "look up", "rain"],
        signature=f"{number % 2}|2,2",
    )
    n_truths, n_actions = SIZES[setting]
    return {**row, "n_truths": n_truths, "n_actions": n_actions, "optimal_tests": 1 + number % 3}


def _episode(
    player: str, run: int, place: int, difficulty: int, ids: dict[str, str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a solved episode, but for the later players on every so many."""
    tokens = None if place == 0 else 1000 * place + 10 * difficulty
    solved = place == 0 or difficulty % (5 - place)
    is_idle = player == "guesser"
    status = "solved" if solved else ("wrong", "unparsed", "api_error")[difficulty % 3]
    last = ("truth", "rain") if solved else ("none", None)
    steps = (Step(1, *last, None, None),) if is_idle else (tiny_edition.MEASURED, Step(2, *last, None, None))
    return tiny_edition.play(player, run, status, steps, **ids, tokens=tokens)


def as_json(value: Any) -> str:
    """Return a list of a table as its CSV file holds it."""
    return json.dumps(value, ensure_ascii=False)
