"""Tell whether a proposed domain is one that exists already, under another wording or with the same truths.

Names and goals are compared by what is left of them without case, punctuation, plural endings and words
that every domain has, in alphabetical order of the words. The score is rapidfuzz's `ratio` of the
two: 100 for equal ones, 0 for ones without a letter in common. Where name and goal are taken together, that
of the names is `token_set_ratio`: 100 where one name has all words of the other.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

# Names this much alike differ by a letter or two, goals by one short word; together they may differ more.
NAME_THRESHOLD = 90.0
GOAL_THRESHOLD = 95.0
MEAN_THRESHOLD = 85.0
# Of all truths of two domains; the bundled ones share none at all.
TRUTHS_THRESHOLD = 0.5

_COMMON_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at based be being by can domain each env environment for from game given has have
    in into is it its of on or puzzle reasoning that the their them these this to under using via what
    which who whose with within
    determine determining detect detecting diagnose diagnosing discover discovering find finding
    identification identify identifying identity infer inferring name naming recognise recognising
    recognize recognizing""",
    )
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_PLURAL = ("as", "is", "os", "ss", "us")


@dataclass(frozen=True, slots=True)
class KnownDomain:
    """A domain that exists already, by its name and goal ("" where it has none)."""

    name: str
    goal: str


@dataclass(frozen=True, slots=True)
class Twin:
    """A domain that another is too much like: in what, how much (0 to 100), and from where it is too much."""

    domain: KnownDomain
    by: str
    score: float
    threshold: float

    @property
    def message(self) -> str:
        """What is alike, in words."""
        return (
            f"its {self.by} {'are' if ' and ' in self.by else 'is'} {self.score:.0f} of 100 similar to "
            f"{self.domain.name!r}, the limit is {self.threshold:.0f}; propose another subject"
        )


def nearest_twin(name: str, goal: str, known: Iterable[KnownDomain]) -> Twin | None:
    """Return the known domain that one of this name and goal is too much like, the likest one, or None.

    Too much alike are names from NAME_THRESHOLD on, goals from GOAL_THRESHOLD on, and both from a mean of
    MEAN_THRESHOLD on. A goal that is blank or holds common words only is like no other.
    """
    twins = [twin for domain in known if (twin := _twin(name, goal, domain)) is not None]
    return max(twins, key=lambda twin: twin.score, default=None)


@lru_cache(maxsize=65536)
def normalise_text(text: str) -> str:
    """Return the words of a text that distinguish it from others, singular, folded, sorted and joined by
    spaces.

    `MineralIdentificationEnv` and `The minerals` both give `mineral`. Where all words are common ones, all
    of them stay.
    """
    spaced = _HUMP.sub(" ", unicodedata.normalize("NFKC", text))
    letters = "".join(c if c.isalnum() else "" if c in "'’" else " " for c in spaced.casefold())
    words = letters.split()
    telling = [word for word in words if word not in _COMMON_WORDS]
    return " ".join(sorted(_singular(word) for word in telling or words))


def share_of_truths(truths: Iterable[str], others: Iterable[str]) -> float:
    """Return the share (0 to 1) that two domains have in common of all their truths, normalised (Jaccard)."""
    ours, theirs = set(map(normalise_text, truths)), set(map(normalise_text, others))
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def refuse_same_truths(truths: Iterable[str], known: Mapping[str, Iterable[str]]) -> str | None:
    """Return why truths that a known domain shares from TRUTHS_THRESHOLD on make no new domain, or None."""
    ours = tuple(truths)
    shares = ((share_of_truths(ours, others), name) for name, others in known.items())
    share, name = max(shares, default=(0.0, ""))
    if share < TRUTHS_THRESHOLD:
        return None
    return (
        f"it shares {share:.0%} of its truths with {name!r}, the limit is {TRUTHS_THRESHOLD:.0%}; propose "
        "another subject"
    )


def _twin(name: str, goal: str, domain: KnownDomain) -> Twin | None:
    from rapidfuzz import fuzz

    names = fuzz.ratio(normalise_text(name), normalise_text(domain.name))
    shared = fuzz.token_set_ratio(normalise_text(name), normalise_text(domain.name))
    goals = 0.0
    if _is_telling(goal) and _is_telling(domain.goal):
        goals = fuzz.ratio(normalise_text(goal), normalise_text(domain.goal))
    for by, score, threshold in (
        ("name", names, NAME_THRESHOLD),
        ("goal", goals, GOAL_THRESHOLD),
        ("name and goal", (shared + goals) / 2, MEAN_THRESHOLD),
    ):
        if score >= threshold:
            return Twin(domain, by, score, threshold)
    return None


def _is_telling(goal: str) -> bool:
    return any(word not in _COMMON_WORDS for word in normalise_text(goal).split())


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(_NOT_PLURAL):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]
