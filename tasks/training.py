"""Training on chats: which tokens count, and how a checkpoint is named."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.model_calls import Message

# A chat as tokens, and which of them a model is trained to say: those of the assistant's turns alone.
#
# The spans of the turns come from the template itself, whatever it is: what it adds for one more reply is
# that reply, with the token that ends it. So no template needs marks of its own for this.


NOT_TRAINED = -100
Span = tuple[int, int]


def assistant_spans(
    render: Callable[[Sequence[Message], bool], str], messages: Sequence[Message]
) -> tuple[str, list[Span]]:
    """The chat's text and the places in it of the assistant's turns, ends of turn included.

    `render` applies a chat template to messages; its flag says whether the prompt of a reply follows.
    Raises UnreadableInput for a template that writes a chat otherwise once it goes on: the model would then
    be trained on other prompts than those of a game.
    """
    text = render(messages, False)
    spans = []
    for number, message in enumerate(messages):
        if message["role"] == "assistant":
            prompt = render(messages[:number], True)
            whole = render(messages[: number + 1], False).rstrip()
            if not (whole.startswith(prompt) and text.startswith(whole)):
                raise UnreadableInput(
                    "the chat template changes earlier turns of a chat, so that a reply has no place in it: "
                    "use a template that only appends"
                )
            spans.append((len(prompt), len(whole)))
    return text, spans


def encode_chat(tokenizer: Any, messages: Sequence[Message]) -> dict[str, list[int]]:
    """`input_ids` and `labels` of a chat, by a fast tokenizer of Transformers with a chat template."""

    def render(part: Sequence[Message], is_prompt: bool) -> str:
        text: str = tokenizer.apply_chat_template(list(part), tokenize=False, add_generation_prompt=is_prompt)
        return text

    text, spans = assistant_spans(render, messages)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids: list[int] = encoded["input_ids"]
    return {"input_ids": ids, "labels": label_tokens(ids, encoded["offset_mapping"], spans)}


def label_tokens(ids: Sequence[int], offsets: Sequence[Span], spans: Sequence[Span]) -> list[int]:
    """The tokens that begin within a span, and NOT_TRAINED for the others."""
    labels = []
    waiting = iter(spans)
    span = next(waiting, None)
    for token, (start, end) in zip(ids, offsets, strict=True):
        while span is not None and start >= span[1]:
            span = next(waiting, None)
        is_inside = span is not None and span[0] <= start < end
        labels.append(token if is_inside else NOT_TRAINED)
    return labels


# How a training checkpoint is named as a player: `sft/TRAINING-STEP`, as the KUMO authors' were imported.


PREFIX = "sft/"
_NAME = re.compile(rf"(?:(?P<variant>[a-z]+):)?{PREFIX}(?P<training>.+)-(?P<step>\d+)")


class Checkpoint(NamedTuple):
    """A training, such as `qwen2.5-3b-instruct-hard`, and the number of its steps; 0 is before the first."""

    training: str
    step: int


def name_checkpoint(training: str, step: int) -> str:
    """The checkpoint's name as a player."""
    return f"{PREFIX}{training}-{step}"


def parse_checkpoint(player: str, variants: Collection[str] = ()) -> Checkpoint | None:
    """Which checkpoint a player is, asked in whatever variant; None for another player."""
    match = _NAME.fullmatch(player)
    if match is None or (match["variant"] and match["variant"] not in variants):
        return None
    return Checkpoint(match["training"], int(match["step"]))


def require_name(training: str) -> str:
    """Check a training's name; raise InvalidOption for one that no player can have."""
    if not re.fullmatch(r"[\w.+-]+", training):
        raise InvalidOption(
            f"--name {training!r}: expected letters, digits, dots, hyphens and underscores, as it is part of "
            "players' names"
        )
    return training


def choose_steps(text: str, last: int) -> tuple[int, ...]:
    """The steps after which a checkpoint is kept: `8` for eight at equal distances, or `50,100`.

    The last step is always one of them. Raises InvalidOption for what is neither.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise InvalidOption(
            f"--checkpoints {text!r}: expected a number of checkpoints, such as 8, or steps, such as 50,100"
        )
    steps = [int(part) for part in parts]
    if len(steps) == 1 and "," not in text:
        steps = [round(last * number / steps[0]) for number in range(1, steps[0] + 1)]
    if max(steps) > last:
        raise InvalidOption(
            f"--checkpoints {text!r}: the training ends after step {last}; name earlier steps"
        )
    return tuple(sorted({*steps, last} - {0}))
