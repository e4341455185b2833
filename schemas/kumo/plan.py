"""KUMO's own part of an edition's plan."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import prod

from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.ids import content_id
from perennial.schemas.kumo.things import BALANCED, DEFAULT_SAMPLER, MIXED, Quota, Setting
from perennial.schemas.model_calls import ModelChoice
from perennial.schemas.plan import PERENNIAL
from perennial.schemas.rows import JsonObject, ReadJson

# Which models author an edition, and how often they may try: a part of its plan.

AUTHOR_ROLES = ("proposer", "configurer", "second_configurer", "writer", "second_writer", "reviser", "judge")


@dataclass(frozen=True, slots=True)
class AuthoringPlan:
    """The models by role ("" where the embedded default does it by rule) and the limits of their work.

    `proposals` is the number of new domains asked for, `params` what every author's call passes on, but for
    the models to which `model_params` gives others (models.toml).
    `continuations` and `repairs` bound the work on one configuration, `book_rounds` the revisions of a book.
    """

    proposer: str = ""
    configurer: str = ""
    second_configurer: str = ""
    writer: str = ""
    second_writer: str = ""
    reviser: str = ""
    judge: str = ""
    proposals: int = 0
    categories: tuple[Quota, ...] = ()
    params: JsonObject = field(default_factory=dict)
    continuations: int = 3
    repairs: int = 3
    book_rounds: int = 3
    model_params: dict[str, JsonObject] = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: JsonObject) -> "AuthoringPlan":
        """Read what `dataclasses.asdict` and JSON made of a plan."""
        return cls(**{**values, "categories": tuple(map(tuple, values["categories"]))})

    def choice(self, role: str) -> ModelChoice:
        """The model of this role, with what its calls pass on."""
        return self.choice_of(getattr(self, role))

    def choice_of(self, model: str) -> ModelChoice:
        """A model that authors with what its calls pass on."""
        return ModelChoice(model, self.model_params.get(model, self.params))

    def reviser_of(self, role: str) -> ModelChoice:
        """The model that reads back and revises what this role wrote: itself where no other does."""
        is_other = self.reviser != self.writer
        return self.choice("reviser" if is_other else role)

    @property
    def n_domains(self) -> int:
        """The number of domains that are to be configured: each proposal by one model or by two."""
        return self.proposals * (2 if self.second_configurer else 1)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that author, each once."""
        named = (getattr(self, role) for role in AUTHOR_ROLES)
        return tuple(dict.fromkeys(model for model in named if model))


@dataclass(frozen=True, slots=True)
class KumoPlan:
    """What of KUMO decides an edition's questions.

    `configs` are the content ids of the given domains' configurations, in order. With a `domain_count` the
    domains took turns: so many of them, those first that the last `rest_editions` editions do not hold.
    `worlds` is the number of synthetic worlds, which are drawn with the edition's seed; so are the exchanged
    facts where it is `counterfactual`, and has each given domain a second time with these.
    `sparse` says how sparse its domains and worlds are, "" for those that keep all their rules.
    """

    configs: tuple[str, ...]
    settings: tuple[Setting, ...]
    instances: int
    min_expected_steps: float
    require_test: bool = False
    authoring: AuthoringPlan = field(default_factory=AuthoringPlan)
    domain_count: int | None = None
    rest_editions: int = 0
    worlds: int = 0
    book_style: str = MIXED
    sampler: str = DEFAULT_SAMPLER
    counterfactual: bool = False
    sparse: str = ""

    @property
    def n_domains(self) -> int:
        """The number of its domains, as far as models configure all that they propose."""
        domains = len(self.configs) * (2 if self.counterfactual else 1)
        return domains + self.worlds + self.authoring.n_domains

    @property
    def is_balanced(self) -> bool:
        """Whether its instances are balanced."""
        return self.sampler == BALANCED

    def as_json(self) -> JsonObject:
        """The plan's part in `plan.json`."""
        values = asdict(self)
        values["configs"] = list(self.configs)
        values["settings"] = [setting.name for setting in self.settings]
        values["authoring"]["categories"] = [list(quota) for quota in self.authoring.categories]
        return values

    @classmethod
    def from_json(cls, values: JsonObject) -> "KumoPlan":
        """Read what `as_json` wrote."""
        parts = {
            "configs": tuple(values["configs"]),
            "settings": tuple(Setting.parse(name) for name in values["settings"]),
            "authoring": AuthoringPlan.from_json(values["authoring"]),
        }
        return cls(**{**values, **parts})


# The messages by which the KUMO authors asked, as templates that were read from a clone of their release.
#
# A template is a text with slots `{name}`; braces of the text itself are doubled. No sentence of theirs
# stands in this project.

KUMO_2025 = "kumo-2025"
PROTOCOLS = (PERENNIAL, KUMO_2025)


@dataclass(frozen=True, slots=True)
class PaperMessages:
    """The authors' messages in one of their domains, with slots for truths, actions, book and observation.

    `system` is the first message, `closed` that without a book. `first` is the user's message of the first
    call; in later calls `begin` stands in its place. `observed` shows what the last action gave, and `tail`
    is added to it in the last message of a call alone.
    """

    domain: str
    system: str
    closed: str
    first: str
    begin: str
    observed: str
    tail: str

    @property
    def template(self) -> str:
        """The name under which calls keep where their wording came from."""
        return f"{KUMO_2025}/{self.domain}"

    @property
    def template_hash(self) -> str:
        """The content id of all these texts."""
        return content_id("tpl", asdict(self))

    @classmethod
    def in_plan(cls, protocol: ReadJson, domain: str) -> "PaperMessages | None":
        """The messages that an evaluation's plan keeps for a domain; None: perennial's own."""
        return cls(**protocol["texts"][domain]) if protocol.get("name") == KUMO_2025 else None


