"""How regular inputs are: compressed over original size (section 4.4; above 1 for short texts)."""

import gzip
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.catalogue.rule import Value


class Compression(NamedTuple):
    """Ratios of compressed to original bytes: of gzip with its header, and of deflate alone."""

    gzip: float
    deflate: float


def compression_of(inputs: Sequence[Value]) -> Compression:
    """Return the ratios of the inputs as JSON text; higher is less regular."""
    text = canonical_json(list(inputs)).encode()
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    deflated = len(compressor.compress(text)) + len(compressor.flush())
    return Compression(len(gzip.compress(text, 9, mtime=0)) / len(text), deflated / len(text))
