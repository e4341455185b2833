"""What a refresh prints of a published edition of A2RBench beside its leaderboard."""

from perennial.schemas.plan import EditionPlan
from perennial.warehouse.catalog.catalog import Catalog


def summary(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    """Return what the gate found, and how many items are missing."""
    where = f"WHERE edition = '{plan.edition}'"
    _, ((items, outputs, unique, copies, tier),) = catalog.query(
        'SELECT sum(items)::BIGINT, sum(outputs)::BIGINT, sum("unique")::BIGINT, sum(copies)::BIGINT, '
        f"any_value(tier) FROM a2rbench_gate {where}"
    )
    # No gate ran an imported edition: its import did.
    shown = (
        {}
        if items is None
        else {
            "gate": f"{outputs:,} outputs of {items:,} items run again (sandbox: {tier}), on "
            f"{unique:,} items all programs that fit agree, {copies:,} are copies in other tokens"
        }
    )
    where += " AND stage IN ('items', 'expansions', 'import')"
    _, missing = catalog.query(f"SELECT rule, count(*) FROM rejections {where} GROUP BY 1 ORDER BY 1")
    listed = [f"{number:,} {rule}" for rule, number in missing]
    return shown | ({"left out": ", ".join(listed) + " (table rejections)"} if listed else {})
