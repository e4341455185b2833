"""Every command that has the option --root, with arguments that let it come as far as the root."""

from collections.abc import Iterator
from typing import Any

from perennial.flows.cli import app as cli
from perennial.schemas.benchmark import benchmarks

Arguments = tuple[tuple[str, ...], ...]
DRAWN = ("--config", "chemical_analysis", "--out", "drawn.jsonl")

# `doctor`, which goes on with its other checks, has a test of its own.
READERS: dict[str, Arguments] = {
    "refresh": (
        ("--players", "algorithm-3"),
        ("--players", "algorithm-3", "--dry-run"),
        *(("--benchmark", name, "--dry-run") for name in ("all", *benchmarks())),
    ),
    "try": (("m", "--base-url", "http://127.0.0.1:9/v1"),),
    "evaluate": (("kept", "--players", "random"), ("kept", "--players", "random", "--dry-run")),
    "contamination": (("kept",), ("kept", "--players", "random")),
    "design": (("--calls", "500"),),
    "study new": (("new.toml",),),
    **{f"study {name}": (("s.toml",),) for name in ("codes", "status", "publish")},
    "study export": (("s.toml", "--out", "moves.csv"),),
    "study withdraw": (("s.toml", "k7m2qx", "--yes"),),
    "play": (("--edition", "kept", "--instance", "x"),),
    "query": (("FROM leaderboard",),),
    "ask": (("best_players",),),
    "episode": (("x",),),
    "editions list": ((), ("--all",)),
    "editions prune": ((),),
    "editions reveal": (("kept",),),
    "editions retire": (("kept",),),
    "editions withdraw": (("kept", "--why", "w"),),
    "editions reinstate": (("kept", "--why", "w"),),
    "verify": ((), ("--all",), ("kept",)),
    "report": (("kept",), ("--profiles",)),
    "export": (("kept", "elsewhere"),),
    "site": (("public",),),
    "reproduce": (("kept",), ("kept@1",)),
    "calls": ((), ("--episode", "x")),
    "analyse": ((), ("kept",)),
    "audit": ((), ("kept",)),
    "serve": ((),),
    "web": ((),),
    "unlock": ((), ("--yes",)),
    "import scores": (("s.csv",),),
    **{f"import {name}": ((".",),) for name in ("kumo", "a2rbench", "beyondbench", "knowlogic", "inspect")},
    "tasks sample": (("modular_systems", "--count", "1", "--out", "drawn.jsonl"),),
    "domains list": ((),),
    "domains propose": (("--author", "m", "--out", "p.jsonl"),),
    "domains configure": (("p.jsonl", "--author", "m", "--out", "made"),),
    "sample": (("--count", "1", "--out", "drawn.jsonl"),),
    "domains sample": ((*DRAWN, "--truths", "4", "--actions", "4", "--count", "1"),),
    "trajectories": ((*DRAWN, "--setting", "4x4", "--count", "60"),),
    "reproduce-paper": (("kumo",), ("kumo", "."), ("beyondbench",)),
}
# They have the option as all have, and read nothing in the root.
WITHOUT_READING = {
    "train",
    "solve",
    *(f"domains {name}" for name in ("split", "new", "build", "world", "counterfactual")),
    *(f"domains {name}" for name in ("score", "validate", "import", "sparse")),
}


def commands_with_a_root() -> set[str]:
    """Return the names of all commands that have --root, a subcommand's with its group's."""
    commands = cli._Commands()
    return {name for top in commands for name in _commands_with_a_root(commands[top], top)}


def _commands_with_a_root(command: Any, name: str) -> Iterator[str]:
    parts = getattr(command, "commands", {})
    for part in parts:
        yield from _commands_with_a_root(parts[part], f"{name} {part}")
    # The options of `refresh` and `evaluate` are made when their command line is read.
    known = command.make_context(name, [], resilient_parsing=True).command.params
    if not parts and any("--root" in option.opts for option in known):
        yield name
