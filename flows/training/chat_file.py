"""A file of chats, read a line at a time: 100,000 chats are a gigabyte, and their tokens are more."""

import json
from collections.abc import Callable
from pathlib import Path

from perennial.flows.console.input_files import open_input, show_path
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.rows import JsonObject

Encode = Callable[[list[dict[str, str]]], dict[str, list[int]]]


class ChatFile:
    """The encoded chats of one `split` of a file (train or validation), as a sequence."""

    def __init__(self, path: Path, split: str, encode: Encode, max_length: int) -> None:
        self._path, self._encode, self._max_length = path, encode, max_length
        self._places: list[tuple[int, int]] = []  # number of the line and offset
        self.facts: dict[str, set[str]] = {"domain": set(), "setting": set(), "policy": set()}
        offset = 0
        with open_input(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    record = self._parse(line, number)
                    if record.get("split", "train") == split:
                        self._places.append((number, offset))
                        for name, values in self.facts.items():
                            values.update({str(record[name])} if name in record else ())
                offset += len(line)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> dict[str, list[int]]:
        """Return `input_ids` and `labels`; raise UnreadableInput for a chat too long or without a reply."""
        number, offset = self._places[index]
        with open_input(self._path) as lines:
            lines.seek(offset)
            record = self._parse(lines.readline(), number)
        encoded = self._encode(record["messages"])
        where = f"{show_path(self._path)}, line {number}"
        if len(encoded["input_ids"]) > self._max_length:
            raise UnreadableInput(
                f"{where}: a chat of {len(encoded['input_ids']):,} tokens, but the model takes "
                f"{self._max_length:,}: train on a smaller setting, or another model"
            )
        if all(label < 0 for label in encoded["labels"]):
            raise UnreadableInput(f"{where}: no reply of the assistant, expected one to train on")
        return encoded

    def _parse(self, line: bytes, number: int) -> JsonObject:
        try:
            record = json.loads(line)
            messages = record["messages"]
            if messages and all(
                isinstance(m["role"], str) and isinstance(m["content"], str) for m in messages
            ):
                return dict(record)
        except (ValueError, KeyError, TypeError):
            pass
        raise UnreadableInput(
            f"{show_path(self._path)}, line {number}: expected a JSON object with messages of role and "
            "content, as `perennial trajectories` writes them"
        )
