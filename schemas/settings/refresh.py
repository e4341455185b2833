"""The settings of a refresh: flags over environment over perennial.toml over defaults.

A benchmark's settings are a subclass of `RefreshSettings`: its own fields are written in its section of
perennial.toml. Each setting is described once, by its field: command line options and flow parameters are
made from the fields.
"""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo

from perennial.schemas.analysts import MOST_ANALYSTS, TEMPERATURE, AnalystPlan
from perennial.schemas.benchmark import DEFAULT_BENCHMARK, Declaration, benchmarks, find_declaration
from perennial.schemas.disclosure import SECRET_BITS, SEED_LIMIT
from perennial.schemas.errors import InvalidOption, find_alike, join_choices, shorten, suggest
from perennial.schemas.game import USUAL
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings.form import (
    EDITION_PATTERN,
    OPERATION,
    PANELS,
    PLAYERS,
    STANDARD,
    WIDTH,
    Names,
    Sizes,
    check_edition_name,
    describe_expectation,
    panel_of,
    read_toml,
    redact,
    setting,
    split_names,
)
from perennial.schemas.settings.models import ModelSettings, only_set
from perennial.schemas.variables import (
    DEFAULT_ROOT,
    DEFAULT_ROOT_WORDS,
    PREFIX,
    SETTINGS_FILE,
    default_root,
    is_claimed,
    settings_file,
)

# A URL of these may hold a secret: it comes from the environment or perennial.toml, never by Prefect.
SECRET_SETTINGS = ("webhook", "openlineage_url")


# The settings of a refresh that concern its operation: where it runs and whom it tells.


class OperatingSettings(BaseModel):
    """Where batches run and whom to tell: none of it decides what an edition holds."""

    runner: str = setting("local", "Where batches run: local, dask, or dask://HOST:PORT.", OPERATION)
    workers: int | None = setting(
        None,
        "Processes for sampling, books and play. Default: all cores.",
        OPERATION,
        example=2,
        ge=1,
        le=1_000,
    )
    webhook: str = setting("", "URL that receives a JSON message when the refresh ends.", OPERATION)
    openlineage_url: str = setting(
        "", "Endpoint that OpenLineage events are sent to, in addition to the file.", OPERATION
    )

    @field_validator("runner")
    @classmethod
    def _check_runner(cls, value: str) -> str:
        if value not in ("local", "dask") and not re.fullmatch(r"dask://[^\s/?#@]+:\d{1,5}", value):
            raise ValueError("expected local, dask, or dask://HOST:PORT of a Dask scheduler")
        return value

    @field_validator("webhook", "openlineage_url")
    @classmethod
    def _http_url(cls, value: str) -> str:
        from urllib.parse import urlsplit

        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0):
            raise ValueError("expected a URL such as http://127.0.0.1:8080/hook, or nothing")
        return value


ALL = "all"  # in place of the names of all benchmarks that are installed
EditionName = Annotated[str, Field(pattern=EDITION_PATTERN), AfterValidator(check_edition_name)]
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PROBLEMS_SHOWN = 8
_PATHS = ("root", "models_file")


