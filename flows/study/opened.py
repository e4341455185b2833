"""A study with all that its participants play: instances of a published edition, and the tutorial."""

import secrets
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.input_files import show_path
from perennial.schemas.errors import EditionConflict, InvalidOption, join_choices
from perennial.schemas.game import Seat, Sheet
from perennial.schemas.people import TUTORIAL, Study
from perennial.tasks.study import Cell, Code, assign, choose_tutorial, draw_code, require_enough
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store
from perennial.warehouse.study.ledger import ReadClocks, StudyLedger, read_clocks, study_file


@dataclass(frozen=True)
class OpenedStudy:
    """A study, its benchmark, the instances that can be assigned by setting and domain, and their seats."""

    study: Study
    benchmark: Benchmark
    pool: dict[Cell, tuple[str, ...]]
    tutorial: str
    seats: dict[str, Seat]

    def sheet(self, game: object) -> Sheet:
        """Return what a person is shown of a game."""
        return self.benchmark.draw_sheet(game)

    def tasks_of(self, participant: int) -> dict[str, str]:
        """Return the instance of each task of a participant in the order of play, the tutorial first."""
        study = self.study
        ids = assign(self.pool, study.settings, study.domains, study.tasks, study.seed, participant)
        return {TUTORIAL: self.tutorial} | {str(number): id_ for number, id_ in enumerate(ids, 1)}


def open_study(study: Study, store: Store) -> OpenedStudy:
    """Return the study with its seats.

    Raises InvalidOption where the edition is not published or withdrawn, has no such setting, domain or
    tutorial, too few instances, or questions that people cannot play.
    """
    if study.edition not in visible_editions(store):
        raise InvalidOption(
            f"{store.root} has no published edition {study.edition!r} (it may be withdrawn): name one that "
            "`perennial editions list` lists"
        )
    benchmark = find_benchmark(read_published_plan(store, study.edition).benchmark)
    if not benchmark.offers(Benchmark.draw_sheet):
        raise InvalidOption(
            f"edition {study.edition!r} is of benchmark {benchmark.name!r}, which people cannot play: name "
            "another edition"
        )
    pool = _read_pool(store, study)
    cells = _seats(benchmark, store, study, [id_ for ids in pool.values() for id_ in ids])
    playable = {cell: tuple(id_ for id_ in ids if id_ in cells) for cell, ids in pool.items()}
    tutorial = study.tutorial or choose_tutorial(playable, (study.settings[0], study.domains[0]), study.seed)
    if tutorial not in cells:
        others = _seats(benchmark, store, study, [tutorial])
        if not others:
            raise InvalidOption(
                f"tutorial: no instance {tutorial!r} with a book in edition {study.edition!r}; name one of "
                "its instances, or leave the key out"
            )
        cells |= others
    assigned = {cell: tuple(id_ for id_ in ids if id_ != tutorial) for cell, ids in playable.items()}
    require_enough(assigned, study.settings, study.domains, study.tasks)
    return OpenedStudy(study, benchmark, assigned, tutorial, cells)


def _read_pool(store: Store, study: Study) -> dict[Cell, list[str]]:
    columns = ["setting", "domain", "instance_id"]
    table = store.read_table(table_file("instances", study.edition), columns)
    pool: dict[Cell, list[str]] = defaultdict(list)
    for setting, domain, id_ in zip(*(table[name].to_pylist() for name in columns), strict=True):
        pool[setting, domain].append(id_)
    for key, position in (("settings", 0), ("domains", 1)):
        names = sorted({cell[position] for cell in pool})
        for name in getattr(study, key):
            if name not in names:
                raise InvalidOption(
                    f"{key}: {name!r} is not in edition {study.edition!r}, which has {join_choices(names)}: "
                    "name one of these"
                )
    wanted = [(setting, domain) for setting in study.settings for domain in study.domains]
    for setting, domain in wanted:
        if not pool.get((setting, domain)):
            raise InvalidOption(
                f"edition {study.edition!r} has no instance of setting {setting!r} in domain {domain!r}: "
                "leave one of them out"
            )
    return {cell: pool[cell] for cell in wanted}


def _seats(benchmark: Benchmark, store: Store, study: Study, ids: list[str]) -> dict[str, Seat]:
    return {seat.instance_id: seat for seat in benchmark.take_seats(store, study.edition, ids, {})}


# Draw the codes of a study's participants; from the first ones on, what the study is stays as it is.

# What may change while a study runs: it decides neither what somebody plays nor what somebody agreed to.
_FREE = {"participants", "contact"}


def draw_codes(study: Study, store: Store, file: Path, clocks: ReadClocks = read_clocks) -> list[Code]:
    """Add codes up to the study's number of participants, and return the new ones: they are kept nowhere.

    Raises EditionConflict where the file says something else than when the first codes were drawn,
    InvalidOption where the edition does not fit.
    """
    open_study(study, store)
    ledger = StudyLedger(study_file(store, study.name), create=True, clocks=clocks)
    try:
        with ledger.writing():
            if ledger.settings() is None:
                ledger.keep_settings(study.model_dump_json())
            require_same_study(ledger, study, file)
            ledger.replace_settings(study.model_dump_json())
            new_numbers = range(len(ledger.participants()), study.participants)
            return [_add(ledger, study, number) for number in new_numbers]
    finally:
        ledger.close()


def require_same_study(ledger: StudyLedger, study: Study, file: Path) -> None:
    """Raise EditionConflict where the study has other settings than when its first codes were drawn."""
    kept = ledger.settings()
    if kept is None:
        raise EditionConflict(
            f"study {study.name!r} has no codes yet: draw them with `perennial study codes {show_path(file)}`"
        )
    earlier = Study.model_validate_json(kept)
    for key in Study.model_fields:
        if key not in _FREE and getattr(earlier, key) != getattr(study, key):
            raise EditionConflict(
                f"{show_path(file)}: {key} is not what it was when the first codes of study {study.name!r} "
                "were drawn: put it back, or give the study another name"
            )


def _add(ledger: StudyLedger, study: Study, number: int) -> Code:
    code = draw_code(secrets.SystemRandom())
    while ledger.find_participant(code.public) is not None:
        code = draw_code(secrets.SystemRandom())
    ledger.add_participant(number, code.public, code.hash_secret(study.name))
    return code
