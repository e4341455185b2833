"""The domains of a copy of the KUMO authors' repository: parsed, never executed, repaired where that invents
nothing.
"""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from perennial.schemas.errors import InvalidOption, UnreadableInput, UnusableConfig
from perennial.schemas.kumo.plan import PaperMessages
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.release.configurations import ReadConfig, config_from_json, config_from_module
from perennial.tasks.kumo.release.message_syntax import (
    AGENT,
    REMEDY,
    AgentMessages,
    read_agent,
    read_system_prompt,
)
from perennial.tasks.kumo.release.repair import repair_config
from perennial.tasks.kumo.validation import refuse_unsafe
from perennial.tasks.message_syntax import parse_module
from perennial.warehouse.kumo.release.layout import (
    ReleaseFile,
    Skipped,
    find_release,
    list_files,
    read_text,
    registered_names,
)

_CONFIG_BYTES = 2_000_000  # the largest has 60,000


@dataclass(frozen=True, slots=True)
class FoundDomain:
    """A domain of the repository: its configuration, or why there is none that sampling takes.

    `changes` are the repairs, `warnings` what sampling can live with; a line each.
    """

    name: str
    config: SeedConfig | None = None
    problem: str = ""
    changes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Changes and warnings, each with the domain's name."""
        return (*(f"domain {self.name!r}: {change}" for change in self.changes), *self.warnings)


def read_domains(
    path: Path, names: Sequence[str] = (), words: Mapping[str, str] = MappingProxyType({})
) -> list[FoundDomain]:
    """Return these domains of the repository, all where none is named, with the operator's words.

    A module of an environment that was skipped is a domain without a configuration.

    Raises UnreadableInput for a folder that is no such repository, InvalidOption for a name that it lacks.
    """
    release = find_release(path).only(names)
    if names:
        return [_find(name, release.configs.get(name), words) for name in dict.fromkeys(names)]
    modules = [
        FoundDomain(skip.place, problem=skip.reason)
        for skip in release.skipped
        if skip.file.startswith("env/") and skip.file.endswith(".py")
    ]
    return [*(_find(name, release.configs.get(name), words) for name in release.domains), *modules]


def read_config(domain: str, file: ReleaseFile) -> ReadConfig | Skipped:
    """Return the configuration that a module or a JSON file holds as written, or why it cannot be read."""
    text = read_text(file, _CONFIG_BYTES)
    if isinstance(text, Skipped):
        return text
    read_as = config_from_json if file.path.suffix == ".json" else config_from_module
    try:
        return read_as(text, domain, file.name)
    except UnreadableInput as error:
        # The message begins with the file, and the line where one is wrong.
        match = re.fullmatch(rf"{re.escape(file.name)}(?:, line (\d+))?: (.*)", str(error), re.DOTALL)
        line, reason = match.groups() if match is not None else (None, str(error))
        return Skipped(file.name, int(line) if line else None, reason)


def _find(name: str, file: ReleaseFile | None, words: Mapping[str, str]) -> FoundDomain:
    if file is None:
        return FoundDomain(name, problem="no configuration was found for it")
    read = read_config(name, file)
    if isinstance(read, Skipped):
        return FoundDomain(name, problem=f"{read.place}: {read.reason}")
    config, changes = repair_config(read.config, words)
    changes = (*read.remarks, *changes)
    try:
        warnings = tuple(finding.message for finding in refuse_unsafe(config))
    except UnusableConfig as error:
        return FoundDomain(name, problem=str(error), changes=changes)
    return FoundDomain(name, config, changes=changes, warnings=warnings)


# Find the message templates in a clone of the KUMO authors' repository; its files are never executed.
#
# The agent's messages are made in `agents/vanilla_agent.py`, in the class registered as `VanillaAgent`; a
# domain's system message in `env/*.py`, in the class registered as `<Domain>Env` or one that it derives from.


AGENT_FILE = "agents/vanilla_agent.py"
_SYSTEM, _RESPONSE = "get_system_prompt", "response"
_MAX_BYTES = 200_000  # the largest has 4,000
_MAX_FILES = 2_000
_MAX_BASES = 5


def read_messages(root: Path, domains: Iterable[str]) -> dict[str, PaperMessages]:
    """Return the messages of each of these domains of theirs, such as MedicalEnv.

    Raises InvalidOption where the root is no folder, UnreadableInput, naming the file, for a template that is
    missing or not as published.
    """
    if not root.is_dir():
        raise InvalidOption(f"--release {str(root)!r}: no such folder; {REMEDY}")
    files, _ = list_files(root, ("agents", "env"))
    by_name = {file.name: file for file in files}
    agent = _read_agent(by_name)
    classes = _classes(by_name)
    messages = {}
    for domain in domains:
        source, method = _find_system_prompt(classes, domain)
        system, closed = read_system_prompt(method, source)
        messages[domain] = PaperMessages(
            domain, system, closed, agent.first, agent.begin, agent.observed, agent.tail
        )
    return messages


def _read_agent(files: dict[str, ReleaseFile]) -> AgentMessages:
    for node in _parse(files, AGENT_FILE).body:
        if isinstance(node, ast.ClassDef) and AGENT in registered_names(node, "register_agent"):
            method = _method(node, _RESPONSE)
            if method is not None:
                return read_agent(method, AGENT_FILE)
    raise UnreadableInput(
        f"{AGENT_FILE}: no class is registered as {AGENT} with a method `{_RESPONSE}`, expected one; {REMEDY}"
    )


def _parse(files: dict[str, ReleaseFile], name: str) -> ast.Module:
    if name not in files:
        raise UnreadableInput(f"{name}: missing, expected the messages of {AGENT}; {REMEDY}")
    text = read_text(files[name], _MAX_BYTES)
    if isinstance(text, Skipped):
        raise UnreadableInput(f"{text.place}: {text.reason}; {REMEDY}")
    return parse_module(text, name, REMEDY)


def _classes(files: dict[str, ReleaseFile]) -> dict[str, tuple[str, ast.ClassDef]]:
    """File and class by class name and by registered name; a file that cannot be read has none."""
    classes: dict[str, tuple[str, ast.ClassDef]] = {}
    modules = [name for name in sorted(files) if name.startswith("env/") and name.count("/") == 1]
    for name in [module for module in modules if module.endswith(".py")][:_MAX_FILES]:
        try:
            tree = _parse(files, name)
        except UnreadableInput:
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                for registered in (node.name, *registered_names(node, "register_environment")):
                    classes[registered] = name, node
    return classes


def _find_system_prompt(
    classes: dict[str, tuple[str, ast.ClassDef]], domain: str
) -> tuple[str, ast.FunctionDef]:
    """The file and the method of a domain's class, or of the class that it is derived from."""
    name = domain
    for _ in range(_MAX_BASES):
        if name not in classes:
            break
        source, node = classes[name]
        method = _method(node, _SYSTEM)
        if method is not None:
            return source, method
        name = next((base.id for base in node.bases if isinstance(base, ast.Name)), "")
    raise UnreadableInput(
        f"env/*.py: no class is registered as {domain} with a method `{_SYSTEM}`, expected one; {REMEDY}"
    )


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
    return next((method for method in methods if method.name == name), None)
