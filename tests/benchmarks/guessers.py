"""How often guesses without a test are right in balanced instances: by the rules, and by a book's text alone.

python -m tests.benchmarks.guessers [--count 4000] [--domains ...] [--sampler balanced]

Of each guess its rate, and z of its distance from chance. By rules: the truth that the fewest states rule
out, and the one that the most choices of states leave alone. By texts: the truth whose name a book has least
often, most often, first and last; books by the template, in all styles.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from math import sqrt

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import BALANCED, BOOK_STYLES, SAMPLERS, BookStyle, Instance, Setting
from perennial.tasks.kumo.books import rules_of, write_book
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config, encode_instance
from perennial.tasks.kumo.guessing import GUESSES, count_survivals, rank_valid_truth
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.worlds import SPARSITIES, draw_world

WORLDS = ("world", *(f"world {sparsity}" for sparsity in SPARSITIES if sparsity))
DOMAINS = (*WORLDS, "mineral_identification", "medical_diagnosis", "student_assessment")
TEXT_GUESSES = ("fewest names", "most names", "first name", "last name")


def main() -> None:
    """Print the rates by domain and setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=4_000)
    parser.add_argument("--domains", nargs="+", default=DOMAINS)
    parser.add_argument("--settings", nargs="+", default=("easy", "hard"))
    parser.add_argument("--sampler", default=BALANCED, choices=SAMPLERS)
    given = parser.parse_args()
    columns = (*GUESSES, *TEXT_GUESSES)
    print(f"{'domain':24}{'setting':>8}{'n':>7}{'chance':>8}" + "".join(f"{name:>16}" for name in columns))
    for name in given.domains:
        kind, _, sparsity = name.partition(" ")
        encoded = encode_config(draw_world(3, 0, sparsity).config if kind == "world" else load_bundled(name))
        for setting in given.settings:
            size = Setting.parse(setting)
            request = SamplingRequest(size, given.count, 0, require_test=True, sampler=given.sampler)
            hits = count_hits(encoded, sample_instances(encoded, request).instances)
            cells = "".join(f"{describe(hits[guess], given.count, size.n_truths):>16}" for guess in columns)
            print(f"{name:24}{setting:>8}{given.count:>7,}{1 / size.n_truths:8.3f}{cells}", flush=True)


def count_hits(encoded: EncodedConfig, instances: Sequence[Instance]) -> Counter[str]:
    """Return how often each guess names the valid truth."""
    hits: Counter[str] = Counter()
    for number, instance in enumerate(instances):
        board = encode_instance(encoded, instance)
        ranks = rank_valid_truth(board, count_survivals(board))
        hits.update(guess for guess, rank in ranks.items() if rank == 0)
        text = template_book(encoded, instance, number)
        hits.update(
            guess for guess, truth in guess_by_text(instance, text).items() if truth in instance.valid_truths
        )
    return hits


def template_book(
    encoded: EncodedConfig, instance: Instance, number: int, styles: Sequence[BookStyle] = BOOK_STYLES
) -> str:
    """Return a book of the instance, in one of the styles."""
    rng = derive_rng(0, "books of guessers", number)
    style = rng.choice(styles)
    return write_book(encoded.config, instance, rules_of(encoded, instance), rng, style)


def guess_by_text(instance: Instance, text: str) -> dict[str, str]:
    """Return what each guess by the text names; of equals the first listed one."""
    truths = instance.truths
    return {
        "fewest names": min(truths, key=text.count),
        "most names": max(truths, key=text.count),
        "first name": min(truths, key=lambda name: text.find(name) % (len(text) + 1)),
        "last name": max(truths, key=text.rfind),
    }


def describe(hits: int, count: int, n_truths: int) -> str:
    """Return a rate and z of its distance from chance."""
    chance = 1 / n_truths
    z = (hits / count - chance) / sqrt(chance * (1 - chance) / count)
    return f"{hits / count:.3f} ({z:+.1f})"


if __name__ == "__main__":
    main()
