"""Where the data root is: the flag over the environment over perennial.toml over the default."""

import os
import shlex
from contextlib import suppress
from typing import Annotated

import typer

from perennial.schemas.errors import PerennialError, UnreadableInput, quote
from perennial.schemas.variables import DEFAULT_ROOT_WORDS, default_root, has_variables, settings_file
from perennial.warehouse.store.store import Store

RootOption = Annotated[str | None, typer.Option("--root", help=f"Data root. Default: {DEFAULT_ROOT_WORDS}.")]


def data_root(flag: str | None, *, may_begin: bool = False) -> Store:
    """Open the data root that the flag, the environment or perennial.toml names, in this order.

    Raises UnreadableInput for one of another format, whatever the command would do with it, and for a flag
    that names no folder, except where the command `may_begin` a root.
    """
    from perennial.warehouse.catalog.catalog import refuse_other_format
    from perennial.warehouse.catalog.withdrawals import finish_moves

    store = _named_root(flag)
    if flag and not may_begin and (folder := store.local_folder) is not None and not folder.exists():
        raise UnreadableInput(
            f"--root {quote(flag, 200)} does not exist: correct it, or make a data root there with "
            "`perennial refresh`"
        )
    refuse_other_format(store)
    # Our readers go by the record: where it is bad, or nothing can be written, other commands still work.
    with suppress(OSError, PerennialError):
        finish_moves(store)
    return store


def _named_root(flag: str | None) -> Store:
    # Loading all settings takes longer than a small query.
    has_settings = os.path.lexists(settings_file())
    if flag is None and not (has_variables(os.environ) or has_settings):
        return Store(default_root())
    if flag is not None and flag.isprintable() and not has_settings:
        return Store(flag)
    from perennial.schemas.settings import load_settings

    return Store(load_settings({"root": flag}).root)


def root_flag(store: Store) -> str:
    """What a command that is proposed needs to read this root: nothing, or ` --root ROOT`."""
    return "" if store.root == default_root() else f" --root {shlex.quote(store.root)}"


def whole_path(store: Store) -> str:
    """The root as it is known from any folder: an absolute path, or a URL."""
    return str(store.local_folder or store.root)
