"""`perennial editions list`: list, withdraw, reveal and retire editions, and remove what is left over."""

from typing import Annotated

import typer

from perennial.flows.cli.look.query import existing_root, print_entries
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, Terminal, print_rows, prints_rows
from perennial.flows.editions.withdraw import operator, reinstate_unit, utc_now, withdraw_unit
from perennial.schemas.disclosure import commitment_of
from perennial.schemas.errors import InvalidOption
from perennial.schemas.units import is_evaluation
from perennial.warehouse.catalog.catalog import open_catalog, published_units
from perennial.warehouse.catalog.withdrawals import withdrawn_units
from perennial.warehouse.disclosure import retire, reveal_seed
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.seeds import reveal_file, revealed_seed
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store

LISTED = """
WITH listed AS (
    SELECT edition, '' AS evaluation, created_at AS grown_at, * EXCLUDE (edition) FROM editions
    UNION ALL BY NAME
    SELECT v.*, e.created_at AS grown_at FROM evaluations AS v JOIN editions AS e USING (edition)
)
SELECT edition || if(evaluation = '', '', '@' || evaluation) AS edition, benchmark, created_at,
       if(evaluation = '', seed, NULL) AS seed, freshness, seed_commitment,
       (settings::JSON->>'private_share')::DOUBLE AS private_share, code_version,
       (counts::JSON->>'instances')::BIGINT AS instances,
       (counts::JSON->>'episodes')::BIGINT AS episodes,
       array_to_string((settings::JSON->'players')::VARCHAR[], ', ') AS players, answers
FROM listed
ORDER BY grown_at, listed.edition, evaluation <> '', created_at
"""
_IN_TABLE = f"""
SELECT edition, strftime(created_at, '%Y-%m-%d %H:%M') AS published,
       if(instances IS NULL, format('{{:,}} episodes of {{}}{{}}', episodes, players,
                                    if(answers = 'by log', ' (by log)', '')),
          format('{{:,}} instances ({{}})', instances, freshness)) AS holds
FROM ({LISTED})
"""


editions = typer.Typer(
    help="List the published editions and their evaluations, withdraw, reinstate, reveal or retire one.",
    no_args_is_help=True,
    add_completion=False,
    epilog="Example: perennial editions list",
)
EditionArgument = Annotated[
    str, typer.Argument(metavar="EDITION", help="The edition; latest~1 is the one before the newest.")
]
UnitArgument = Annotated[
    str, typer.Argument(metavar="EDITION", help="The edition, or EDITION@NAME for one evaluation of it.")
]
WhyOption = Annotated[str, typer.Option(metavar="TEXT", help="The reason; it is stored, and readers see it.")]


@editions.command("list")
@prints_rows
def list_editions(
    all_: Annotated[
        bool, typer.Option("--all", help="List withdrawn editions too, with the reason.")
    ] = False,
    root: RootOption = None,
    format_: Format = Format.table,
) -> None:
    """List the published editions and their evaluations, oldest first.

    Example: perennial editions list --all
    """
    _list(existing_root(root), all_, format_)


@editions.command()
def withdraw(named: UnitArgument, why: WhyOption, root: RootOption = None) -> None:
    """Hide an edition or an evaluation from readers; no file is deleted.

    Its name stays taken, and its instances are never issued again.

    Example: perennial editions withdraw kumo-2026-11-20 --why "two books are wrong"
    """
    store, reason = data_root(root), _reason(why)
    unit = select_unit(store, named, published_units(store))
    withdraw_unit(store, unit, reason)
    kept = "runs are never numbered" if is_evaluation(unit) else "instances are never issued"
    _console().print(
        f"{_kind(unit)} {unit} is withdrawn: no view shows it. Nothing of it was deleted, its name stays "
        f"taken, its {kept} again; `perennial editions reinstate {unit} --why TEXT` undoes it"
    )


