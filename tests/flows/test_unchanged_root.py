"""What is prepared before the root is locked is refused where another command wrote meanwhile."""

from dataclasses import replace

import pytest

from perennial.flows.refresh.publish import refuse_changed_root, units_of_root
from perennial.schemas.errors import RootLocked
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import publish_day


def test_an_edition_that_another_command_stages_or_publishes_is_noticed(store: Store) -> None:
    before = units_of_root(store)
    refuse_changed_root(store, before)
    staging = Staging(store, "e3")
    staging.write_plan(replace(read_published_plan(store, "e2"), edition="e3"))
    with pytest.raises(RootLocked, match=r"another command wrote to .*: give the same command again"):
        refuse_changed_root(store, before)
    staging.remove()
    refuse_changed_root(store, before)
    publish_day(store, "e3", 3)
    with pytest.raises(RootLocked, match="while this one was being prepared"):
        refuse_changed_root(store, before)
