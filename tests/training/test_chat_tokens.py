"""Which tokens of a chat are trained on, by an independent writing of the same template."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls import Message
from perennial.tasks.training import NOT_TRAINED, assistant_spans, label_tokens
from tests.training.tiny_model import TEMPLATE

# Contents that hold what the template writes, so that looking for its marks would find the wrong place.
pieces = ["a", "é", " ", "\n", "<|im_end|>", "<|im_start|>assistant\n", "<ANSWER> x </ANSWER>"]
contents = st.lists(st.sampled_from(pieces), max_size=4).map("".join)
chats = st.lists(contents, min_size=2, max_size=9)


def render(messages: Sequence[Message], is_prompt: bool) -> str:
    """Apply the template as Transformers does."""
    template = Environment(trim_blocks=True, lstrip_blocks=True).from_string(TEMPLATE)
    return template.render(messages=messages, add_generation_prompt=is_prompt)


def chat_of(parts: Sequence[str]) -> list[Message]:
    roles = ["system", *(("user", "assistant") * len(parts))]
    return [{"role": role, "content": part} for role, part in zip(roles, parts, strict=False)]


@given(chats)
@pytest.mark.slow
def test_spans_are_the_assistants_turns_with_their_ends(parts: list[str]) -> None:
    messages = chat_of(parts)
    text, spans = assistant_spans(render, messages)
    expected, written = [], ""
    for message in messages:
        written += f"<|im_start|>{message['role']}\n"
        start = len(written)
        written += f"{message['content']}<|im_end|>"
        if message["role"] == "assistant":
            expected.append((start, len(written)))
        written += "\n"
    assert (text, spans) == (written, expected)


@given(st.lists(st.integers(1, 5), max_size=30), st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9))))
def test_a_token_is_trained_where_it_begins_within_a_span(
    lengths: list[int], gaps: list[tuple[int, int]]
) -> None:
    ends = [sum(lengths[: place + 1]) for place in range(len(lengths))]
    offsets = [(end - length, end) for end, length in zip(ends, lengths, strict=True)]
    spans, place = [], 0
    for gap, size in gaps:
        spans.append((place + gap, place + gap + size))
        place += gap + size
    ids = list(range(100, 100 + len(offsets)))
    expected = [
        token if any(low <= start < high for low, high in spans) else NOT_TRAINED
        for token, (start, _) in zip(ids, offsets, strict=True)
    ]
    assert label_tokens(ids, offsets, spans) == expected


def test_a_template_that_rewrites_earlier_turns_is_refused() -> None:
    def forget(messages: Sequence[Message], is_prompt: bool) -> str:
        """Leave out what the assistant said before its last turn, as templates of thinking models do."""
        last = max((n for n, message in enumerate(messages) if message["role"] == "assistant"), default=0)
        kept = [
            m if n >= last or m["role"] != "assistant" else {**m, "content": ""}
            for n, m in enumerate(messages)
        ]
        return render(kept, is_prompt)  # fmt: skip

    assistant_spans(forget, chat_of(["s", "u", "one"]))
    with pytest.raises(UnreadableInput, match="use a template that only appends"):
        assistant_spans(forget, chat_of(["s", "u", "one", "v", "two"]))
