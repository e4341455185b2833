"""`perennial domains`: list, check and score domains, import and write new ones."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, Terminal, print_rows, prints_rows
from perennial.flows.console.settings_options import benchmark_command, with_settings
from perennial.flows.kumo.cli.domain_sources import (
    author_fields,
    build,
    configure,
    counterfactual,
    new,
    propose,
    sparse,
    world,
)
from perennial.flows.kumo.cli.file_reports import (
    EXIT_CODES,
    as_document,
    check_path,
    count_sizes,
    import_domains,
    print_reports,
    total_line,
)
from perennial.flows.kumo.cli.sample import sample
from perennial.flows.kumo.cli.score import score, split
from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.validation import RULES
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from perennial.warehouse.kumo.published_domains import domain_uses

domains = typer.Typer(
    name="domains",
    help="List, check and score domains, import and write new ones.",
    no_args_is_help=True,
    add_completion=False,
    epilog="Example: perennial domains list",
)
domains.command(epilog="Example: perennial domains split sparse_medicine.json --out split")(split)
for _command, _settings in ((propose, ("categories",)), (configure, ("continuations", "repairs"))):
    _fields = partial(lambda names, _named: author_fields(*names), _settings)
    domains.command(_command.__name__, cls=benchmark_command(_command, _fields, has_long_help=False))(
        with_settings(_command, {}, has_long_help=False)
    )
domains.command(epilog="Example: perennial domains new tide_pools --category Zoology")(new)
domains.command(epilog="Example: perennial domains build tide_pools")(build)
domains.command(epilog="Example: perennial domains world --seed 7 --index 3 --out world.json")(world)
domains.command(epilog="Example: perennial domains counterfactual chemical_analysis --seed 7 --out cf.json")(
    counterfactual
)
domains.command(
    epilog="Example: perennial domains sparse chemical_analysis --sparse 8,0.1 --out sparse.json"
)(sparse)
domains.command(epilog="Example: perennial domains score music_identification tide_pools/config.json")(score)
_SAMPLE = (
    "perennial domains sample --config medical_diagnosis --truths 4 --actions 6 --count 100 --out easy.jsonl"
)
domains.command(epilog=f"Example: {_SAMPLE}")(sample)
domains.command("import", epilog="Example: perennial domains import ../KUMO MedicalEnv --out medical")(
    import_domains
)


def _print_rules(wanted: bool) -> None:
    if not wanted:
        return
    for name, rule in RULES.items():
        kind = "unsafe" if rule.unsafe else rule.severity
        typer.echo(f"{name:<23} {kind:<8} {rule.summary}")
    typer.echo("\nunsafe: an error for which sampling refuses the configuration.")
    raise typer.Exit


@domains.command(epilog="Example: perennial domains validate my_domain.json more/ --min-truths 40")
def validate(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files, or folders: all *.json files in them.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    min_truths: Annotated[
        int | None,
        typer.Option(
            min=0, help="Fewer truths are an error. Default: fewer than Hard's 12, and 12 to 49 a warning."
        ),
    ] = None,
    min_actions: Annotated[
        int | None,
        typer.Option(
            min=0, help="Fewer actions are an error. Default: fewer than Hard's 16, and 16 to 29 a warning."
        ),
    ] = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="List the rules and exit.", is_eager=True, callback=_print_rules)
    ] = False,
    root: RootOption = None,
) -> None:
    """Check seed configurations against every rule, without reading the data root.

    Exit code 0: no errors (warnings do not count); 1: errors; 2: a file cannot be read.
    """
    reports = [report for path in paths for report in check_path(path, min_truths, min_actions)]
    if as_json:
        typer.echo(json.dumps(as_document(reports), indent=2))
    else:
        print_reports(reports)
        Terminal(soft_wrap=True).print(total_line(reports))
    raise typer.Exit(max(EXIT_CODES[report.status] for report in reports))


@domains.command(name="list", epilog="Example: perennial domains list --json")
@prints_rows
def list_domains(root: RootOption = None, format_: Format = Format.table) -> None:
    """List the domains that come with perennial, and how many editions of the data root hold each."""
    configs = {name: load_bundled(name) for name in bundled_domains()}
    uses = domain_uses(data_root(root))
    rows = [_domain_row(name, config, uses.get(config.domain_id, 0)) for name, config in configs.items()]
    if format_ is Format.table:
        _print_domains(rows)
    else:
        print_rows(list(rows[0]), [tuple(row.values()) for row in rows], format_)


def _domain_row(name: str, config: SeedConfig, editions: int) -> dict[str, object]:
    from perennial.tasks.kumo.statistics import communities

    graph = communities(config, 0)
    row = {"name": name, "title": config.name, "category": config.category, **count_sizes(config)}
    modularity = None if graph.modularity is None else round(graph.modularity, 3)
    return {**row, "density": round(graph.density, 3), "modularity": modularity, "editions": editions}


def _print_domains(rows: list[dict[str, object]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    texts, numbers = ("name", "category"), ("truths", "actions", "modularity", "editions")
    for heading in texts:
        table.add_column(heading, overflow="fold", no_wrap=heading == "name")
    for heading in numbers:
        # Broken: a terminal of 80 columns shows each name and category in one line.
        wrapped_heading = heading.replace("modularity", "modu-\nlarity")
        table.add_column(wrapped_heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*("" if row[heading] is None else str(row[heading]) for heading in (*texts, *numbers)))
    Terminal().print(table)
