"""A data root with a published edition, and a study on it: made in seconds, without Prefect and audit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from perennial.flows.refresh.plan import prepare_refresh
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.flows.study.desk import StudyDesk
from perennial.flows.study.opened import draw_codes
from perennial.flows.study.study_file import read_study
from perennial.schemas.people import TUTORIAL
from perennial.schemas.settings import load_settings
from perennial.schemas.text import Screen
from perennial.warehouse.editions.publish import publish
from perennial.warehouse.merge_parts import consolidate
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from perennial.warehouse.study.ledger import Clocks, study_file

EDITION = "lab"
SETTINGS = ("easy", "5x7")
DOMAINS = ("Chemical Analysis", "Music Identification")
TASKS = 4
_ASKED = {
    "domains": ["chemical_analysis", "music_identification"],
    "settings": list(SETTINGS),
    "instances": 3,
    "players": ["algorithm-3", "random"],
    "runs": 1,
    "seed": 0,
    "edition": EDITION,
}
FILE = f"""
name = "pilot"
edition = "{EDITION}"
settings = ["easy", "5x7"]
domains = ["Chemical Analysis", "Music Identification"]
tasks = {TASKS}
participants = 6
task_minutes = 10
total_minutes = 30
seed = 3
consent = "You agree that your choices are kept and published."
age_bands = ["18-24", "25 or older"]
education = ["school", "university"]
genders = ["female", "male"]
majors = ["science", "other"]
[earnings]
base = 25
per_success = 15
per_action = 0.1
[quality]
seconds = 10
success_rate = 0.5
"""


def grow_edition(root: Path) -> None:
    """Publish the edition `lab`: two domains, two settings, three instances each, no answers yet."""
    settings = load_settings({**_ASKED, "root": str(root)})
    store = Store(str(root))
    prepared = prepare_refresh(settings, store)
    growth = prepared.plan.growth
    staging = Staging(store, EDITION)
    staging.write_plan(growth)
    grow(open_workspace(str(root), EDITION), Policies.read(settings, prepared.part.inputs), PlainStages())
    folder = root.parent / "merged"
    folder.mkdir()
    publish(store, growth, {}, [], datetime(2026, 1, 1, tzinfo=UTC), consolidate(staging, folder))
    staging.remove()


@dataclass
class Clock:
    """The clocks of a machine: `at` is the true time, and the date is set by `set_by` seconds."""

    at: float = 1_800_000_000.0
    set_by: float = 0.0
    boot_id: str = "first boot"
    booted_at: float = 1_799_999_000.0

    def __call__(self) -> Clocks:
        return Clocks(self.boot_id, self.at - self.booted_at, self.at + self.set_by)

    def restart(self) -> None:
        """Restart the machine."""
        self.boot_id, self.booted_at = f"boot at {self.at}", self.at


@dataclass
class Lab:
    """A study whose codes are drawn, its desk, and a clock that stands."""

    root: Path
    file: Path
    codes: list[str]
    clock: Clock = field(default_factory=Clock)

    @property
    def store(self) -> Store:
        """The data root."""
        return Store(str(self.root))

    @property
    def ledger_file(self) -> Path:
        """The study's ledger."""
        return study_file(self.store, read_study(self.file).name)

    def desk(self) -> StudyDesk:
        """Return a desk as a server that has just started opens it."""
        return StudyDesk(self.file, self.store, self.clock)

    def begin(self, desk: StudyDesk, code: str, seconds: float = 20) -> Screen:
        """Agree, give a profile, and end the tutorial by a truth; return the first task's screen."""
        desk.consent(code, True)
        study = desk.study
        listed = (study.age_bands, study.education, study.genders, study.majors)
        desk.describe(code, *(choices[0] if choices else "" for choices in listed))
        return self.answer(desk, code, TUTORIAL, rightly=False, seconds=seconds)

    def answer(
        self, desk: StudyDesk, code: str, task: str, *, rightly: bool, actions: int = 0, seconds: float = 20
    ) -> Screen:
        """Start a task, take so many actions, and name a truth that is right or not, in so many seconds."""
        screen = desk.start(code, task)
        assert screen.view is not None
        for number in range(actions):
            screen = desk.move(code, task, number + 1, screen.view.actions[number].name)
            assert screen.view is not None
        self.clock.at += seconds
        return desk.move(code, task, actions + 1, self.truth(desk, code, task, rightly=rightly))

    def truth(self, desk: StudyDesk, code: str, task: str, *, rightly: bool) -> str:
        """Return a truth of the task that is right, or the first that is not."""
        board = self.board(desk, code, task)
        right = board.instance.valid_truths
        return right[0] if rightly else next(name for name in board.instance.truths if name not in right)

    def board(self, desk: StudyDesk, code: str, task: str):  # type: ignore[no-untyped-def]
        """Return the board of a participant's task, with what participants do not see."""
        tasks = desk.opened.tasks_of(self.codes.index(code))
        return desk.opened.seats[tasks[task]].start().board  # type: ignore[attr-defined]


def open_lab(root: Path, folder: Path, changed: Callable[[str], str] = lambda text: text) -> Lab:
    """Write the study's file and draw its codes."""
    file = folder / "pilot.toml"
    file.write_text(changed(FILE), encoding="utf-8")
    clock = Clock()
    codes = draw_codes(read_study(file), Store(str(root)), file, clock)
    return Lab(root, file, [str(code) for code in codes], clock)
