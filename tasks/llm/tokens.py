"""Count a prompt's tokens: by the model's own tokeniser where its entry names one, else at 4 bytes each."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from perennial.schemas.errors import InvalidOption, in_one_line
from perennial.schemas.model_calls.calls import ModelRequest
from perennial.tasks.llm.limits.rate_limits import estimate_prompt, prompt_texts

_TOKENS_PER_MESSAGE = 4

CountTokens = Callable[[ModelRequest], int]


def token_counter(tokenizer: str) -> CountTokens:
    """Return what counts the tokens of a request's prompt, by a file tokenizer.json, or estimates them ("").

    Raises InvalidOption where the file, or the package that reads it, is not there.
    """
    return partial(_count, _load(tokenizer)) if tokenizer else estimate_prompt


def text_counter(tokenizer: str) -> Callable[[str], int]:
    """Return what counts the tokens of a text by a file tokenizer.json; raises as `token_counter` does."""
    loaded = _load(tokenizer)
    return lambda text: len(loaded.encode(text, add_special_tokens=False))


def _count(tokenizer: Any, request: ModelRequest) -> int:
    texts = prompt_texts(request)
    coded = tokenizer.encode_batch(texts, add_special_tokens=False)
    return sum(map(len, coded)) + _TOKENS_PER_MESSAGE * len(request.messages)


@lru_cache(maxsize=8)
def _load(path: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise InvalidOption(
            f"tokenizer {path!r} needs the package tokenizers: "
            "pip install 'perennial-bench[tokenizers]', or leave the key out"
        ) from None
    try:
        return Tokenizer.from_file(path)
    except Exception as error:  # noqa: BLE001  it raises Exception itself, for whatever is wrong
        raise InvalidOption(
            f"tokenizer {path!r}: expected a file tokenizer.json ({in_one_line(error)})"
        ) from None
