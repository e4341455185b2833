"""What a refresh prints of a published edition of KnowLogic beside its leaderboard."""

from perennial.schemas.plan import EditionPlan
from perennial.warehouse.catalog.catalog import Catalog


def summary(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    """Return what the gate proved, and how many questions are missing."""
    where = f"WHERE edition = '{plan.edition}'"
    _, ((pairs, options, texts, changes),) = catalog.query(
        "SELECT sum(proved)::BIGINT, sum(options)::BIGINT, sum(texts)::BIGINT, sum(changes)::BIGINT "
        f"FROM knowlogic_gate {where}"
    )
    shown = {
        "gate": f"{pairs or 0:,} questions have one arrangement by two engines, {options or 0:,} options are "
        f"decided, {texts or 0:,} texts read back; {changes or 0:,} changed texts and wrong answers refused"
    }
    _, missing = catalog.query(
        f"SELECT subject, amount FROM rejections {where} AND stage = 'questions' ORDER BY 1"
    )
    listed = [f"{subject}: {amount:,} questions missing" for subject, amount in missing]
    return shown | ({"left out": "; ".join(listed) + " (table rejections)"} if listed else {})
