"""What an edition keeps secret and how its texts are marked: seed, commitment, canary.

The seed is drawn from the operating system, committed to before play, and revealed later. A seed of up to 63
bits is public: columns hold it. A larger one is secret: what is published is its commitment, the SHA-256 of
its decimal digits (ASCII, nothing before or after them), until it is revealed.

The canary is a GUID by which files of an edition are found in training data. The idea is that of BIG-bench
(Srivastava et al., 2022): a filter of training data can drop documents that hold it, and a tester can ask a
model for it. Published files hold it; what a player is asked never does, since it changes the answers
(docs/decisions.md#14-the-canary).
"""

import hashlib
import secrets
from uuid import NAMESPACE_URL, uuid5

SECRET_BITS = 256
_PUBLIC_LIMIT = 2**63
SEED_LIMIT = 2**SECRET_BITS
METADATA_KEY = "perennial.canary"  # of a Parquet file's Arrow schema


def draw_seed() -> int:
    """Draw 256 bits from the operating system."""
    return secrets.randbits(SECRET_BITS)


def is_public(seed: int) -> bool:
    """Whether columns hold the seed as it is."""
    return seed < _PUBLIC_LIMIT


def seed_bytes(seed: int) -> bytes:
    """The bytes that a commitment is the SHA-256 of: the decimal digits."""
    return str(seed).encode("ascii")


def commitment_of(seed: int) -> str:
    """The seed's commitment, 64 hexadecimal digits."""
    return hashlib.sha256(seed_bytes(seed)).hexdigest()


def public_seed(commitment: str) -> int:
    """60 bits for what everybody may compute again, such as intervals and the draws of players."""
    return int(commitment[:15], 16)


def canary_of(commitment: str) -> str:
    """The edition's canary, a GUID that anybody can derive from the commitment."""
    return str(uuid5(NAMESPACE_URL, f"perennial canary {commitment}"))


def canary_line(canary: str) -> str:
    """The line that carries the canary; it asks in one plain sentence not to train on the text."""
    request = "This text is part of a benchmark: please do not train models on it"
    return f"{request} (perennial canary GUID {canary})."
