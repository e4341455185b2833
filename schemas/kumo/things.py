"""What KUMO's things are: seed configuration, setting, instance, move, episode."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from perennial.schemas.errors import InvalidOption, join_choices
from perennial.schemas.ids import content_id

# The styles in which the template writes knowledge books; all say the same rules.

BookStyle = Literal[
    "list",
    "prose",
    "passive",
    "table",
    "by-truth",
    "scattered",
    "cross-references",
    "distractors",
]
BOOK_STYLES: tuple[BookStyle, ...] = get_args(BookStyle)
MIXED = "mixed"
"""Each book in a style that is drawn for it."""
PLAIN: BookStyle = "list"
"""The style in which any name can be written and read back."""


# The categories of domains: one for each field of the 100 domains of the KUMO paper (its figure 3).

Quota = tuple[str, int | None]
"""A category with its number of proposed domains; None: an even share of those without a number."""

CATEGORIES = (
    "Medicine",
    "Chemistry",
    "Earth Science",
    "Astronomy",
    "Botany",
    "Zoology",
    "Microbiology",
    "Computing",
    "Engineering",
    "Transport",
    "Food and Drink",
    "Visual Arts",
    "Music",
    "Language",
    "History",
    "Education",
    "Sport and Games",
    "Fantasy",
)
ALL = "all"


def parse_quotas(values: Sequence[str]) -> tuple[Quota, ...]:
    """The categories that `NAME` or `NAME=NUMBER` ask for, in order; `all` means each of CATEGORIES.

    Raises ValueError for a number below 1, a name that is blank, or one that occurs twice.
    """
    quotas = []
    for value in values:
        name, equals, number = (part.strip() for part in value.partition("="))
        if not name or (equals and not (number.isascii() and number.isdigit() and 0 < int(number) <= 1000)):
            raise ValueError(
                f"{value!r} is not a category; expected a name, or name=number with a number from 1 to 1000"
            )
        names = CATEGORIES if name == ALL else (name,)
        quotas += [(domain_kind, int(number) if equals else None) for domain_kind in names]
    seen: set[str] = set()
    for name, _ in quotas:
        if name.casefold() in seen:
            raise ValueError(f"category {name!r} occurs twice; name it once")
        seen.add(name.casefold())
    return tuple(quotas)


# The thresholds that the operator sets for an edition before it is published, in addition to its audit.


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Thresholds of the gate; collisions with earlier editions and grader failures have none: they block.

    `max_trivial_share`: largest share of instances whose answer needs no test; `min_distinct_books`: least
    share of distinct texts among an edition's played books; `max_collision_probability`: largest probability
    that fresh draws of this number would repeat an earlier instance, in any domain and setting.
    """

    max_trivial_share: float = 0.0
    min_distinct_books: float = 1.0
    max_collision_probability: float = 1e-6


NO_THRESHOLDS = GatePolicy(max_trivial_share=1.0, min_distinct_books=0.0, max_collision_probability=1.0)


# How an instance is drawn: balanced over its listed truths, or as the KUMO paper does it.

BALANCED = "balanced"
AS_PUBLISHED = "kumo-2025"
SAMPLERS = (BALANCED, AS_PUBLISHED)
DEFAULT_SAMPLER = BALANCED

# What judges the lists of the balanced sampler, and what draws the instances of the paper's.
SOLVER = "python-sat"
COMPILED = "compiled"
CONSTRUCTIVE = "constructive"
ENGINES = (SOLVER, COMPILED, CONSTRUCTIVE)


def check_sampler(name: str) -> None:
    """Raise InvalidOption where no sampler has this name."""
    if name not in SAMPLERS:
        raise InvalidOption(f"--sampler {name!r}: expected {join_choices(SAMPLERS)}")


MIN_TRUTHS = 50
MIN_ACTIONS = 30
TURN_LIMIT = 50
COUNTERFACTUAL = " (counterfactual)"
"""How the name of a domain with exchanged facts ends: the rest is the name of the true domain."""

SECOND_CONFIGURER = " (second configurer)"
"""How the name of a domain ends that a second model configured from the proposal of the first one's."""

Observation = str | int | float


def observation_text(observation: Observation) -> str:
    """The observation as tables and feedback show it: a label, or the number's shortest exact text."""
    return observation if isinstance(observation, str) else repr(observation)


def read_number(text: str) -> int | float:
    """The number that `observation_text` wrote: an integer where no point or exponent is in it."""
    return int(text) if text.lstrip("-").isdecimal() else float(text)