class RefreshSettings(ModelSettings, OperatingSettings, BaseModel):
    """What an operator may set for `perennial refresh`, whatever the benchmark.

    In the environment a setting is called PERENNIAL_ and its name in capitals, a benchmark's own
    PERENNIAL_, the benchmark's name, _ and its name. Lists may be written `a,b`.
    """

    model_config = ConfigDict(extra="forbid")
    sizes: ClassVar[Sizes] = {STANDARD: {}}

    benchmark: str = setting(
        DEFAULT_BENCHMARK,
        "Benchmark of the edition. NAME,NAME,... or all: one run grows an edition for each benchmark, within "
        "one budget.",
    )
    size: str = setting(
        STANDARD,
        "How much to make: tiny, small, standard, contamination (half of it private, to show a leak) or "
        "paper. `perennial refresh --benchmark NAME --help` says what each means.",
    )
    root: str = Field(
        default_factory=default_root,
        description=f"Data root. Default: {DEFAULT_ROOT_WORDS}.",
        examples=[DEFAULT_ROOT],
    )
    edition: EditionName = setting(
        "",
        "Name of the edition; with several benchmarks NAME-BENCHMARK each. Default: the benchmark and the "
        "date.",
    )
    seed: int | None = setting(
        None,
        "Seed of all random draws; the edition is then marked as replayed, not fresh. Default: 256 bits from "
        "the operating system, secret until `perennial editions reveal`.",
        example=7,
        ge=0,
    )
    private_share: float = setting(
        0.0,
        "Share of the instances, drawn over the edition, that exports leave out until `perennial editions "
        "retire`.",
        ge=0,
        lt=1,
    )
    players: Names = setting(
        [],
        "Players, separated by commas: programs of the benchmark; any other name is treated as a model. "
        "Default: all programs.",
    )
    anchors: Names = setting(
        [],
        "Pinned models or programs, three or four, that answer every edition and tie editions to one scale; "
        "they are added to the players.",
    )
    runs: int = setting(5, "Runs per instance, of random players and models.", ge=1, le=1_000)

    @field_validator("*", mode="before")
    @classmethod
    def _no_true_as_one(cls, value: object, info: ValidationInfo) -> object:
        """Refuse true and false where a number is expected, which pydantic reads as 1 and 0."""
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError("expected something else than true or false")
        return value

    @field_validator("*")
    @classmethod
    def _without_control_characters(cls, value: object) -> object:
        """Refuse what no path, name or URL holds: line breaks, NUL and other control characters."""
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and _CONTROL.search(text):
                raise ValueError("expected one line without control characters")
        return value

    @field_validator("size")
    @classmethod
    def _check_size(cls, value: str) -> str:
        if value not in cls.sizes:
            raise ValueError(f"expected {join_choices(cls.sizes)}")
        return value

    @field_validator("seed")
    @classmethod
    def _check_seed(cls, value: int | None) -> int | None:
        # No limit of the field: schemas of flow parameters hold numbers of at most 64 bits.
        if value is not None and value >= SEED_LIMIT:
            raise ValueError(f"expected a seed of at most {SECRET_BITS} bits")
        return value

    @field_validator("players", mode="before")
    @classmethod
    def _require_a_name(cls, value: object) -> object:
        if isinstance(value, str) and not split_names(value):
            raise ValueError("expected names, separated by commas; leave it out for the default players")
        return value

    @field_validator("players", "anchors")
    @classmethod
    def _without_repeats(cls, value: list[str]) -> list[str]:
        if len(set(value)) < len(value):
            raise ValueError("expected each name once; --runs N lets a player play N times")
        return value

    def fill_size(self, named: Collection[str]) -> Self:
        """Fill in what the size sets, except for settings that are named."""
        filled = {name: value for name, value in self.sizes[self.size].items() if name not in named}
        return self.model_copy(update=filled)

    def own_policy(self) -> object:
        """How the benchmark's stages work; nothing here decides what an edition holds."""
        return None

    def versions(self, _own: Mapping[str, object]) -> tuple[str, ...]:
        """The versions of each question to play, given this part of an edition's plan."""
        return (USUAL,)

    def author_models(self) -> tuple[str, ...]:
        """Return the models that the settings name to author an edition."""
        return ()

    @classmethod
    def own_fields(cls) -> set[str]:
        """Return the names of the benchmark's own settings."""
        return set(cls.model_fields) - set(RefreshSettings.model_fields)

    @classmethod
    def ordered_fields(cls) -> dict[str, FieldInfo]:
        """Return the fields as options show them: by panel, and the benchmark's own first."""
        extra = cls.own_fields()
        by_panel = sorted(
            cls.model_fields.items(), key=lambda item: (PANELS.index(panel_of(item[1])), item[0] not in extra)
        )
        return dict(by_panel)


class AnalystSettings(RefreshSettings):
    """Who says how answers came about, and of how many answers."""

    analysts: Names = setting(
        [],
        f"Models, at most {MOST_ANALYSTS}, that say how models' answers came about.",
        PLAYERS,
    )
    analysed: int = setting(
        50,
        "Maximum number of answers of a player and an outcome (right, wrong) that each analyst is shown.",
        PLAYERS,
        ge=1,
        le=100_000,
    )

    @field_validator("analysts")
    @classmethod
    def _check_analysts(cls, value: list[str]) -> list[str]:
        if len(value) > MOST_ANALYSTS or len(set(value)) < len(value):
            raise ValueError(f"expected at most {MOST_ANALYSTS} models, each once")
        return value

    def analyst_plan(self) -> AnalystPlan:
        """Return the analysts, and what their calls pass on."""
        shared = only_set(temperature=TEMPERATURE, max_tokens=self.max_tokens or None)
        overrides = self.model_params(self.analysts, shared)
        return AnalystPlan({model: overrides.get(model, shared) for model in self.analysts}, self.analysed)


