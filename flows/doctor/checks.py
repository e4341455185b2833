"""All that `perennial doctor` looks at, in order. Nothing is changed, and Prefect is never imported."""

from collections.abc import Iterator

from perennial.flows.doctor.check import Look
from perennial.flows.doctor.editions import edition_looks
from perennial.flows.doctor.endpoint import endpoint_look
from perennial.flows.doctor.machine import machine_looks
from perennial.flows.doctor.root import format_look, has_our_format, is_readable, root_look, root_looks
from perennial.schemas.settings import RefreshSettings
from perennial.warehouse.store.store import Store


def looks(settings: RefreshSettings, *, deep: bool) -> Iterator[Look]:
    """Yield every look at the machine and at the data root that these settings name.

    `deep` starts an embedded Prefect server, in a folder of its own, where the environment names none.
    """
    store = Store(settings.root)
    yield from machine_looks(settings, deep=deep)
    yield endpoint_look(settings)
    yield root_look(store)
    if not is_readable(store):
        return
    yield format_look(store)
    if has_our_format(store):
        yield from root_looks(store)
        yield from edition_looks(store)
