"""Rules on a grid that need to know what the tokens are."""

from perennial.tasks.a2rbench.catalogue.rule import Alphabet, Rule, Value


def caesar_by_row(x: Value) -> Value:
    return [[chr((ord(c) - 65 + i + 1) % 26 + 65) for c in row] for i, row in enumerate(x)]


def uncaesar_by_row(x: Value) -> Value:
    return [[chr((ord(c) - 65 - i - 1) % 26 + 65) for c in row] for i, row in enumerate(x)]


def atbash_border(x: Value) -> Value:
    last, end = len(x) - 1, len(x[0]) - 1
    return [
        [chr(155 - ord(c)) if i in (0, last) or j in (0, end) else c for j, c in enumerate(row)]
        for i, row in enumerate(x)
    ]


def add_place(x: Value) -> Value:
    return [[str((int(c) + i + j) % 10) for j, c in enumerate(row)] for i, row in enumerate(x)]


def subtract_place(x: Value) -> Value:
    return [[str((int(c) - i - j) % 10) for j, c in enumerate(row)] for i, row in enumerate(x)]


def parity_of_rows(x: Value) -> Value:
    y = []
    for row in x:
        total = 0
        z = []
        for c in row:
            total ^= int(c)
            z.append(str(total))
        y.append(z)
    return y


def changes_of_rows(x: Value) -> Value:
    return [[str(int(c) ^ (int(row[j - 1]) if j else 0)) for j, c in enumerate(row)] for row in x]


def sum_down(x: Value) -> Value:
    y: Value = []
    for i, row in enumerate(x):
        y.append([str((int(c) + (int(y[i - 1][j]) if i else 0)) % 10) for j, c in enumerate(row)])
    return y


def difference_down(x: Value) -> Value:
    return [
        [str((int(c) - (int(x[i - 1][j]) if i else 0)) % 10) for j, c in enumerate(row)]
        for i, row in enumerate(x)
    ]


def times_three(x: Value) -> Value:
    return [[str(int(c) * 3 % 10) for c in row] for row in x]


def times_seven(x: Value) -> Value:
    return [[str(int(c) * 7 % 10) for c in row] for row in x]


def complement_checkerboard(x: Value) -> Value:
    return [
        [str(9 - int(c)) if (i + j) % 2 == 0 else c for j, c in enumerate(row)] for i, row in enumerate(x)
    ]


def shift_by_corner(x: Value) -> Value:
    return [[chr((ord(c) - 65 + i + j) % 26 + 65) for j, c in enumerate(row)] for i, row in enumerate(x)]


def unshift_by_corner(x: Value) -> Value:
    return [[chr((ord(c) - 65 - i - j) % 26 + 65) for j, c in enumerate(row)] for i, row in enumerate(x)]


def element_by_row(x: Value) -> Value:
    table = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split()
    return [[table[(table.index(c) + i + 1) % 20] for c in row] for i, row in enumerate(x)]


def unelement_by_row(x: Value) -> Value:
    table = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split()
    return [[table[(table.index(c) - i - 1) % 20] for c in row] for i, row in enumerate(x)]


def day_by_column(x: Value) -> Value:
    days = "Mon Tue Wed Thu Fri Sat Sun".split()
    return [[days[(days.index(c) + j + 1) % 7] for j, c in enumerate(row)] for row in x]


def unday_by_column(x: Value) -> Value:
    days = "Mon Tue Wed Thu Fri Sat Sun".split()
    return [[days[(days.index(c) - j - 1) % 7] for j, c in enumerate(row)] for row in x]


def negate_bits(x: Value) -> Value:
    return [[str(1 - int(c)) if i % 2 else c for c in row] for i, row in enumerate(x)]


def _rule(name: str, words: str, back: str, forward: object, inverse: object, alphabet: Alphabet) -> Rule:
    return Rule(name, 2, "semantic", words, back, forward, inverse, alphabet)  # type: ignore[arg-type]


RULES = (
    _rule(
        "grid_caesar_by_row",
        "Move the letters of each row forward in the alphabet by the row's number, the first by one.",
        "Move the letters of each row back by the row's number.",
        caesar_by_row,
        uncaesar_by_row,
        "letters",
    ),
    _rule(
        "grid_atbash_border",
        "Replace each letter of the border by the one as far from the alphabet's end; the inside stays.",
        "Replace each letter of the border in the same way again.",
        atbash_border,
        atbash_border,
        "letters",
    ),
    _rule(
        "grid_add_place",
        "Add to each digit the number of its row and of its column, counted from zero, modulo 10.",
        "Subtract from each digit the number of its row and of its column, modulo 10.",
        add_place,
        subtract_place,
        "digits",
    ),
    _rule(
        "grid_parity_of_rows",
        "Replace each bit by the parity of the bits of its row up to it.",
        "Replace each bit by whether it differs from the one before it in its row.",
        parity_of_rows,
        changes_of_rows,
        "bits",
    ),
    _rule(
        "grid_sum_down",
        "Replace each digit by the last digit of the sum of its column down to it.",
        "Replace each digit by its difference from the digit above it, modulo 10.",
        sum_down,
        difference_down,
        "digits",
    ),
    _rule(
        "grid_times_three",
        "Replace each digit by the last digit of three times it.",
        "Replace each digit by the last digit of seven times it.",
        times_three,
        times_seven,
        "digits",
    ),
    _rule(
        "grid_complement_checkerboard",
        "Replace the digits of the black squares of a chessboard (the upper left is one) by nine minus them.",
        "Replace the digits of the black squares by nine minus them again.",
        complement_checkerboard,
        complement_checkerboard,
        "digits",
    ),
    _rule(
        "grid_shift_by_corner",
        "Move each letter forward in the alphabet by its steps from the upper left corner.",
        "Move each letter back by its steps from the upper left corner.",
        shift_by_corner,
        unshift_by_corner,
        "letters",
    ),
    _rule(
        "grid_element_by_row",
        "Move each chemical element forward by its row's number, the first by one, hydrogen after calcium.",
        "Move each chemical element back by its row's number.",
        element_by_row,
        unelement_by_row,
        "elements",
    ),
    _rule(
        "grid_day_by_column",
        "Move each day of the week forward by its column's number, the first by one.",
        "Move each day of the week back by its column's number.",
        day_by_column,
        unday_by_column,
        "days",
    ),
    _rule(
        "grid_negate_bits",
        "Negate the bits of every second row, beginning with the second.",
        "Negate the bits of every second row again.",
        negate_bits,
        negate_bits,
        "bits",
    ),
)
