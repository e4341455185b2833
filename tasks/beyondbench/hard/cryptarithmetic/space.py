"""How many cryptarithms there are."""

import math

from perennial.schemas.beyondbench.things import Space
from perennial.tasks.beyondbench.hard.cryptarithmetic.draw import FACTORS, WORD_VARIATIONS, word_choices
from perennial.tasks.beyondbench.hard.shares import least_share

# Pairs of factors whose cryptarithm has one solution and at least four letters, by the factors' digits:
# {letters: pairs}, counted over all pairs. A product and the quotient of its numbers are sound together.
PRODUCTS: dict[tuple[int, int], dict[int, int]] = {
    (3, 2): {4: 1_804, 5: 7_349, 6: 6_909, 7: 1_181, 8: 19},
    (4, 2): {4: 4_348, 5: 40_474, 6: 132_941, 7: 141_661, 8: 49_369, 9: 6_868, 10: 540},
    (3, 3): {4: 4_628, 5: 44_239, 6: 137_657, 7: 143_032, 8: 49_915, 9: 6_602, 10: 500},
}
# A sound sum and a sound difference for each level and number of digits.
WITNESSES = {
    ("addition_medium", 4): (8416, 1677, 10093),
    ("addition_medium", 5): (76438, 89084, 165522),
    ("addition_hard", 5): (65289, 42042, 107331),
    ("addition_hard", 6): (767134, 980462, 1747596),
    ("addition_extreme", 6): (754102, 408952, 1163054),
    ("addition_extreme", 7): (4983286, 1834109, 6817395),
    ("subtraction_medium", 4): (6461, 1212, 5249),
    ("subtraction_medium", 5): (76278, 12459, 63819),
    ("subtraction_hard", 5): (99015, 53488, 45527),
    ("subtraction_hard", 6): (470681, 321726, 148955),
    ("subtraction_extreme", 6): (279301, 131738, 147563),
    ("subtraction_extreme", 7): (4204338, 2780352, 1423986),
}


# Random triples of words that make a sound sum or product, and how many were tried, by letters of the first
# word. A difference or quotient of the same words is sound too. By `tests.benchmarks.cryptarithm_words`.
SOUND_TRIPLES: dict[tuple[str, int], tuple[int, int]] = {
    ("addition", 4): (438, 500_000),
    ("addition", 5): (4_518, 500_000),
    ("addition", 6): (8_301, 500_000),
    ("multiplication", 3): (86_507, 500_000),
    ("multiplication", 4): (8_597, 50_000),
}


def space(variation: str, size: int) -> Space:
    """Return the number of cryptarithms: sound equations, times choices of letters for their digits."""
    if variation in WORD_VARIATIONS:
        return _word_space(variation.partition("_")[0], size)
    if (variation, size) in WITNESSES:
        n_letters = len(set("".join(map(str, WITNESSES[variation, size]))))
        return Space(
            math.log10(math.perm(26, n_letters)), False, f"choices of {n_letters} letters for one equation"
        )
    counted = PRODUCTS[FACTORS[variation.partition("_")[2]]]
    total = sum(pairs * math.perm(26, letters) for letters, pairs in counted.items())
    return Space(math.log10(total), True, f"{sum(counted.values()):,} sound equations, letters chosen")


def _word_space(operation: str, size: int) -> Space:
    operands, results = word_choices(operation, size)
    triples = math.prod(map(len, (*operands, results)))
    forwards = "addition" if operation in ("addition", "subtraction") else "multiplication"
    sound, tries = SOUND_TRIPLES[forwards, size]
    doc = f"{sound:,} of {tries:,} triples of words are sound; 1 - 1e-6 lower bound"
    return Space(math.log10(triples * least_share(sound, tries)), False, doc)
