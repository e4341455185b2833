"""The website of `perennial serve --site`: brought up to date by the run that published something."""

import os
from pathlib import Path

from perennial.flows.console.input_files import require_folder, show_path
from perennial.flows.website.folder import open_site_folder
from perennial.schemas.errors import PerennialError, count
from perennial.warehouse.store.store import Store

_VARIABLE = "PERENNIAL__SITE"


def keep_site(folder: Path) -> None:
    """Let runs that this process starts keep a website in the folder.

    Raises InvalidOption where it cannot be written or is of others.
    """
    require_folder("--site", folder)
    with open_site_folder(folder):
        pass
    os.environ[_VARIABLE] = os.path.abspath(folder)


def renew_site(store: Store) -> str:
    """Bring the website up to date; return in a clause what became of it, "" where none is kept.

    A failure is reported and not raised: what was published stays published, and the next run builds again.
    """
    folder = os.environ.get(_VARIABLE)
    if not folder:
        return ""
    from perennial.flows.website.build import build_site

    try:
        built = build_site(store, Path(folder))
    except (PerennialError, OSError) as error:
        return f"; the website is not up to date: {error}"
    done = f"{count(built.written, 'file')} written, {built.removed:,} removed"
    return f"; website {show_path(Path(folder))}: {done}"
