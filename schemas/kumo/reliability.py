"""Probabilistic KUMO: outcomes are reported, and a report is true with a known reliability."""

from collections.abc import Iterable, Sequence
from math import prod

from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.kumo.things import Setting

RELIABILITIES = {f"reliability-{percent}": percent / 100 for percent in range(50, 100)}
"""The versions of a question whose outcomes are reported: names, and probabilities that a report is true."""

OUTCOMES = "1"  # the reliability of outcomes themselves

MOST_CELLS = 4_000_000  # numbers in the largest table of the best play: 32 MB, and less than a second of work


def fits_plan(n_truths: int, states: Iterable[int], n_valid: int) -> bool:
    """Return whether the best play is computed: for one valid truth, and actions with so many states each.

    The table has a number for each truth and each set of reports: for each action one of its states or none.
    """
    return n_valid == 1 < n_truths and n_truths * prod(number + 1 for number in states) <= MOST_CELLS


def may_fit(setting: Setting) -> bool:
    """Return whether the best play is computed for some instances of the setting: those with few states."""
    return fits_plan(setting.n_truths, [2] * setting.n_actions, setting.n_valid)


def order_reliabilities(names: Sequence[str]) -> list[str]:
    """Return the reliabilities in falling order, each once; raise ValueError for none and for other ones."""
    known = [OUTCOMES, *(f"{share:g}" for share in reversed(RELIABILITIES.values()))]
    given = {_in_short(name) for name in names}
    if not given or given - set(known):
        raise ValueError("expected 1 (the outcomes themselves), or 0.5 to 0.99 in hundredths, such as 1,0.9")
    return [name for name in known if name in given]


def versions_reported(
    reliabilities: Sequence[str], shown: tuple[str, ...], settings: Sequence[str]
) -> tuple[str, ...]:
    """Return the versions of these reliabilities: those `shown` with the outcomes themselves, and reports.

    Raises InvalidOption where no setting of the edition is small enough for reports.
    """
    versions = tuple(f"reliability-{float(name) * 100:.0f}" for name in reliabilities if name != OUTCOMES)
    if versions and not any(may_fit(Setting.parse(name)) for name in settings):
        raise InvalidOption(
            f"--reliability {reliabilities[-1]}: the best play is not computed for {', '.join(settings)}, "
            "too large or with several valid truths: use an edition with --settings easy, or 4x8"
        )
    if OUTCOMES in reliabilities:
        return (*shown, *versions)
    if shown != (USUAL,):
        raise InvalidOption(
            f"--reliability {','.join(reliabilities)}: reports are shown with the final book, and --books "
            f"names others, which need outcomes: add 1, as in --reliability 1,{reliabilities[0]}"
        )
    return versions


def _in_short(name: str) -> str:
    try:
        return f"{float(name):.10g}"
    except ValueError:
        return name
