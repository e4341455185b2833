"""Build the website of a data root: what changed is made again, what is gone is removed.

An edition's page and downloads are one part, made from its files alone; pages over
several editions are another.
Equal data give equal bytes, whether a website is built from nothing or updated.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from perennial.flows.website.edition_part import edition_part
from perennial.flows.website.folder import Content, Part, has_record, open_site_folder
from perennial.flows.website.overview import read_overview
from perennial.flows.website.player_part import player_files
from perennial.flows.website.shared_part import shared_files
from perennial.flows.website.visible import Edition, key_of_root, read_editions
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, published_editions
from perennial.warehouse.store.store import Store


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: editions on the website, and how many files it wrote, kept and removed."""

    editions: int
    written: int
    kept: int
    removed: int


def build_site(
    store: Store,
    folder: Path,
    step: Callable[[str], None] = lambda name: None,
    trials: Collection[str] = (),
) -> Built:
    """Make the folder the website of the root's visible editions; `step` gets the name of each part made.

    An edition that `perennial try` grew is shown only where `trials` names it. Where the last edition was
    withdrawn, the folder's pages and downloads are removed. Raises UnreadableInput where there is none to
    show, InvalidOption for a name that is not published, and what `open_site_folder` and `SiteFolder.update`
    raise.
    """
    # Sums of floats depend on their order, which several threads leave open.
    catalog = open_catalog(store, settings={"threads": 1})
    with catalog.closing():
        unknown = sorted(set(trials).difference(catalog.editions))
        if unknown:
            raise InvalidOption(
                f"--trial {unknown[0]}: no edition of that name is published in {store.root}, or it is "
                "withdrawn: `perennial editions` lists them"
            )
        editions = read_editions(store, catalog, trials)
        is_one_withdrawn = set(published_editions(store)) > set(catalog.editions)
        if not editions and is_one_withdrawn and has_record(folder):
            with open_site_folder(folder) as site:
                site.update([], step)
            return Built(0, 0, 0, site.changes.removed)
        if catalog.editions and not editions:
            raise UnreadableInput(
                f"every edition in {store.root} is a trial, made by `perennial try`, which a website leaves "
                f"out: name it with `--trial {catalog.editions[-1]}`, or publish one with `perennial refresh`"
            )
        if not editions:
            raise UnreadableInput(
                f"no edition is published in {store.root}: publish one with `perennial refresh`, or name "
                "another --root"
            )
        with open_site_folder(folder) as site:
            overview = Part(
                "pages over all editions",
                key_of_root(store, editions, catalog.units),
                partial(_make_overview, store, catalog, editions),
            )
            site.update([*(edition_part(store, edition) for edition in editions), overview], step)
    changes = site.changes
    return Built(len(editions), changes.written, changes.kept, changes.removed)


def _make_overview(
    store: Store, catalog: Catalog, editions: list[Edition], _drafts: Path
) -> Mapping[str, Content]:
    overview = read_overview(catalog, editions)
    return {**shared_files(store, overview), **player_files(store, overview)}
