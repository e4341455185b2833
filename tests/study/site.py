"""A study on a small published edition, made by hand, and `perennial web --study` that serves it."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from perennial.flows.study.opened import draw_codes
from perennial.flows.study.study_file import read_study
from perennial.schemas.kumo.things import BookVerdict, Instance, SeedConfig
from perennial.schemas.tables import TABLES, staged_tables
from perennial.warehouse.editions.publish import publish
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

EDITION = "played"
BOOK = "# The book of weather\n\nObserving *grey* rules out **sun**."
SETTINGS = ("easy", "hard")
INSTANCES = 4
FILE = """
name = "weather"
edition = "played"
title = "A study of <b>weather</b>"
settings = ["easy", "hard"]
domains = ["Weather"]
tasks = 2
participants = {participants}
task_minutes = 10
currency = "EUR"
consent = "You agree to play, and may **stop** at any time."
age_bands = ["18-25", "over 25"]
education = ["school", "university"]
[quality]
seconds = 0
"""


def make_study(
    folder: Path,
    book: str = BOOK,
    names: Mapping[str, str] = MappingProxyType({}),
    participants: int = 4,
) -> "StudySite":
    """Publish the edition, write the study's file, draw its codes, and return what serves it.

    `names` are other names of truths and actions.
    """
    store = Store(str(folder / "data"))
    _publish_questions(store, book, names)
    file = folder / "weather.toml"
    file.write_text(FILE.format(participants=participants), encoding="utf-8")
    codes = draw_codes(read_study(file), store, file)
    return StudySite(file, store, [str(code) for code in codes])


class StudySite:
    """A study's file and data root, codes that nobody has used, and the server, once started."""

    def __init__(self, file: Path, store: Store, codes: Sequence[str]) -> None:
        self.file = file
        self.store = store
        self.codes = list(codes)
        self.url = ""
        self._server: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = "from perennial.flows.cli.app import main; main()"
        arguments = ("web", "--study", self.file, "--root", self.store.root, "--port", 0)
        self._server = subprocess.Popen(
            [sys.executable, "-c", command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.file.parent,
        )
        assert self._server.stdout is not None
        # The line is wrapped nowhere: it ends with the URL and how to stop.
        line = self._server.stdout.readline()
        self.url = next(word for word in line.split() if word.startswith("http://"))

    def end(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.terminate()
            self._server.wait(timeout=30)
            self._server = None


def _publish_questions(store: Store, book: str, names: Mapping[str, str]) -> None:
    config, instance = _rename(names)
    ids = [(setting, f"ki_{setting}_{number}") for setting in SETTINGS for number in range(INSTANCES)]
    golden = [*instance.actions, *instance.valid_truths]
    own = {"config_id": config.config_id, "expected_steps": 1.5, "golden": golden, "signature": "1,2,2|2,2"}
    rows: dict[str, list[dict[str, Any]]] = {
        "kumo_domains": [domain_row(config, "file")],
        "kumo_seed_configs": [config_row(config, [])],
        "kumo_outcomes": outcome_rows(config),
        "instances": [
            shared_instance_row(instance, instance_id=id_, domain=config.name, setting=setting)
            for setting, id_ in ids
        ],
        "kumo_instances": [instance_row(instance, instance_id=id_, **own) for _, id_ in ids],
        "kumo_books": [book_row(id_, 0, book, "template", BookVerdict()) for _, id_ in ids],
    }
    tables = {
        name: pa.Table.from_pylist(rows.get(name, []), schema=TABLES[name].arrow_schema())
        for name in staged_tables("kumo", answers=False)
    }
    publish(store, tiny_edition.plan(EDITION).growth, tables, [], datetime(2026, 1, 1, tzinfo=UTC), {})


def _rename(names: Mapping[str, str]) -> tuple[SeedConfig, Instance]:
    def renamed(old: Sequence[str]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in old)

    config, instance = tiny_edition.CONFIG, tiny_edition.INSTANCE
    outcomes = tuple(
        replace(
            outcome,
            action=names.get(outcome.action, outcome.action),
            states=tuple(replace(state, rules_out=renamed(state.rules_out)) for state in outcome.states),
        )
        for outcome in config.outcomes
    )
    return (
        replace(config, truths=renamed(config.truths), actions=renamed(config.actions), outcomes=outcomes),
        replace(
            instance,
            truths=renamed(instance.truths),
            actions=renamed(instance.actions),
            valid_truths=renamed(instance.valid_truths),
        ),
    )
