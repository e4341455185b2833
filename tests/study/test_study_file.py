"""The study's file: every fault is one line that names the key; what was agreed to does not change later."""

from pathlib import Path

import pytest

from perennial.flows.study.opened import draw_codes
from perennial.flows.study.study_file import read_study, write_starter
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.schemas.people import Earnings, Quality
from perennial.warehouse.store.store import Store
from tests.study.study_root import DOMAINS, EDITION, FILE, SETTINGS, Lab, open_lab


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("tasks = 4", "tasks = 3", "expected a multiple of the 2 settings"),
        ("tasks = 4", "tasks = 0", "tasks: expected at least 1, got 0"),
        ("tasks = 4", "tasks = 'x'", "tasks: expected a whole number"),
        ("tasks = 4", "taks = 4", "taks: there is no such key; remove it; did you mean tasks"),
        ('name = "pilot"', 'name = "../../x"', "name: "),
        ('name = "pilot"', "", "name is missing: add it"),
        ("base = 25", "base = inf", "earnings.base: "),
        ("base = 25", "base = -1", "earnings.base: expected at least 0"),
        ('["easy", "5x7"]', '["easy", "easy"]', "settings: expected each name once"),
        ('["easy", "5x7"]', "[]", "settings: expected at least 1 names"),
        ("task_minutes = 10", "task_minutes = nan", "task_minutes: "),
        ('consent = "You', 'consent = "\\u001b[2J You', "consent: expected text without control characters"),
        ('consent = "You', 'consent = "\\u202e You', "consent: expected text without control characters"),
        ("participants = 6", "participants = 100000", "participants: expected at most 10,000"),
        ("seed = 3", "seed = -3", "seed: expected at least 0"),
        ("seed = 3", "seed = [", "not TOML"),
    ],
)
def test_a_fault_is_one_line_with_file_and_key(tmp_path: Path, old: str, new: str, expected: str) -> None:
    file = tmp_path / "s.toml"
    assert old in FILE
    file.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidOption) as error:
        read_study(file)
    text = str(error.value)
    assert expected in text
    assert text.startswith(str(file))
    assert "\n" not in text
    assert text.isprintable()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (f'"{EDITION}"', '"other"', "has no published edition 'other'"),
        (
            '["easy", "5x7"]',
            '["easy", "hard"]',
            "settings: 'hard' is not in edition 'lab', which has 5x7 or easy",
        ),
        ("Music Identification", "Magic", "domains: 'Magic' is not in edition"),
        ("tasks = 4", "tasks = 20", "instances of setting"),
        ("seed = 3", 'seed = 3\ntutorial = "ki_none"', "tutorial: no instance 'ki_none'"),
    ],
)
def test_what_the_edition_lacks_is_refused_before_codes_are_drawn(
    root: Path, tmp_path: Path, old: str, new: str, expected: str
) -> None:
    with pytest.raises(InvalidOption, match=expected):
        open_lab(root, tmp_path, lambda text: text.replace(old, new))
    assert not (root / "studies").exists()


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("You agree", "You hereby agree", "consent"),
        ("seed = 3", "seed = 4", "seed"),
        ("base = 25", "base = 5", "earnings"),
    ],
)
def test_what_participants_agreed_to_does_not_change(lab: Lab, old: str, new: str, key: str) -> None:
    lab.file.write_text(lab.file.read_text().replace(old, new), encoding="utf-8")
    with pytest.raises(EditionConflict, match=f"{key} is not what it was"):
        lab.desk()
    with pytest.raises(EditionConflict, match=f"{key} is not what it was"):
        draw_codes(read_study(lab.file), lab.store, lab.file)


def test_the_starter_file_is_a_study(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    text = write_starter("new", EDITION, list(SETTINGS), list(DOMAINS), 5)
    file.write_text(text.replace("tasks = 10", "tasks = 4"), encoding="utf-8")
    study = read_study(file)
    assert (study.settings, study.domains, study.earnings) == (SETTINGS, DOMAINS, Earnings())
    assert len(draw_codes(study, Store(str(root)), file)) == 50


@pytest.mark.parametrize(
    ("solved", "assigned", "actions", "expected"),
    [(10, 10, 30, 37.0), (0, 10, 0, 25.0), (7, 10, 43, 31.2), (0, 10, 400, 0.0), (1, 3, 1, 29.9)],
)
def test_earnings_follow_the_papers_formula(
    solved: int, assigned: int, actions: int, expected: float
) -> None:
    assert Earnings().compute(solved, assigned, actions) == expected


def test_who_is_quick_and_wrong_is_excluded() -> None:
    quality = Quality(seconds=10, success_rate=0.5)
    assert quality.why_excluded(4.04, 0.25) == (
        "median 4.0 s per task, below 10, and success rate 0.25, at most 0.5"
    )
    for seconds, rate in ((4, 0.75), (10, 0.25), (None, 0.0)):
        assert quality.why_excluded(seconds, rate) is None
    assert Quality(seconds=0).why_excluded(0.0, 0.0) is None
