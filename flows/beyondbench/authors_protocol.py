"""Protocol `beyondbench-2025`: the prompts of BeyondBench's authors, from a copy of their package."""

from collections.abc import Iterable
from pathlib import Path

from perennial.schemas.beyondbench.settings import BeyondBenchSettings
from perennial.schemas.beyondbench.things import BEYONDBENCH_2025
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.ids import content_id
from perennial.schemas.plan import PERENNIAL
from perennial.schemas.rows import JsonObject
from perennial.tasks.beyondbench.authors_prompts import REMEDY, has_words, read_prompt, their_name
from perennial.tasks.beyondbench.registry import TASKS
from perennial.warehouse.store.file_system import open_regular

_FOLDERS = ("beyondbench/tasks", "tasks")  # below a clone, below an installed package
_MOST_BYTES = 1_000_000  # the largest module has 35,000
ASKED_OTHERWISE = f"protocol {BEYONDBENCH_2025} has no words for it"


def choose_protocol(settings: BeyondBenchSettings, tasks: Iterable[str]) -> JsonObject:
    """What an evaluation of these tasks keeps of its protocol, nothing for perennial's own.

    With the texts it can be resumed and reproduced without the copy. Raises InvalidOption for settings that
    do not fit together and where the protocol has words for none of the tasks, UnreadableInput for a prompt
    that is missing or altered.
    """
    if settings.protocol == PERENNIAL:
        if settings.release:
            raise InvalidOption(
                f"--release {settings.release!r} is read under --protocol {BEYONDBENCH_2025} only: give both "
                "or none"
            )
        return {}
    if not settings.release:
        raise InvalidOption(
            f"--protocol {BEYONDBENCH_2025} asks with the prompts of the BeyondBench authors: name a copy of "
            "their package with --release"
        )
    asked = sorted(task for task in set(tasks) if has_words(task))
    if not asked:
        raise InvalidOption(
            f"--protocol {BEYONDBENCH_2025} has no words for problems of the Hard suite: name tasks of the "
            "suites easy and medium with --tasks"
        )
    texts = _read_prompts(Path(settings.release), asked)
    return {
        "name": BEYONDBENCH_2025,
        "templates": {task: content_id("tpl", text) for task, text in texts.items()},
        "texts": texts,
    }


def _read_prompts(root: Path, tasks: list[str]) -> dict[str, str]:
    if not root.is_dir():
        raise InvalidOption(f"--release {str(root)!r}: no such folder; {REMEDY}")
    folder = next((name for name in _FOLDERS if (root / name).is_dir()), None)
    if folder is None:
        raise UnreadableInput(f"{root}: no folder {' or '.join(_FOLDERS)}; {REMEDY}")
    texts = {}
    for task in tasks:
        source = f"{folder}/{TASKS[task].suite}/{their_name(task)}_task.py"
        texts[task] = read_prompt(_read_text(root / source, source), source, task)
    return texts


def _read_text(path: Path, source: str) -> str:
    try:
        with open_regular(path) as stored:
            content = stored.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableInput(f"{source}: cannot be read ({error.strerror or error}); {REMEDY}") from None
    if len(content) > _MOST_BYTES:
        raise UnreadableInput(f"{source}: larger than {_MOST_BYTES:,} bytes, the most that is read; {REMEDY}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableInput(f"{source}: not UTF-8 text; {REMEDY}") from None
