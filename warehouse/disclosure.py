"""What becomes known of an edition, and when: its seed, its private instances, an export."""

import json

from perennial.schemas.disclosure import seed_bytes
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import find_seed, reveal_file, seed_file
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
            f"`perennial editions retire {edition}` first"
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
