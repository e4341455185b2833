"""The commented files that `perennial init` writes, made from what describes each setting."""

import json
from collections.abc import Iterator, Mapping
from textwrap import wrap

from pydantic.fields import FieldInfo

from perennial.schemas.benchmark import Declaration
from perennial.schemas.settings.form import PANELS, describe_setting, panel_of
from perennial.schemas.settings.model_entry import ModelEntry

_WIDTH = 100
_SETTINGS_HEAD = (
    "Settings for the commands that run in this folder. Remove the # before a key to set it.",
    "A flag (--runs 3) goes before the environment (PERENNIAL_RUNS=3), and that before this file. Keys of "
    "models come from the environment alone.",
)
_MODELS_HEAD = (
    "Models that are not asked as the settings say: a table for each, by the name that --players, --author "
    "and so on give. Remove the # before what you need; `perennial models check` tries each with one short "
    "call.",
    "Keys are named by the variable that holds them, and never written here.",
)


def settings_file(benchmark: Declaration) -> str:
    """Return perennial.toml: each setting with its description, those of the benchmark in its section."""
    form = benchmark.settings()
    own_names = form.own_fields()
    fields: dict[str, FieldInfo] = form.ordered_fields()
    shared = {name: field for name, field in fields.items() if name not in own_names}
    lines = [*_comment(*_SETTINGS_HEAD), *_panels(shared), "", f"[{benchmark.name}]"]
    return "\n".join([*lines, *_panels({name: fields[name] for name in fields if name in own_names})]) + "\n"


def models_file() -> str:
    """Return models.toml: one table with each key and its description."""
    lines = [*_comment(*_MODELS_HEAD), "", "#[my-model]"]
    for name, field in ModelEntry.model_fields.items():
        lines += ["", *_describe(name, field)]
    return "\n".join(lines) + "\n"


def _panels(fields: Mapping[str, FieldInfo]) -> Iterator[str]:
    for panel in PANELS:
        of_panel = {name: field for name, field in fields.items() if panel_of(field) == panel}
        if panel and of_panel:
            yield from ("", f"# ---- {panel}")
        for name, field in of_panel.items():
            yield from ("", *_describe(name, field))


def _describe(name: str, field: FieldInfo) -> Iterator[str]:
    yield from _comment(describe_setting(field))
    example = field.examples[0] if field.examples else field.get_default(call_default_factory=True)
    yield f"#{name} = {_toml(example)}"


def _comment(*paragraphs: str) -> Iterator[str]:
    for paragraph in paragraphs:
        yield from (f"# {line}" for line in wrap(paragraph, _WIDTH))


def _toml(value: object) -> str:
    """Return a plain value as TOML; texts, numbers, true, false and lists are written as in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)
