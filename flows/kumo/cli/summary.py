"""What a refresh prints of a published edition of KUMO beside its leaderboard."""

from perennial.schemas.kumo.plan import KumoPlan
from perennial.schemas.plan import EditionPlan
from perennial.warehouse.catalog.catalog import Catalog


def summary(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    """Return how instances were drawn; and of models' books how many passed at once, were revised, or had to
    be replaced, and what players gained by the revision.
    """
    return _describe_draws(catalog, plan) | _describe_books(catalog, plan)


def _describe_draws(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    _, rows = catalog.query(
        "SELECT solver, sum(instances)::BIGINT, sum(lists)::BIGINT, sum(refused)::BIGINT, "
        "sum(walked)::BIGINT, sum(solver_calls)::BIGINT, sum(disagreements)::BIGINT "
        f"FROM kumo_draws WHERE edition = '{plan.edition}' AND engine = 'python-sat' GROUP BY solver"
    )
    if not rows:
        return {}
    solver, instances, lists, refused, walked, calls, differ = rows[0]
    walks = f"; {walked:,} instances from walks" if walked else ""
    return {
        "drawn": f"{instances:,} instances by {solver}: {lists:,} lists judged, {refused:,} refused, in "
        f"{calls:,} calls{walks}; the compiled programme disagreed on {differ:,} (table kumo_draws)"
    }


def _describe_books(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    if not KumoPlan.from_json(plan.own).authoring.writer:
        return {}
    _, rows = catalog.query(
        "SELECT sum(unchanged)::BIGINT, sum(revised)::BIGINT, sum(replaced)::BIGINT "
        f"FROM revisions WHERE edition = '{plan.edition}'"
    )
    unchanged, revised, replaced = (count or 0 for count in rows[0])
    _, gains = catalog.query(
        "SELECT setting, player, instances, difference, difference_low, difference_high FROM "
        "version_comparisons "
        f"WHERE edition = '{plan.edition}' AND domain = 'all' AND version = 'first'"
    )
    listed = [
        f"{player} {gain:+.3f} [{low:+.3f}, {high:+.3f}] on {number:,} revised {setting}"
        for setting, player, number, gain, low, high in gains
    ]
    return ({"revision": "; ".join(listed)} if listed else {}) | {
        "books": f"{unchanged:,} passed as they were written, {revised:,} after revision, "
        f"{replaced:,} replaced by the template's (view revisions tells where)"
    }
