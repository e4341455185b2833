"""Mastermind's page of `perennial web`, and what it shows of an instance."""

from flows.web.page import Opened, OwnPages, Page, Visit
from flows.web.tables import show_query, show_rows
from warehouse.catalog.sql.confinement import quote


def show_progress(visit: Visit) -> None:
    """Show the view of the guesses."""
    edition = visit.choose_edition("mastermind")
    show_query("progress", edition.snapshot, "SELECT * EXCLUDE (edition) FROM mastermind_progress")


def show_guesses(edition: Opened, instance_id: str) -> None:
    """Show all guesses at a code."""
    sql = (
        "SELECT player, run, number, guess, in_place, elsewhere FROM mastermind_guesses "
        f"JOIN episodes USING (episode_id) WHERE instance_id = {quote(instance_id)} ORDER BY ALL"
    )
    show_rows("guesses", edition.query(sql))


PAGES = OwnPages((Page("mastermind-progress", "Mastermind: progress", show_progress),), instance=show_guesses)
