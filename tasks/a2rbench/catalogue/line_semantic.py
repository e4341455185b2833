"""Rules on a list of tokens that need to know what the tokens are: letters, digits, elements, days."""

from perennial.tasks.a2rbench.catalogue.rule import Alphabet, Rule, Value


def caesar(x: Value) -> Value:
    return [chr((ord(c) - 65 + 3) % 26 + 65) for c in x]


def uncaesar(x: Value) -> Value:
    return [chr((ord(c) - 65 - 3) % 26 + 65) for c in x]


def atbash(x: Value) -> Value:
    return [chr(90 - (ord(c) - 65)) for c in x]


def shift_by_place(x: Value) -> Value:
    return [chr((ord(c) - 65 + i + 1) % 26 + 65) for i, c in enumerate(x)]


def unshift_by_place(x: Value) -> Value:
    return [chr((ord(c) - 65 - i - 1) % 26 + 65) for i, c in enumerate(x)]


def vigenere(x: Value) -> Value:
    key = "LEMON"
    return [chr((ord(c) + ord(key[i % 5]) - 130) % 26 + 65) for i, c in enumerate(x)]


def unvigenere(x: Value) -> Value:
    key = "LEMON"
    return [chr((ord(c) - ord(key[i % 5])) % 26 + 65) for i, c in enumerate(x)]


def affine(x: Value) -> Value:
    return [chr((7 * (ord(c) - 65) + 2) % 26 + 65) for c in x]


def unaffine(x: Value) -> Value:
    return [chr(15 * (ord(c) - 65 - 2) % 26 + 65) for c in x]


def running_sum(x: Value) -> Value:
    y = []
    total = 0
    for c in x:
        total = (total + int(c)) % 10
        y.append(str(total))
    return y


def differences(x: Value) -> Value:
    y = []
    before = 0
    for c in x:
        y.append(str((int(c) - before) % 10))
        before = int(c)
    return y


def nines_complement(x: Value) -> Value:
    return [str(9 - int(c)) for c in x]


def gray_code(x: Value) -> Value:
    return [str(int(c) ^ (int(x[i - 1]) if i else 0)) for i, c in enumerate(x)]


def ungray_code(x: Value) -> Value:
    y = []
    last = 0
    for c in x:
        last ^= int(c)
        y.append(str(last))
    return y


def to_binary(x: Value) -> Value:
    return [bit for c in x for bit in format(int(c), "04b")]


def from_binary(x: Value) -> Value:
    return [str(int("".join(x[i : i + 4]), 2)) for i in range(0, len(x), 4)]


def next_element(x: Value) -> Value:
    table = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split()
    return [table[(table.index(c) + 1) % 20] for c in x]


def previous_element(x: Value) -> Value:
    table = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split()
    return [table[(table.index(c) - 1) % 20] for c in x]


def later_day(x: Value) -> Value:
    days = "Mon Tue Wed Thu Fri Sat Sun".split()
    return [days[(days.index(c) + i) % 7] for i, c in enumerate(x)]


def earlier_day(x: Value) -> Value:
    days = "Mon Tue Wed Thu Fri Sat Sun".split()
    return [days[(days.index(c) - i) % 7] for i, c in enumerate(x)]


def _rule(name: str, words: str, back: str, forward: object, inverse: object, alphabet: Alphabet) -> Rule:
    return Rule(name, 1, "semantic", words, back, forward, inverse, alphabet)  # type: ignore[arg-type]


RULES = (
    _rule(
        "line_caesar",
        "Replace each letter by the third after it in the alphabet, around the end.",
        "Replace each letter by the third before it.",
        caesar,
        uncaesar,
        "letters",
    ),
    _rule(
        "line_atbash",
        "Replace each letter by the one that is as far from the end as it is from the beginning.",
        "Replace each letter in the same way again.",
        atbash,
        atbash,
        "letters",
    ),
    _rule(
        "line_shift_by_place",
        "Move each letter forward in the alphabet by its place in the list, the first by one.",
        "Move each letter back by its place in the list.",
        shift_by_place,
        unshift_by_place,
        "letters",
    ),
    _rule(
        "line_vigenere",
        "Add the letters of the key LEMON, repeated (A adds 0, B adds 1), around the alphabet.",
        "Subtract the letters of the key LEMON, repeated.",
        vigenere,
        unvigenere,
        "letters",
    ),
    _rule(
        "line_affine",
        "Multiply the letter's number (A is 0) by seven and add two, modulo 26.",
        "Subtract two from the letter's number and multiply by fifteen, modulo 26.",
        affine,
        unaffine,
        "letters",
    ),
    _rule(
        "line_running_sum",
        "Replace each digit by the last digit of the sum of all digits so far.",
        "Replace each digit by its difference from the one before it, modulo 10.",
        running_sum,
        differences,
        "digits",
    ),
    _rule(
        "line_nines_complement",
        "Replace each digit by nine minus it.",
        "Replace each digit by nine minus it.",
        nines_complement,
        nines_complement,
        "digits",
    ),
    _rule(
        "line_gray_code",
        "Write the Gray code of the binary number: each bit is added without carry to the one before it.",
        "Read the Gray code: each bit is the sum without carry of all bits so far.",
        gray_code,
        ungray_code,
        "bits",
    ),
    _rule(
        "line_to_binary",
        "Write each digit as a binary number of four bits.",
        "Read each four bits as a digit.",
        to_binary,
        from_binary,
        "digits",
    ),
    _rule(
        "line_next_element",
        "Replace each chemical element by the next one; after calcium comes hydrogen.",
        "Replace each chemical element by the one before it.",
        next_element,
        previous_element,
        "elements",
    ),
    _rule(
        "line_later_day",
        "Move each day of the week forward by its place in the list, the first by none.",
        "Move each day of the week back by its place in the list.",
        later_day,
        earlier_day,
        "days",
    ),
)