@dataclass(frozen=True, slots=True)
class OutcomeState:
    """One possible outcome of an action: a label or a range, and the truths that it rules out."""

    label: str | None
    low: float | None
    high: float | None
    rules_out: tuple[str, ...]

    @property
    def is_range(self) -> bool:
        """Whether the state is a range of numbers."""
        return self.low is not None and self.high is not None

    @property
    def text(self) -> str:
        """The state in words: its label, or `low..high`."""
        return self.label if self.label is not None else f"{self.low!r}..{self.high!r}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """All outcome states of one action; `kind` is `str` or `float` in a valid configuration.

    The numbers that a `float` outcome shows are multiples of `step`, or have so many significant `digits`;
    with neither they are any of a range. `cells` has the least and the greatest true value of each truth of
    which these are known: a number that is shown of the truth lies between them.
    """

    action: str
    kind: str
    states: tuple[OutcomeState, ...]
    unit: str = ""
    step: float | None = None
    digits: int | None = None
    cells: tuple[tuple[str, float, float], ...] = ()

    def state_of(self, observation: Observation) -> int | None:
        """The index of the first listed state that the observation falls into, or None.

        Ranges are read half-open, [low, high); a value that only an upper end point holds belongs to
        that range, so that the last one is closed.
        """
        if isinstance(observation, str):
            return next((i for i, state in enumerate(self.states) if state.label == observation), None)
        ranges = [
            (i, s.low, s.high) for i, s in enumerate(self.states) if s.low is not None and s.high is not None
        ]
        inside = (i for i, low, high in ranges if low <= observation < high)
        at_end = (i for i, low, high in ranges if low < high == observation)
        return next(inside, next(at_end, None))

    @property
    def ruled_out(self) -> set[str]:
        """The truths that some state rules out."""
        return {truth for state in self.states for truth in state.rules_out}

    def only(self, truths: Collection[str]) -> "Outcome":
        """What it says of these truths."""
        states = (
            replace(state, rules_out=tuple(truth for truth in state.rules_out if truth in truths))
            for state in self.states
        )
        return replace(
            self, states=tuple(states), cells=tuple(cell for cell in self.cells if cell[0] in truths)
        )


@dataclass(frozen=True, slots=True)
class SeedConfig:
    """A domain's seed configuration: its truths, its actions and what each outcome rules out.

    Lists are kept as they were written, defects included: `perennial.tasks.kumo.validation` finds those.
    `truth_notes` and `action_notes` say in a sentence what a truth or an action is.
    """

    name: str
    truths: tuple[str, ...]
    actions: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    goal: str = ""
    category: str = ""
    truth_noun: str = "truth"
    action_noun: str = "action"
    book_title: str = ""
    truth_notes: dict[str, str] = field(default_factory=dict)
    action_notes: dict[str, str] = field(default_factory=dict)

    @property
    def is_counterfactual(self) -> bool:
        """Whether its facts are those of a true domain, exchanged among the truths."""
        return self.name.endswith(COUNTERFACTUAL)

    @property
    def domain_id(self) -> str:
        """Content id of the domain: its name and goal."""
        return content_id("dom", self.name.strip().casefold(), self.goal.strip().casefold())

    @property
    def config_id(self) -> str:
        """Content id of the whole configuration."""
        return content_id("cfg", self.as_json())

    def as_json(self) -> dict[str, object]:
        """The configuration in its JSON form (the release's, with our additional keys)."""
        return {
            "name": self.name,
            "goal": self.goal,
            "category": self.category,
            "truth_noun": self.truth_noun,
            "action_noun": self.action_noun,
            "book_title": self.book_title,
            "truths": list(self.truths),
            "actions": list(self.actions),
            "outcomes": [_outcome_json(outcome) for outcome in self.outcomes],
            "truth_notes": dict(self.truth_notes),
            "action_notes": dict(self.action_notes),
        }


def _outcome_json(outcome: Outcome) -> dict[str, object]:
    entry: dict[str, object] = {"action": outcome.action, "type": outcome.kind}
    if outcome.unit:
        entry["unit"] = outcome.unit
    if outcome.step is not None:
        entry["step"] = outcome.step
    if outcome.digits is not None:
        entry["digits"] = outcome.digits
    if outcome.cells:
        entry["cells"] = {truth: [low, high] for truth, low, high in outcome.cells}
    entry["states"] = [_state_json(state) for state in outcome.states]
    return entry


def _state_json(state: OutcomeState) -> dict[str, object]:
    value: dict[str, object] = (
        {"range": [state.low, state.high]} if state.is_range else {"label": state.label}
    )
    return {**value, "rules_out": list(state.rules_out)}


@dataclass(frozen=True, slots=True)
class Setting:
    """The size of an instance: `n_truths` truths, `n_valid` of them valid, and `n_actions` actions."""

    n_truths: int
    n_actions: int
    n_valid: int = 1

    @property
    def name(self) -> str:
        """`easy`, `hard`, or `NxM` (`NxMvK` with K valid truths)."""
        named = next((name for name, setting in NAMED_SETTINGS.items() if setting == self), None)
        suffix = "" if self.n_valid == 1 else f"v{self.n_valid}"
        return named or f"{self.n_truths}x{self.n_actions}{suffix}"

    @classmethod
    def parse(cls, text: str) -> "Setting":
        """Parse `easy`, `hard`, `NxM` or `NxMvK`; raise InvalidOption for anything else."""
        named = NAMED_SETTINGS.get(text.strip().lower())
        if named is not None:
            return named
        match = re.fullmatch(r"(\d{1,4})x(\d{1,4})(?:v(\d{1,4}))?", text.strip().lower())
        if match is None:
            raise InvalidOption(
                f"setting {text[:80]!r} is not known: "
                "use easy, hard, NxM for N truths and M actions, such as 6x10, or NxMvK where K truths are "
                "valid, such as 6x10v2"
            )
        return cls(int(match[1]), int(match[2]), int(match[3] or 1))


NAMED_SETTINGS = {"easy": Setting(4, 6), "hard": Setting(12, 16)}
LADDER = ("4x6", "5x8", "8x10", "12x16")
"""Sizes from Easy to Hard, by which success is seen to fall with the number of steps."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One task instance. `states[i]` and `observations[i]` belong to `actions[i]`.

    `states[i]` is the index of the observed state in the configuration's outcome of that action (None
    where an imported observation falls into no state). `seed` and `index` say how it was drawn.
    """

    truths: tuple[str, ...]
    actions: tuple[str, ...]
    states: tuple[int | None, ...]
    observations: tuple[Observation, ...]
    valid_truths: tuple[str, ...]
    seed: int
    index: int

    def as_json(self) -> dict[str, object]:
        """The release's JSON Lines form, with `states` and `index` added."""
        record: dict[str, object] = {
            "truths": list(self.truths),
            "actions": list(self.actions),
            "observations": dict(zip(self.actions, self.observations, strict=True)),
            "seed": self.seed,
            "valid_truth": self.valid_truths[0],
            "states": dict(zip(self.actions, self.states, strict=True)),
            "index": self.index,
        }
        if len(self.valid_truths) > 1:
            record["valid_truths"] = list(self.valid_truths)
        return record


@dataclass(frozen=True, slots=True)
class BookRule:
    """What a knowledge book says of one outcome state: it rules out these truths (maybe none)."""

    action: str
    label: str | None
    low: float | None
    high: float | None
    rules_out: frozenset[str]


BookVersion = Literal["final", "first", "second", "template", "draft", "second-draft"]
BOOK_VERSIONS: tuple[BookVersion, ...] = get_args(BookVersion)


@dataclass(frozen=True, slots=True)
class BookVerdict:
    """How what a book says differs from the rules that it has to say, a line in words for each difference.

    The four kinds are those of the paper's revision prompt (figure 11). `was_read` is False where no model
    could read the book back in the form asked for: then the check says nothing of it, and it has not passed.
    `other` are the sentences that carry no rule, no definition and no heading, of a book whose
    different lines have `characters`.
    """

    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    was_read: bool = True
    other: tuple[str, ...] = ()
    characters: int = 0

    @property
    def other_text(self) -> int:
        """The characters of the other sentences."""
        return sum(map(len, self.other))

    @property
    def is_wordy(self) -> bool:
        """Whether more than a tenth of the book is other sentences."""
        return self.other_text * 10 > self.characters

    @property
    def passed(self) -> bool:
        """Whether the book was read, says exactly what it should, and little else."""
        faults = self.missing or self.extra or self.confirmed or self.ambiguous
        return self.was_read and not faults and not self.is_wordy


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the validator found: a rule's name, where, what was expected, and the remedy."""

    rule: str
    severity: Literal["error", "warning"]
    domain: str
    message: str
    action: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a judge holds a book to be right, None where no reply said so, and its calls."""

    judge: str
    is_right: bool | None
    call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed domain: the metadata from which its seed configuration is written (paper v2, figure 7).

    `truths` and `actions` describe what its truths and actions are, in a phrase.
    """

    name: str
    category: str
    goal: str
    truths: str
    actions: str
    truth_noun: str
    action_noun: str
    book_title: str
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one reply of a game was read as, and the observation that it got; `number` counts from 1."""

    number: int
    kind: Literal["action", "truth", "none"]
    move: str | None
    observation: Observation | None
    state: int | None
