"""KUMO's own settings: section [kumo] of perennial.toml."""

from collections.abc import Callable
from typing import ClassVar

from pydantic import ValidationInfo, field_validator

from perennial.schemas.errors import InvalidOption, join_choices
from perennial.schemas.kumo.plan import (
    AUTHOR_ROLES,
    KUMO_2025,
    MOST_BOOKS,
    PROTOCOLS,
    AuthoringPlan,
    order_books,
    order_reliabilities,
    versions_reported,
    versions_shown,
)
from perennial.schemas.kumo.things import (
    AS_PUBLISHED,
    BOOK_STYLES,
    DEFAULT_SAMPLER,
    LADDER,
    MIXED,
    SAMPLERS,
    GatePolicy,
    Quota,
    Setting,
    parse_quotas,
)
from perennial.schemas.plan import PERENNIAL
from perennial.schemas.rows import ReadJson
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.form import AUTHORS, OPERATION, PLAYERS, Names, Sizes, setting, size_setting
from perennial.schemas.settings.models import only_set

_DEFAULT_PROPOSALS = 3
# By size: bundled domains, worlds, and instances of a setting, which the domains share. Many domains of few
# instances, each played once, say more than few domains of many. None: all domains, 50 instances of each.
_AMOUNTS: dict[str, tuple[int | None, int, int | None]] = {
    "tiny": (2, 5, 7),
    "small": (3, 9, 48),
    "standard": (6, 34, 200),
    "contamination": (6, 34, 500),
    "paper": (None, 0, None),
}
_AS_THE_SIZE_SAYS = {"instances": None, "domain_count": None, "worlds": None}
_MOST_OF_A_DOMAIN = 50
_CHOICES = {"sampler": ("", *SAMPLERS), "book_style": (MIXED, *BOOK_STYLES), "protocol": PROTOCOLS}


def _check_categories(names: list[str]) -> list[str]:
    parse_quotas(names)
    return names


def _read_settings(names: list[str]) -> list[str]:
    sizes = (size for name in names for size in (LADDER if name.lower() == "ladder" else (name,)))
    return list(dict.fromkeys(Setting.parse(size).name for size in sizes))


_READ: dict[str, Callable[[list[str]], list[str]]] = {
    "categories": _check_categories,
    "domains": lambda names: list(dict.fromkeys(names)),
    "settings": _read_settings,
    "books": order_books,
    "reliability": order_reliabilities,
}


