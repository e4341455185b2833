"""KUMO's commands, added to the command line."""

import typer

from flows.kumo.cli.domains import domains
from flows.kumo.cli.import_release import kumo
from flows.kumo.cli.sample import sample
from flows.kumo.cli.solve import solve


def add_commands(app: typer.Typer, importing: typer.Typer) -> None:
    """Add `domains`, `sample` and `solve`, and `kumo` to those that import."""
    importing.command()(kumo)
    app.add_typer(domains, name="domains")
    app.command()(sample)
    app.command()(solve)