def load_settings(flags: Mapping[str, object], command: str = "refresh") -> RefreshSettings:
    """Return the settings with these flags (None: not given); raise InvalidOption naming each bad one.

    Of several benchmarks they are those of the first one: see `perennial.schemas.settings.several`. The error
    points at the help of the `command`.
    """
    flags_set = {name: value for name, value in flags.items() if value is not None}
    file = _read_settings_file()
    chosen = _benchmarks(flags_set, file)
    benchmark = chosen[0]
    form: type[RefreshSettings] = benchmark.settings()
    variables = read_variables(benchmark)
    values = {
        **_from_file(benchmark, form, file),
        **{name: value for name, (_, value) in variables.items()},
        **flags_set,
    }
    if len(chosen) > 1 or values.get("benchmark") == ALL:
        values["benchmark"] = benchmark.name
    try:
        # A size that is a flag goes before what the file says; beside it there, the file's details hold.
        settings = form(**values).fill_size(flags_set if "size" in flags_set else values)
        return settings.keep_flags(flags_set)
    except ValidationError as error:
        places = {name: f"{variable}=" for name, (variable, _) in variables.items()}
        places |= {name: f"--{name.replace('_', '-')} " for name in flags_set}
        problems = "; ".join(
            _in_words(dict(problem), places, benchmark.name, form)
            for problem in error.errors()[:_PROBLEMS_SHOWN]
        )
        more = error.error_count() - _PROBLEMS_SHOWN
        text = f"{problems}{f'; and {more:,} more' if more > 0 else ''}"
        raise InvalidOption(f"{text} (see `{_help_of(command, benchmark.name)}`)") from None


def _help_of(command: str, benchmark: str) -> str:
    if command not in ("refresh", "evaluate"):
        return f"perennial {command} --help"
    named = "" if benchmark == DEFAULT_BENCHMARK else f" --benchmark {benchmark}"
    return f"perennial {command}{named} --help-all"


def choose_benchmarks(flag: str | None) -> tuple[Declaration, ...]:
    """Return the benchmarks of flag, environment or perennial.toml, in the order in which they are named.

    Raises InvalidOption for one that is not installed, or named twice.
    """
    return _benchmarks({"benchmark": flag} if flag else {}, _read_settings_file())


def _benchmarks(flags_set: Mapping[str, object], file: Mapping[str, object]) -> tuple[Declaration, ...]:
    sources: tuple[Mapping[str, object], ...] = (
        flags_set,
        {"benchmark": os.environ.get("PERENNIAL_BENCHMARK")},
        file,
    )
    name = next((name for source in sources if (name := source.get("benchmark"))), DEFAULT_BENCHMARK)
    # Anything else than a text is refused with the other bad settings.
    text = name if isinstance(name, str) else DEFAULT_BENCHMARK
    if text == ALL:
        return tuple(benchmarks().values())
    names = [part.strip() for part in text.split(",")]
    if len(names) > 1 and ("" in names or ALL in names or len(set(names)) < len(names)):
        raise InvalidOption(
            f"benchmark {shorten(text)!r}: expected names separated by commas, each once, or {ALL}; "
            f"installed: {', '.join(benchmarks())}"
        )
    return tuple(map(find_declaration, names))


def _read_settings_file() -> JsonObject:
    return read_toml(settings_file()) or {}


def _from_file(benchmark: Declaration, form: type[RefreshSettings], file: Mapping[str, object]) -> JsonObject:
    """Return the file's shared settings and those of the benchmark's section; other sections are ignored."""
    name, fields = benchmark.name, form.own_fields()
    shared = {key: value for key, value in file.items() if key not in benchmarks()}
    section = file.get(name, {})
    if not isinstance(section, dict):
        raise InvalidOption(f"{SETTINGS_FILE}: {name}: expected a section [{name}] with settings of {name}")
    for key in sorted(fields & set(shared)):
        raise InvalidOption(
            f"{SETTINGS_FILE}: {key} is a setting of the benchmark {name}: write it in section [{name}]"
        )
    for key in sorted(set(RefreshSettings.model_fields) & set(section)):
        raise InvalidOption(
            f"{SETTINGS_FILE}: {key} in section [{name}] is a setting of every benchmark: write it at the "
            "top, before any section"
        )
    folder = settings_file().parent
    named = {key if key in fields else f"{name}.{key}": value for key, value in section.items()}
    return {key: _from_folder(folder, key, value) for key, value in {**shared, **named}.items()}


