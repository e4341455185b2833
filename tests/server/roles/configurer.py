"""The configurer: a domain's prompt, then its configuration, the rest of one cut off, and repairs.

A configuration is a function of the prompt that asks for it, so that the rest of one can be told by
anybody who sees the conversation.
"""

import random
import re

from perennial.schemas.ids import derive_rng
from tests.server.config_text import CONFIG_FAULTS, NEVER_VALID, config_text, right_config, spoilt_config
from tests.server.script import Asked

_PROMPT_OPENING = "You write the prompt from which the configuration of a reasoning game is made."
_CONFIG_OPENING = "You write the configuration of a reasoning game as one JSON document."
_CONTINUE = "Check whether the JSON document in your output is complete"
_NOUNS = re.compile(r"^One truth is called: (.*)\. One action is called: (.*)\.$", re.MULTILINE)
_FENCES = re.compile(r"\A\s*```\w*\n|\n```\s*\Z")
_TAIL = 60

Messages = tuple[dict[str, str], ...]


class Configurer:
    role = "configurer"
    faults = CONFIG_FAULTS

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith((_PROMPT_OPENING, _CONFIG_OPENING))

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        if asked.system.startswith(_PROMPT_OPENING):
            prompt = _domain_prompt(asked.messages[-1]["content"])
            # From another prompt another configuration follows.
            return f"{prompt}\nList what others overlook." if asked.model.startswith("second") else prompt
        if asked.messages[-1]["content"].startswith(_CONTINUE):
            return _rest(asked.messages)
        return _configuration(asked.messages, fault)


def _domain_prompt(metadata: str) -> str:
    name = _field(metadata, r"^- Domain: (.*)$")
    goal = _field(metadata, r"^- GOAL, [^:]*: (.*)$")
    truths = _field(metadata, r"^- TRUTHS, [^:]*: (.*) \(one of them is called")
    actions = _field(metadata, r"^- ACTIONS, [^:]*: (.*) \(one of them is called")
    truth_noun, action_noun = re.findall(r"\(one of them is called: (.*)\)$", metadata, re.MULTILINE)
    return (
        f"Write a configuration for a game of elimination about {name}. A player wants this: {goal}\n\n"
        f"1. Truths: list {truths}.\n"
        f"2. Actions: list {actions}. Each looks at another property.\n"
        "3. Outcomes: give each action what can be seen, in words or as ranges of a number, and what that "
        "rules out.\n\n"
        f"One truth is called: {truth_noun}. One action is called: {action_noun}."
    )


def _configuration(messages: Messages, fault: str | None) -> str:
    """Return the configuration that the conversation asks for, whole, with the fault if there is one."""
    prompt = messages[1]["content"].partition("\n## Form\n")[0]  # what follows may tell of earlier replies
    nouns = _NOUNS.search(prompt)
    truth_noun, action_noun = nouns.groups() if nouns else ("thing", "test")
    config = right_config(truth_noun, action_noun, derive_rng(0, prompt, 0))
    if any(message["role"] == "assistant" and NEVER_VALID in message["content"] for message in messages):
        fault = "never_valid"
    if fault is None:
        return config_text(config)
    if fault == "not_json":
        return f"__import__('os').getpid()\nTruths = {config['truths']!r}\nActions = {config['actions']!r}"
    return config_text(spoilt_config(config, fault, derive_rng(0, prompt, len(messages))))


def _rest(messages: Messages) -> str:
    """Return the rest of the output that was cut off; its beginning shows which fault it has."""
    cut = next(i for i, message in enumerate(messages) if message["content"].startswith(_CONTINUE)) - 1
    parts = [message["content"] for message in messages[cut:] if message["role"] == "assistant"]
    said = "".join(_FENCES.sub("", part) for part in parts)
    said = said[max(0, said.find("{")) :]
    wholes = [_configuration(messages[:cut], fault) for fault in (None, *CONFIG_FAULTS)]
    whole = next((text for text in wholes if text.startswith(said)), None)
    if whole is not None:
        return whole[len(said) :]
    after = wholes[0].rpartition(said[-_TAIL:])  # something in between got lost: go on from the end
    return after[2] if after[1] else wholes[0]


def _field(text: str, pattern: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    assert found is not None, f"the prompt has no line like {pattern}"
    return found[1]


SCRIPT = Configurer()
