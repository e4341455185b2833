"""Where the data root is: the flag over the environment over perennial.toml over the default."""

import os
from contextlib import suppress
from typing import Annotated

import typer

from perennial.schemas.errors import PerennialError
from perennial.schemas.variables import has_variables
from perennial.warehouse.store.store import Store

_DEFAULT = "warehouse/data"
RootOption = Annotated[str | None, typer.Option("--root", help="Data root. Default: warehouse/data.")]


def data_root(flag: str | None) -> Store:
    """Open the data root that the flag, the environment or perennial.toml names, in this order.

    Raises UnreadableInput for one of another format, whatever the command would do with it.
    """
    from perennial.warehouse.catalog.catalog import refuse_other_format
    from perennial.warehouse.catalog.withdrawals import finish_moves

    store = _named_root(flag)
    refuse_other_format(store)
    # Our readers go by the record: where it is bad, or nothing can be written, other commands still work.
    with suppress(OSError, PerennialError):
        finish_moves(store)
    return store


def _named_root(flag: str | None) -> Store:
    # Loading all settings takes longer than a small query.
    if not (flag or has_variables(os.environ) or os.path.lexists("perennial.toml")):
        return Store(_DEFAULT)
    if flag and flag.isprintable() and not os.path.lexists("perennial.toml"):
        return Store(flag)
    from perennial.schemas.settings import load_settings

    return Store(load_settings({"root": flag}).root)
