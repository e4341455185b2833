"""Where the data root is: the flag over the environment over perennial.toml over the default."""

from typing import Annotated

import typer

from warehouse.store.store import Store

RootOption = Annotated[str | None, typer.Option("--root", help="Data root. Default: warehouse/data.")]


def data_root(flag: str | None) -> Store:
    """Return the data root that the flag, the environment or perennial.toml names."""
    from schemas.settings import load_settings

    return Store(load_settings({"root": flag}).root)