@editions.command()
def reinstate(named: UnitArgument, why: WhyOption, root: RootOption = None) -> None:
    """Show a withdrawn edition or evaluation again.

    Example: perennial editions reinstate kumo-2026-11-20 --why "the books were right"
    """
    store, reason = data_root(root), _reason(why)
    unit = select_unit(store, named, published_units(store))
    reinstate_unit(store, unit, reason)
    _console().print(f"{_kind(unit)} {unit} is reinstated: all views show it again")


@editions.command()
def reveal(named: EditionArgument, root: RootOption = None) -> None:
    """Publish the secret seed that an edition committed to; this cannot be undone.

    Example: perennial editions reveal kumo-2026-11-20
    """
    store = data_root(root)
    edition = _choose_edition(store, named)
    seed = reveal_seed(store, edition)
    _console().print(
        f"the seed of edition {edition} is {seed}, and in {store.location(reveal_file(edition))}: "
        f"the SHA-256 of that file is {commitment_of(seed)}, as table editions and the manifest have it"
    )


@editions.command("retire")
def retire_edition(named: EditionArgument, root: RootOption = None) -> None:
    """Include an edition's private instances in exports from now on; this cannot be undone.

    Example: perennial editions retire kumo-2026-11-20
    """
    store = data_root(root)
    edition = _choose_edition(store, named)
    retire(store, edition, utc_now(), operator())
    _console().print(
        f"edition {edition} is retired: `perennial export {edition} DESTINATION` leaves nothing out"
    )


@editions.command("prune")
@prints_rows
def prune_staging(
    named: Annotated[
        list[str] | None, typer.Argument(metavar="[EDITION]...", help="Only what is left of these editions.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    root: RootOption = None,
    format_: Format = Format.table,
) -> None:
    """Show unfinished work and leftovers, and remove them after a confirmation.

    Nothing that is published is removed, and no stored model call.

    Example: perennial editions prune kumo-2026-11-20 --yes
    """
    from perennial.flows.editions.prune import prune

    prune(data_root(root), named or (), yes=yes, format_=format_)


def _list(store: Store, all_: bool, format_: Format) -> None:
    hidden = withdrawn_units(store)
    sql = _IN_TABLE if format_ is Format.table and not all_ else LISTED
    names, rows = open_catalog(store, published_units(store) if all_ else None).query(sql)
    if all_:
        events = [hidden.get(row[0]) for row in rows]
        names += ["withdrawn", "why"]
        rows = [
            (*row, *((event.at, event.why) if event else (None, None)))
            for row, event in zip(rows, events, strict=True)
        ]
    if "seed" in names:
        seed, unit = names.index("seed"), names.index("edition")
        rows = [(*row[:seed], _known_seed(store, row[unit]) or row[seed], *row[seed + 1 :]) for row in rows]
    (print_entries if sql == _IN_TABLE else print_rows)(names, rows, format_)
    number = len(set(hidden) & set(published_units(store)))
    if number and not all_:
        withdrawn = "1 more edition is withdrawn" if number == 1 else f"{number} more editions are withdrawn"
        _console(stderr=True).print(f"{withdrawn}: `perennial editions list --all` says why")


def _known_seed(store: Store, unit: str) -> str | None:
    if is_evaluation(unit) or not store.exists(reveal_file(unit)):
        return None
    seed = revealed_seed(store, read_published_plan(store, unit))
    return None if seed is None else str(seed)


def _reason(why: str) -> str:
    text = " ".join(why.split()).encode("utf-8", "backslashreplace").decode()
    if not text:
        raise InvalidOption(f"--why {why!r}: expected a reason that readers see")
    return text


def _choose_edition(store: Store, named: str) -> str:
    return select_unit(store, named, [unit for unit in published_units(store) if not is_evaluation(unit)])


def _kind(unit: str) -> str:
    return "evaluation" if is_evaluation(unit) else "edition"


def _console(*, stderr: bool = False) -> Terminal:
    return Terminal(stderr=stderr, soft_wrap=True)
