"""A folder for each checkpoint that `transformers serve` loads by its path: the base model with the adapter.

It loads an adapter only beside whole weights. These are links, so that a checkpoint of a large model costs
the space of its adapter.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

_ADAPTER = ("adapter_config.json", "adapter_model.safetensors")


def make_served_folders(model: str, checkpoints: Sequence[Path]) -> dict[int, Path]:
    """Return a folder `served-STEP` beside each checkpoint, by step; one that exists is replaced."""
    base = _folder_of(model)
    made = {}
    for checkpoint in checkpoints:
        step = int(checkpoint.name.rpartition("-")[2])
        folder = checkpoint.with_name(f"served-{step}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        files = [path for path in base.iterdir() if path.is_file() and path.name not in _ADAPTER]
        for file in (*files, *(checkpoint / name for name in _ADAPTER)):
            (folder / file.name).symlink_to(file.resolve())
        made[step] = folder
    return made


def _folder_of(model: str) -> Path:
    """Return the model's folder: for a name on the Hub that of its snapshot, once it was loaded."""
    from transformers.utils import cached_file

    return Path(model) if Path(model).is_dir() else Path(cached_file(model, "config.json")).parent
