"""Content-derived identifiers and derived random generators."""

import hashlib
import json
import random
from collections.abc import Container, Sequence

_ID_BYTES = 16


def canonical_json(value: object) -> str:
    """JSON text with sorted keys and no spaces: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_id(prefix: str, *parts: object) -> str:
    """`prefix_` and 32 hexadecimal digits derived from the parts' canonical JSON."""
    digest = hashlib.blake2b(canonical_json(parts).encode(), digest_size=_ID_BYTES).hexdigest()
    return f"{prefix}_{digest}"


def derive_seed(seed: int, purpose: str, index: int) -> int:
    """A 64-bit seed for one purpose and index; neighbours are unrelated."""
    digest = hashlib.blake2b(f"{seed}/{purpose}/{index}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def derive_seeds(seed: int, purposes: list[str]) -> bytes:
    """The eight bytes, little-endian, of `derive_seed(seed, purpose, 0)` for each purpose."""
    digest, start = hashlib.blake2b, f"{seed}/"
    return b"".join(digest(f"{start}{purpose}/0".encode(), digest_size=8).digest() for purpose in purposes)


def derive_bits(seed: int, purpose: str, number: int) -> bytes:
    """So many random bytes, of which none tells anything of the others."""
    return hashlib.shake_256(f"{seed}/{purpose}".encode()).digest(number)


def derive_rng(seed: int, purpose: str, index: int) -> random.Random:
    """A fresh generator for (seed, purpose, index), the only way randomness enters perennial."""
    return random.Random(derive_seed(seed, purpose, index))


def which_held(held: Container[str], ids: Sequence[str]) -> list[bool]:
    """For each id whether it is held: at once where `held` has a `which` of its own."""
    which = getattr(held, "which", None)
    return which(ids) if which else [text in held for text in ids]
