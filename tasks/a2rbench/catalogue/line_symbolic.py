"""Rules on a list of tokens that move or repeat them, whatever they are."""

from perennial.tasks.a2rbench.catalogue.rule import Rule, Value


def reverse(x: Value) -> Value:
    return x[::-1]


def rotate_two(x: Value) -> Value:
    return [x[(i + 2) % len(x)] for i in range(len(x))]


def unrotate_two(x: Value) -> Value:
    return [x[(i - 2) % len(x)] for i in range(len(x))]


def rotate_third(x: Value) -> Value:
    k = len(x) // 3
    return x[k:] + x[:k]


def unrotate_third(x: Value) -> Value:
    k = len(x) - len(x) // 3
    return x[k:] + x[:k]


def swap_neighbours(x: Value) -> Value:
    y = list(x)
    for i in range(0, len(y) - 1, 2):
        y[i], y[i + 1] = y[i + 1], y[i]
    return y


def swap_halves(x: Value) -> Value:
    h = len(x) // 2
    return x[len(x) - h :] + x[h : len(x) - h] + x[:h]


def shuffle(x: Value) -> Value:
    h = (len(x) + 1) // 2
    y = []
    for i in range(h):
        y.append(x[i])
        if h + i < len(x):
            y.append(x[h + i])
    return y


def unshuffle(x: Value) -> Value:
    return x[::2] + x[1::2]


def outside_in(x: Value) -> Value:
    y = []
    for i in range((len(x) + 1) // 2):
        y.append(x[i])
        if i != len(x) - 1 - i:
            y.append(x[len(x) - 1 - i])
    return y


def inside_out(x: Value) -> Value:
    return x[::2] + x[1::2][::-1]


def reverse_blocks(x: Value) -> Value:
    y = []
    for i in range(0, len(x), 3):
        y.extend(x[i : i + 3][::-1])
    return y


def reverse_even_places(x: Value) -> Value:
    y = list(x)
    y[::2] = x[::2][::-1]
    return y


def mirror(x: Value) -> Value:
    return x + x[::-1]


def first_half(x: Value) -> Value:
    return x[: len(x) // 2]


def double_each(x: Value) -> Value:
    return [token for token in x for _ in range(2)]


def each_second(x: Value) -> Value:
    return x[::2]


def deal_three(x: Value) -> Value:
    return x[::3] + x[1::3] + x[2::3]


def undeal_three(x: Value) -> Value:
    y = [""] * len(x)
    n = 0
    for start in range(3):
        for i in range(start, len(x), 3):
            y[i] = x[n]
            n += 1
    return y


def _rule(name: str, words: str, back: str, forward: object, inverse: object) -> Rule:
    return Rule(name, 1, "symbolic", words, back, forward, inverse)  # type: ignore[arg-type]


RULES = (
    _rule("line_reverse", "Reverse the list.", "Reverse the list.", reverse, reverse),
    _rule(
        "line_rotate_two",
        "Move every token two places to the left, around the end.",
        "Move every token two places to the right, around the end.",
        rotate_two,
        unrotate_two,
    ),
    _rule(
        "line_rotate_third",
        "Move the first third of the list (rounded down) to the end.",
        "Move a third of the list (rounded down) from the end to the front.",
        rotate_third,
        unrotate_third,
    ),
    _rule(
        "line_swap_neighbours",
        "Swap the tokens of each pair: first and second, third and fourth, and so on.",
        "Swap the tokens of each pair again.",
        swap_neighbours,
        swap_neighbours,
    ),
    _rule(
        "line_swap_halves",
        "Swap the first and the last half; the middle token of an odd list stays.",
        "Swap the halves again.",
        swap_halves,
        swap_halves,
    ),
    _rule(
        "line_shuffle",
        "Interleave the first half (the longer one) with the second.",
        "Write the tokens at odd places, then those at even places.",
        shuffle,
        unshuffle,
    ),
    _rule(
        "line_outside_in",
        "Write the first token, the last, the second, the second last, and so on.",
        "Write the tokens at odd places, then those at even places in reverse order.",
        outside_in,
        inside_out,
    ),
    _rule(
        "line_reverse_blocks",
        "Reverse each block of three tokens, a shorter last block as well.",
        "Reverse each block of three tokens again.",
        reverse_blocks,
        reverse_blocks,
    ),
    _rule(
        "line_reverse_even_places",
        "Reverse the order of the first, third, fifth ... token; the others stay.",
        "Reverse the order of the first, third, fifth ... token again.",
        reverse_even_places,
        reverse_even_places,
    ),
    _rule("line_mirror", "Append the list in reverse order.", "Keep the first half.", mirror, first_half),
    _rule(
        "line_double_each", "Write each token twice.", "Keep every second token.", double_each, each_second
    ),
    _rule(
        "line_deal_three",
        "Deal the tokens to three piles in turn, and put the piles one after the other.",
        "Take from three piles in turn.",
        deal_three,
        undeal_three,
    ),
)
