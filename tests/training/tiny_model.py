"""A tiny model of Transformers with random weights, made here: `python -m tests.training.tiny_model FOLDER`.

Its tokenizer has the bytes and no merges, or merges learned from texts; nothing is downloaded.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

# Like that of many instruct models: no marks of what the assistant generated.
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CONTEXT = 16_384


def make_tokenizer(folder: Path, texts: Iterable[str] = (), template: str | None = TEMPLATE) -> None:
    """Write a byte-level tokenizer whose merges are learned from the texts, with the chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2_000,
        special_tokens=["<|pad|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|pad|>")
    if template is not None:
        fast.chat_template = template
    fast.save_pretrained(folder)


def make_model(
    folder: Path, texts: Iterable[str] = (), template: str | None = TEMPLATE, **changed: object
) -> Path:
    """Write tokenizer and random weights of a model of two layers, and return the folder.

    `changed` are keys of its configuration.
    """
    import torch
    from transformers import AutoTokenizer, Qwen2Config, Qwen2ForCausalLM

    make_tokenizer(folder, texts, template)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    usual = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "max_position_embeddings": CONTEXT,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        "tie_word_embeddings": True,
    }
    config = Qwen2Config(**(usual | changed))
    Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


if __name__ == "__main__":
    learned = [Path(name).read_text(encoding="utf-8") for name in sys.argv[2:]]
    make_model(Path(sys.argv[1]), learned)
