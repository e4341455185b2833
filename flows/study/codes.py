"""Draw the codes of a study's participants; from the first ones on, what the study is stays as it is."""

import secrets
from pathlib import Path

from perennial.flows.console.input_files import show_path
from perennial.flows.study.opened import open_study
from perennial.schemas.errors import EditionConflict
from perennial.schemas.people import Study
from perennial.tasks.study import Code, draw_code
from perennial.warehouse.store.store import Store
from perennial.warehouse.study.ledger import ReadClocks, StudyLedger, read_clocks, study_file

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
            return [_add(ledger, study, number) for number in _new_numbers(ledger, study)]
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


def _new_numbers(ledger: StudyLedger, study: Study) -> range:
    return range(len(ledger.participants()), study.participants)


def _add(ledger: StudyLedger, study: Study, number: int) -> Code:
    code = draw_code(secrets.SystemRandom())
    while ledger.find_participant(code.public) is not None:
        code = draw_code(secrets.SystemRandom())
    ledger.add_participant(number, code.public, code.hash_secret(study.name))
    return code
