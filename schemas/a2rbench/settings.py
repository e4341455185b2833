"""A2RBench's own settings: section [a2rbench] of perennial.toml."""

from typing import ClassVar

from pydantic import field_validator

from perennial.schemas.a2rbench.things import (
    CATALOGUE,
    DRAWN,
    OURS,
    TEMPERATURES,
    ReadingPlan,
    RuleAuthoringPlan,
)
from perennial.schemas.analysts import TEMPERATURE as READING
from perennial.schemas.errors import InvalidOption
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import AnalystSettings
from perennial.schemas.settings.form import AUTHORS, OPERATION, PLAYERS, Names, Sizes, setting, size_setting
from perennial.schemas.settings.models import only_set


class A2RBenchSettings(AnalystSettings):
    """How many seeds and variations, who writes them, and whether items are asked in other tokens too."""

    # The paper: 72 seeds, nine variations of each, models at temperature 1e-7 (section 4.1). Its table 8,
    # where people were asked: 36 semantic and 36 symbolic seeds, and these in other tokens.
    sizes: ClassVar[Sizes] = {
        "tiny": {"seeds": 1, "variations": 1, "runs": 1},
        "small": {"seeds": 3, "variations": 3, "runs": 1},
        "standard": {},
        "contamination": {"seeds": 167, "variations": 0, "remapping": False, "runs": 1, "private_share": 0.5},
        "paper": {
            "seeds": 12,
            "variations": 9,
            "author": [CATALOGUE],
            "remapping": True,
            "temperature": 1e-7,
        },
        "human": {
            "seeds": 12,
            "variations": 0,
            "author": [CATALOGUE],
            "remapping": True,
            "temperature": 1e-7,
        },
    }
    size: str = size_setting(
        tiny="1 seed of each cell with 1 variation, about 18 items and calls, 1 minute",
        small="3 seeds with 3 variations, about 108 items and calls, 1 minute",
        standard="12 seeds with 9 variations and 5 runs, about 1,080 items and 5,400 calls, 9 minutes",
        contamination="1,002 originals, asked once, half of them private, 1,002 calls, 2 minutes",
        paper="the same as standard of the catalogue's rules, at temperature 1e-7",
        human="the 108 items of the paper's table 8, which people answered, 540 calls, 2 minutes",
    )
    players: Names = setting(
        [],
        "Players, separated by commas: search, guesser, identity, nearest; any other name is treated as a "
        "model. Default: these four.",
    )
    seeds: int = setting(
        12, "Seeds of each of the six cells: a rule with inputs of its own.", ge=1, le=10_000
    )
    variations: int = setting(
        9,
        "Variations of each seed beside V0: V1 to V3 standard, V4 to V6 edge, V7 to V9 complex.",
        ge=0,
        le=9,
    )
    remapping: bool = setting(
        True, "Ask symbolic items in other tokens as well, where the rule commutes with that."
    )
    author: Names = setting(
        [DRAWN],
        "Where rules are from, separated by commas: drawn (from the edition's seed, new in each edition), "
        "catalogue (69 that everybody can read) and models that write them; they take the seeds of each cell "
        "in turn.",
        AUTHORS,
    )
    judge: str = setting(
        "",
        "Model that judges what models wrote. Default: the first model of --author.",
        AUTHORS,
    )
    expander: str = setting(
        "",
        "Model that writes variations of what models wrote. Default: the rule's author.",
        AUTHORS,
    )
    candidates: int = setting(
        3, "Maximum number of rules that a model begins for a seed.", AUTHORS, ge=1, le=20
    )
    retries: int = setting(
        2, "Maximum number of repeats of a step; each says what was wrong.", AUTHORS, ge=0, le=20
    )
    author_max_tokens: int | None = setting(
        None, "Maximum number of tokens of an author's reply.", AUTHORS, example=8_000, ge=1
    )
    accept_weak_sandbox: bool = setting(
        False,
        "Run rules that a model or a file wrote even where nothing protects the machine from them (tier "
        "none in `perennial doctor`). perennial's own rules run anywhere.",
        OPERATION,
    )

    answer_judge: str = setting(
        "",
        "Model that quotes the final answer of replies in which the program finds none. Default: nobody "
        "does, and such replies have collapsed.",
        PLAYERS,
    )

    @field_validator("author")
    @classmethod
    def _check_author(cls, value: list[str]) -> list[str]:
        if not value or len(set(value)) < len(value):
            raise ValueError(f"expected {DRAWN}, {CATALOGUE} or models, each once")
        return value

    def own_policy(self) -> bool:
        """Whether code of models may run if nothing protects the machine from it."""
        return self.accept_weak_sandbox

    def reading(self) -> ReadingPlan:
        """Return which models read answers, and what their calls pass on."""
        shared = only_set(temperature=READING, max_tokens=self.max_tokens or None)
        overrides = self.model_params((self.answer_judge,), shared)
        return ReadingPlan(
            self.answer_judge,
            overrides.get(self.answer_judge, shared) if self.answer_judge else {},
            self.analyst_plan(),
        )

    def authoring(self) -> RuleAuthoringPlan:
        """Who writes and judges; raise InvalidOption for roles without a model that writes rules."""
        models = [name for name in self.author if name not in OURS]
        for role in ("judge", "expander"):
            name = getattr(self, role)
            if name and not models:
                raise InvalidOption(f"--{role} {name}: no model writes rules: name one with --author")
        plan = RuleAuthoringPlan(tuple(self.author))
        if not models:
            return plan
        judge = self.judge or models[0]
        named = {
            "designer": models,
            "architect": models,
            "judge": [judge],
            "expander": [self.expander] if self.expander else models,
        }
        params: dict[str, dict[str, JsonObject]] = {}
        for role, temperature in TEMPERATURES.items():
            shared = only_set(temperature=temperature, max_tokens=self.author_max_tokens)
            overrides = self.model_params(named[role], shared)
            params[role] = {model: overrides.get(model, shared) for model in named[role]}
        return RuleAuthoringPlan(
            tuple(self.author), judge, self.expander, self.candidates, self.retries, params
        )