def plan_protocol(messages: Mapping[str, PaperMessages]) -> JsonObject:
    """What an evaluation's plan keeps of the messages by domain: their hashes, and the texts.

    With the texts it can be resumed and reproduced without the clone.
    """
    return {
        "name": KUMO_2025,
        "templates": {name: message.template_hash for name, message in messages.items()},
        "texts": {name: asdict(message) for name, message in messages.items()},
    }


# Probabilistic KUMO: outcomes are reported, and a report is true with a known reliability.

RELIABILITIES = {f"reliability-{percent}": percent / 100 for percent in range(50, 100)}
"""The versions of a question whose outcomes are reported: names, and probabilities that a report is true."""

OUTCOMES = "1"  # the reliability of outcomes themselves

MOST_CELLS = 4_000_000  # numbers in the largest table of the best play: 32 MB, and less than a second of work


def fits_plan(n_truths: int, states: Iterable[int], n_valid: int) -> bool:
    """Whether the best play is computed: for one valid truth, and actions with so many states each.

    The table has a number for each truth and each set of reports: for each action one of its states or none.
    """
    return n_valid == 1 < n_truths and n_truths * prod(number + 1 for number in states) <= MOST_CELLS


def may_fit(setting: Setting) -> bool:
    """Whether the best play is computed for some instances of the setting: those with few states."""
    return fits_plan(setting.n_truths, [2] * setting.n_actions, setting.n_valid)


def order_reliabilities(names: Sequence[str]) -> list[str]:
    """The reliabilities in falling order, each once; raise ValueError for none and for other ones."""
    ordered = [OUTCOMES, *(f"{share:g}" for share in reversed(RELIABILITIES.values()))]
    chosen = {_in_short(name) for name in names}
    if not chosen or chosen - set(ordered):
        raise ValueError("expected 1 (the outcomes themselves), or 0.5 to 0.99 in hundredths, such as 1,0.9")
    return [name for name in ordered if name in chosen]


def versions_reported(
    reliabilities: Sequence[str], base: tuple[str, ...], settings: Sequence[str]
) -> tuple[str, ...]:
    """The versions of these reliabilities: those `shown` with the outcomes themselves, and reports.

    Raises InvalidOption where no setting of the edition is small enough for reports.
    """
    versions = tuple(f"reliability-{float(name) * 100:.0f}" for name in reliabilities if name != OUTCOMES)
    if versions and not any(may_fit(Setting.parse(name)) for name in settings):
        raise InvalidOption(
            f"--reliability {reliabilities[-1]}: the best play is not computed for {', '.join(settings)}, "
            "too large or with several valid truths: use an edition with --settings easy, or 4x8"
        )
    if OUTCOMES in reliabilities:
        return (*base, *versions)
    if base != (USUAL,):
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


# The books that models are shown (`--books`), and the versions of a question that these make.

MOST_BOOKS = 50
AMONG = {f"among-{number}": number for number in range(2, MOST_BOOKS + 1)}
"""Long contexts: the final book among those of other domains, by name with the number of books in all."""

_BY_WRITERS = ("first", "second", "template")  # books that stand beside those of a model
_VERSIONS = {"final": USUAL, **{name: name for name in (*_BY_WRITERS, *AMONG)}}


def order_books(names: Sequence[str]) -> list[str]:
    """The books in their order, each once; raise ValueError for none and for unknown ones."""
    if not names or set(names) - set(_VERSIONS):
        raise ValueError(f"expected some of final, {', '.join(_BY_WRITERS)}, among-2 to among-{MOST_BOOKS}")
    return [name for name in _VERSIONS if name in names]


def versions_shown(books: Sequence[str], part: ReadJson) -> tuple[str, ...]:
    """The versions that these books make; `own` is the edition's own part of its plan.

    Raises InvalidOption for books that such an edition does not have.
    """
    # A counterfactual counts as its true domain: their books never stand together.
    refuse_few_domains(books, len(part["configs"]) + part["worlds"] + part["authoring"]["proposals"])
    others = [name for name in books if name in _BY_WRITERS]
    if "second" in others and not part["authoring"].get("second_writer"):
        raise InvalidOption(
            f"--books {','.join(books)}: no second writer wrote books of this edition: leave second out, or "
            "name an edition that was grown with --second-writer"
        )
    if others and not part["authoring"]["writer"]:
        raise InvalidOption(
            f"--books {','.join(books)}: this edition has no {others[0]} books beside final ones, as no "
            "model wrote them: leave --books out, or name one that was grown with --writer"
        )
    return tuple(_VERSIONS[name] for name in books)


def refuse_few_domains(books: Sequence[str], domains: int) -> None:
    """Raise InvalidOption where one of these shows books of more domains than the edition has."""
    needed = max((AMONG.get(name, 0) for name in books), default=0)
    if needed > domains:
        remedy = f"give among-{domains} at most" if domains > 1 else "leave it out"
        raise InvalidOption(
            f"--books among-{needed} shows books of {needed} domains, and this edition has {domains}: "
            f"{remedy}, or use an edition with more domains (--domain-count, --worlds)"
        )