class KumoSettings(RefreshSettings):
    """Which domains and instances, who authors them, and the gate's thresholds."""

    sizes: ClassVar[Sizes] = {
        "tiny": {"settings": ["easy"], **_AS_THE_SIZE_SAYS},
        "small": _AS_THE_SIZE_SAYS,
        "standard": {},
        "contamination": {**_AS_THE_SIZE_SAYS, "private_share": 0.5},
        # Instances whose answer needs no test are drawn too. V's label is the majority of five runs.
        "paper": {
            **_AS_THE_SIZE_SAYS,
            "runs": 5,
            "min_expected_steps": 0.0,
            "require_test": False,
            "max_trivial_share": 1.0,
            "sampler": AS_PUBLISHED,
        },
    }
    size: str = size_setting(
        tiny="7 easy instances of 7 domains, about 30 calls, 1 minute",
        small="96 instances of 12 domains, about 500 calls, 3 minutes",
        standard="400 instances of 40 domains, about 2,100 calls, 6 minutes",
        contamination="1,040 instances of 40 domains, half of them private, about 5,400 calls, 10 minutes",
        paper="50 easy and 50 hard instances of each bundled domain, drawn as in the paper, 5 runs, about "
        "46,700 calls, 1.5 hours",
    )
    domains: Names = setting(
        [],
        "Bundled domains, .json files or folders of them, separated by commas. Default: bundled ones, in "
        "rotation.",
    )
    domains_from: str = setting(
        "",
        "Clone of the KUMO authors' repository: its domains that can be sampled are used, repaired as by "
        "`perennial domains import`: all, or those that --domains names.",
        example="../KUMO",
    )
    settings: Names = setting(
        ["easy", "hard"],
        "Settings: easy, hard, NxM (truths x actions), or NxMvK, such as 6x10v2, with K valid truths, which "
        f"--sampler kumo-2025 draws; ladder: {', '.join(LADDER)}.",
    )
    players: Names = setting(
        [],
        "Players, separated by commas: algorithm-3, optimum, greedy, random, reader, guesser; any other name "
        "is treated as a model, symbolic:MODEL shows that model the rules as a mapping instead of a book, "
        "closed:MODEL no rules. Default: the first six.",
    )
    instances: int | None = setting(
        None,
        "Instances per domain and setting. Default: as --size says, shared by the domains, at most 50 each.",
        example=5,
        ge=1,
        le=1_000_000,
    )
    runs: int = setting(1, "Runs per instance, of random players and models.", ge=1, le=1_000)
    book_style: str = setting(
        MIXED,
        f"Style of the template's books: {', '.join(BOOK_STYLES)}; mixed: one of them is drawn for each.",
    )
    sampler: str = setting(
        "",
        "How instances are drawn: balanced, so that no guess before the first test is better than chance, or "
        "kumo-2025, as in the paper. Default: balanced, or kumo-2025 with --protocol kumo-2025.",
    )
    min_expected_steps: float = setting(
        1.0, "Minimum number of expected steps (Algorithm 3) of an instance.", ge=0, le=50
    )
    require_test: bool = setting(
        True, "Redraw instances whose answer follows from lists, rules and promise without a test."
    )
    domain_count: int | None = setting(
        None,
        "Use this many of the domains, the least recently used first. Default: as --size says, or all "
        "that --domains names, or none where new ones are proposed.",
        example=6,
        ge=0,
        le=1_000,
    )
    rest_editions: int = setting(
        2, "With --domain-count: editions for which a domain should rest after use.", ge=0, le=1_000
    )

    worlds: int | None = setting(
        None,
        "New synthetic worlds to draw. Default: as --size says, or none with --domains or where domains are "
        "proposed.",
        example=34,
        ge=0,
        le=1_000,
    )

    sparse: str = setting(
        "",
        "How sparse domains and worlds are made. K,B such as 8,0.1: an action keeps what it says about the "
        "truths of one of K communities, and about others with probability B; mixed: each draws from a set "
        "that spans the KUMO authors' domains; dense: all rules are kept. Default: mixed for worlds, dense "
        "for given domains.",
        example="8,0.1",
    )

    counterfactual: bool = setting(
        False,
        "Add the counterfactual of each given domain: its names with its facts exchanged among the truths, "
        "new in each edition, so that knowledge misleads.",
    )

    protocol: str = setting(
        PERENNIAL,
        "How models are asked: perennial, or kumo-2025: as the KUMO authors asked, with the message "
        "templates of --release.",
        PLAYERS,
    )
    release: str = setting(
        "",
        "Clone of the KUMO authors' repository, whose message templates are read, never executed.",
        PLAYERS,
    )
    author: str = setting("", "Model for all author roles.", AUTHORS)
    proposer: str = setting("", "Model that proposes domains.", AUTHORS)
    configurer: str = setting("", "Model that writes seed configurations.", AUTHORS)
    second_configurer: str = setting(
        "",
        "Model that configures each proposal a second time, as a domain of its own: to compare domains of "
        "two models.",
        AUTHORS,
    )
    writer: str = setting("", "Model that writes knowledge books.", AUTHORS)
    second_writer: str = setting(
        "",
        "Model that writes a second book of each instance, so that players can be shown two writers' books "
        "of the same instances (--books final,second).",
        AUTHORS,
    )
    reviser: str = setting("", "Model that reads books back and revises them.", AUTHORS)
    judge: str = setting(
        "",
        "Model that judges every book that a model wrote by its rules, as in the paper; its judgement is "
        "kept beside the check and does not decide anything.",
        AUTHORS,
    )
    propose: int | None = setting(
        None,
        "New domains to propose. Default with a proposer: 3, or none with --domains.",
        AUTHORS,
        example=3,
        ge=0,
        le=1_000,
    )
    categories: Names = setting(
        [],
        "Categories of new domains, separated by commas: NAME, which shares the domains evenly with others, "
        "or NAME=NUMBER; all: the eighteen of the KUMO paper. Default: any.",
        AUTHORS,
    )
    continuations: int = setting(
        3, "Maximum number of continuations of a cut-off configuration.", AUTHORS, ge=0, le=20
    )
    repairs: int = setting(3, "Maximum number of repairs of an invalid configuration.", AUTHORS, ge=0, le=20)
    book_rounds: int = setting(3, "Maximum number of revisions of a book.", AUTHORS, ge=0, le=20)
    author_temperature: float | None = setting(
        None, "Temperature of authors.", AUTHORS, example=0.7, ge=0, le=2
    )
    author_max_tokens: int | None = setting(
        None, "Maximum number of tokens of an author's reply.", AUTHORS, example=8_000, ge=1
    )

    books: Names = setting(
        ["final"],
        "Books that models are shown, separated by commas: final (that passed its check); among-N (a long "
        f"context: the final one among those of other domains, N in all, 2 to {MOST_BOOKS}); where a writer "
        "wrote them, first (the draft, of each book that was revised), second (by --second-writer), template "
        "(the symbolic control).",
        PLAYERS,
    )

    reliability: Names = setting(
        ["1"],
        "How reliable the results of actions are, separated by commas: 1: the outcomes themselves; 0.5 to "
        "0.99: reports that are the true outcome with this probability.",
        PLAYERS,
    )

    max_trivial_share: float = setting(
        0.0,
        "Maximum share of instances whose answer needs no test (lists, rules, promise).",
        OPERATION,
        ge=0,
        le=1,
    )
    min_distinct_books: float = setting(1.0, "Minimum share of distinct books.", OPERATION, ge=0, le=1)
    max_collision_probability: float = setting(
        1e-6, "Maximum probability that uniform draws repeat an instance.", OPERATION, ge=0, le=1
    )

    @field_validator("sampler", "book_style", "protocol")
    @classmethod
    def _check_choice(cls, value: str, info: ValidationInfo) -> str:
        choices = _CHOICES[str(info.field_name)]
        if value not in choices:
            raise ValueError(f"expected {join_choices(list(filter(None, choices)))}")
        return value

    @field_validator(*_READ)
    @classmethod
    def _read_names(cls, value: list[str], info: ValidationInfo) -> list[str]:
        return _READ[str(info.field_name)](value)

    def chosen_sampler(self) -> str:
        """The sampler of a fresh edition: the paper's if models are asked as in the paper."""
        usual = AS_PUBLISHED if self.protocol == KUMO_2025 else DEFAULT_SAMPLER
        return self.sampler or usual

    def own_policy(self) -> GatePolicy:
        """The thresholds that an edition must hold to before it is published."""
        return GatePolicy(self.max_trivial_share, self.min_distinct_books, self.max_collision_probability)

    def versions(self, part: ReadJson) -> tuple[str, ...]:
        """The versions of each question: the books that players are shown, and reports of outcomes."""
        return versions_reported(self.reliability, versions_shown(self.books, part), part["settings"])

    def author_models(self) -> tuple[str, ...]:
        """The models that settings name for the roles of authors."""
        return tuple(getattr(self, role) for role in ("author", *AUTHOR_ROLES))

    def authoring(self, has_domains: bool) -> AuthoringPlan:
        """Who authors: `author` fills each role that has no model of its own.

        Without `propose`, new domains are proposed where nobody named domains. Raises InvalidOption for
        roles that cannot work alone.
        """
        named = {role: getattr(self, role) or self.author for role in AUTHOR_ROLES}
        alone = ("second_configurer", "second_writer", "judge")
        named |= {role: getattr(self, role) for role in alone}
        if named["writer"] and not named["reviser"]:
            named["reviser"] = named["writer"]
        if bool(named["proposer"]) != bool(named["configurer"]):
            lacking = "configurer" if named["proposer"] else "proposer"
            raise InvalidOption(
                f"a proposed domain needs a proposer and a configurer, and no model is the {lacking}: "
                f"name it with --{lacking}, or all roles with --author"
            )
        if self.reviser and not named["writer"]:
            raise InvalidOption("a reviser revises what a model wrote: name it with --writer or --author")
        if self.judge and not named["writer"]:
            raise InvalidOption("a judge judges what a model wrote: name it with --writer or --author")
        for role in ("writer", "configurer"):
            second = named[f"second_{role}"]
            if second and named[role] in ("", second):
                raise InvalidOption(
                    f"--second-{role} {second}: expected another model than the {role}, named with "
                    f"--{role} or --author"
                )
        quotas = parse_quotas(self.categories)
        proposals = self._proposals(bool(named["proposer"]), has_domains, quotas)
        if not proposals:
            named["proposer"] = named["configurer"] = named["second_configurer"] = ""
        params = only_set(temperature=self.author_temperature, max_tokens=self.author_max_tokens)
        return AuthoringPlan(
            **named,
            proposals=proposals,
            categories=quotas if proposals else (),
            params=params,
            model_params=self.model_params(sorted(filter(None, set(named.values()))), params),
            continuations=self.continuations,
            repairs=self.repairs,
            book_rounds=self.book_rounds,
        )

    @property
    def has_domains(self) -> bool:
        """Whether somebody named domains."""
        return bool(self.domains or self.domains_from)

    def number_of_domains(self, has_proposals: bool) -> int | None:
        """How many of the domains are to take their turn, None where all of those named are used."""
        if self.domain_count is not None or self.has_domains:
            return self.domain_count
        return 0 if has_proposals else _AMOUNTS[self.size][0]

    def number_of_worlds(self, has_proposals: bool) -> int:
        """How many synthetic worlds to draw."""
        if self.worlds is not None:
            return self.worlds
        return 0 if self.has_domains or has_proposals else _AMOUNTS[self.size][1]

    def instances_of_each(self, domains: int) -> int:
        """How many instances of each domain and setting to draw, given the number of domains."""
        total = _AMOUNTS[self.size][2]
        shared = _MOST_OF_A_DOMAIN if total is None else -(-total // max(1, domains))
        return self.instances or min(_MOST_OF_A_DOMAIN, shared)

    def _proposals(self, has_proposer: bool, has_domains: bool, quotas: tuple[Quota, ...]) -> int:
        if self.propose and not has_proposer:
            raise InvalidOption(
                f"--propose {self.propose} needs a model that proposes domains: name it with --author"
            )
        if quotas and not has_proposer:
            raise InvalidOption(
                f"--categories {','.join(self.categories)} needs a model that proposes domains: name it with "
                "--author"
            )
        if not has_proposer or self.propose == 0:
            return 0
        least = sum(number for _, number in quotas if number is not None)
        is_exact = bool(quotas) and all(number is not None for _, number in quotas)
        wanted = self.propose
        if wanted is None:
            wanted = least if is_exact else max(least, 0 if has_domains else _DEFAULT_PROPOSALS)
        if wanted < least or (is_exact and wanted != least):
            raise InvalidOption(
                f"--propose {wanted}: the numbers of --categories make {least}; change one of them, or leave "
                "--propose out"
            )
        return wanted