def _from_folder(folder: Path, key: str, value: object) -> object:
    """A value of the file in which a path is relative to the folder of the file."""
    if isinstance(value, list):
        return [_from_folder(folder, key, part) for part in value]
    if isinstance(value, str) and "://" not in value and (key in _PATHS or value.endswith(".json")):
        return str(folder / value) if value else value
    return value


def _in_words(
    problem: JsonObject, places: Mapping[str, str], benchmark: str, form: type[RefreshSettings]
) -> str:
    """Return where the bad value is given, the value and what was expected."""
    name = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        # Its value is not shown: it may be a key that somebody put into the file.
        section, _, key = name.rpartition(".")
        names = form.own_fields() if section else {*RefreshSettings.model_fields, *benchmarks()}
        hint = (
            "; keys come from the environment (PERENNIAL_API_KEY or OPENAI_API_KEY)" if "key" in key else ""
        )
        printed = shorten(name if name.isprintable() else repr(name), WIDTH)
        where = _place_in_file(section, key)
        return f"{where}: {printed}: there is no such setting{hint or suggest(key, sorted(names))}"
    where = places.get(name) or (
        f"{_place_in_file(benchmark if name in form.own_fields() else '', name)}: {name} = "
    )
    part = "".join(f"[{index}]" for index in problem["loc"][1:])
    return f"{where}{f'{part}: ' if part else ''}{redact(problem['input'])}: {describe_expectation(problem)}"


def _place_in_file(section: str, key: str) -> str:
    """Return `perennial.toml, line 3`, the line where it is found."""
    path, current = settings_file(), ""
    lines = path.read_text(encoding="utf-8-sig").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith("["):
            current = text.strip("[] ")
        name = text.partition("=")[0].strip().strip("\"'")
        if (current, name) == (section, key) or (not section and current == key):
            return f"{path}, line {number}"
    return str(path)


# The settings that are environment variables, and the variables that are none.


def variable_of(name: str, benchmark: str = "") -> str:
    """The environment variable of a setting; with a benchmark, of that benchmark only."""
    return f"{PREFIX}{benchmark}{'_' if benchmark else ''}{name}".upper()


def read_variables(benchmark: Declaration) -> dict[str, tuple[str, str]]:
    """Variable and value of each setting of the benchmark that the environment has, by name.

    Raises InvalidOption for a variable that begins with PERENNIAL_ and is no setting of any benchmark: one
    that is misspelt would be passed over otherwise.
    """
    form = benchmark.settings()
    fields = form.own_fields()
    names = {name: variable_of(name, benchmark.name if name in fields else "") for name in form.model_fields}
    for variable in sorted(filter(is_claimed, os.environ)):
        if variable not in names.values() and not _is_of_another(variable, benchmark):
            raise InvalidOption(_describe_unknown(variable, benchmark.name, names, fields))
    return {
        name: (variable, os.environ[variable]) for name, variable in names.items() if variable in os.environ
    }


def _is_of_another(variable: str, benchmark: Declaration) -> bool:
    for other in benchmarks().values():
        if other.name != benchmark.name and variable.startswith(variable_of("", other.name)):
            return any(variable == variable_of(name, other.name) for name in other.settings().own_fields())
    return False


def _describe_unknown(variable: str, benchmark: str, names: Mapping[str, str], fields: set[str]) -> str:
    # Its value is not shown: it may be a key.
    printed = shorten(variable if variable.isprintable() else repr(variable), WIDTH)
    name = variable.removeprefix(PREFIX).lower()
    if name in fields:
        return f"{printed}: {name} is a setting of the benchmark {benchmark}: set {names[name]} instead"
    # A benchmark's own setting is meant with and without the benchmark's name.
    meant = {
        alias: setting_name
        for field, setting_name in names.items()
        for alias in (field, setting_name.removeprefix(PREFIX).lower())
    }
    alike = find_alike(name, meant)
    return f"{printed}: there is no such setting" + (f"; did you mean {meant[alike]}?" if alike else "")
