"""CPU seconds per megabyte that parsers of replies need for texts made to exhaust them.

`python -m tests.benchmarks.parsing [CHARACTERS] [PARSER]` prints the costliest texts for each parser.
"""

import sys

from tests.hostile_replies import hostile_replies
from tests.large_documents import large_documents
from tests.parsing_time import measure
from tests.reply_parsers import parsers


def main(size: int, wanted: str) -> None:
    """Print the parsers with their costliest texts, in CPU seconds per megabyte."""
    texts = [*hostile_replies(size, is_short=True), *large_documents(size)]
    for name, parse in parsers().items():
        if wanted not in name:
            continue
        costs = [(measure(parse, text) * 1_000_000 / max(len(text), size), kind) for kind, text in texts]
        shown = "; ".join(f"{cost:.2f} {kind}" for cost, kind in sorted(costs, reverse=True)[:3])
        print(f"{name[:60]:60} {sum(cost for cost, _ in costs):6.1f} in all; {shown}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20_000, sys.argv[2] if sys.argv[2:] else "")
