"""What an edition of every benchmark whose questions have one reply must withstand: refusal, audit, kills."""

import signal
from pathlib import Path
from typing import Any

from perennial.flows.editions.audit import audit_unit
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.prefect_harness import Harness, edition_content, wait_until
from tests.server.log import answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import running_server


def query_rows(root: Path, sql: str) -> list[tuple[Any, ...]]:
    """Return what a query finds in a data root."""
    return [tuple(row) for row in open_catalog(Store(str(root))).query(sql)[1]]


def check_refusal(harness: Harness, folder: Path, command: tuple[str, ...], words: list[str]) -> None:
    """Check that the command is refused in one line that has these words, before anything is written."""
    done = harness.perennial(*command, cwd=folder)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in done.stderr
    assert not (folder / "data" / "tables").exists()


def check_audit_and_reproduction(root: Path, folder: Path) -> None:
    """Check that edition `e1` and its evaluation pass their audit and come out the same once more."""
    store = Store(str(root))
    assert [audit_unit(store, unit)[1] for unit in ("e1", "e1@1")] == [(), ()]
    for place, unit in enumerate(("e1", "e1@1")):
        again = folder / str(place)
        again.mkdir()
        assert reproduce_unit(store, unit, again).same


def check_kills(
    harness: Harness, folder: Path, command: tuple[str, ...], table: str, options: ServerOptions
) -> None:
    """Check that a refresh of `e1` that is killed twice gives the same edition and repeats no stored call.

    It is killed once a part of the table is staged, and once the server holds all further answers.
    """
    killed, undisturbed = folders = [folder / name for name in ("killed", "undisturbed")]
    with running_server(options) as server:
        for each in folders:
            each.mkdir()
            (each / "perennial.toml").write_text(f'base_url = "{server.url}"\nruns = 1\nconcurrency = 4\n')
        for holds in (
            lambda: any((killed / "data").rglob(f"staging/**/{table}/*")),
            lambda: server.status().held,
        ):
            process = harness.start(*command, cwd=killed)
            wait_until(holds, timeout_s=120)
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        server.release()
        for each in folders:
            done = harness.perennial(*command, cwd=each)
            assert done.returncode == 0, done.stderr
        log = server.log()
    assert edition_content(killed / "data", "e1") == edition_content(undisturbed / "data", "e1")
    ((calls,),) = query_rows(killed / "data", "SELECT count(*) FROM calls")
    answers = answers_by_digest(log)
    assert len(answers) == calls
    # The answers that were under way when it was killed came after that; all others were asked for once.
    assert sum(answers.values()) <= 2 * calls + 4
