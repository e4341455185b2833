"""Random numbers inside of compiled sampling: splitmix64, whose whole state is one 64-bit word.

`generator` is an array of that one word. numba's own generator would be a state of the process. Import
this module lazily: it loads numba.
"""

import numpy as np

from perennial.tasks.kumo.kernels.kernel_part import inlined_part, kernel_part

# The constants are those of Steele, Lea and Flood (2014), who call it SplitMix64.
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U11, _U27, _U30, _U31, _U32 = (np.uint64(bits) for bits in (11, 27, 30, 31, 32))
_TO_UNIT = 2.0**-53


@kernel_part
def shuffle(values, first, last, generator):  # type: ignore[no-untyped-def]
    """Put the values from `first` to `last - 1` in random order."""
    for i in range(last - 1, first, -1):
        other = first + below(generator, i - first + 1)
        values[i], values[other] = values[other], values[i]


@kernel_part
def shuffle_both(values, marks, generator):  # type: ignore[no-untyped-def]
    """Put values and their marks in the same random order."""
    for i in range(len(values) - 1, 0, -1):
        other = below(generator, i + 1)
        values[i], values[other] = values[other], values[i]
        marks[i], marks[other] = marks[other], marks[i]


@kernel_part
def seed_generator(generator, seed, index, attempt):  # type: ignore[no-untyped-def]
    """Hash (seed, index, attempt) by three rounds of splitmix64."""
    generator[0] = seed
    generator[0] = next_bits(generator) ^ np.uint64(index)
    generator[0] = next_bits(generator) ^ np.uint64(attempt)
    generator[0] = next_bits(generator)


@kernel_part
def mix(state):  # type: ignore[no-untyped-def]
    """The 64 random bits of this state of a generator."""
    mixed = (state ^ (state >> _U30)) * _MIX_1
    mixed = (mixed ^ (mixed >> _U27)) * _MIX_2
    return mixed ^ (mixed >> _U31)


@kernel_part
def next_bits(generator):  # type: ignore[no-untyped-def]
    """The next 64 random bits."""
    generator[0] += _GAMMA
    return mix(generator[0])


@kernel_part
def skip(generator, number):  # type: ignore[no-untyped-def]
    """Leave out so many of the next random numbers."""
    generator[0] += np.uint64(number) * _GAMMA


@kernel_part
def unit(generator):  # type: ignore[no-untyped-def]
    """A uniform float of [0, 1)."""
    # 53 bits, as many as a float holds: all 64 would be rounded, at times up to 1.0.
    return (next_bits(generator) >> _U11) * _TO_UNIT


@kernel_part
def below(generator, count):  # type: ignore[no-untyped-def]
    """An integer of 0..count-1, uniform to within count / 2**32."""
    # Multiplied and shifted: a remainder is slower, and rejection takes a varying number of words.
    return np.int64(((next_bits(generator) >> _U32) * np.uint64(count)) >> _U32)


@inlined_part
def choose(numbers, generator, chosen):  # type: ignore[no-untyped-def]
    """Write random ones of `numbers`, which are 0, 1, 2 ... before and afterwards, in random order."""
    # As `below` does, but the state is not read from memory and written to it again for each number.
    state, n = generator[0], len(numbers)
    for i in range(len(chosen)):
        state += _GAMMA
        other = i + np.int64(((mix(state) >> _U32) * np.uint64(n - i)) >> _U32)
        chosen[i], numbers[other] = numbers[other], numbers[i]
    generator[0] = state
    # Whatever was overwritten is among the first, or was chosen.
    for i in range(len(chosen)):
        numbers[i], numbers[chosen[i]] = i, chosen[i]
