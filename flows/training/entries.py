"""The entries of models.toml by which a training's checkpoints are players."""

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from perennial.tasks.training import name_checkpoint


def checkpoint_entries(
    training: str,
    base_model: str,
    served: Mapping[int, Path],
    base_url: str,
    facts: Mapping[str, AbstractSet[str]],
) -> Iterator[str]:
    """Yield the lines of a models file: the model before training as step 0, then each checkpoint."""
    yield "# Written by perennial train. The server is that of `transformers serve`."
    places = {0: base_model, **{step: str(folder.resolve()) for step, folder in served.items()}}
    for step, place in places.items():
        yield ""
        yield f"[{_quote(name_checkpoint(training, step))}]"
        yield f"model = {_quote(place)}"
        yield f"base_url = {_quote(base_url)}"
        yield f"base_model = {_quote(Path(base_model).name)}"
        for key, name in (("trained_on", "domain"), ("trained_setting", "setting")):
            if step and facts[name]:
                yield f"{key} = {_quote(', '.join(sorted(facts[name])))}"
        yield f"step = {step}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a basic string of TOML is one of JSON
