"""What `perennial web` shows of an instance of Mastermind."""

from perennial.flows.web.page import Opened, OwnPages
from perennial.flows.web.tables import show_rows
from perennial.warehouse.catalog.confinement import quote


def show_guesses(edition: Opened, instance_id: str) -> None:
    """Show all guesses at a code."""
    sql = (
        "SELECT player, run, number, guess, in_place, elsewhere FROM mastermind_guesses "
        f"JOIN episodes USING (episode_id) WHERE instance_id = {quote(instance_id)} ORDER BY ALL"
    )
    show_rows("guesses", edition.query(sql))


PAGES = OwnPages(instance=show_guesses)
