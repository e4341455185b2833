"""The file of a study: read, with errors that name the key, and begun from a commented one."""

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.schemas.errors import InvalidOption, quote, shorten, suggest
from perennial.schemas.people import Study
from perennial.schemas.settings.form import describe_expectation, parse_toml

# The commented file with which a study begins.

_HEAD = """# A study: people play instances of a published edition. `perennial study codes` checks this file
# and draws the participants' codes; from then on only `participants` and `contact` may change.

# Of the study: letters, digits, dashes and underscores.
name = "{name}"
# Published; its seed may stay secret.
edition = "{edition}"
# Above each screen.
title = "Reasoning study"
settings = [{settings}]
domains = [{domains}]
# A participant's, as many of each setting.
tasks = {tasks}
# How many codes `perennial study codes` draws in all; may be raised later.
participants = 50
# A task's time: what has no answer by then ends as turn_limit.
task_minutes = 20
# The time of all tasks together, from the first one's start.
total_minutes = 180
# Decides with a participant's number who plays what.
seed = {seed}
# The instance that everybody practises on, by its id; default: drawn, and never assigned.
tutorial = ""
"""
_TAIL = '''# Whom participants can ask.
contact = ""
instructions = """
Each task names what you look for and lists possible answers and actions. An action shows an observation; the
book says which answers an observation rules out. Exactly one answer survives. Find it with as few actions as
you can: an answer ends the task.
"""
consent = """
Replace this text by your own, with what your ethics board asks for. It should say who runs the study and why,
what is kept (your choices with their times, an age band and a level of education; no name and no address),
that the results are published under a code, how long that is kept, what you earn, and that you can stop and
withdraw at any time, by your code, without a reason.
"""
age_bands = ["18-24", "25-34", "35-44", "45-54", "55-64", "65 or older", "no answer"]
education = ["school", "bachelor", "master", "doctorate", "other", "no answer"]
# Asked only where you list choices, such as ["female", "male", "other", "no answer"]; say so in the consent.
genders = []
majors = []
currency = ""

# Earnings: base + per_success x success rate - per_action x action count. The rate is right answers /
# assigned tasks, the count that of all actions taken, answers aside.
[earnings]
base = 25
per_success = 15
per_action = 0.1

# Anyone who has both is excluded: a median time per task below `seconds`, and a success rate of at most
# `success_rate`.
[quality]
seconds = 10
success_rate = 0.5
'''
_TASKS = 10


def write_starter(name: str, edition: str, settings: list[str], domains: list[str], seed: int) -> str:
    """Return the text of a study's file for an edition with these settings and domains."""
    tasks = max(_TASKS // len(settings), 1) * len(settings)
    head = _HEAD.format(
        name=name,
        edition=edition,
        settings=_list(settings),
        domains=_list(domains),
        tasks=tasks,
        seed=seed,
    )
    return head + _TAIL


def _list(names: list[str]) -> str:
    return ", ".join(json.dumps(name, ensure_ascii=False) for name in names)


_MAX_BYTES = 1_000_000
_WIDTH = 80


def read_study(path: Path) -> Study:
    """Return the study that the file describes.

    Raises UnreadableInput where it cannot be read, InvalidOption, in one line with the key, for a value that
    makes no sense.
    """
    printed_path = show_path(path)
    text = read_text_file(path, _MAX_BYTES).removeprefix("\ufeff")
    try:
        return Study(**parse_toml(text, printed_path))
    except ValidationError as error:
        raise InvalidOption(f"{printed_path}: {_describe(error.errors()[0])}") from None


def _describe(problem: Any) -> str:
    key = shorten(".".join(str(part) for part in problem["loc"]), _WIDTH)
    message = describe_expectation(problem)
    match problem["type"]:
        case "missing":
            return f"{key} is missing: add it (`perennial study new FILE` writes a file with every key)"
        case "extra_forbidden":
            last = str(problem["loc"][-1])
            return f"{quote(key)[1:-1]}: there is no such key; remove it{suggest(last, Study.model_fields)}"
        case "value_error" if not key:
            return message
        case "too_long" | "too_short" | "string_too_long" | "string_too_short":
            message = f"expected {_size(problem)}"
    return f"{quote(key)[1:-1]}: {message}, got {quote(problem['input'])}; correct it"


def _size(problem: Any) -> str:
    limits = problem["ctx"]
    bound = (
        f"at most {limits['max_length']:,}"
        if "max_length" in limits
        else f"at least {limits['min_length']:,}"
    )
    return f"{bound} {'characters' if problem['type'].startswith('string') else 'names'}"
