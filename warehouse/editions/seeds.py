"""Where the secret seeds of editions are kept, and where they are revealed.

A secret seed is in `seeds/<commitment>` beside the ledger: on this machine's disk, readable by its owner
alone, in no table and no manifest. Revealed, it is in `reveals/<edition>.seed` of the data root. Both files
hold the bytes that the commitment is the SHA-256 of, so that `sha256sum` checks them.
"""

import hashlib
import os
from pathlib import Path

from perennial.schemas.disclosure import commitment_of, seed_bytes
from perennial.schemas.errors import Damaged
from perennial.schemas.plan import EditionPlan
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.store.file_system import draft_of
from perennial.warehouse.store.store import Store

REVEALS = "reveals"


def seed_file(root: str, commitment: str) -> Path:
    """Where the data root's secret seed with this commitment is kept."""
    return ledger_file(root).parent / "seeds" / commitment


def keep_seed(root: str, seed: int) -> str:
    """Keep a secret seed, whole or not at all, for its owner's eyes; return its commitment."""
    commitment = commitment_of(seed)
    file = seed_file(root, commitment)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with draft_of(str(file)) as draft, open(os.open(draft, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as sink:
        sink.write(seed_bytes(seed))
        sink.flush()
        os.fsync(sink.fileno())
    return commitment


def find_seed(store: Store, plan: EditionPlan) -> int | None:
    """The seed of an edition: the public, the kept or the revealed one; None where there is none.

    Raises Damaged where a file of it is not what the commitment says.
    """
    if plan.seed is not None:
        return plan.seed
    file = seed_file(store.root, plan.seed_commitment)
    try:
        return _read_seed(file.read_bytes(), plan.seed_commitment, str(file))
    except FileNotFoundError:
        return revealed_seed(store, plan)


def revealed_seed(store: Store, plan: EditionPlan) -> int | None:
    """The seed that was revealed of an edition, None where none was; raise Damaged as `find_seed`."""
    name = reveal_file(plan.edition)
    try:
        content = store.read_bytes(name)
    except FileNotFoundError:
        return None
    return _read_seed(content, plan.seed_commitment, store.location(name))


def reveal_file(edition: str) -> str:
    """The name of the file that reveals the edition's seed, relative to the data root."""
    return f"{REVEALS}/{edition}.seed"


def _read_seed(content: bytes, commitment: str, where: str) -> int:
    if hashlib.sha256(content).hexdigest() != commitment:
        raise Damaged(
            f"{where} is not the seed that was committed to: its SHA-256 is not {commitment}; restore the "
            "file from a copy"
        )
    return int(content)
