"""A chat as tokens, and which of them a model is trained to say: those of the assistant's turns alone.

The spans of the turns come from the template itself, whatever it is: what it adds for one more reply is that
reply, with the token that ends it. So no template needs marks of its own for this.
"""

from collections.abc import Callable, Sequence
from typing import Any

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls.calls import Message

NOT_TRAINED = -100
Span = tuple[int, int]


def assistant_spans(
    render: Callable[[Sequence[Message], bool], str], messages: Sequence[Message]
) -> tuple[str, list[Span]]:
    """Return the chat's text and the places in it of the assistant's turns, ends of turn included.

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
    """Return `input_ids` and `labels` of a chat, by a fast tokenizer of Transformers with a chat template."""

    def render(part: Sequence[Message], is_prompt: bool) -> str:
        text: str = tokenizer.apply_chat_template(list(part), tokenize=False, add_generation_prompt=is_prompt)
        return text

    text, spans = assistant_spans(render, messages)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids: list[int] = encoded["input_ids"]
    return {"input_ids": ids, "labels": label_tokens(ids, encoded["offset_mapping"], spans)}


def label_tokens(ids: Sequence[int], offsets: Sequence[Span], spans: Sequence[Span]) -> list[int]:
    """Return the tokens that begin within a span, and NOT_TRAINED for the others."""
    labels = []
    waiting = iter(spans)
    span = next(waiting, None)
    for token, (start, end) in zip(ids, offsets, strict=True):
        while span is not None and start >= span[1]:
            span = next(waiting, None)
        is_inside = span is not None and span[0] <= start < end
        labels.append(token if is_inside else NOT_TRAINED)
    return labels
