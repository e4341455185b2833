"""The questions of an edition as columns, and the groups of them that figures are of."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS, LANGUAGES
from perennial.tasks.statistics.cells import ALL

if TYPE_CHECKING:
    from perennial.tasks.statistics.cells import Column

# What accuracy is grouped by, and whether the groups are also made of all domains together: scenarios,
# properties and relations are named within a domain, and levels of two domains are no values of one formula.
LABELS = {
    "scenario": False,
    "type": True,
    "precision": True,
    "right_letters": True,
    "chain_length": True,
    "slots": True,
    "slots_precision": True,
    "level": False,
    "property": False,
    "relation": False,
}
# By which a question counts as many times as it has of them.
LISTS = ("property", "relation")


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of an edition, an element each, sorted by pair: those of one pair stand side by side.

    `labels` has for each of `LABELS` the values of each question: none where it is unknown, and several
    where it uses several properties. `level` is nan where it is unknown.
    """

    pair: "Column"
    language: "Column"
    domain: "Column"
    difficulty: "Column"
    level: "Column"
    labels: Mapping[str, Sequence[Sequence[str]]]

    def __len__(self) -> int:
        return len(self.pair)


class Group(NamedTuple):
    """Some questions: their places, and setting (difficulty), domain, language and label that they share."""

    setting: str
    domain: str
    language: str
    value: str
    rows: "Column"


def cells_of(questions: Questions, settings: Sequence[str] = (ALL, *DIFFICULTIES)) -> Iterator[Group]:
    """Yield the questions of each difficulty, domain and language, and of all of them; empty ones not."""
    import numpy as np

    for setting in settings:
        of_setting = _all_or(questions.difficulty, setting)
        for domain in (ALL, *DOMAINS):
            of_domain = of_setting & _all_or(questions.domain, domain)
            for language in (ALL, *LANGUAGES):
                rows = np.flatnonzero(of_domain & _all_or(questions.language, language))
                if len(rows):
                    yield Group(setting, domain, language, "", rows)


def labelled_groups(questions: Questions, label: str) -> Iterator[Group]:
    """Yield the questions of each value of a label, by domain (and in all, see `LABELS`) and language."""
    import numpy as np

    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, (domain, values) in enumerate(
        zip(questions.domain.tolist(), questions.labels[label], strict=True)
    ):
        for value in dict.fromkeys(values):
            found[domain, value].append(row)
            if LABELS[label]:
                found[ALL, value].append(row)
    for (domain, value), listed in sorted(found.items()):
        rows = np.array(listed)
        for language in (ALL, *LANGUAGES):
            chosen = rows[_all_or(questions.language, language)[rows]]
            if len(chosen):
                yield Group(ALL, domain, language, value, chosen)


def _all_or(column: "Column", value: str) -> "Column":
    import numpy as np

    return np.ones(len(column), bool) if value == ALL else column == value
