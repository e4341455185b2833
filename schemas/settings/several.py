"""The settings of a refresh of several benchmarks: each gets the flags that it has, and its own section."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from types import NoneType
from typing import get_args

from pydantic.fields import FieldInfo

from perennial.schemas.benchmark import Declaration
from perennial.schemas.errors import InvalidOption, PerennialError
from perennial.schemas.rows import ReadJson
from perennial.schemas.settings.form import PANELS, describe_setting, panel_of, setting
from perennial.schemas.settings.refresh import RefreshSettings, choose_benchmarks, load_settings
from perennial.schemas.variables import SETTINGS_FILE


def load_each(flags: ReadJson, command: str = "refresh") -> tuple[RefreshSettings, ...]:
    """Return the settings of each chosen benchmark with these flags (None: not given).

    With several benchmarks the name of the edition gets the benchmark's as its end. Raises InvalidOption for
    a flag that one of them does not have, and, naming the benchmark, for what is not valid.
    """
    flags_set = {name: value for name, value in flags.items() if value is not None}
    chosen = choose_benchmarks(flags_set.get("benchmark"))
    if len(chosen) == 1:
        return (load_settings(flags, command),)
    _refuse_partial(flags_set, chosen)
    all_settings = []
    for benchmark in chosen:
        values = {**flags_set, "benchmark": benchmark.name}
        with naming(benchmark.name, chosen, flags_set):
            settings = load_settings(values, command)
            if settings.edition:
                values["edition"] = f"{settings.edition}-{benchmark.name}"
                settings = load_settings(values, command)
        all_settings.append(settings)
    return tuple(all_settings)


def _refuse_partial(flags_set: ReadJson, chosen: Sequence[Declaration]) -> None:
    """Refuse a flag that not every chosen benchmark has: the others would be made in full."""
    fields_by_name: dict[str, dict[str, FieldInfo]] = {
        benchmark.name: benchmark.settings().model_fields for benchmark in chosen
    }
    for name in flags_set:
        owners = [benchmark for benchmark, fields in fields_by_name.items() if name in fields]
        if owners and len(owners) < len(chosen):
            others = ", ".join(benchmark for benchmark in fields_by_name if benchmark not in owners)
            raise InvalidOption(
                f"--{name.replace('_', '-')} is a setting of {', '.join(owners)}, and not of {others}: leave "
                f"it out, and write it in section [{owners[0]}] of {SETTINGS_FILE}; --size is one of all"
            )


@contextmanager
def naming(benchmark: str, chosen: Sequence[Declaration], flags_set: ReadJson) -> Iterator[None]:
    """Let errors of the block name the benchmark, and say what to do about a flag that is not for all."""
    try:
        yield
    except PerennialError as error:
        flags = [
            f"--{name.replace('_', '-')}"
            for name, value in flags_set.items()
            if _count_owners(name, chosen) > 1 and _is_about(str(error), name, value)
        ]
        remedy = (
            f"; {', '.join(flags)} goes to every chosen benchmark that has it: leave it out, and write it in "
            f"the sections of {SETTINGS_FILE} that it is meant for, such as [{benchmark}]"
            if flags
            else ""
        )
        raise type(error)(f"{benchmark}: {error}{remedy}") from error


def _count_owners(name: str, chosen: Sequence[Declaration]) -> int:
    return sum(name in benchmark.settings().own_fields() for benchmark in chosen)


def _is_about(message: str, name: str, value: object) -> bool:
    values = value if isinstance(value, list) else str(value).split(",")
    return f"--{name.replace('_', '-')} " in message or any(repr(part) in message for part in values)


def fields_of(chosen: Sequence[Declaration]) -> dict[str, FieldInfo]:
    """Return the settings of these benchmarks as options show them, by name.

    Of several, what one or some of them have says so in its description.
    """
    if len(chosen) == 1:
        form: type[RefreshSettings] = chosen[0].settings()
        return form.ordered_fields()
    fields: dict[str, FieldInfo] = {}
    for benchmark in chosen:
        for name in benchmark.settings().ordered_fields():
            if name not in RefreshSettings.model_fields and name not in fields:
                fields[name] = _merge(name, chosen)
    fields |= RefreshSettings.ordered_fields()
    return dict(sorted(fields.items(), key=lambda item: PANELS.index(panel_of(item[1]))))


def _merge(name: str, chosen: Sequence[Declaration]) -> FieldInfo:
    fields_by_name: dict[str, dict[str, FieldInfo]] = {
        benchmark.name: benchmark.settings().model_fields for benchmark in chosen
    }
    owners = {benchmark: fields[name] for benchmark, fields in fields_by_name.items() if name in fields}
    first, *others = owners.values()
    if not others:
        merged = copy(first)
        merged.description = f"{next(iter(owners))}: {first.description}"
        return merged
    text = " ".join(f"{benchmark}: {describe_setting(field)}" for benchmark, field in owners.items())
    both: FieldInfo = setting(None, text, panel_of(first))
    kinds = {_without_none(field.annotation) for field in owners.values()}
    is_list = any(isinstance(field.default, list) for field in owners.values())
    both.annotation = str if is_list or len(kinds) > 1 else first.annotation
    return both


def _without_none(annotation: object) -> tuple[object, ...]:
    """Return the types of an annotation but None: a setting that may be left out is of the same kind."""
    return tuple(kind for kind in get_args(annotation) or (annotation,) if kind is not NoneType)
