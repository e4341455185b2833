"""What a refresh prints of a published edition of KUMO beside its leaderboard."""

from schemas.kumo.plan import KumoPlan
from schemas.plan import EditionPlan
from warehouse.catalog.catalog import Catalog


def summary(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    """Return how many of the models' books passed at once, were revised, or had to be replaced, and what
    players gained by the revision.
    """
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
