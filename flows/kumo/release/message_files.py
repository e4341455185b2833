"""Find the message templates in a clone of the KUMO authors' repository; its files are never executed.

The agent's messages are made in `agents/vanilla_agent.py`, in the class registered as `VanillaAgent`; a
domain's system message in `env/*.py`, in the class registered as `<Domain>Env` or one that it derives from.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.kumo.plan import PaperMessages
from perennial.tasks.kumo.release.message_syntax import (
    AGENT,
    REMEDY,
    AgentMessages,
    parse_module,
    read_agent,
    read_system_prompt,
)
from perennial.warehouse.kumo.release.layout import ReleaseFile, Skipped, list_files, read_text

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
    found = {}
    for domain in domains:
        source, method = _find_system_prompt(classes, domain)
        system, closed = read_system_prompt(method, source)
        found[domain] = PaperMessages(
            domain, system, closed, agent.first, agent.begin, agent.observed, agent.tail
        )
    return found


def _read_agent(files: dict[str, ReleaseFile]) -> AgentMessages:
    for node in _parse(files, AGENT_FILE).body:
        if isinstance(node, ast.ClassDef) and AGENT in _registered_names(node, "register_agent"):
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
    return parse_module(text, name)


def _classes(files: dict[str, ReleaseFile]) -> dict[str, tuple[str, ast.ClassDef]]:
    """Return file and class by class name and by registered name; a file that cannot be read has none."""
    found: dict[str, tuple[str, ast.ClassDef]] = {}
    modules = [name for name in sorted(files) if name.startswith("env/") and name.count("/") == 1]
    for name in [module for module in modules if module.endswith(".py")][:_MAX_FILES]:
        try:
            tree = _parse(files, name)
        except UnreadableInput:
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                for registered in (node.name, *_registered_names(node, "register_environment")):
                    found[registered] = name, node
    return found


def _find_system_prompt(
    classes: dict[str, tuple[str, ast.ClassDef]], domain: str
) -> tuple[str, ast.FunctionDef]:
    """Return the file and the method of a domain's class, or of the class that it is derived from."""
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


def _registered_names(node: ast.ClassDef, decorator: str) -> Iterator[str]:
    for call in node.decorator_list:
        match call:
            case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Constant(value=str(name))]) if (
                attr == decorator
            ):
                yield name


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
    return next((method for method in methods if method.name == name), None)
