"""Models that answer half of KnowLogic's questions, as a role of the scripted server; one has read an export.

`reader` knows the answer to each question that the export in the folder $MEMORISED_EXPORT holds; it answers
all other questions as `honest` and `careful` do: right where the digest of name and question is even.
"""

import os
import random
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq

from tests.knowlogic.scripted_model import solve
from tests.server.script import Asked

READER, MODELS = "reader", ("honest", "careful", "reader")
FOLDER = "MEMORISED_EXPORT"


class ForgetfulModel:
    """Answers a question that it remembers, and half of the others."""

    role = "player"
    faults: tuple[str, ...] = ()

    def __init__(self, remembered: frozenset[str]) -> None:
        self._remembered = remembered

    def recognises(self, asked: Asked) -> bool:
        return asked.model in MODELS

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        question = asked.messages[-1]["content"]
        knows = asked.model == READER and question in self._remembered
        can = sha256(f"{asked.model} {question}".encode()).digest()[0] % 2 == 0
        return solve(question) if knows or can else "I cannot say."


def scripts() -> tuple[ForgetfulModel, ...]:
    """Return the roles of the scripted server."""
    files = Path(os.environ[FOLDER]).rglob("messages/**/*.parquet") if FOLDER in os.environ else ()
    texts = (text for file in files for text in pq.ParquetFile(file).read()["content"].to_pylist())
    return (ForgetfulModel(frozenset(texts)),)
