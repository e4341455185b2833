"""What becomes known of an edition, and when: its seed, its private instances, an export."""

import hashlib
import json
import os
from pathlib import Path

from perennial.schemas.disclosure import commitment_of, seed_bytes
from perennial.schemas.errors import Damaged, EditionConflict, InvalidOption
from perennial.schemas.plan import EditionPlan
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.ledger.ledger import ledger_file
from perennial.warehouse.store.local_files import draft_of
from perennial.warehouse.store.store import Store

# Which instances of an edition are private, until it is retired: from then on they are in exports too.
#
# `retirements/<edition>.json` says when it was retired, and by whom. There is no way back: what was
# exported is known.


_FOLDER = "retirements"


def is_retired(store: Store, edition: str) -> bool:
    """Whether the edition is retired."""
    return store.exists(_file(edition))


def private_ids(store: Store, edition: str) -> frozenset[str]:
    """The edition's private instances, whether it is retired or not."""
    _, rows = open_catalog(store, (edition,)).query("SELECT instance_id FROM private_instances")
    return frozenset(str(id_) for (id_,) in rows)


def retire(store: Store, edition: str, at: str, by: str) -> None:
    """Retire a published edition; raise EditionConflict where it is retired already."""
    if is_retired(store, edition):
        raise EditionConflict(f"edition {edition!r} is retired already: its exports leave nothing out")
    record = {"edition": edition, "at": at, "by": by}
    store.write_bytes(_file(edition), json.dumps(record, indent=1).encode())


def _file(edition: str) -> str:
    return f"{_FOLDER}/{edition}.json"


# Where the secret seeds of editions are kept, and how they are revealed.
#
# A secret seed is in `seeds/<commitment>` beside the ledger: on this machine's disk, readable by its owner
# alone, in no table and no manifest. Revealed, it is in `reveals/<edition>.seed` of the data root. Both files
# hold the bytes that the commitment is the SHA-256 of, so that `sha256sum` checks them.


REVEALS = "reveals"


def seed_file(root: str, commitment: str) -> Path:
    """Return where the data root's secret seed with this commitment is kept."""
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
    """Return the seed of an edition: the public, the kept or the revealed one; None where there is none.

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
    """Return the seed that was revealed of an edition, None where none was; raise Damaged as `find_seed`."""
    name = reveal_file(plan.edition)
    try:
        content = store.read_bytes(name)
    except FileNotFoundError:
        return None
    return _read_seed(content, plan.seed_commitment, store.location(name))


def reveal_file(edition: str) -> str:
    """Return the name of the file that reveals the edition's seed, relative to the data root."""
    return f"{REVEALS}/{edition}.seed"


def reveal_seed(store: Store, edition: str) -> int:
    """Publish the secret seed of a published edition, and return it; again, if it is revealed already.

    Raises InvalidOption where it was never secret or is not kept here, EditionConflict while private
    instances of the edition could be drawn with it.
    """
    plan = read_published_plan(store, edition)
    if plan.seed is not None:
        reason = "it was imported" if plan.imported_from else f"its seed is {plan.seed}, in table editions"
        raise InvalidOption(f"edition {edition!r} has no secret seed: {reason}; there is nothing to reveal")
    if plan.private_share and not is_retired(store, edition):
        raise EditionConflict(
            f"edition {edition!r} has private instances, which anybody could draw with its seed: give "
            f"`perennial editions --retire {edition}` first"
        )
    seed = find_seed(store, plan)
    if seed is None:
        raise InvalidOption(
            f"the seed of edition {edition!r} is not kept here: "
            f"{seed_file(store.root, plan.seed_commitment)} is missing; give the command "
            "where the refresh ran, or restore the file from a copy"
        )
    store.write_bytes(reveal_file(edition), seed_bytes(seed))
    return seed


def _read_seed(content: bytes, commitment: str, where: str) -> int:
    if hashlib.sha256(content).hexdigest() != commitment:
        raise Damaged(
            f"{where} is not the seed that was committed to: its SHA-256 is not {commitment}; restore the "
            "file from a copy"
        )
    return int(content)
