"""The two languages on the same questions: a pair is as hard in one as in the other, but for its language.

Only pairs count in both of whose texts the player has a scored run.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from perennial.schemas.knowlogic.things import DOMAINS, LANGUAGES
from perennial.tasks.knowlogic.statistics.estimates import EXACT, GAP_METHOD, estimate_mean, interval_of_gap
from perennial.tasks.knowlogic.statistics.estimates import METHOD as MEAN_METHOD
from perennial.tasks.knowlogic.statistics.questions import Questions
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.pair_figures import mcnemar_p

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column

DIFFERENCE, PAIRED_ACCURACY = "language_difference", "paired_accuracy"
MCNEMAR, MCNEMAR_IN_DOMAIN = "language_mcnemar", "language_mcnemar_in_domain"
_ONE, _OTHER = LANGUAGES
_DIFFERENCE = (
    f"mean over pairs of accuracy in {_ONE} minus accuracy in {_OTHER}; {GAP_METHOD}; n counts pairs"
)
_ACCURACY = (
    f"accuracy in one language on the pairs with scored runs in both; {MEAN_METHOD}; {EXACT}; n counts pairs"
)
_MCNEMAR = (
    f"share solved in {_ONE} of the pairs solved in one language alone, by the majority of runs; "
    "McNemar exact, two-sided; n counts these pairs"
)


def language_figures(questions: Questions, player: str, columns: "Mapping[str, Column]") -> Iterator[Figure]:
    """Yield the player's paired comparison in all domains and in each: difference, accuracies, McNemar."""
    import numpy as np

    runs, solved = columns["runs"], columns["solved"]
    played = {name: np.flatnonzero((questions.language == name) & (runs > 0)) for name in LANGUAGES}
    pair_one, pair_other = (questions.pair[played[name]] for name in LANGUAGES)
    _, one, other = np.intersect1d(pair_one, pair_other, return_indices=True)
    rows = {_ONE: played[_ONE][one], _OTHER: played[_OTHER][other]}
    for domain in (ALL, *DOMAINS):
        chosen = np.ones(len(one), bool) if domain == ALL else questions.domain[rows[_ONE]] == domain
        if not chosen.any():
            continue
        here = {name: of[chosen] for name, of in rows.items()}
        place = ALL, domain, player, int(chosen.sum())
        rates = {name: solved[of] / runs[of] for name, of in here.items()}
        gaps = rates[_ONE] - rates[_OTHER]
        low, high = interval_of_gap(gaps)
        yield Figure(DIFFERENCE, *place, float(gaps.mean()), _DIFFERENCE, low=low, high=high)
        for name, of in here.items():
            found = estimate_mean(solved[of], runs[of], questions.pair[of], is_share=True)
            assert found is not None
            assert found.interval is not None
            low, high = found.interval
            yield Figure(PAIRED_ACCURACY, *place, found.value, _ACCURACY, other=name, low=low, high=high)
        labels = {name: 2 * solved[of] > runs[of] for name, of in here.items()}
        only_one = int((labels[_ONE] & ~labels[_OTHER]).sum())
        only_other = int((labels[_OTHER] & ~labels[_ONE]).sum())
        discordant = only_one + only_other
        # One question a reader asks, one family of tests: over all domains, and domain by domain.
        yield Figure(
            MCNEMAR if domain == ALL else MCNEMAR_IN_DOMAIN,
            *(ALL, domain, player, discordant, only_one / discordant if discordant else None, _MCNEMAR),
            p_value=mcnemar_p(only_one, only_other),
        )
