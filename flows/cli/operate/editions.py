"""`perennial editions`: list, withdraw, reveal and retire editions, and remove what is left over."""

from collections.abc import Sequence
from typing import Annotated

import typer

from perennial.flows.cli.look.query import existing_root, print_entries
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import (
    Format,
    FormatOption,
    JsonOption,
    Terminal,
    choose_format,
    print_rows,
)
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
       array_to_string((settings::JSON->'players')::VARCHAR[], ', ') AS players
FROM listed
ORDER BY grown_at, listed.edition, evaluation <> '', created_at
"""
_IN_TABLE = f"""
SELECT edition, strftime(created_at, '%Y-%m-%d %H:%M') AS published,
       if(instances IS NULL, format('{{:,}} episodes of {{}}', episodes, players),
          format('{{:,}} instances ({{}})', instances, freshness)) AS holds
FROM ({LISTED})
"""


def editions(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[EDITION]...", help="With --prune-staging: only the leftovers of these editions."
        ),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="List withdrawn editions too, with the reason.")
    ] = False,
    withdrawn: Annotated[
        str | None,
        typer.Option(
            "--withdraw",
            metavar="EDITION",
            help="Hide this edition or EDITION@NAME from readers; no file is deleted.",
        ),
    ] = None,
    reinstated: Annotated[
        str | None, typer.Option("--reinstate", metavar="EDITION", help="Show a withdrawn edition again.")
    ] = None,
    revealed: Annotated[
        str | None,
        typer.Option(
            "--reveal", metavar="EDITION", help="Publish the edition's seed, which it committed to."
        ),
    ] = None,
    retired: Annotated[
        str | None,
        typer.Option(
            "--retire", metavar="EDITION", help="Include the edition's private instances in exports."
        ),
    ] = None,
    why: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The reason for --withdraw or --reinstate; it is stored."),
    ] = None,
    prune_staging: Annotated[
        bool,
        typer.Option(
            "--prune-staging",
            help="Show unfinished work and leftovers, and remove them after a confirmation.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --prune-staging: remove without asking.")] = False,
    root: RootOption = None,
    format_: FormatOption = Format.table,
    as_json: JsonOption = False,
) -> None:
    """List the published editions and their evaluations, withdraw, reinstate, reveal or retire one.

    A withdrawn edition keeps its name, and its instances are never issued again. Revealing a seed and
    retiring an edition cannot be undone.

    Example: perennial editions --withdraw kumo-2026-11-20 --why "two books are wrong"
    """
    form = choose_format(format_, as_json)
    chosen = {
        "--all": all_,
        "--withdraw": withdrawn is not None,
        "--reinstate": reinstated is not None,
        "--reveal": revealed is not None,
        "--retire": retired is not None,
        "--prune-staging": prune_staging,
    }
    _refuse_mixture([option for option, is_given in chosen.items() if is_given], named, why, yes)
    if prune_staging:
        from perennial.flows.editions.prune import prune

        prune(data_root(root), named or (), yes=yes, format_=form)
    elif withdrawn is not None:
        _withdraw(data_root(root), withdrawn, _reason(why, "--withdraw"))
    elif revealed is not None:
        _reveal(data_root(root), revealed)
    elif retired is not None:
        _retire(data_root(root), retired)
    elif reinstated is not None:
        _reinstate(data_root(root), reinstated, _reason(why, "--reinstate"))
    else:
        _list(existing_root(root), all_, form)


def _refuse_mixture(chosen: Sequence[str], named: Sequence[str] | None, why: str | None, yes: bool) -> None:
    if len(chosen) > 1:
        raise InvalidOption(f"{' and '.join(chosen)} exclude each other: give one of them")
    if named and "--prune-staging" not in chosen:
        raise InvalidOption(
            f"{named[0]!r}: name an edition with --prune-staging, --withdraw, --reinstate, "
            "--reveal or --retire"
        )
    if yes and "--prune-staging" not in chosen:
        raise InvalidOption("--yes needs --prune-staging")
    if why is not None and not {"--withdraw", "--reinstate"} & set(chosen):
        raise InvalidOption("--why needs --withdraw EDITION or --reinstate EDITION")


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
        _console(stderr=True).print(f"{withdrawn}: `perennial editions --all` says why")


def _known_seed(store: Store, unit: str) -> str | None:
    if is_evaluation(unit) or not store.exists(reveal_file(unit)):
        return None
    seed = revealed_seed(store, read_published_plan(store, unit))
    return None if seed is None else str(seed)


def _reason(why: str | None, option: str) -> str:
    text = " ".join((why or "").split()).encode("utf-8", "backslashreplace").decode()
    if not text:
        raise InvalidOption(f"{option} needs a reason that readers see: --why TEXT")
    return text


def _withdraw(store: Store, named: str, why: str) -> None:
    unit = select_unit(store, named, published_units(store))
    withdraw_unit(store, unit, why)
    kept = "runs are never numbered" if is_evaluation(unit) else "instances are never issued"
    _console().print(
        f"{_kind(unit)} {unit} is withdrawn: no view shows it. Nothing of it was deleted, its name stays "
        f"taken, its {kept} again; `perennial editions --reinstate {unit} --why TEXT` undoes it"
    )


def _reinstate(store: Store, named: str, why: str) -> None:
    unit = select_unit(store, named, published_units(store))
    reinstate_unit(store, unit, why)
    _console().print(f"{_kind(unit)} {unit} is reinstated: all views show it again")


def _reveal(store: Store, named: str) -> None:
    edition = _choose_edition(store, named)
    seed = reveal_seed(store, edition)
    _console().print(
        f"the seed of edition {edition} is {seed}, and in {store.location(reveal_file(edition))}: "
        f"the SHA-256 of that file is {commitment_of(seed)}, as table editions and the manifest have it"
    )


def _retire(store: Store, named: str) -> None:
    edition = _choose_edition(store, named)
    retire(store, edition, utc_now(), operator())
    _console().print(
        f"edition {edition} is retired: `perennial export {edition} DESTINATION` leaves nothing out"
    )


def _choose_edition(store: Store, named: str) -> str:
    return select_unit(store, named, [unit for unit in published_units(store) if not is_evaluation(unit)])


def _kind(unit: str) -> str:
    return "evaluation" if is_evaluation(unit) else "edition"


def _console(*, stderr: bool = False) -> Terminal:
    return Terminal(stderr=stderr, soft_wrap=True)
