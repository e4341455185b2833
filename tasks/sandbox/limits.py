"""What a worker may use: time, memory, sizes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one worker.

    `start_seconds` and `call_seconds` are of wall time, `cpu_seconds` of the worker's whole life;
    `memory_bytes` is its address space; `source_bytes`, `source_nodes` and `source_depth` are of the code;
    `message_bytes` is the size of one request or reply, `message_values` the number of values in a reply,
    `value_depth` the nesting of a value.
    """

    start_seconds: float = 5.0
    call_seconds: float = 2.0
    cpu_seconds: int = 3
    memory_bytes: int = 512 * 1024 * 1024
    source_bytes: int = 64 * 1024
    source_nodes: int = 20_000
    source_depth: int = 150
    message_bytes: int = 2 * 1024 * 1024
    message_values: int = 100_000
    value_depth: int = 20


LIMITS = Limits()
