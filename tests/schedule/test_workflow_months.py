"""The workflow's steps in order on this machine: a limit, its second try, the next month, another secret."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perennial.flows.schedule.github import WORKFLOW, check_keep, github_workflow
from perennial.schemas.settings.models import load_models
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.schedule.runner import Job, run_job
from tests.server.log import ANSWERED
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server
from tests.warehouse import tiny_edition
from tests.warehouse.s3_server import S3, s3
from tests.warehouse.tiny_edition import publish

pytestmark = pytest.mark.slow

__all__ = ["s3"]

KEY = "sk-of-a-model-0123456789"
PASSPHRASE = "correct horse battery staple"
LEDGER = "warehouse/data/ledgers/root.sqlite"
RESTORE, GROW = "Restore the data root and verify it", "Grow this month's edition"
EVALUATE, KEEP, SITE = "Evaluate the models of models.toml", "Keep the data root", "Build the website"


@dataclass
class Repository:
    """A repository with the workflow; each run has a fresh checkout, and a runner of its own."""

    folder: Path
    keep: str
    server: RunningServer
    secrets: dict[str, str]
    program: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)
    runs: int = 0
    checkout: Path = Path()
    ledger: bytes = b""

    def run(self, month: str, max_cost: str = "", *, without: Sequence[str] = (), **secrets: str) -> Job:
        """Run the jobs that grow and keep for a month, `without` some steps."""
        self.write_checkout()
        return run_job(
            self.checkout,
            self.folder / f"runner-{self.runs}",
            self.environment,
            self.program,
            secrets=self.secrets | secrets,
            inputs={"month": month, "max_cost": max_cost},
            without=without,
        )

    def write_checkout(self) -> None:
        """Write the next run's checkout."""
        self.runs += 1
        self.checkout = self.folder / f"checkout-{self.runs}"
        (self.checkout / WORKFLOW).parent.mkdir(parents=True)
        (self.checkout / "perennial.toml").write_text('size = "tiny"\nworkers = 1\n')
        (self.checkout / "models.toml").write_text(
            f'[m]\nbase_url = "{self.server.url}"\nkey_env = "MODEL_KEY"\n'
            "max_output = 400\nprompt_usd_per_million = 1\ncompletion_usd_per_million = 1\n"
        )
        models = load_models(str(self.checkout / "models.toml")).values()
        text = github_workflow(check_keep(self.keep), models, ["pip install ."])
        (self.checkout / WORKFLOW).write_text(text)
        if self.ledger:
            (self.checkout / LEDGER).parent.mkdir(parents=True)
            (self.checkout / LEDGER).write_bytes(self.ledger)


@pytest.fixture
def server() -> Iterator[RunningServer]:
    with running_server(ServerOptions(keys=(KEY,), models=("m",))) as running:
        yield running


def played(server: RunningServer) -> int:
    """Return how many turns of episodes the server answered; the look-up before them is none."""
    return sum(line.outcome == ANSWERED and line.role == "player" for line in server.log())


def answers(root: str) -> list[tuple[object, ...]]:
    sql = "SELECT edition, count(*), sum(turns) FROM episodes WHERE player = 'm' GROUP BY 1 ORDER BY 1"
    return open_catalog(Store(root)).query(sql)[1]


def test_the_root_in_releases_lasts_through_a_limit(
    server: RunningServer, program: Sequence[str], tmp_path: Path
) -> None:
    kept = tmp_path / "releases"
    kept.mkdir()
    secrets = {"ROOT_PASSPHRASE": PASSPHRASE, "MODEL_KEY": KEY}
    there = Repository(tmp_path, "release", server, secrets, program, {"GH_FOLDER": str(kept)})

    limited = there.run("2026-12", max_cost="0.02")
    assert limited.outcomes[GROW] == "success", limited.output
    assert limited.outcomes[EVALUATE] == "failure"
    assert "--max-cost" in limited.output[EVALUATE]
    # The edition and every reply that was paid for are kept, and the edition is shown.
    assert limited.outcomes[KEEP] == "success", limited.output[KEEP]
    assert_website(limited, "monthly-2026-12")
    paid = played(server)
    assert paid > 0
    assert answers(str(there.checkout / "data")) == []

    resumed = there.run("2026-12", without=[SITE])
    assert {*resumed.outcomes.values()} <= {"success", "skipped"}, resumed.output
    assert resumed.outcomes[KEEP] == resumed.outcomes[EVALUATE] == "success"
    assert "monthly-2026-12: " in resumed.output[RESTORE]
    assert "nothing to do" in resumed.output[GROW]
    first = answers(str(there.checkout / "data"))
    assert [row[:2] for row in first] == [("monthly-2026-12", 7)]
    # No call is made twice.
    assert played(server) == first[0][2] > paid

    # Nothing in the release can be read without the passphrase.
    (newest,) = sorted(kept.iterdir())[-1].iterdir()
    content = newest.read_bytes()
    assert not [text for text in (b"SQLite format 3", b"monthly-2026-12", b"ARROW:schema") if text in content]

    locked_out = there.run("2027-02", ROOT_PASSPHRASE="another")
    assert locked_out.outcomes[RESTORE] == "failure"
    assert set(locked_out.runs) == {"Install perennial", "Choose the month", RESTORE}
    assert len(list(kept.iterdir())) == 2
    forgotten = there.run("2027-02", ROOT_PASSPHRASE="")
    assert "::error::the secret ROOT_PASSPHRASE is not set" in forgotten.output[RESTORE]


def test_ledger_and_seeds_beside_a_root_on_s3_last_into_the_next_month(
    server: RunningServer, program: Sequence[str], s3: S3, tmp_path: Path
) -> None:
    keep = s3.new_root().removesuffix("/data")
    store, at = Store(f"{keep}/data"), datetime(2026, 12, 1, tzinfo=UTC)
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], at)
    secrets = {name: s3.environment[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    there = Repository(tmp_path, keep, server, {**secrets, "MODEL_KEY": KEY}, program, s3.environment)
    # What grows and evaluates on S3 is in `tests/flows/test_s3_refresh.py`.
    without = (GROW, EVALUATE, SITE)
    there.ledger = b"replies"
    first = there.run("2026-12", without=without)
    there.ledger = b""
    second = there.run("2027-01", without=without)
    for job in (first, second):
        assert "failure" not in job.outcomes.values(), job.output
        assert "e1: " in job.output["Restore ledger and seeds, and verify the data root"]
    assert (there.checkout / LEDGER).read_bytes() == b"replies"


def assert_website(job: Job, edition: str) -> None:
    assert job.outcomes[SITE] == "success", job.output[SITE]
    assert edition in (job.website / "index.html").read_text("utf-8")
