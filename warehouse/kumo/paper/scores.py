"""The legible numbers of the KUMO paper's two versions, as rows of `published_scores`."""

from collections.abc import Iterator

from perennial.schemas.statistics.published import PublishedScore
from perennial.warehouse.kumo.paper.printed import printed_values

_UNITS = {
    "success_rate": "share",
    "outcome_only_success": "share",
    "parse_error_rate": "share",
    "relative_action_count": "ratio",
    "mean_of_ratios_tests_plus_1": "ratio",
    "tokens": "tokens",
    "mean_tokens": "tokens",
    "optimal_count": "actions",
    "most_frequent_optimal_count": "actions",
    "correlation_success_rate": "correlation",
    "correlation_relative_action_count": "correlation",
    "cramers_v": "correlation",
    "revised_books": "books",
    "revision_gain_r": "correlation",
}


def published_scores() -> Iterator[PublishedScore]:
    """Yield what is printed; `model` is whose number it is, also where the paper prints another's name."""
    for row in printed_values():
        if row.printed is not None:
            yield PublishedScore(
                source="paper, version 2" if row.version == "2" else "paper",
                place=row.item,
                player=row.player,
                figure=row.metric,
                value=row.printed,
                unit=_UNITS[row.metric],
                setting=row.setting or "all",
                domain=row.domain or "all",
                model=row.computed_of or row.player or None,
            )
